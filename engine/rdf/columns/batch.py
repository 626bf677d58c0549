"""A batch: items of RDF streams as columns of integers.

What a batch holds is what its items say, in their order; how a run of items is cut into batches
changes nothing but speed. `batch_of` makes one of items, `GraphBatch.items` gives them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rdflib.term import URIRef

from ....semantics.model.items import TimeKind
from ....semantics.streams.merging import StreamItem
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
        """The items from number `begin` up to and without number `end`; no column is copied."""
        first, last = self.offsets[begin], self.offsets[end]
        return GraphBatch(
            self.dictionary, self.kind, self.streams,
            self.stream[begin:end], self.time[begin:end], self.start[begin:end],
            self.rank[begin:end], self.offsets[begin:end + 1] - first,
            self.subject[first:last], self.predicate[first:last], self.object[first:last],
        )

    def items(self) -> Iterator[StreamItem]:
        """The items, with terms instead of ids, and without the names of graphs."""
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
    """The batch of some items, at least one, all of one kind of time."""
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
