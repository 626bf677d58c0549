"""A block: some items of one document as columns, before they have a place in a streamset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rdflib.term import BNode, URIRef

from ....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ....semantics.streams.merging import placed
from ..data.dictionary import Dictionary
from .batch import Column, GraphBatch, batch_of

_NOWHERE = URIRef("urn:denota:stream")
_GREATEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class ItemBlock:
    """n items in the order of their document. As in a batch, but with names.

    `batch` has them as the only stream's.
    """

    batch: GraphBatch
    interval: NDArray[np.bool_]
    """[n]: whether the item is stated to hold over an interval"""
    name: Callable[[int], URIRef | BNode | None]
    """The name of the item with this number, for messages."""

    def __len__(self) -> int:
        return len(self.batch)

    def head(self, number: int) -> Item:
        """An item without its graph, for messages."""
        batch = self.batch
        start, end = int(batch.start[number]), int(batch.time[number])
        if self.interval[number]:
            return IntervalGraph(start, end, frozenset(), batch.kind, self.name(number))
        return TimestampedGraph(end, frozenset(), batch.kind, self.name(number))

    def items(self) -> Iterator[Item]:
        """The items, with terms instead of ids."""
        for number, item in enumerate(self.batch.items()):
            name = self.name(number)
            if self.interval[number]:
                yield IntervalGraph(item.start, item.end, item.graph, item.kind, name)
            else:
                yield TimestampedGraph(item.time, item.graph, item.kind, name)


def fits(item: Item) -> bool:
    """Whether columns can hold the item's times."""
    return max(abs(item.start), abs(item.end)) <= _GREATEST


def block_of(items: Sequence[Item], dictionary: Dictionary) -> ItemBlock | None:
    """The block of some items, at least one, of one kind of time; None if no column holds it."""
    if not all(map(fits, items)):
        return None
    batch = batch_of([placed(item, _NOWHERE) for item in items], dictionary)
    names = [item.name for item in items]
    interval = np.array([isinstance(item, IntervalGraph) for item in items], np.bool_)
    return ItemBlock(batch, interval, names.__getitem__)


def block_from(
    dictionary: Dictionary, kind: TimeKind, time: Column, start: Column, interval: Column,
    offsets: Column, triples: tuple[Column, Column, Column],
    name: Callable[[int], URIRef | BNode | None],
) -> ItemBlock:
    """The block of columns that have been read."""
    nothing = np.zeros(len(time), np.int64)
    batch = GraphBatch(
        dictionary, kind, (_NOWHERE,), nothing, time, start, nothing, offsets, *triples
    )
    return ItemBlock(batch, interval.astype(np.bool_), name)
