"""Shrinking EP-SPARQL cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

from rdflib.term import BNode, Node, URIRef, Variable

from ...semantics.epsparql.syntax import Form, Operator, TemporalPattern
from ...semantics.rdf.syntax import GroupGraphPattern, SelectQuery, SolutionModifier, UnionPattern
from ...semantics.streams.items import (
    IntervalGraph,
    Item,
    TimeKind,
    TimestampedGraph,
    end_of,
    start_of,
)
from ..epsparql_case import EpsparqlCase
from ..readings import departures, nearer_to_default
from .bodies import ONE, simpler_groups
from .greedy import Descent
from .streams import moved, shorter_streams, with_smaller_graphs, without_a_triple
from .trees import exchanged, leaves, nodes, rewrite, term_key, weight

Measure: TypeAlias = tuple[Any, ...]
Streams: TypeAlias = Mapping[URIRef, tuple[Item, ...]]


def shrink_epsparql(
    case: EpsparqlCase, fails: Callable[[EpsparqlCase], bool], *, limit: int = 10_000
) -> EpsparqlCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    descent = Descent(fails, passes=PASSES, measure=measure, identity=identity, limit=limit)
    return descent.from_value(case)


def identity(case: EpsparqlCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return (
        case.query, frozenset(case.streams.items()), frozenset(case.kb.items()), case.readings
    )


# --- the query -----------------------------------------------------------------------------------


def fewer_rules(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """Without a rule, without the SELECT, without a triple of a template."""
    query = case.query
    for k in range(len(query.rules)):
        rules = (*query.rules[:k], *query.rules[k + 1 :])
        if rules or query.select is not None:
            yield replace(case, query=replace(query, rules=rules))
    if query.rules and query.select is not None:
        alone = replace(query, select=None, form=Form.SELECT, described=())
        yield replace(case, query=alone)
    for k, rule in enumerate(query.rules):
        for i in range(len(rule.template)):
            template = (*rule.template[:i], *rule.template[i + 1 :])
            if template:
                smaller = replace(rule, template=template)
                rules = (*query.rules[:k], smaller, *query.rules[k + 1 :])
                yield replace(case, query=replace(query, rules=rules))


def smaller_patterns(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """With a simpler WHERE, of the SELECT or of a rule."""
    query = case.query
    if query.select is not None:
        for group in simpler_groups(query.select.where):
            yield replace(
                case, query=replace(query, select=replace(query.select, where=group))
            )
    for k, rule in enumerate(query.rules):
        for group in simpler_groups(rule.where):
            rules = (*query.rules[:k], replace(rule, where=group), *query.rules[k + 1 :])
            yield replace(case, query=replace(query, rules=rules))


def plainer_operators(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """SEQ for another operator, and the optional ones for each other."""
    for node in nodes(case.query):
        if isinstance(node, TemporalPattern):
            for operator in _OPERATORS[: _OPERATORS.index(node.operator)]:
                simpler = replace(node, operator=operator)
                yield replace(case, query=exchanged(case.query, node, simpler))
        elif isinstance(node, GroupGraphPattern):
            match node.elements:
                case (UnionPattern((inner,)),):
                    yield replace(case, query=exchanged(case.query, node, inner))


_OPERATORS = tuple(Operator)


def plainer_selects(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """SELECT * without modifiers, without FROM; for ASK and DESCRIBE too."""
    query, select = case.query, case.query.select
    if select is not None:
        if query.form is not Form.SELECT:
            whole = replace(select, projection=None)
            yield replace(
                case, query=replace(query, select=whole, form=Form.SELECT, described=())
            )
        if query.described and select.projection != ():
            yield replace(case, query=replace(query, described=()))
        plain = SelectQuery(select.projection if select.projection == () else None, select.where)
        yield replace(case, query=replace(query, select=plain))
        yield replace(case, query=replace(query, select=replace(select, distinct=False)))
        yield replace(
            case, query=replace(query, select=replace(select, modifier=SolutionModifier()))
        )
        for k in range(len(select.projection or ())):
            kept = (*(select.projection or ())[:k], *(select.projection or ())[k + 1 :])
            if kept:
                yield replace(case, query=replace(query, select=replace(select, projection=kept)))
    if query.streams and len(case.streams) == 1:
        yield replace(case, query=replace(query, streams=()))


def default_readings(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """One reading after the other as it is by default."""
    for readings in nearer_to_default(case.readings):
        yield replace(case, readings=readings)


# --- the data ------------------------------------------------------------------------------------


def fewer_events(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """Without whole streams, then without ever smaller blocks of items, without triples."""
    if len(case.streams) > 1:
        for name in case.streams:
            left = {u: s for u, s in case.streams.items() if u != name}
            clauses = tuple(each for each in case.query.streams if each.iri != name)
            yield replace(case, streams=left, query=replace(case.query, streams=clauses))
    for streams in shorter_streams(case.streams):
        yield replace(case, streams=streams)
    for streams in with_smaller_graphs(case.streams, without_a_triple):
        yield replace(case, streams=streams)
    for name, graph in case.kb.items():
        yield replace(case, kb={v: g for v, g in case.kb.items() if v != name})
        for smaller in without_a_triple(graph):
            yield replace(case, kb={**case.kb, name: smaller})


def _with_stream(
    case: EpsparqlCase, name: URIRef, stream: tuple[Item, ...]
) -> EpsparqlCase:
    return replace(case, streams={**case.streams, name: stream})


def instants(case: EpsparqlCase) -> list[int]:
    """Every start and end once, in order."""
    return sorted({
        t
        for stream in case.streams.values()
        for item in stream
        for t in (start_of(item), end_of(item))
    })


def plainer_times(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """Instants for intervals, times from 0 on, smaller gaps."""
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            if isinstance(item, IntervalGraph):
                point = TimestampedGraph(item.end, item.graph, item.kind, item.name)
                yield _with_stream(case, name, (*stream[:k], point, *stream[k + 1 :]))
    times = instants(case)
    if not times:
        return
    yield _moved(case, times.index)
    yield _moved(case, lambda t: t - times[0])
    if any(item.kind is TimeKind.DATETIME for s in case.streams.values() for item in s):
        return
    for previous, current in pairwise(times):
        for cut in (current - previous, (current - previous) // 2, 1):
            if cut > 0:
                def closer(t: int, cut: int = cut, current: int = current) -> int:
                    return t - cut if t >= current else t

                yield _moved(case, closer)


def _moved(case: EpsparqlCase, to: Callable[[int], int]) -> EpsparqlCase:
    return replace(case, streams=moved(case.streams, to))


def plainer_terms(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """One term for another everywhere, a variable for another, IRIs for blank nodes."""
    terms = sorted(set(leaves(_everything(case))), key=term_key)
    for old in reversed(terms):
        for new in terms:
            same = isinstance(old, Variable) == isinstance(new, Variable)
            if new != old and same and term_key(new) < term_key(old):
                yield _renamed(case, old, new)
        if not isinstance(old, Variable | URIRef) and old != ONE:
            yield _renamed(case, old, ONE)


def _renamed(case: EpsparqlCase, old: Node, new: Node) -> EpsparqlCase:
    def change(term: Node) -> Node:
        return new if term == old else term

    return replace(
        case,
        query=rewrite(case.query, change),
        streams={
            name: tuple(replace(item, graph=rewrite(item.graph, change)) for item in stream)
            for name, stream in case.streams.items()
        },
        kb={name: rewrite(graph, change) for name, graph in case.kb.items()},
    )


def _everything(case: EpsparqlCase) -> tuple[Any, ...]:
    graphs = [item.graph for stream in case.streams.values() for item in stream]
    return (case.query.select or (), case.query.rules, *graphs, *case.kb.values())


def measure(case: EpsparqlCase) -> Measure:
    """Compared from the left: operators, events, patterns, triples, …, down to single terms."""
    query = case.query
    operators = [node.operator for node in nodes(query) if isinstance(node, TemporalPattern)]
    graphs = [item.graph for stream in case.streams.values() for item in stream]
    graphs += case.kb.values()
    everything = list(leaves(_everything(case)))
    times = instants(case)
    return (
        len(operators) + len(query.rules),
        sum(map(len, case.streams.values())),
        weight(query.select or ()) + weight(query.rules),
        sum(map(len, graphs)),
        len(case.streams) + len(case.kb) + len(query.streams) + len(query.described)
        + (query.form is not Form.SELECT),
        len(departures(case.readings)),
        sum(_OPERATORS.index(operator) for operator in operators),
        sum(
            isinstance(item, IntervalGraph) for stream in case.streams.values() for item in stream
        ),
        (abs(times[0]) + times[-1] - times[0]) if times else 0,
        sum(isinstance(term, BNode) for term in everything),
        len(set(everything)),
        sorted((term != ONE, *term_key(term)) for term in everything),
    )


PASSES: tuple[Callable[[EpsparqlCase], Iterator[EpsparqlCase]], ...] = (
    fewer_rules, smaller_patterns, fewer_events, plainer_operators, plainer_selects,
    default_readings, plainer_times, plainer_terms,
)
