"""Simpler streams and background graphs: fewer items, simpler terms and times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial, singledispatch
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, Node, URIRef, Variable

from ....semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph, literal
from ....semantics.model.trees import (
    changed,
    fields_of,
    instead,
    is_node,
    leaves,
    nodes,
    term_key,
    triple_key,
)
from ....semantics.model.tuples import EventTuple, Value
from ....semantics.rdf.syntax.tree import TriplePattern
from ...cases.case import Case
from .tree_shrinking import ROOMY, without_blocks

ONE = literal("1", str(XSD.integer))

_FRESH = tuple(map(Variable, "xyz"))


def plainer_terms(case: Case) -> Iterator[Any]:
    """Yield cases with a term or variable replaced, in the whole case or at one place."""
    terms = _terms(case)
    for term in reversed(terms):
        for plainer in _simpler_term(term, terms):
            yield changed(case, instead(term, plainer))
    yield from _in_one_part(case, [term for term in terms if isinstance(term, Variable)])
    yield from _plain_predicates(case)
    yield from _at_one_place(case, terms)


def graphs_of(case: Case) -> list[Any]:
    """Return every graph of the streams and of the background."""
    graphs = [i.graph for s in case.stream_sources.values() for i in s if hasattr(i, "graph")]
    return graphs + [getattr(kb, "changes", kb) for kb in case.kb_sources.values()]


def terms_of(case: Case) -> list[Node]:
    """Return every term and variable of the query and of the data, with repetitions."""
    return [*leaves(case.query), *(term for graph in graphs_of(case) for term in _in_data(graph))]


def _in_data(graph: Any) -> Iterator[Node]:
    return leaves(graph) if isinstance(graph, frozenset) else (
        term for _, each in graph for term in leaves(each)
    )


def _terms(case: Case) -> list[Node]:
    """Return the terms without a meaning outside the case, the simplest first."""
    names = {*case.stream_sources, *case.kb_sources, *_clause_names(case.query)}
    return sorted({term for term in terms_of(case) if term not in names}, key=term_key)


def _clause_names(query: Any) -> Iterator[Any]:
    """Yield the names of windows and streams in the clauses of a query."""
    for field in fields_of(query):
        value = getattr(query, field.name)
        for part in value if isinstance(value, tuple) else ():
            yield from (getattr(part, name, None) for name in ("name", "stream", "iri"))


def _simpler_term(term: Node, terms: list[Node]) -> Iterator[Node]:
    for other in terms:
        alike = type(term) is type(other) or (isinstance(term, BNode) and isinstance(other, URIRef))
        if alike and term_key(other) < term_key(term):
            yield other
    if isinstance(term, Literal) and term != ONE:
        yield ONE


def _in_one_part(case: Case, variables: list[Variable]) -> Iterator[Any]:
    """Yield cases with another variable in one definition, one rule, one clause of the query."""
    query = case.query
    for field in fields_of(query):
        parts = getattr(query, field.name)
        if not isinstance(parts, tuple):
            continue
        for k, part in enumerate(parts):
            own = set(leaves(part)) if is_node(part) else set()
            for term in sorted(own, key=term_key):
                if not isinstance(term, Variable | BNode):
                    continue
                for other in dict.fromkeys((*variables, *_FRESH)):
                    if other not in own and (other < term or isinstance(term, BNode)):
                        plainer = changed(part, instead(term, other))
                        several = (*parts[:k], plainer, *parts[k + 1 :])
                        yield case.but(query=replace(query, **{field.name: several}))


def _plain_predicates(case: Case) -> Iterator[Any]:
    """Yield cases with a predicate of the data for a property path, or for a variable predicate."""
    triples = {t for graph in graphs_of(case) if isinstance(graph, frozenset) for t in graph}
    predicates = sorted({triple[1] for triple in triples}, key=term_key)
    for node in nodes(case.query):
        if isinstance(node, TriplePattern) and not isinstance(node.predicate, URIRef):
            for predicate in predicates:
                plain = replace(node, predicate=predicate)
                yield case.but(query=changed(case.query, instead(node, plain)))


def _at_one_place(case: Case, terms: list[Node]) -> Iterator[Any]:
    for name, stream in case.stream_sources.items():
        for k, item in enumerate(stream):
            for triple in sorted(getattr(item, "graph", ()), key=triple_key):
                for place, term in enumerate(triple):
                    for plainer in _simpler_term(term, terms):
                        if isinstance(plainer, (URIRef, BNode, Literal)[: (2, 1, 3)[place]]):
                            new = (*triple[:place], plainer, *triple[place + 1 :])
                            graph = (item.graph - {triple}) | {new}
                            items = (*stream[:k], replace(item, graph=graph), *stream[k + 1 :])
                            yield case.but(streams={**case.stream_sources, name: items})


SECOND = 1_000_000
"""Microseconds, in which dateTimes and durations are kept."""

Streams: TypeAlias = Mapping[Any, tuple[Any, ...]]
"""Items by the names of their streams."""

CaseT = TypeVar("CaseT", bound=Case)

INSTANTS = ("from", "at")
"""The keys of a case's evaluation whose values are instants."""

