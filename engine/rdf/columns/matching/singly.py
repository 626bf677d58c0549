"""The items of a batch one by one: the complete matcher on those that can match at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...data.graphs import IndexedGraph, by_predicate
from ...data.layout import Rows
from ..batch import Column, GraphBatch, Matched


def matched_singly(
    batch: GraphBatch,
    items: Column,
    match: Callable[[IndexedGraph], Rows],
    width: int,
) -> Matched:
    """The rows that `match` finds on each of these items, as `Matcher.match_columns` gives them.

    The items rise; rows have `width` columns.
    """
    counts = np.zeros(len(batch) + 1, np.int64)
    rows: Rows = []
    offsets = batch.offsets
    for item in items.tolist():
        here = slice(offsets[item], offsets[item + 1])
        triples = zip(
            *(c[here].tolist() for c in (batch.subject, batch.predicate, batch.object)),
            strict=True,
        )
        found = match(IndexedGraph(by_predicate(triples)))
        counts[item + 1] = len(found)
        rows += found
    table = np.array(rows, dtype=np.int64).reshape(len(rows), width)
    return np.cumsum(counts), table
