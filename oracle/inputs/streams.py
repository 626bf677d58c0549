"""RDF graph streams and streamsets (SPAseq Defs. 1 to 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from rdflib.term import URIRef

from ...semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ...semantics.model.terms import EMPTY_GRAPH, Graph
from .choices import Choices, several
from .graphs import any_graph
from .vocabulary import STREAMS

# 2026-01-01T00:00:00Z, in microseconds.
NEW_YEAR = 1_767_225_600_000_000
SECOND = 1_000_000


def instant(tick: int, kind: TimeKind) -> int:
    """The instant `tick` units after the origin: a number, or that many seconds into 2026."""
    return tick if kind is TimeKind.INTEGER else NEW_YEAR + tick * SECOND


def lasting(end: int, graph: Graph, ticks: int, kind: TimeKind) -> Item:
    """An item that ends at a tick and has lasted for so many; an instant where it has not."""
    if not ticks:
        return TimestampedGraph(instant(end, kind), graph, kind)
    return IntervalGraph(instant(end - ticks, kind), instant(end, kind), graph, kind)


def stream(
    choices: Choices,
    *,
    document: URIRef = STREAMS[0],
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
    max_size: int = 5,
) -> tuple[TimestampedGraph, ...]:
    """Draw a stream of at most `max_size` items in time order, which may be empty.

    Several items share a timestamp only where `ties` says what that means.
    """
    ticks = several(choices, range(2 * max_size + 1), max_size, least=0, again=ties != "error")
    return tuple(
        TimestampedGraph(instant(tick, kind), any_graph(choices, document), kind)
        for tick in sorted(ticks)
    )


def streamset(
    choices: Choices,
    *,
    names: Sequence[URIRef] = STREAMS,
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
    max_size: int = 5,
) -> dict[URIRef, tuple[TimestampedGraph, ...]]:
    """Draw a streamset with some of these names; timestamps are often equal across streams."""
    return {
        name: stream(choices, document=name, kind=kind, ties=ties, max_size=max_size)
        for name in sorted(several(choices, names, len(names)))
    }


def streamset_of(
    events: Sequence[tuple[int, URIRef, Graph]],
    names: Sequence[URIRef],
    *,
    kind: TimeKind = TimeKind.INTEGER,
    ties: str = "error",
) -> dict[URIRef, tuple[TimestampedGraph, ...]]:
    """The streamset with these events (tick, stream, graph), and a stream for each of `names`.

    Under `ties="error"` events of one stream at one tick become one event with both graphs.
    """
    together: dict[URIRef, list[TimestampedGraph]] = {name: [] for name in names}
    for tick, name, graph in events:
        item = TimestampedGraph(instant(tick, kind), graph, kind)
        together.setdefault(name, []).append(item)
    for items in together.values():
        items.sort(key=attrgetter("time"))
    streamset: Mapping[URIRef, list[TimestampedGraph]] = together
    if ties == "error":
        streamset = {name: _united(items) for name, items in together.items()}
    return {name: tuple(items) for name, items in streamset.items()}


def _united(items: Sequence[TimestampedGraph]) -> list[TimestampedGraph]:
    return [
        TimestampedGraph(time, EMPTY_GRAPH.union(*(item.graph for item in tied)), tied[0].kind)
        for time, tied in ((t, list(g)) for t, g in groupby(items, key=attrgetter("time")))
    ]
