"""Tables: rows of ids by columns, their joins, and tables that last (background graphs, VALUES)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .....semantics.model.terms import Variable
from ....kernels import KERNELS, compiled
from ....tuning import IN_USE
from ...data.graphs import IndexedGraph
from ..batch import Column


@compiled
def pair_within_items(
    left_item: Column,
    left_key: Column,
    right_item: Column,
    right_key: Column,
    left_out: Column,
    right_out: Column,
    sorted_keys: int,  # whether the keys of an item rise on the right
) -> int:
    """Count the pairs of rows with equal items and keys, and write as many as fit."""
    room = left_out.size
    length = right_item.size
    found = 0
    begin = 0
    for i in range(left_item.size):
        item = left_item[i]
        key = left_key[i]
        while begin < length and right_item[begin] < item:
            begin += 1
        j = begin
        if sorted_keys != 0:
            high = length
            while j < high:
                middle = (j + high) // 2
                other = right_item[middle]
                if other < item or (other == item and right_key[middle] < key):
                    j = middle + 1
                else:
                    high = middle
        while j < length and right_item[j] == item:
            if right_key[j] == key:
                if found < room:
                    left_out[found] = i
                    right_out[found] = j
                found += 1
            elif sorted_keys != 0:
                break
            j += 1
    return found


@compiled
def pair_by_index(keys: Column, starts: Column, left_out: Column, right_out: Column) -> int:
    """Pair as above, where the rows with key k are from starts[k] up to starts[k + 1]."""
    room = left_out.size
    known = starts.size - 1
    found = 0
    for i in range(keys.size):
        key = keys[i]
        if key < known:
            for j in range(starts[key], starts[key + 1]):
                if found < room:
                    left_out[found] = i
                    right_out[found] = j
                found += 1
    return found


Ids = Mapping[Variable, Column]
Chosen = NDArray[np.int64] | NDArray[np.bool_]


# eq: arrays have no truth value as a whole.
@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows: those of one item stand together, the items rise. An id of 0 is unbound."""

    item: Column
    ids: Ids
    origin: Column | None = None
    """of which row of an earlier table each is made, where that is asked"""
    trivial: bool = False
    """whether it holds one row for every item, without columns"""

    def __len__(self) -> int:
        return len(self.item)

    def picked(self, rows: Chosen) -> Table:
        """Return some rows, by their numbers, rising within an item, or by a mask."""
        return Table(
            self.item[rows], {name: ids[rows] for name, ids in self.ids.items()},
            None if self.origin is None else self.origin[rows],
        )

    def numbered(self) -> Table:
        """Return the same rows, each with its own number."""
        return Table(self.item, self.ids, np.arange(len(self)))

    def only(self, variables: Iterable[Variable]) -> Table:
        """Return the table without other columns."""
        ids = {each: self.ids[each] for each in variables}
        return Table(self.item, ids, self.origin, self.trivial)

    def column(self, variable: Variable) -> Column:
        """Return a column, of unbound values if it is not there."""
        found = self.ids.get(variable)
        return np.zeros(len(self), np.int64) if found is None else found


def joined(left: Table, right: Table, longest: int) -> Table:
    """Return the rows of two tables that are of one item and agree on all the columns of both.

    On the right an item has no more than `longest` rows.
    """
    if left.trivial:
        return right
    shared = [name for name in right.ids if name in left.ids]
    if shared:
        keys = left.ids[shared[0]], right.ids[shared[0]]
    else:
        keys = np.zeros(len(left), np.int64), np.zeros(len(right), np.int64)
    order: Column | None = None
    item, key = right.item, keys[1]
    if shared and longest > IN_USE.scanned and _longest_run(item) > IN_USE.scanned:
        order = np.lexsort((key, item))
        item, key = item[order], key[order]
    ours, theirs = _pairs(
        lambda ours, theirs: pair_within_items(
            left.item, keys[0], item, key, ours, theirs, 0 if order is None else 1
        ),
        len(left), len(right),
    )
    if order is not None:
        theirs = order[theirs]
    return _merged(left, right.ids, shared[1:], ours, theirs)


def joined_by(
    left: Table, key: Variable, starts: Column, columns: Ids, shared: Iterable[Variable]
) -> Table:
    """Return the join with rows that do not depend on the item, indexed by the ids of `key`.

    They agree on `shared` too.
    """
    ours, theirs = _pairs(
        lambda ours, theirs: pair_by_index(left.ids[key], starts, ours, theirs), len(left), 0
    )
    return _merged(left, columns, shared, ours, theirs)


