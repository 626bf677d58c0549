"""Simpler streams and background graphs: fewer events, fewer triples, plainer times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from rdflib.term import URIRef

from ...semantics.rdf.terms import Graph
from ...semantics.spaseq.syntax import Extent, WithinUnit
from ...semantics.streams.items import TimeKind, TimestampedGraph
from ..spaseq_case import SpaseqCase
from .trees import triple_key

SMALL = 10
"""Gaps are made as small as this in halves, and then one by one."""

Streamset = Mapping[URIRef, tuple[TimestampedGraph, ...]]


def fewer_events(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Without whole streams, then without ever smaller blocks of events (delta debugging)."""
    for name in case.streams:
        yield replace(case, streams={u: s for u, s in case.streams.items() if u != name})
    events = [(u, k) for u, stream in case.streams.items() for k in range(len(stream))]
    events.sort(key=lambda event: case.streams[event[0]][event[1]].time)
    size = len(events)
    while size:
        for begin in range(0, len(events), size):
            gone = set(events[begin : begin + size])
            yield replace(case, streams=_without(case.streams, gone))
        size //= 2


def _without(streams: Streamset, gone: set[tuple[URIRef, int]]) -> Streamset:
    return {
        u: tuple(item for k, item in enumerate(stream) if (u, k) not in gone)
        for u, stream in streams.items()
    }


def fewer_triples(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Without some triples of an event or of a background graph, or without such a graph."""
    for name in case.kb:
        yield replace(case, kb={v: g for v, g in case.kb.items() if v != name})
    for name, graph in case.kb.items():
        for smaller in _subgraphs(graph):
            yield replace(case, kb={**case.kb, name: smaller})
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            for smaller in _subgraphs(item.graph):
                changed = (*stream[:k], replace(item, graph=smaller), *stream[k + 1 :])
                yield replace(case, streams={**case.streams, name: changed})


def _subgraphs(graph: Graph) -> Iterator[Graph]:
    triples = sorted(graph, key=triple_key)
    if len(triples) > 2:
        half = len(triples) // 2
        yield frozenset(triples[:half])
        yield frozenset(triples[half:])
    for triple in triples:
        yield graph - {triple}


# --- times ---------------------------------------------------------------------------------------


def instants(case: SpaseqCase) -> list[int]:
    """Every timestamp of the streamset once, in order."""
    return sorted({item.time for stream in case.streams.values() for item in stream})


def integer_times(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Integers instead of dateTimes: the seconds since the first event."""
    if case.query.within.unit is WithinUnit.MICROSECONDS:
        yield _as_integers(case, instants(case))


def plainer_times(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Times from 0 on, smaller gaps between events, events at the time of an earlier one."""
    times = instants(case)
    if not times:
        return
    yield _moved(case, lambda time: times.index(time) if time in times else time - times[0])
    yield _moved(case, lambda time: time - times[0])
    if case.start is not None:
        for start in range(times[0] - SMALL, times[0] + 1):
            yield replace(case, start=start)
    for previous, current in pairwise(times):
        gap = current - previous
        for smaller in (0, *range(1, min(gap, SMALL)), gap // 2):
            yield _closer(case, current, gap - smaller)
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            for time in times:
                if time < item.time:
                    changed = (*stream[:k], replace(item, time=time), *stream[k + 1 :])
                    changed = tuple(sorted(changed, key=lambda one: one.time))
                    yield replace(case, streams={**case.streams, name: changed})


def without_ties(case: SpaseqCase) -> SpaseqCase:
    """Each tied graph at a time of its own (`ties=sequence`), or united with the others."""
    default = replace(case.readings, ties="error")
    if case.readings.ties == "merge":
        united = {}
        for name, stream in case.streams.items():
            graphs: dict[int, TimestampedGraph] = {}
            for item in stream:
                first = graphs.setdefault(item.time, item)
                graphs[item.time] = replace(first, graph=first.graph | item.graph)
            united[name] = tuple(graphs.values())
        return replace(case, streams=united, readings=default)
    ranked = {name: list(enumerate(_ranks(stream))) for name, stream in case.streams.items()}
    instants_ = sorted({instant for pairs in ranked.values() for _, instant in pairs})
    place = {instant: k for k, instant in enumerate(instants_)}
    apart = {
        name: tuple(replace(case.streams[name][k], time=place[instant]) for k, instant in pairs)
        for name, pairs in ranked.items()
    }
    return replace(case, streams=apart, readings=default)


def _ranks(stream: tuple[TimestampedGraph, ...]) -> list[tuple[int, int]]:
    """(τ, k) of each item."""
    times = [item.time for item in stream]
    return [(time, times[:k].count(time)) for k, time in enumerate(times)]


def _closer(case: SpaseqCase, current: int, cut: int) -> SpaseqCase:
    return _moved(case, lambda time: time - cut if time >= current else time)


def _moved(case: SpaseqCase, to: Callable[[int], int]) -> SpaseqCase:
    streams = {
        name: tuple(replace(item, time=to(item.time)) for item in stream)
        for name, stream in case.streams.items()
    }
    return replace(case, streams=streams, start=None if case.start is None else to(case.start))


def _as_integers(case: SpaseqCase, times: list[int]) -> SpaseqCase:
    origin = times[0] if times else case.start or 0
    moved = _moved(case, lambda time: (time - origin) // 1_000_000)
    streams = {
        name: tuple(replace(item, kind=TimeKind.INTEGER) for item in stream)
        for name, stream in moved.streams.items()
    }
    query = replace(
        case.query, within=_bare(case.query.within),
        slide=None if case.query.slide is None else _bare(case.query.slide),
    )
    return replace(moved, streams=streams, query=query)


def _bare(extent: Extent) -> Extent:
    return Extent(max(extent.value // 1_000_000, 1), WithinUnit.INTEGER)
