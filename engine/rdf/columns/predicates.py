"""What is found out of a batch once, for all the patterns that are matched on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from .batch import Column, GraphBatch


class Partition:
    """Which triples of a batch have which predicate, and of which item each is."""

    __slots__ = ("_by_predicate", "_predicate", "_size", "item")

    def __init__(self, batch: GraphBatch) -> None:
        self._predicate = batch.predicate
        self._size = len(batch)
        self._by_predicate: dict[int, Column] = {}
        self.item: Column = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
        """[m]: the number of the triple's item"""

    def having(self, predicate: int) -> Column:
        """The numbers of the triples with the predicate, rising."""
        found = self._by_predicate.get(predicate)
        if found is None:
            found = self._by_predicate[predicate] = np.flatnonzero(self._predicate == predicate)
        return found

    def items_with(self, predicates: Iterable[int]) -> Column:
        """The numbers of the items that have triples with all of these predicates, rising."""
        left = np.ones(self._size, np.bool_)
        for predicate in predicates:
            present = np.zeros(self._size, np.bool_)
            present[self.item[self.having(predicate)]] = True
            left &= present
        return np.flatnonzero(left)


_KNOWN: Final[WeakKeyDictionary[GraphBatch, Partition]] = WeakKeyDictionary()


def partition(batch: GraphBatch) -> Partition:
    """The batch's partition, which is made once."""
    found = _KNOWN.get(batch)
    if found is None:
        found = _KNOWN[batch] = Partition(batch)
    return found