def multiplied(left: Table, columns: Ids, length: int) -> Table:
    """Return the join with rows that do not depend on the item and share no column."""
    ours = np.repeat(np.arange(len(left)), length)
    theirs = np.tile(np.arange(length), len(left))
    return _merged(left, columns, (), ours, theirs)


def united(tables: Iterable[Table], variables: Iterable[Variable]) -> Table:
    """Return the rows of all, over these columns."""
    tables = tuple(tables)
    item = np.concatenate([each.item for each in tables])
    order = np.argsort(item, kind="stable")
    ids = {
        variable: np.concatenate([each.column(variable) for each in tables])[order]
        for variable in variables
    }
    origins = [each.origin for each in tables if each.origin is not None]
    return Table(item[order], ids, np.concatenate(origins)[order] if origins else None)


def _longest_run(item: Column) -> int:
    if len(item) <= IN_USE.scanned:
        return 0
    starts = np.flatnonzero(np.concatenate(([True], item[1:] != item[:-1], [True])))
    return int(np.diff(starts).max(initial=0))


def _pairs(
    fill: Callable[[Column, Column], int], left: int, right: int
) -> tuple[Column, Column]:
    """Return the pairs that a loop writes into two arrays, which are made large enough."""
    room = max(left, right)
    while True:
        KERNELS.charge(left + right + room)
        ours, theirs = np.empty(room, np.int64), np.empty(room, np.int64)
        found = fill(ours, theirs)
        if found <= room:
            return ours[:found], theirs[:found]
        room = found


def _merged(
    left: Table, columns: Ids, shared: Iterable[Variable], ours: Column, theirs: Column
) -> Table:
    for name in shared:
        same = left.ids[name][ours] == columns[name][theirs]
        ours, theirs = ours[same], theirs[same]
    merged = {name: ids[ours] for name, ids in left.ids.items()}
    for name, ids in columns.items():
        if name not in merged:
            merged[name] = ids[theirs]
    return Table(
        left.item[ours], merged, None if left.origin is None else left.origin[ours]
    )


class StaticTable:
    """A bag of rows, without unbound values; an index by a column is built when it is needed."""

    def __init__(self, columns: Sequence[Column], length: int) -> None:
        self.columns = tuple(columns)
        self.length = length
        self._indexes: dict[int, tuple[Column, tuple[Column, ...], int]] = {}

    def restricted(self, place: int, number: int) -> StaticTable:
        """Return the rows with an id in a column."""
        rows = self.columns[place] == number
        return StaticTable([column[rows] for column in self.columns], int(rows.sum()))

    def agreeing(self, one: int, other: int) -> StaticTable:
        """Return the rows with one id in two columns."""
        rows = self.columns[one] == self.columns[other]
        return StaticTable([column[rows] for column in self.columns], int(rows.sum()))

    def index(self, place: int) -> tuple[Column, tuple[Column, ...], int]:
        """Return the index of a column, as a triple.

        It has the place where each id's rows start, all columns in the order of the index, and the
        largest number of rows of one id.
        """
        found = self._indexes.get(place)
        if found is None:
            key = self.columns[place]
            order = np.argsort(key, kind="stable")
            counts = np.bincount(key)
            starts = np.concatenate(([0], np.cumsum(counts)))
            columns = tuple(column[order] for column in self.columns)
            found = self._indexes[place] = starts, columns, int(counts.max(initial=0))
        return found


def joined_with(left: Table, lasting: StaticTable, places: dict[Variable, int]) -> Table:
    """Return the join with rows some of whose columns are values of variables."""
    bound = [name for name in places if name in left.ids]
    if not bound:
        columns = {name: lasting.columns[place] for name, place in places.items()}
        return multiplied(left, columns, lasting.length)
    # Of the keys, the one that leaves the fewest rows.
    key = min(bound, key=lambda name: lasting.index(places[name])[2])
    starts, ordered, _ = lasting.index(places[key])
    columns = {name: ordered[place] for name, place in places.items()}
    return joined_by(left, key, starts, columns, [each for each in bound if each != key])


_KNOWN: Final[WeakKeyDictionary[IndexedGraph, dict[int, StaticTable]]] = WeakKeyDictionary()


def pairs_of(graph: IndexedGraph, predicate: int) -> StaticTable:
    """Return subject and object of a graph's triples with the predicate, computed once."""
    known = _KNOWN.setdefault(graph, {})
    found = known.get(predicate)
    if found is None:
        bucket = graph.by_predicate.get(predicate, [])
        pairs = np.array(bucket, np.int64).reshape(-1, 2)
        columns = [np.ascontiguousarray(column) for column in pairs.T]
        found = known[predicate] = StaticTable(columns, len(bucket))
    return found
