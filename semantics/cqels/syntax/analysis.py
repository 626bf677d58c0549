"""What is wrong with a query, or surely not meant, beyond its grammar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from rdflib.term import URIRef, Variable

from ...model.errors import Position, QueryError, QueryWarning
from ...model.items import TimeKind
from ...model.temporal_graphs import TemporalGraph
from ...model.terms import Graph
from ...rdf.syntax.defined_names import ErrorAt, defined_once, refuse_unknown_window
from ...rdf.syntax.tree import (
    Aggregate,
    Element,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    UnionPattern,
)
from ...rdf.syntax.variables import (
    element_variables,
    existential_groups,
    expression_variables,
    inner_groups,
    mentioned_variables,
    possible_variables,
    subexpressions,
)
from .tree import CqelsQuery, RangeWindow, WindowPattern, WindowSequence

_Kind = TypeVar("_Kind")


# --- names of windows ----------------------------------------------------------------------------


def blocks(group: GroupGraphPattern) -> Mapping[URIRef, WindowPattern]:
    """The WINDOW blocks that the sequences of this very group name, by their names."""
    named = {
        element.name
        for sequence in group.elements if isinstance(sequence, WindowSequence)
        for element in sequence.elements
    }
    return {
        element.name: element
        for element in group.elements
        if isinstance(element, WindowPattern) and element.name in named
    }


def negated_blocks(group: GroupGraphPattern) -> frozenset[URIRef]:
    """The blocks of the group that sequences name behind a ! only."""
    elements = [
        element
        for sequence in group.elements if isinstance(sequence, WindowSequence)
        for element in sequence.elements
    ]
    positive = {element.name for element in elements if not element.negated}
    return frozenset(element.name for element in elements) - positive


def holds_windows(pattern: GroupGraphPattern | Element) -> bool:
    """Whether a window or a sequence stands in the pattern, at any depth."""
    return next(windows_in(pattern), None) is not None


def windows_in(
    pattern: GroupGraphPattern | Element,
) -> Iterator[WindowPattern | WindowSequence]:
    """The WINDOW blocks and the sequences of them, at any depth."""
    return _outermost(pattern, (WindowPattern, WindowSequence))


def _outermost(
    pattern: GroupGraphPattern | Element, kinds: tuple[type[_Kind], ...]
) -> Iterator[_Kind]:
    """The elements of these kinds, at any depth, but none inside another."""
    if isinstance(pattern, kinds):
        yield pattern
        return
    if isinstance(pattern, GroupGraphPattern):
        inner: tuple[GroupGraphPattern | Element, ...] = pattern.elements
    elif isinstance(pattern, Filter):
        inner = existential_groups(pattern.condition)
    else:
        inner = inner_groups(pattern)
    for each in inner:
        yield from _outermost(each, kinds)


# --- variables -----------------------------------------------------------------------------------


def visible_variables(group: GroupGraphPattern) -> tuple[Variable, ...]:
    """The variables that a solution of the group may bind, in the order of their appearance.

    As SPARQL 18.2.1, without those of a block that sequences negate.
    """
    return tuple(dict.fromkeys(_visible(group)))


def _visible(group: GroupGraphPattern) -> Iterator[Variable]:
    negated = negated_blocks(group)
    for element in group.elements:
        match element:
            case WindowPattern(name) if name in negated:
                continue
            case OptionalPattern(inner):
                yield from _visible(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from _visible(alternative)
            case _:
                yield from element_variables(element)


# --- errors --------------------------------------------------------------------------------------


def refuse_what_has_no_meaning(query: CqelsQuery, error: ErrorAt) -> None:
    """Windows given twice or never, sequences of unknown blocks, windows where none can stand."""
    known = defined_once("window", ((each.name, each.position) for each in query.windows), error)
    for element in windows_in(query.where):
        if isinstance(element, WindowPattern):
            refuse_unknown_window(element.name, element.position, known, error)
            _check_body(element, error)
    _check_group(query.where, error)
    _check_select(query, error)


def _check_body(window: WindowPattern, error: ErrorAt) -> None:
    for group in window.groups():
        for inner in windows_in(group):
            what = "a WINDOW" if isinstance(inner, WindowPattern) else "SEQ over windows"
            raise error(f"{what} cannot stand inside a WINDOW", inner.position)
        for graph in _outermost(group, (NamedGraphPattern,)):
            raise error(
                "GRAPH cannot stand inside a WINDOW: background graphs are joined outside of it",
                graph.position,
            )


def _check_group(group: GroupGraphPattern, error: ErrorAt) -> None:
    _check_sequences(group, error)
    for element in group.elements:
        match element:
            case OptionalPattern(inner) | MinusPattern(inner):
                _check_group(inner, error)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    _check_group(alternative, error)
            case NamedGraphPattern() | SubSelect() | Filter():
                for window in windows_in(element):
                    where = {NamedGraphPattern: "GRAPH", SubSelect: "a sub-select"}.get(
                        type(element), "EXISTS"
                    )
                    what = "a WINDOW" if isinstance(window, WindowPattern) else "SEQ"
                    raise error(f"{what} cannot stand inside {where}", window.position)


def _check_sequences(group: GroupGraphPattern, error: ErrorAt) -> None:
    named = [element.name for element in group.elements if isinstance(element, WindowPattern)]
    for sequence in group.elements:
        if not isinstance(sequence, WindowSequence):
            continue
        for element in sequence.elements:
            if named.count(element.name) != 1:
                number = "no" if element.name not in named else "more than one"
                raise error(
                    f"SEQ names the window <{element.name}>, which has {number} WINDOW block in"
                    " its group",
                    element.position,
                )


def _check_select(query: CqelsQuery, error: ErrorAt) -> None:
    taken = set(visible_variables(query.where))
    for item in query.select or ():
        if item.expression is None:
            continue
        if any(isinstance(part, Aggregate) for part in subexpressions(item.expression)):
            raise error(
                "an aggregate cannot stand in SELECT: solutions hold over intervals, and the paper"
                " does not say over which a group of them does",
                Position(),
            )
        if item.variable in taken:
            raise error(f"AS cannot name ?{item.variable}, it is in use already", Position())
        taken.add(item.variable)


def check_background(
    kb: Mapping[URIRef, Graph | TemporalGraph], kind: TimeKind
) -> None:
    """Background graphs change at times of the streams' kind."""
    for name, graph in kb.items():
        if isinstance(graph, TemporalGraph) and graph.changes and graph.kind is not kind:
            raise QueryError(
                f"the graph <{name}> changes at {graph.kind} times, but the streams have {kind}"
                " times: they cannot be compared"
            )


