"""A batch: items of RDF streams as columns of integers; a block: items of one document.

What a batch holds is what its items say, in their order; how a run of items is cut into batches
changes nothing but speed. `batch_of` makes one of items, `GraphBatch.items` gives them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rdflib.term import BNode, URIRef

from ....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ....semantics.streams.merging import StreamItem, placed
from ..data.dictionary import Dictionary

Column = NDArray[np.int64]
Matched = tuple[Column, NDArray[np.int64]]
"""Rows by item: those of item i are rows[offsets[i]:offsets[i + 1]] of (offsets, rows)."""


# eq: arrays have no truth value as a whole. weakref_slot: what is found out of a batch is kept
# beside it, for as long as it is there.
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GraphBatch:
    """n items with m triples, in the order of `semantics.streams.merging.merge`.

    The triples of item i are `subject[offsets[i]:offsets[i + 1]]` and so on: ids of `dictionary`,
    no triple twice in an item. The ids live as long as any: a sweep forgets what is not retained.
    """

    dictionary: Dictionary
    kind: TimeKind
    streams: tuple[URIRef, ...]
    stream: Column
    """[n]: which of `streams` the item is of"""
    time: Column
    """[n]: τ, of an interval its end"""
    start: Column
    """[n]: of an interval its start, else as `time`"""
    rank: Column
    """[n]: k of (τ, k), 0 except under ties=sequence"""
    offsets: Column
    """[n + 1]"""
    subject: Column
    """[m]"""
    predicate: Column
    """[m]"""
    object: Column
    """[m]"""

    def __len__(self) -> int:
        return len(self.time)

    def cut(self, begin: int, end: int) -> GraphBatch:
        """Return the items numbered begin ≤ n < end; no column is copied."""
        first, last = self.offsets[begin], self.offsets[end]
        return GraphBatch(
            self.dictionary, self.kind, self.streams,
            self.stream[begin:end], self.time[begin:end], self.start[begin:end],
            self.rank[begin:end], self.offsets[begin:end + 1] - first,
            self.subject[first:last], self.predicate[first:last], self.object[first:last],
        )

    def items(self) -> Iterator[StreamItem]:
        """Yield the items, with terms instead of ids, and without the names of graphs."""
        decode = self.dictionary.decode
        offsets = self.offsets.tolist()
        columns = (self.subject.tolist(), self.predicate.tolist(), self.object.tolist())
        heads = zip(
            self.stream.tolist(), self.time.tolist(), self.start.tolist(), self.rank.tolist(),
            strict=True,
        )
        for number, (stream, time, start, rank) in enumerate(heads):
            here = slice(offsets[number], offsets[number + 1])
            triples = zip(*(column[here] for column in columns), strict=True)
            graph = frozenset((decode(s), decode(p), decode(o)) for s, p, o in triples)
            yield StreamItem(
                self.streams[stream], time, rank, graph, self.kind, lasted=time - start
            )


def batch_of(items: Sequence[StreamItem], dictionary: Dictionary) -> GraphBatch:
    """Return the batch of some items, at least one, all of one kind of time."""
    streams = {iri: number for number, iri in enumerate(dict.fromkeys(i.iri for i in items))}
    heads = np.array(
        [(streams[i.iri], i.time, i.start, i.rank, len(i.graph)) for i in items], np.int64
    )
    encode = dictionary.encode
    triples = np.array(
        [encode(term) for item in items for triple in item.graph for term in triple], np.int64
    ).reshape(-1, 3)
    offsets = np.concatenate(([0], np.cumsum(heads[:, 4])))
    stream, time, start, rank = (np.ascontiguousarray(column) for column in heads.T[:4])
    subject, predicate, obj = (np.ascontiguousarray(column) for column in triples.T)
    return GraphBatch(
        dictionary, items[0].kind, tuple(streams), stream, time, start, rank, offsets,
        subject, predicate, obj,
    )


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
        """Return an item without its graph, for messages."""
        batch = self.batch
        start, end = int(batch.start[number]), int(batch.time[number])
        if self.interval[number]:
            return IntervalGraph(start, end, frozenset(), batch.kind, self.name(number))
        return TimestampedGraph(end, frozenset(), batch.kind, self.name(number))

    def items(self) -> Iterator[Item]:
        """Yield the items, with terms instead of ids."""
        for number, item in enumerate(self.batch.items()):
            name = self.name(number)
            if self.interval[number]:
                yield IntervalGraph(item.start, item.end, item.graph, item.kind, name)
            else:
                yield TimestampedGraph(item.time, item.graph, item.kind, name)


def fits(item: Item) -> bool:
    """Return True if columns can hold the item's times."""
    return max(abs(item.start), abs(item.end)) <= _GREATEST


def block_of(items: Sequence[Item], dictionary: Dictionary) -> ItemBlock | None:
    """Return the block of one or more items of one kind of time; None if no column holds it."""
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
    """Return the block of columns that have been read."""
    nothing = np.zeros(len(time), np.int64)
    batch = GraphBatch(
        dictionary, kind, (_NOWHERE,), nothing, time, start, nothing, offsets, *triples
    )
    return ItemBlock(batch, interval.astype(np.bool_), name)
