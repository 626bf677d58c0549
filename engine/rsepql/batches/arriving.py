"""What of a batch an engine takes in, and as what."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ....semantics.model.terms import URIRef
from ...rdf.columns.batch import GraphBatch, batch_of
from ...rdf.data.dictionary import Dictionary


def those_of(streams: Collection[URIRef], batch: GraphBatch) -> GraphBatch:
    """The items of these streams."""
    wanted = np.array([iri in streams for iri in batch.streams], np.bool_)
    if wanted.all():
        return batch
    items = wanted[batch.stream]
    sizes = np.diff(batch.offsets)
    triples = np.repeat(items, sizes)
    return GraphBatch(
        batch.dictionary, batch.kind, batch.streams, batch.stream[items], batch.time[items],
        batch.start[items], batch.rank[items],
        np.concatenate(([0], np.cumsum(sizes[items]))),
        batch.subject[triples], batch.predicate[triples], batch.object[triples],
    )


def out_of_order(batch: GraphBatch) -> tuple[URIRef, int, int] | None:
    """The first item that is earlier than the one before it: its stream, its time, the other's."""
    times = batch.time
    falls = np.flatnonzero(times[1:] < times[:-1])
    if not len(falls):
        return None
    before, at = int(falls[0]), int(falls[0]) + 1
    return batch.streams[int(batch.stream[at])], int(times[at]), int(times[before])


def over(dictionary: Dictionary, batch: GraphBatch) -> GraphBatch:
    """The same items with ids of this dictionary."""
    if batch.dictionary is dictionary:
        return batch
    return batch_of(list(batch.items()), dictionary)
