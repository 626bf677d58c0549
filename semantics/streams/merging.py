"""Streams in time order: one stream checked, several merged (SPAseq Defs. 2 and 3).

A stream has at most one graph a timestamp (Def. 2); real data has ties. What a second graph at a
timestamp means is a reading: an `error`, a part of one graph (`merge`), or a later event of the
same time, (τ, k) with k the `rank` of the item among those of its stream at τ (`sequence`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Generic, Protocol, TypeVar

from rdflib.term import BNode, URIRef

from ..model.errors import ReadingError, StreamError
from ..model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ..model.terms import Graph
from ..model.time import format_time

TIES = ("error", "merge", "sequence")


@dataclass(frozen=True, slots=True)
class StreamItem:
    """An event of a streamset: the graph `graph` of the stream `iri` at (`time`, `rank`).

    `rank` is 0 except under `ties=sequence`.
    """

    iri: URIRef
    time: int
    rank: int
    graph: Graph
    kind: TimeKind
    name: URIRef | BNode | None = None


def ordered(
    stream: Iterable[TimestampedGraph], iri: URIRef, ties: str = "error"
) -> Iterator[StreamItem]:
    """The items of one stream, checked one by one to be in non-decreasing time order.

    `ties` is `error`, `merge` or `sequence`. Under `merge` an item is held back until a later one
    arrives or the stream ends, else each is passed on at once. Raises StreamError, naming the item,
    for one that is earlier than its predecessor, of another kind of time, an interval, or (under
    `error`) at the time of its predecessor.
    """
    if ties not in TIES:
        raise ReadingError(f"reading 'ties' has no value '{ties}' (it has: {', '.join(TIES)})")
    checked = _checked(stream, iri)
    if ties == "merge":
        return _merging_ties(checked, iri)
    return _ranking_ties(checked, iri, error=ties == "error")


def merge(
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    ties: str = "error",
    order: Sequence[URIRef] | None = None,
) -> Iterator[StreamItem]:
    """The events of a streamset by time, then rank, then the place of their stream in `order`.

    `order` is that of the FROM STREAM clauses; streams that it does not name come last, by IRI.
    Lazy: one stream is passed through without look-ahead; of several, one item each is held.
    Raises StreamError as `ordered` does, and when the streams count different things.
    """
    in_order = [ordered(streams[iri], iri, ties) for iri in arranged(streams, order)]
    if len(in_order) == 1:
        return in_order[0]
    same_kind = KindCheck[StreamItem]()
    # heapq.merge is stable: items that compare equal keep the order of their streams.
    return heapq.merge(
        *(map(same_kind, stream) for stream in in_order), key=lambda item: (item.time, item.rank)
    )


def arranged(streams: Iterable[URIRef], order: Sequence[URIRef] | None) -> list[URIRef]:
    """The names of streams: those in `order` as they stand there, then the others by IRI."""
    given = set(streams)
    named = [iri for iri in dict.fromkeys(order or ()) if iri in given]
    return named + sorted(given.difference(named))


def reorder(stream: Iterable[Item], size: int) -> Iterator[Item]:
    """The items of a stream, sorted as far as a buffer of `size` items allows.

    Items of one time keep their order. What arrives more than `size` items late stays out of order,
    and is for `ordered` to refuse.
    """
    if size < 0:
        raise StreamError(f"a re-ordering buffer has 0 or more items, not {size}")
    arrival = count()
    buffer: list[tuple[tuple[int, int], int, Item]] = []
    for item in stream:
        heapq.heappush(buffer, (time_key(item), next(arrival), item))
        if len(buffer) > size:
            yield heapq.heappop(buffer)[2]
    while buffer:
        yield heapq.heappop(buffer)[2]


def time_key(item: Item) -> tuple[int, int]:
    """By what a stream is ordered: the time; of intervals the end, then the start."""
    if isinstance(item, IntervalGraph):
        return item.end, item.start
    return item.time, item.time


def _checked(stream: Iterable[TimestampedGraph], iri: URIRef) -> Iterator[TimestampedGraph]:
    previous: TimestampedGraph | None = None
    for item in stream:
        if not isinstance(item, TimestampedGraph):
            raise StreamError(
                f"stream <{iri}>: {_named(item)} holds over an interval, expected an instant"
            )
        if previous is not None:
            if item.kind is not previous.kind:
                raise StreamError(
                    f"stream <{iri}>: {_named(item)} has {_count_of(item.kind)} time,"
                    f" {_named(previous)} {_count_of(previous.kind)} time"
                )
            if item.time < previous.time:
                raise StreamError(
                    f"stream <{iri}>: {_named(item)} at {format_time(item.time, item.kind)} comes"
                    f" after {_named(previous)} at {format_time(previous.time, item.kind)}"
                )
        yield item
        previous = item


def tie(item: TimestampedGraph, previous: TimestampedGraph, iri: URIRef) -> StreamError:
    """Two graphs of a stream are at one time (Def. 2)."""
    return StreamError(
        f"stream <{iri}>: {_named(item)} and {_named(previous)} are both at"
        f" {format_time(item.time, item.kind)}: choose ties=merge or ties=sequence,"
        " or give one graph a time"
    )


def _ranking_ties(
    stream: Iterator[TimestampedGraph], iri: URIRef, error: bool
) -> Iterator[StreamItem]:
    previous: TimestampedGraph | None = None
    rank = 0
    for item in stream:
        rank = rank + 1 if previous is not None and item.time == previous.time else 0
        if rank and error and previous is not None:
            raise tie(item, previous, iri)
        yield StreamItem(iri, item.time, rank, item.graph, item.kind, item.name)
        previous = item


def _merging_ties(stream: Iterator[TimestampedGraph], iri: URIRef) -> Iterator[StreamItem]:
    for _, tied in groupby(stream, key=lambda item: item.time):
        yield united(list(tied), iri)


def united(items: Sequence[TimestampedGraph], iri: URIRef) -> StreamItem:
    """The graphs of one stream and time as one."""
    first = items[0]
    graph = first.graph.union(*(item.graph for item in items[1:]))
    return StreamItem(iri, first.time, 0, graph, first.kind, first.name)


class _Timed(Protocol):
    @property
    def iri(self) -> URIRef: ...

    @property
    def kind(self) -> TimeKind: ...


TimedItem = TypeVar("TimedItem", bound=_Timed)


class KindCheck(Generic[TimedItem]):
    """Passes items on, as long as all of them count the same."""

    def __init__(self) -> None:
        self._first: TimedItem | None = None

    def __call__(self, item: TimedItem) -> TimedItem:
        if self._first is None:
            self._first = item
        elif item.kind is not self._first.kind:
            raise StreamError(
                f"stream <{item.iri}> has {_count_of(item.kind)} times and stream"
                f" <{self._first.iri}> {_count_of(self._first.kind)} times: they cannot be compared"
            )
        return item


def _named(item: Item) -> str:
    if item.name is None:
        return "a graph without a name"
    return f"graph _:{item.name}" if isinstance(item.name, BNode) else f"graph <{item.name}>"


def _count_of(kind: TimeKind) -> str:
    return "integer" if kind is TimeKind.INTEGER else "xsd:dateTime"


__all__ = [
    "TIES", "KindCheck", "StreamItem", "arranged", "merge", "ordered", "reorder", "tie", "time_key",
    "united",
]

