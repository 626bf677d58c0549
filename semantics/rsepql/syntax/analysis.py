"""Queries that are legal but surely not meant: what can be said before any item arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rdflib.term import URIRef, Variable

from ...model.errors import QueryWarning
from ...model.trees import find, has
from ...rdf.syntax.scoping import not_among
from ...rdf.syntax.tree import (
    EmbeddedPattern,
    Exists,
    Filter,
    NamedGraphPattern,
    SelectQuery,
    TriplePattern,
)
from ...rdf.syntax.variables import (
    in_scope,
    mentioned_variables,
    possible_variables,
    unbound_conditions,
)
from .tree import (
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
)


def check_query(
    query: RsepqlQuery,
    stream_iris: Collection[URIRef] | None = None,
    graph_iris: Collection[URIRef] | None = None,
) -> list[QueryWarning]:
    """Return the warnings about a query, in the order of its text.

    `stream_iris` and `graph_iris` are the streams and background graphs that there are; None means
    that this is not known. The codes:

    * `unknown-graph`: GRAPH names what is no graph of the dataset, a window perhaps;
    * `empty-default`: triple patterns that look at the default graph, which holds nothing;
    * `unknown-stream`: a window is on a stream that is not among those that there are;
    * `unused-window`: no WINDOW or EVENT names it;
    * `unbound-select`: SELECT of a variable that nothing binds;
    * `unbound-condition`: a FILTER in an EVENT needs a variable that neither it nor a later event
      of its sequence binds, so it is never true;
      likewise a FILTER elsewhere of a variable that no pattern of the query binds;
    * `nothing-to-consume`: CONSUME without MATCH;
    * `other-policy`: CONSUME CHRONOLOGICAL with SEQR, or RECENT with SEQC: policies differ in name
      only, it is the sequence operators that choose.
    """
    matches = [each.event for each in find(query.form, MatchPattern)]
    warnings = [
        *not_among("unknown-stream", stream_iris, (
            (each.stream, f"no input for stream <{each.stream}>: the window is empty",
             each.position)
            for each in query.windows if each.stream is not None
        )),
        *_unknown_graphs(query, graph_iris),
        *_empty_default(query),
        *_unused(query),
        *_unbound_select(query),
        *(warning for e in matches for warning in _unbound_conditions(e, frozenset())),
        *unbound_conditions(query.form, but=[
            each for event in find(query.form, Event) for each in event.pattern.elements
        ]),
        *_policies(query, matches),
    ]
    return sorted(warnings, key=lambda warning: warning.position)


def _unknown_graphs(
    query: RsepqlQuery, known: Collection[URIRef] | None
) -> Iterator[QueryWarning]:
    dataset = query.form.dataset
    windows = {clause.name for clause in query.windows}
    hint = ", but a window of this name: WINDOW looks at it"
    return not_among("unknown-graph", known if dataset is None else dataset.named, (
        (each.name,
         f"there is no graph <{each.name}> in the dataset{hint * (each.name in windows)}",
         each.position)
        for each in find(query.form, NamedGraphPattern) if isinstance(each.name, URIRef)
    ))


def _empty_default(query: RsepqlQuery) -> Iterator[QueryWarning]:
    dataset = query.form.dataset
    if dataset is not None and dataset.default:
        return
    if any(clause.in_default for clause in query.windows):
        return
    elsewhere = (NamedGraphPattern, EmbeddedPattern, Exists)
    first = next(find(query.form.where, TriplePattern, but=elsewhere), None)
    if first is not None:
        yield QueryWarning(
            "empty-default",
            "the pattern looks at the default graph, which is empty: no FROM says what is in it"
            + (" (WINDOW looks at a window)" if query.windows else ""),
            first.position,
        )


def _unused(query: RsepqlQuery) -> Iterator[QueryWarning]:
    named: set[URIRef | Variable] = {
        *(each.name for each in find(query.form, WindowPattern)),
        *(each.window for each in find(query.form, Event)),
    }
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
    """Yield a warning for each variable of an EVENT's filters that μ2(E) cannot replace either."""
    match e:
        case Event(_, pattern):
            bound = possible_variables(pattern) | later
            for element in pattern.elements:
                if not isinstance(element, Filter):
                    continue
                # Inside EXISTS a variable may well be its own.
                if has(element.condition, Exists):
                    continue
                for variable in sorted(mentioned_variables(element.condition) - bound):
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
                v for event in find(right, Event) for v in possible_variables(event.pattern)
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
    if any(each.operator is other for each in find(query.form, Sequence)):
        yield QueryWarning(
            "other-policy",
            f"CONSUME {policy} with {other}: it is the sequence operator that chooses events",
        )

