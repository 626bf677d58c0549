"""What does not depend on the item: background graphs and VALUES, indexed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from .....semantics.model.terms import Variable
from ...data.graphs import IndexedGraph
from ..batch import Column
from .tables import Table, joined_by, multiplied


class Lasting:
    """A bag of rows, without unbound values; an index by a column is built when it is needed."""

    def __init__(self, columns: Sequence[Column], length: int) -> None:
        self.columns = tuple(columns)
        self.length = length
        self._indexes: dict[int, tuple[Column, tuple[Column, ...], int]] = {}

    def restricted(self, place: int, number: int) -> Lasting:
        """The rows with an id in a column."""
        rows = self.columns[place] == number
        return Lasting([column[rows] for column in self.columns], int(rows.sum()))

    def agreeing(self, one: int, other: int) -> Lasting:
        """The rows with one id in two columns."""
        rows = self.columns[one] == self.columns[other]
        return Lasting([column[rows] for column in self.columns], int(rows.sum()))

    def index(self, place: int) -> tuple[Column, tuple[Column, ...], int]:
        """By a column: where the rows with an id start, all columns so ordered, and how many rows
        one id has at most."""
        found = self._indexes.get(place)
        if found is None:
            key = self.columns[place]
            order = np.argsort(key, kind="stable")
            counts = np.bincount(key)
            starts = np.concatenate(([0], np.cumsum(counts)))
            columns = tuple(column[order] for column in self.columns)
            found = self._indexes[place] = starts, columns, int(counts.max(initial=0))
        return found


def joined_with(left: Table, lasting: Lasting, places: dict[Variable, int]) -> Table:
    """The join with rows of which some columns are values of variables."""
    bound = [name for name in places if name in left.ids]
    if not bound:
        columns = {name: lasting.columns[place] for name, place in places.items()}
        return multiplied(left, columns, lasting.length)
    # Of the keys, the one that leaves the fewest rows.
    key = min(bound, key=lambda name: lasting.index(places[name])[2])
    starts, ordered, _ = lasting.index(places[key])
    columns = {name: ordered[place] for name, place in places.items()}
    return joined_by(left, key, starts, columns, [each for each in bound if each != key])


_KNOWN: Final[WeakKeyDictionary[IndexedGraph, dict[int, Lasting]]] = WeakKeyDictionary()


def pairs_of(graph: IndexedGraph, predicate: int) -> Lasting:
    """Subject and object of a graph's triples with the predicate, found out once."""
    known = _KNOWN.setdefault(graph, {})
    found = known.get(predicate)
    if found is None:
        bucket = graph.by_predicate.get(predicate, [])
        pairs = np.array(bucket, np.int64).reshape(-1, 2)
        columns = [np.ascontiguousarray(column) for column in pairs.T]
        found = known[predicate] = Lasting(columns, len(bucket))
    return found