_TYPES = "ABCDEFGH"
_FINE_UNITS = ("dateTime", "microseconds")
_LONG_AGO = 10**14
"""Microseconds since the epoch; what is less is a length of time."""


def fewer_items(case: Case) -> Iterator[Any]:
    """Yield cases without whole streams, then without ever smaller blocks of items, by time."""
    for name in case.stream_sources:
        yield case.but(streams={u: s for u, s in case.stream_sources.items() if u != name})
    places = [(name, k) for name, stream in case.stream_sources.items() for k in range(len(stream))]
    places.sort(key=lambda place: _end(case.stream_sources[place[0]][place[1]]))
    for left in without_blocks(places):
        kept = set(left)
        yield case.but(streams={
            name: tuple(item for k, item in enumerate(stream) if (name, k) in kept)
            for name, stream in case.stream_sources.items()
        })


def fewer_streams(case: Case) -> Iterator[Any]:
    """Yield cases with one stream's items, and all that the query says of it, moved to another."""
    names = list(case.stream_sources)
    for k, source in enumerate(names):
        for target in names[:k]:
            both = sorted((*case.stream_sources[target], *case.stream_sources[source]), key=_end)
            rest = {name: s for name, s in case.stream_sources.items() if name != source}
            query = changed(case.query, instead(source, target))
            yield case.but(query=query, streams={**rest, target: tuple(both)})


def smaller_items(case: Case) -> Iterator[Any]:
    """Yield cases with less in one item or in one background graph, or without such a graph."""
    graphs = case.kb_sources
    for name, graph in graphs.items():
        yield case.but(kb={v: g for v, g in graphs.items() if v != name})
        for simpler in _smaller_background(graph):
            yield case.but(kb={**graphs, name: simpler})
    yield from _fewer_attributes(case)
    for streams in _with_items(case.stream_sources, smaller_item):
        yield case.but(streams=streams)


def _fewer_attributes(case: Case) -> Iterator[Any]:
    """Yield cases without ever smaller blocks of attributes in all tuples, and without times."""
    tuples = [
        item for stream in case.stream_sources.values() for item in stream
        if isinstance(item, EventTuple)
    ]

    def each(simpler: Callable[[EventTuple], EventTuple]) -> Any:
        return case.but(streams={
            name: tuple(map(simpler, stream)) for name, stream in case.stream_sources.items()
        })

    for kept in without_blocks(list(dict.fromkeys(n for item in tuples for n in item.attributes))):
        yield each(lambda item, kept=frozenset(kept): replace(  # type: ignore[misc]
            item, attributes={n: v for n, v in item.attributes.items() if n in kept}
        ))
    if tuples:
        yield each(lambda item: replace(item, time=None))


def with_smaller_graphs(
    streams: Streams, smaller: Callable[[Graph], Iterator[Graph]]
) -> Iterator[Streams]:
    """Return streams with a smaller graph at one item."""
    return _with_items(
        streams, lambda item: (replace(item, graph=graph) for graph in smaller(item.graph))
    )


