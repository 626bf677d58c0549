"""Streams in time order: one stream checked, several merged (SPAseq Defs. 2 and 3).

A stream has at most one graph a timestamp (Def. 2); real data has ties. What a second graph at a
timestamp means is a reading: an `error`, a part of one graph (`merge`), or a later event of the
same time, (τ, k) with k the `rank` of the item among those of its stream at τ (`sequence`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from rdflib.term import BNode, URIRef

from ..model.errors import ReadingError, StreamError
from ..model.items import (
    IntervalGraph,
    Item,
    TimeKind,
    TimestampedGraph,
    shown_name,
    shown_time,
)
from ..model.terms import Graph

TIES = ("error", "merge", "sequence")

ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class StreamItem:
    """An item of a streamset: the graph `graph` of the stream `iri` at (`time`, `rank`).

    `rank` is 0 except under `ties=sequence`. Of an interval `time` is the end, which comes so long
    after the start as it `lasted`: an instant is an interval that starts when it ends.
    """

    iri: URIRef
    time: int
    rank: int
    graph: Graph
    kind: TimeKind
    name: URIRef | BNode | None = None
    lasted: int = 0

    @property
    def start(self) -> int:
        """t1 of ⟨G : [t1, t2]⟩"""
        return self.time - self.lasted

    @property
    def end(self) -> int:
        """t2 of ⟨G : [t1, t2]⟩"""
        return self.time


def placed(item: Item, iri: URIRef, rank: int = 0) -> StreamItem:
    """Return an item as one of the stream `iri`."""
    return StreamItem(
        iri, item.end, rank, item.graph, item.kind, item.name, item.end - item.start
    )


def ordered(
    stream: Iterable[TimestampedGraph], iri: URIRef, ties: str = "error"
) -> Iterator[StreamItem]:
    """Return the items of one stream, checked one by one to be in non-decreasing time order.

    `ties` is `error`, `merge` or `sequence`. Under `merge` an item is held back until a later one
    arrives or the stream ends, else each is passed on at once. Raises StreamError, naming the item,
    for one that is earlier than its predecessor, of another kind of time, an interval, or (under
    `error`) at the time of its predecessor.
    """
    if ties not in TIES:
        raise ReadingError(f"reading 'ties' has no value '{ties}' (it has: {', '.join(TIES)})")
    checked = _checked(_instants(stream, iri), iri)
    if ties == "merge":
        return _merging_ties(checked, iri)
    return _ranking_ties(checked, iri, error=ties == "error")


def merge(
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    ties: str = "error",
    order: Sequence[URIRef] | None = None,
) -> Iterator[StreamItem]:
    """Return the events of a streamset by time, rank, and the place of their stream in `order`.

    `order` is that of the FROM STREAM clauses; streams that it does not name come last, by IRI.
    Lazy: one stream is passed through without look-ahead; of several, one item each is held.
    Raises StreamError as `ordered` does, and when the streams count different things.
    """
    return merged([ordered(streams[iri], iri, ties) for iri in arranged(streams, order)])


def arranged(streams: Iterable[URIRef], order: Sequence[URIRef] | None) -> list[URIRef]:
    """Return the names of streams: those in `order` as they stand there, then the others by IRI."""
    given = set(streams)
    named = [iri for iri in dict.fromkeys(order or ()) if iri in given]
    return named + sorted(given.difference(named))


def _checked(stream: Iterable[ItemT], iri: URIRef) -> Iterator[ItemT]:
    """Yield the items of a stream, in the order of their ends and of one kind of time."""
    previous: ItemT | None = None
    for item in stream:
        if not isinstance(item, TimestampedGraph | IntervalGraph):
            raise StreamError(f"stream <{iri}>: not a graph with a time: {item!r}")
        if item.end < item.start:
            raise StreamError(f"stream <{iri}>: {shown_name(item)} ends before it starts")
        if previous is not None:
            if item.kind is not previous.kind:
                raise StreamError(
                    f"stream <{iri}>: {shown_name(item)} has {_count_of(item.kind)} time,"
                    f" {shown_name(previous)} {_count_of(previous.kind)} time"
                )
            if item.end < previous.end:
                raise StreamError(
                    f"stream <{iri}>: {shown_name(item)} at {shown_time(item)} comes after"
                    f" {shown_name(previous)} at {shown_time(previous)}"
                    + ": items come in the order of their ends" * (item.start < item.end)
                )
        yield item
        previous = item


def _instants(stream: Iterable[TimestampedGraph], iri: URIRef) -> Iterator[TimestampedGraph]:
    for item in stream:
        if isinstance(item, IntervalGraph):
            raise StreamError(
                f"stream <{iri}>: {shown_name(item)} holds over an interval, expected an instant"
            )
        yield item


def tie(item: TimestampedGraph, previous: TimestampedGraph, iri: URIRef) -> StreamError:
    """Return the error of two graphs of a stream at one time (Def. 2)."""
    return StreamError(
        f"stream <{iri}>: {shown_name(item)} and {shown_name(previous)} are both at"
        f" {shown_time(item)}: choose ties=merge or ties=sequence,"
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
        yield placed(item, iri, rank)
        previous = item


def _merging_ties(stream: Iterator[TimestampedGraph], iri: URIRef) -> Iterator[StreamItem]:
    for _, tied in groupby(stream, key=lambda item: item.time):
        yield united(list(tied), iri)


def united(items: Sequence[TimestampedGraph], iri: URIRef) -> StreamItem:
    """Return the graphs of one stream and time as one."""
    graph = items[0].graph.union(*(item.graph for item in items[1:]))
    return placed(replace(items[0], graph=graph), iri)


def interval_items(stream: Iterable[Item], iri: URIRef) -> Iterator[StreamItem]:
    """Return the items of one stream that may hold over intervals, each passed on at once.

    They are in non-decreasing order of their ends: an item arrives when it has ended. Raises
    StreamError, naming the item, for one that ends before its predecessor does, that ends before it
    starts, or whose times are of another kind.
    """
    return (placed(item, iri) for item in _checked(stream, iri))


def merge_intervals(
    streams: Mapping[URIRef, Iterable[Item]], order: Sequence[URIRef] | None = None
) -> Iterator[StreamItem]:
    """Return the items of several streams by end, then by their stream's place in `order`.

    Lazy as `merge` is. Raises StreamError as `interval_items` does, and when the streams count
    different things.
    """
    return merged([interval_items(streams[iri], iri) for iri in arranged(streams, order)])


def merged(in_order: Sequence[Iterator[StreamItem]]) -> Iterator[StreamItem]:
    """Return streams that are in order each, by time, then rank, then their place."""
    if len(in_order) == 1:
        return in_order[0]
    same_kind = KindCheck()
    # heapq.merge is stable: items that compare equal keep the order of their streams.
    return heapq.merge(
        *(map(same_kind, stream) for stream in in_order), key=lambda item: (item.time, item.rank)
    )


class KindCheck:
    """Passes items on, as long as all of them count the same."""

    def __init__(self) -> None:
        self._first: StreamItem | None = None

    def __call__(self, item: StreamItem) -> StreamItem:
        if self._first is None:
            self._first = item
        elif item.kind is not self._first.kind:
            raise StreamError(
                f"stream <{item.iri}> has {_count_of(item.kind)} times and stream"
                f" <{self._first.iri}> {_count_of(self._first.kind)} times: they cannot be compared"
            )
        return item


def _count_of(kind: TimeKind) -> str:
    return "integer" if kind is TimeKind.INTEGER else "xsd:dateTime"
