"""Errors and warnings about a query, beyond its grammar."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from rdflib.term import URIRef, Variable

from ...model.errors import Position, QueryError, QueryWarning
from ...model.items import TimeKind
from ...model.temporal_graphs import TemporalGraph
from ...model.terms import Graph
from ...model.trees import find, has, outermost
from ...rdf.syntax.scoping import ErrorAt, defined_once, not_among, refuse_unknown_window
from ...rdf.syntax.tree import (
    Aggregate,
    Bind,
    Element,
    Exists,
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
    mentioned_variables,
    possible_variables,
    unbound_conditions,
)
from .tree import CqelsQuery, RangeWindow, WindowPattern, WindowSequence

# --- names of windows ----------------------------------------------------------------------------


def blocks(group: GroupGraphPattern) -> Mapping[URIRef, WindowPattern]:
    """Return the WINDOW blocks that the sequences of this very group name, by their names."""
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
    """Return the blocks of the group that sequences name behind a ! only."""
    elements = [
        element
        for sequence in group.elements if isinstance(sequence, WindowSequence)
        for element in sequence.elements
    ]
    positive = {element.name for element in elements if not element.negated}
    return frozenset(element.name for element in elements) - positive


def holds_windows(pattern: GroupGraphPattern | Element) -> bool:
    """Return True if the pattern contains a window or a sequence, at any depth."""
    return has(pattern, WindowPattern, WindowSequence)


# --- variables -----------------------------------------------------------------------------------


def visible_variables(group: GroupGraphPattern) -> tuple[Variable, ...]:
    """Return the variables that a solution of the group may bind, in the order of their appearance.

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
    for window in outermost(query.where, WindowPattern):
        refuse_unknown_window(window.name, window.position, known, error)
        _check_body(window, error)
    _check_group(query.where, error)
    _check_select(query, error)


def _check_body(window: WindowPattern, error: ErrorAt) -> None:
    for inner in find(window.body, WindowPattern, WindowSequence, NamedGraphPattern):
        if isinstance(inner, NamedGraphPattern):
            raise error(
                "GRAPH cannot stand inside a WINDOW: background graphs are joined outside of it",
                inner.position,
            )
        what = "a WINDOW" if isinstance(inner, WindowPattern) else "SEQ over windows"
        raise error(f"{what} cannot stand inside a WINDOW", inner.position)


def _check_group(group: GroupGraphPattern, error: ErrorAt) -> None:
    _check_sequences(group, error)
    for element in group.elements:
        match element:
            case OptionalPattern(inner) | MinusPattern(inner):
                _check_group(inner, error)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    _check_group(alternative, error)
            case NamedGraphPattern() | SubSelect() | Filter() | Bind():
                for window in outermost(element, WindowPattern, WindowSequence):
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
        if has(item.expression, Aggregate, but=Exists):
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
    """Check that background graphs change at times of the streams' kind."""
    for name, graph in kb.items():
        if isinstance(graph, TemporalGraph) and graph.changes and graph.kind is not kind:
            raise QueryError(
                f"the graph <{name}> changes at {graph.kind} times, but the streams have {kind}"
                " times: they cannot be compared"
            )


def check_kind(query: CqelsQuery, kind: TimeKind) -> None:
    """Check that integers measure windows on integer streams, durations on dateTime streams."""
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
    stream_iris: Collection[URIRef] | None = None,
    graph_iris: Collection[URIRef] | None = None,
) -> Sequence[QueryWarning]:
    """Return the warnings about a query; names are looked up if they are given."""
    return [
        *not_among("unused-window", [each.name for each in find(query.where, WindowPattern)], (
            (each.name, f"no WINDOW block uses the window <{each.name}>", each.position)
            for each in query.windows
        )),
        *not_among("unknown-stream", stream_iris, (
            (each.stream, f"no input for stream <{each.stream}>: the window <{each.name}> is"
             " empty", each.position)
            for each in query.windows
        )),
        *not_among("unknown-graph", graph_iris, (
            (name, f"no graph <{name}>: it is treated as empty", Position())
            for name in (*query.default, *query.named)
        )),
        *_unbound(query),
        *_foreign_filters(query),
        *unbound_conditions(query.where),
    ]


def _foreign_filters(query: CqelsQuery) -> Iterator[QueryWarning]:
    """Case (16): a pattern is matched on its own, its filters see nothing else."""
    bound = set(find(query.where, Variable, but=Filter))
    for window in find(query.where, WindowPattern):
        for group in window.groups():
            bindable = possible_variables(group)
            for element in group.elements:
                if not isinstance(element, Filter) or not bindable:
                    continue
                needed = set(find(element.condition, Variable, but=Exists))
                for variable in needed & bound - bindable:
                    yield QueryWarning(
                        "foreign-filter",
                        f"?{variable} is not bound by the pattern that the filter stands in; a"
                        " filter behind the sequence sees all of its elements",
                        element.position,
                    )


def _unbound(query: CqelsQuery) -> Iterator[QueryWarning]:
    visible = set(visible_variables(query.where))
    for item in query.select or ():
        if item.expression is None and item.variable not in visible:
            negated = item.variable in mentioned_variables(query.where)
            why = "nothing positive binds it" if negated else "the query does not bind it"
            yield QueryWarning("unbound-variable", f"?{item.variable} is selected, but {why}")
        elif item.expression is not None:
            for variable in mentioned_variables(item.expression) - visible:
                yield QueryWarning(
                    "unbound-variable", f"?{variable} is used in SELECT, but nothing binds it"
                )
