"""What is found out of a batch once, for all the patterns that are matched on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..batch import Column, GraphBatch


class Part(NamedTuple):
    """Some triples of a batch: those of one item stand together, the items rise."""

    item: Column
    subject: Column
    object: Column


class Partition:
    """The triples of a batch by predicate."""

    def __init__(self, batch: GraphBatch) -> None:
        sizes = np.diff(batch.offsets)
        self.longest = int(sizes.max(initial=0))
        """So many triples an item has at most."""
        self.items: Column = np.arange(len(batch))
        """The numbers of the items."""
        self.all = Part(np.repeat(self.items, sizes), batch.subject, batch.object)
        self.predicate = batch.predicate
        """Of all."""
        self._parts: dict[int, Part] = {}

    def having(self, predicate: int) -> Part:
        """The triples with the predicate."""
        found = self._parts.get(predicate)
        if found is None:
            which = np.flatnonzero(self.predicate == predicate)
            found = self._parts[predicate] = Part(*(column[which] for column in self.all))
        return found

    def items_with(self, predicates: Iterable[int]) -> Column:
        """The numbers of the items that have triples with all of these predicates, rising."""
        left = np.ones(len(self.items), np.bool_)
        for predicate in predicates:
            present = np.zeros(len(self.items), np.bool_)
            present[self.having(predicate).item] = True
            left &= present
        return np.flatnonzero(left)


_KNOWN: Final[WeakKeyDictionary[GraphBatch, Partition]] = WeakKeyDictionary()


def partition(batch: GraphBatch) -> Partition:
    """The batch's partition, which is made once."""
    found = _KNOWN.get(batch)
    if found is None:
        found = _KNOWN[batch] = Partition(batch)
    return found
