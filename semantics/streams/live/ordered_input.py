"""The items of a streamset in order, with watermarks between them where streams are live.

Streams that are complete, or Python's own iterators, are merged as `merging` says. The items of
live streams are given as soon as the order allows. A watermark says that an instant is over, so
that what its end decides need not wait for a next item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from rdflib.term import URIRef

from ...model.items import Item, TimestampedGraph
from ..merging import KindCheck, StreamItem, arranged, merge, merge_intervals, placed, tie, united
from .watermarks import Watermark

Leaving: TypeAlias = tuple[Any, int, int, list[Any]]
"""A stream's name, a time, a rank, and the items there."""


def graphs_arriving(
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    ties: str = "error",
    order: Sequence[URIRef] | None = None,
) -> Iterator[StreamItem | Watermark]:
    """Return the events of a streamset as `merge` gives them."""
    if not _live(streams):
        return merge(streams, ties, order)
    return _in_order(streams, ties, order)


def intervals_arriving(
    streams: Mapping[URIRef, Iterable[Item]], order: Sequence[URIRef] | None = None
) -> Iterator[StreamItem | Watermark]:
    """Return the items of a streamset as `merge_intervals` gives them."""
    if not _live(streams):
        return merge_intervals(streams, order)
    return _in_order(streams, None, order)


def _live(streams: Mapping[URIRef, Iterable[Item]]) -> bool:
    return any(hasattr(stream, "arrivals") for stream in streams.values())


class Placing:
    """Makes items of a streamset of what `watermarks` lets leave.

    `ties` says what a second graph of a stream at one time means; it is None where items may hold
    over intervals.
    """

    def __init__(self, ties: str | None) -> None:
        self._ties = ties
        self._same_kind = KindCheck()
        self._latest: dict[URIRef, TimestampedGraph] = {}

    @property
    def ranks(self) -> bool:
        """True if rank distinguishes the items of one stream at one time."""
        return self._ties in ("error", "sequence")

    @property
    def whole(self) -> bool:
        """True if an item is emitted when all of its stream and time are there."""
        return self._ties == "merge"

    def __call__(self, each: Leaving | Watermark) -> StreamItem | Watermark:
        if isinstance(each, Watermark):
            return each
        iri, _, rank, items = each
        if self.whole:
            return self._same_kind(united(items, iri))
        (item,) = items
        if rank and self._ties == "error":
            before: TimestampedGraph = self._latest.get(iri) or item  # none is known after a break
            raise tie(item, before, iri)
        if self.ranks:
            self._latest[iri] = item
        return self._same_kind(placed(item, iri, rank))


def _in_order(
    streams: Mapping[URIRef, Iterable[Item]], ties: str | None, order: Sequence[URIRef] | None
) -> Iterator[StreamItem | Watermark]:
    from .reader import in_order

    placing = Placing(ties)
    leaving = in_order(
        streams, arranged(streams, order), _end_of, ranks=placing.ranks, whole=placing.whole
    )
    return map(placing, chain.from_iterable(leaving))


def _end_of(item: Item) -> int:
    return item.end

__all__ = ["Placing", "Watermark", "graphs_arriving", "intervals_arriving"]
