"""Queries that are legal but surely not meant: what can be said before any item arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass

from rdflib.term import URIRef, Variable

from ..model.errors import QueryWarning
from ..rdf.embedding import in_query
from ..rdf.syntax import tree as sparql
from ..rdf.syntax.tree import (
    EmbeddedPattern,
    Filter,
    GroupGraphPattern,
    InlineData,
    NamedGraphPattern,
    SelectQuery,
    TriplePattern,
    TriplesBlock,
)
from ..rdf.syntax.variables import (
    in_scope,
    inner_groups,
    mentioned_variables,
    possible_variables,
    subexpressions,
)
from .syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    Last,
    MatchPattern,
    RsepqlQuery,
    Sequence,
    SequenceOperator,
    WindowPattern,
    events,
)


def check_query(
    query: RsepqlQuery,
    stream_iris: Collection[URIRef] | None = None,
    graph_iris: Collection[URIRef] | None = None,
) -> list[QueryWarning]:
    """What is doubtful about a query, in the order of its text.

    `stream_iris` and `graph_iris` are the streams and background graphs that there are; None means
    that this is not known. The codes:

    * `unknown-graph`: GRAPH names what is no graph of the dataset, a window perhaps;
    * `empty-default`: triple patterns that look at the default graph, which holds nothing;
    * `unknown-stream`: a window is on a stream that is not among those that there are;
    * `unused-window`: no WINDOW or EVENT names it;
    * `unbound-select`: SELECT of a variable that nothing binds;
    * `unbound-condition`: a FILTER in an EVENT needs a variable that neither it nor a later event
      of its sequence binds, so it is never true;
    * `nothing-to-consume`: CONSUME without MATCH;
    * `other-policy`: CONSUME CHRONOLOGICAL with SEQR, or RECENT with SEQC: policies differ in name
      only, it is the sequence operators that choose.
    """
    found = embedded(query.form)
    matches = [each.event for each in found if isinstance(each, MatchPattern)]
    warnings = [
        *_unknown_streams(query, stream_iris),
        *_unknown_graphs(query, graph_iris),
        *_empty_default(query),
        *_unused(query, found),
        *_unbound_select(query),
        *(warning for e in matches for warning in _unbound_conditions(e, frozenset())),
        *_policies(query, matches),
    ]
    return sorted(warnings, key=lambda warning: warning.position)


def embedded(form: sparql.SparqlQuery) -> list[EmbeddedPattern]:
    """Every WINDOW and MATCH of a query, those inside a WINDOW too."""
    found: list[EmbeddedPattern] = []

    def note(element: EmbeddedPattern) -> sparql.Element:
        found.append(element)
        if isinstance(element, WindowPattern):
            in_query(SelectQuery(None, element.pattern), note)
        return InlineData((), ())

    in_query(form, note)
    return found


def _unknown_streams(
    query: RsepqlQuery, known: Collection[URIRef] | None
) -> Iterator[QueryWarning]:
    for clause in query.windows:
        if known is not None and clause.stream is not None and clause.stream not in known:
            yield QueryWarning(
                "unknown-stream",
                f"there is no stream <{clause.stream}>: the window is empty",
                clause.position,
            )


def _unknown_graphs(
    query: RsepqlQuery, known: Collection[URIRef] | None
) -> Iterator[QueryWarning]:
    dataset = query.form.dataset
    named = known if dataset is None else dataset.named
    windows = {clause.name for clause in query.windows}
    for each in _parts(query.form):
        if not isinstance(each, NamedGraphPattern) or not isinstance(each.name, URIRef):
            continue
        if named is not None and each.name not in named:
            hint = ", but a window of this name: WINDOW looks at it" * (each.name in windows)
            yield QueryWarning(
                "unknown-graph", f"there is no graph <{each.name}> in the dataset{hint}",
                each.position,
            )


def _empty_default(query: RsepqlQuery) -> Iterator[QueryWarning]:
    dataset = query.form.dataset
    if dataset is not None and dataset.default:
        return
    if any(clause.in_default for clause in query.windows):
        return
    for triple in _default_triples(query.form.where):
        yield QueryWarning(
            "empty-default",
            "the pattern looks at the default graph, which is empty: no FROM says what is in it"
            + (" (WINDOW looks at a window)" if query.windows else ""),
            triple.position,
        )
        return


def _default_triples(group: GroupGraphPattern | None) -> Iterator[TriplePattern]:
    """The triple patterns that stand in no WINDOW, EVENT or GRAPH."""
    for element in group.elements if group is not None else ():
        if isinstance(element, TriplesBlock):
            yield from element.triples
        elif not isinstance(element, NamedGraphPattern | EmbeddedPattern):
            for inner in inner_groups(element):
                yield from _default_triples(inner)


def _parts(tree: object) -> Iterator[object]:
    """A tree and everything in it."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from _parts(part)
    elif is_dataclass(tree) and not isinstance(tree, type):
        yield tree
        for each in fields(tree):
            yield from _parts(getattr(tree, each.name))


