"""Simpler streams and background graphs: fewer events, fewer triples, plainer times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from ...semantics.spaseq.syntax import Extent, WithinUnit
from ...semantics.streams.items import TimeKind, TimestampedGraph
from ..spaseq_case import SpaseqCase
from .streams import moved, subgraphs, with_smaller_graphs, without_blocks

SMALL = 10
"""Gaps are made as small as this in halves, and then one by one."""


def fewer_events(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Without whole streams, then without ever smaller blocks of events (delta debugging)."""
    for name in case.streams:
        yield replace(case, streams={u: s for u, s in case.streams.items() if u != name})
    for streams in without_blocks(case.streams):
        yield replace(case, streams=streams)


def fewer_triples(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Without some triples of an event or of a background graph, or without such a graph."""
    for name in case.kb:
        yield replace(case, kb={v: g for v, g in case.kb.items() if v != name})
    for name, graph in case.kb.items():
        for smaller in subgraphs(graph):
            yield replace(case, kb={**case.kb, name: smaller})
    for streams in with_smaller_graphs(case.streams, subgraphs):
        yield replace(case, streams=streams)


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
    streams = moved(case.streams, to)
    return replace(case, streams=streams, start=None if case.start is None else to(case.start))


def _as_integers(case: SpaseqCase, times: list[int]) -> SpaseqCase:
    origin = times[0] if times else case.start or 0
    small = _moved(case, lambda time: (time - origin) // 1_000_000)
    streams = {
        name: tuple(replace(item, kind=TimeKind.INTEGER) for item in stream)
        for name, stream in small.streams.items()
    }
    query = replace(
        case.query, within=_bare(case.query.within),
        slide=None if case.query.slide is None else _bare(case.query.slide),
    )
    return replace(small, streams=streams, query=query)


def _bare(extent: Extent) -> Extent:
    return Extent(max(extent.value // 1_000_000, 1), WithinUnit.INTEGER)