def _with_items(streams: Streams, other: Callable[[Any], Iterator[Any]]) -> Iterator[Streams]:
    for name, stream in streams.items():
        for k, item in enumerate(stream):
            for simpler in other(item):
                yield {**streams, name: (*stream[:k], simpler, *stream[k + 1 :])}


def _smaller_background(background: Graph | TemporalGraph) -> Iterator[Graph | TemporalGraph]:
    if not isinstance(background, TemporalGraph):
        yield from subgraphs(background)
        return
    changes = background.changes
    for place, (time, graph) in enumerate(changes):
        yield graph
        if len(changes) > 1:
            yield replace(background, changes=changes[:place] + changes[place + 1 :])
        for simpler in subgraphs(graph):
            changed = (*changes[:place], (time, simpler), *changes[place + 1 :])
            yield replace(background, changes=changed)


def subgraphs(graph: Graph) -> Iterator[Graph]:
    """Return the graph without ever smaller blocks of triples."""
    return map(frozenset, without_blocks(sorted(graph, key=triple_key)))


@singledispatch
def smaller_item(item: Any) -> Iterator[Any]:
    """Yield smaller versions of an item of a stream."""
    for graph in subgraphs(item.graph):
        yield replace(item, graph=graph)


@smaller_item.register
def _(item: IntervalGraph) -> Iterator[Any]:
    yield TimestampedGraph(item.end, item.graph, item.kind, item.name)
    for start in (item.start + item.end) // 2, item.start + 1:
        if start < item.end:
            yield replace(item, start=start)
    for graph in subgraphs(item.graph):
        yield replace(item, graph=graph)


@smaller_item.register
def _(item: EventTuple) -> Iterator[Any]:
    if item.time is not None:
        yield replace(item, time=None)
    for name, value in item.attributes.items():
        yield replace(item, attributes={n: v for n, v in item.attributes.items() if n != name})
        for plainer in _plainer(value):
            yield replace(item, attributes={**item.attributes, name: plainer})
    for other in _TYPES[: max(_TYPES.find(item.type), 0)]:
        yield replace(item, type=other)