def _unused(query: RsepqlQuery, found: list[EmbeddedPattern]) -> Iterator[QueryWarning]:
    named: set[URIRef | Variable] = set()
    for each in found:
        if isinstance(each, WindowPattern):
            named.add(each.name)
        elif isinstance(each, MatchPattern):
            named.update(event.window for event in events(each.event))
    if any(isinstance(name, Variable) for name in named):
        return
    for clause in query.windows:
        if not clause.in_default and clause.name not in named:
            yield QueryWarning(
                "unused-window",
                f"the window <{clause.name}> is defined, but no WINDOW or EVENT names it",
                clause.position,
            )


def _unbound_select(query: RsepqlQuery) -> Iterator[QueryWarning]:
    form = query.form
    if not isinstance(form, SelectQuery) or form.projection is None or form.modifier.group_by:
        return
    bound = {*in_scope(form.where), *(form.values.variables if form.values is not None else ())}
    for item in form.projection:
        if item.expression is None and item.variable not in bound:
            yield QueryWarning(
                "unbound-select", f"?{item.variable} is selected, but nothing binds it"
            )


def _unbound_conditions(e: EventPattern, later: frozenset[Variable]) -> Iterator[QueryWarning]:
    """What an EVENT's filters ask for that μ2(E) cannot have replaced either."""
    match e:
        case Event(_, pattern):
            bound = possible_variables(pattern) | later
            for element in pattern.elements:
                if not isinstance(element, Filter):
                    continue
                alone = GroupGraphPattern((element,))
                # Inside EXISTS a variable may well be its own.
                if any(isinstance(p, sparql.Exists) for p in subexpressions(element.condition)):
                    continue
                for variable in sorted(mentioned_variables(alone) - bound):
                    yield QueryWarning(
                        "unbound-condition",
                        f"the FILTER needs ?{variable}, which neither its EVENT nor a later one of"
                        " the sequence binds: it is never true",
                        element.position,
                    )
        case First(operand) | Last(operand):
            yield from _unbound_conditions(operand, later)
        case Sequence(operator, left, right):
            yield from _unbound_conditions(right, later)
            naive = operator is SequenceOperator.NAIVE
            known = frozenset() if naive else frozenset(
                v for event in events(right) for v in possible_variables(event.pattern)
            )
            yield from _unbound_conditions(left, later | known)


def _policies(query: RsepqlQuery, matches: list[EventPattern]) -> Iterator[QueryWarning]:
    policy = query.consumption
    if policy is ConsumptionPolicy.UNRESTRICTED:
        return
    if not matches:
        yield QueryWarning("nothing-to-consume", f"CONSUME {policy}, but there is no MATCH")
    other = {
        ConsumptionPolicy.CHRONOLOGICAL: SequenceOperator.RECENT,
        ConsumptionPolicy.RECENT: SequenceOperator.CHRONOLOGICAL,
    }[policy]
    if any(other in operators(e) for e in matches):
        yield QueryWarning(
            "other-policy",
            f"CONSUME {policy} with {other}: it is the sequence operator that chooses events",
        )


def operators(e: EventPattern) -> frozenset[SequenceOperator]:
    """The sequence operators of an event pattern."""
    match e:
        case First(operand) | Last(operand):
            return operators(operand)
        case Sequence(operator, left, right):
            return frozenset({operator}) | operators(left) | operators(right)
    return frozenset()
