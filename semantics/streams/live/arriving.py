"""The items of a streamset in order, with watermarks between them where streams are live.

Streams that are complete, or Python's own iterators, are merged as `merging` says. The items of
live streams are given as soon as the order allows. A watermark says that an instant is over, so
that what its end decides need not wait for a next item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from rdflib.term import URIRef

from ...model.items import Item, TimestampedGraph
from ..merging import (
    KindCheck,
    StreamItem,
    arranged,
    merge,
    merge_intervals,
    placed,
    tie,
    united,
)
from .watermarks import Watermark


def graphs_arriving(
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    ties: str = "error",
    order: Sequence[URIRef] | None = None,
) -> Iterator[StreamItem | Watermark]:
    """The events of a streamset as `merge` gives them."""
    if not _live(streams):
        return merge(streams, ties, order)
    return _graphs(streams, ties, arranged(streams, order))


def intervals_arriving(
    streams: Mapping[URIRef, Iterable[Item]], order: Sequence[URIRef] | None = None
) -> Iterator[StreamItem | Watermark]:
    """The items of a streamset as `merge_intervals` gives them."""
    if not _live(streams):
        return merge_intervals(streams, order)
    return _intervals(streams, arranged(streams, order))


def _live(streams: Mapping[URIRef, Iterable[Item]]) -> bool:
    return any(hasattr(stream, "arrivals") for stream in streams.values())


def _graphs(
    streams: Mapping[URIRef, Iterable[TimestampedGraph]], ties: str, names: list[URIRef]
) -> Iterator[StreamItem | Watermark]:
    from .reading import in_order

    same_kind = KindCheck()
    latest: dict[URIRef, TimestampedGraph] = {}
    merging = ties == "merge"
    leaving = in_order(streams, names, lambda item: item.time, ranks=not merging, whole=merging)
    for each in chain.from_iterable(leaving):
        if isinstance(each, Watermark):
            yield each
            continue
        iri, _, rank, items = each
        if merging:
            yield same_kind(united(items, iri))
            continue
        (item,) = items
        if rank and ties == "error":
            raise tie(item, latest[iri], iri)
        latest[iri] = item
        yield same_kind(placed(item, iri, rank))


def _intervals(
    streams: Mapping[URIRef, Iterable[Item]], names: list[URIRef]
) -> Iterator[StreamItem | Watermark]:
    from .reading import in_order

    same_kind = KindCheck()
    for each in chain.from_iterable(in_order(streams, names, lambda item: item.end)):
        if isinstance(each, Watermark):
            yield each
        else:
            iri, _, _, (item,) = each
            yield same_kind(placed(item, iri))


__all__ = ["Watermark", "graphs_arriving", "intervals_arriving"]