def check_kind(query: CqelsQuery, kind: TimeKind) -> None:
    """Integers measure windows on integer streams, durations on dateTime streams."""
    for clause in query.windows:
        function = clause.function
        if isinstance(function, RangeWindow) and function.width.kind is not kind:
            integer = kind is TimeKind.INTEGER
            raise QueryError(
                f"the window <{clause.name}> is {'a duration' if integer else 'a bare number'},"
                f" but the streams have {kind} times, which need"
                f" {'a bare number' if integer else 'a duration such as 10m'}",
                line=function.width.position.line,
                column=function.width.position.column,
            )


# --- warnings ------------------------------------------------------------------------------------


def check_query(
    query: CqelsQuery,
    stream_iris: Iterable[URIRef] | None = None,
    graph_iris: Iterable[URIRef] | None = None,
) -> Sequence[QueryWarning]:
    """What is legal but surely not meant; names are looked up where they are given."""
    return [
        *_unused_windows(query),
        *(_unknown_streams(query, frozenset(stream_iris)) if stream_iris is not None else ()),
        *(_unknown_graphs(query, frozenset(graph_iris)) if graph_iris is not None else ()),
        *_unbound(query),
        *_foreign_filters(query),
    ]


def _foreign_filters(query: CqelsQuery) -> Iterator[QueryWarning]:
    """Case (16): a pattern is matched on its own, its filters see nothing else."""
    for window in windows_in(query.where):
        for group in window.groups():
            bindable = possible_variables(group)
            for element in group.elements:
                if not isinstance(element, Filter) or not bindable:
                    continue
                parts = subexpressions(element.condition)
                for variable in {p for p in parts if isinstance(p, Variable)} - bindable:
                    yield QueryWarning(
                        "foreign-filter",
                        f"?{variable} is not bound by the pattern that the filter stands in; a"
                        " filter behind the sequence sees all of its elements",
                        element.position,
                    )


def _unused_windows(query: CqelsQuery) -> Iterator[QueryWarning]:
    used = {each.name for each in windows_in(query.where) if isinstance(each, WindowPattern)}
    for window in query.windows:
        if window.name not in used:
            yield QueryWarning(
                "unused-window", f"no WINDOW block uses the window <{window.name}>",
                window.position,
            )


def _unknown_streams(query: CqelsQuery, known: frozenset[URIRef]) -> Iterator[QueryWarning]:
    for window in query.windows:
        if window.stream not in known:
            yield QueryWarning(
                "unknown-stream",
                f"there is no stream <{window.stream}>: the window <{window.name}> stays empty",
                window.position,
            )


def _unknown_graphs(query: CqelsQuery, known: frozenset[URIRef]) -> Iterator[QueryWarning]:
    for name in (*query.default, *query.named):
        if name not in known:
            yield QueryWarning("unknown-graph", f"there is no graph <{name}>: it counts as empty")


def _unbound(query: CqelsQuery) -> Iterator[QueryWarning]:
    visible = set(visible_variables(query.where))
    for item in query.select or ():
        if item.expression is None and item.variable not in visible:
            negated = item.variable in mentioned_variables(query.where)
            why = "nothing positive binds it" if negated else "the query does not bind it"
            yield QueryWarning("unbound-variable", f"?{item.variable} is selected, but {why}")
        elif item.expression is not None:
            for variable in expression_variables(item.expression) - visible:
                yield QueryWarning(
                    "unbound-variable", f"?{variable} is used in SELECT, but nothing binds it"
                )