def _plainer(value: Value) -> Iterator[Value]:
    if isinstance(value, bool):
        yield False
    elif isinstance(value, int):
        yield from (0, 1, value // 2)
    elif isinstance(value, float):
        yield from (0.0, 1.0)
    else:
        yield from ("", value[:1])


# --- times ---------------------------------------------------------------------------------------


def integer_times(case: Case) -> Iterator[Any]:
    """Yield cases with integers for dateTimes."""
    times = instants(case)
    if times and has_datetimes(case):
        for origin in (times[0], times[0] - SECOND):  # at 0 the background begins
            yield _in_integers(case, origin)


def plainer_times(case: Case) -> Iterator[Any]:
    """Yield cases with integer times, times from 0 on, smaller gaps, or more ties."""
    if has_datetimes(case):
        yield from integer_times(case)
        return
    times = instants(case)
    if not times:
        return
    yield moved(case, lambda time: _rank(times, time))
    yield moved(case, lambda time: time - times[0])
    yield moved(case, lambda time: time - times[0] + 1)
    for previous, current in pairwise(times):
        gap = current - previous
        for left in dict.fromkeys((0, *range(1, min(gap, ROOMY)), gap // 2)):
            closer = moved(case, partial(earlier, current, gap - left))
            yield closer
            yield case.but(streams=closer.stream_sources)
    yield from _one_moved(case, times)


def earlier(begin: int, cut: int, time: int) -> int:
    """Return a time, `cut` units earlier if it is `begin` or later."""
    return time - cut if time >= begin else time


def _one_moved(case: Case, times: list[int]) -> Iterator[Any]:
    for name, stream in case.stream_sources.items():
        for k, item in enumerate(stream):
            if not isinstance(item, TimestampedGraph):
                continue
            for time in times[: _rank(times, item.time)]:
                items = (*stream[:k], replace(item, time=time), *stream[k + 1 :])
                in_order = tuple(sorted(items, key=_end))
                yield case.but(streams={**case.stream_sources, name: in_order})
    start = case.evaluation.get("from")
    if start is not None:
        for earliest in range(max(0, times[0] - ROOMY), start):
            yield case.but(evaluation={**case.evaluation, "from": earliest})


def instants(case: Case) -> list[int]:
    """Return every instant of the streams and of the background once, in order."""
    found: set[int] = set()
    for stream in case.stream_sources.values():
        for item in stream:
            found.update(_instants_of(item))
    for graph in case.kb_sources.values():
        if isinstance(graph, TemporalGraph):
            found.update(time for time, _ in graph.changes)
    return sorted(found)


def _instants_of(item: Any) -> tuple[int, ...]:
    if isinstance(item, IntervalGraph):
        return item.start, item.end
    return () if item.time is None else (item.time,)


def _end(item: Any) -> int:
    return max(_instants_of(item), default=0)


def _rank(times: list[int], time: int) -> int:
    return times.index(time) if time in times else time - times[0]


def moved(case: CaseT, to: Callable[[int], int]) -> CaseT:
    """Return the same case at other times: items, background changes, evaluation times."""
    changed: dict[str, Any] = {"streams": moved_streams(case.stream_sources, to)}
    if any(isinstance(g, TemporalGraph) for g in case.kb_sources.values()):
        changed["kb"] = {name: _moved_background(g, to) for name, g in case.kb_sources.items()}
    changed["evaluation"] = {
        key: _mapped(value, to) if key in INSTANTS else value
        for key, value in case.evaluation.items()
    }
    return case.but(**changed)


def moved_streams(streams: Streams, to: Callable[[int], int]) -> Streams:
    """Return the same items at other times."""
    return {name: tuple(_moved(item, to) for item in stream) for name, stream in streams.items()}


def _moved(item: Any, to: Callable[[int], int]) -> Any:
    if isinstance(item, IntervalGraph):
        start, end = to(item.start), to(item.end)
        if start == end:
            return TimestampedGraph(end, item.graph, item.kind, item.name)
        return replace(item, start=start, end=end)
    return item if item.time is None else replace(item, time=to(item.time))


def _moved_background(graph: Graph | TemporalGraph, to: Callable[[int], int]) -> Any:
    if not isinstance(graph, TemporalGraph):
        return graph
    return replace(graph, changes=tuple((to(time), said) for time, said in graph.changes))


def _mapped(value: int | Collection[int], to: Callable[[int], int]) -> int | list[int]:
    return to(value) if isinstance(value, int) else sorted({to(time) for time in value})


def has_datetimes(case: Case) -> bool:
    """Return True if the case's streams count microseconds, not small integers."""
    return any(
        getattr(item, "kind", None) is TimeKind.DATETIME
        for stream in case.stream_sources.values() for item in stream
    )


def _in_integers(case: Case, origin: int) -> Any:
    """Return the case in seconds since an instant instead of dateTimes and durations."""

    def seconds(time: int) -> int:
        return (time - origin) // SECOND

    small = moved(case, seconds)
    streams: Mapping[Any, tuple[Any, ...]] = {
        name: tuple(replace(item, kind=TimeKind.INTEGER) for item in stream)
        for name, stream in small.stream_sources.items()
    }
    query = small.query
    for node in dict.fromkeys(nodes(query)):
        unit = getattr(node, "kind", getattr(node, "unit", None))
        if unit not in _FINE_UNITS:
            continue
        value = seconds(node.value) if node.value > _LONG_AGO else max(1, node.value // SECOND)
        name = "kind" if hasattr(node, "kind") else "unit"
        plain = replace(node, value=value, **{name: type(unit)("integer")})
        query = changed(query, instead(node, plain))
    news: dict[str, Any] = {"query": query, "streams": streams}
    if period := small.evaluation.get("period"):
        plain = max(1, period // SECOND)
        news["evaluation"] = {**small.evaluation, "period": plain}
    return small.but(**news)
