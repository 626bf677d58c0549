"""The items of a batch one by one: the complete matcher on those that can match at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ...data.graphs import IndexedGraph, by_predicate
from ...data.layout import Rows
from ..batch import GraphBatch, Matched

_KNOWN: Final[WeakKeyDictionary[GraphBatch, dict[int, IndexedGraph]]] = WeakKeyDictionary()


def matched_singly(
    batch: GraphBatch,
    items: Iterable[int],
    match: Callable[[IndexedGraph], Rows],
    width: int,
    *,
    keep: bool,
) -> Matched:
    """The rows that `match` finds on each of these items, as `Matcher.match_columns` gives them.

    The items rise; rows have `width` columns. With `keep`, an item's graph is made once for all the
    patterns that are matched on it; of large batches that would be too many objects.
    """
    counts = np.zeros(len(batch) + 1, np.int64)
    rows: Rows = []
    graphs = _KNOWN.setdefault(batch, {}) if keep else {}
    for item in items:
        graph = graphs.get(item)
        if graph is None:
            graph = _graph(batch, item)
            if keep:
                graphs[item] = graph
        found = match(graph)
        if found:
            counts[item + 1] = len(found)
            rows += found
    table = np.array(rows, dtype=np.int64).reshape(len(rows), width)
    return np.cumsum(counts), table


def _graph(batch: GraphBatch, item: int) -> IndexedGraph:
    here = slice(batch.offsets[item], batch.offsets[item + 1])
    columns = (batch.subject, batch.predicate, batch.object)
    triples = zip(*(column[here].tolist() for column in columns), strict=True)
    return IndexedGraph(by_predicate(triples))
