"""Streams of graphs that hold over intervals: one stream checked, several merged.

A stream is in non-decreasing order of the ends of its items: an item arrives when it has ended. A
timestamped graph holds over [t, t].
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rdflib.term import BNode, URIRef

from ..model.errors import StreamError
from ..model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ..model.terms import Graph
from ..model.time import format_time
from .merging import KindCheck, arranged


@dataclass(frozen=True, slots=True)
class IntervalItem:
    """⟨g : [start, end]⟩ of the stream `iri`; `name` is for messages."""

    iri: URIRef
    start: int
    end: int
    graph: Graph
    kind: TimeKind
    name: URIRef | BNode | None = None


def interval_items(stream: Iterable[Item], iri: URIRef) -> Iterator[IntervalItem]:
    """The items of one stream, each passed on at once.

    Raises StreamError, naming the item, for one that ends before its predecessor does, that ends
    before it starts, or whose times are of another kind.
    """
    previous: IntervalItem | None = None
    for given in stream:
        item = interval_item(given, iri)
        if previous is not None and item.kind is not previous.kind:
            raise StreamError(
                f"stream <{iri}>: {_named(item)} has {item.kind} times, {_named(previous)}"
                f" {previous.kind} times"
            )
        if item.end < item.start:
            raise StreamError(f"stream <{iri}>: {_named(item)} ends before it starts")
        if previous is not None and item.end < previous.end:
            raise StreamError(
                f"stream <{iri}>: {_named(item)} at {_when(item)} comes after"
                f" {_named(previous)} at {_when(previous)}: items come in the order of their ends"
            )
        yield item
        previous = item


def merge_intervals(
    streams: Mapping[URIRef, Iterable[Item]], order: Sequence[URIRef] | None = None
) -> Iterator[IntervalItem]:
    """The items of several streams by their ends, then by the place of their stream in `order`.

    Streams that `order` does not name come last, by IRI. Lazy: one stream is passed through without
    look-ahead; of several, one item each is held. Raises StreamError as `interval_items` does, and
    when the streams count different things.
    """
    in_order = [interval_items(streams[iri], iri) for iri in arranged(streams, order)]
    if len(in_order) == 1:
        yield from in_order[0]
        return
    same_kind = KindCheck[IntervalItem]()
    # heapq.merge is stable: items that end together keep the order of their streams.
    for item in heapq.merge(*in_order, key=lambda each: each.end):
        yield same_kind(item)


def interval_item(given: Item, iri: URIRef) -> IntervalItem:
    if isinstance(given, TimestampedGraph):
        return IntervalItem(iri, given.time, given.time, given.graph, given.kind, given.name)
    if isinstance(given, IntervalGraph):
        return IntervalItem(iri, given.start, given.end, given.graph, given.kind, given.name)
    raise StreamError(f"stream <{iri}>: not a graph with a time: {given!r}")


def _named(item: IntervalItem) -> str:
    if item.name is None:
        return "a graph without a name"
    return f"graph _:{item.name}" if isinstance(item.name, BNode) else f"graph <{item.name}>"


def _when(item: IntervalItem) -> str:
    if item.start == item.end:
        return format_time(item.end, item.kind)
    return f"[{format_time(item.start, item.kind)}, {format_time(item.end, item.kind)}]"


__all__ = ["IntervalItem", "interval_items", "merge_intervals"]
