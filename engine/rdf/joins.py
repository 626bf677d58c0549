"""Joins of rows: Join, LeftJoin and Minus of the algebra (SPARQL 1.1 Query, 18.5), by hashing.

Two rows are compatible if they agree on every column that both bind. Columns that are certain on
both sides make the hash key; the others are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

from .data.dictionary import UNBOUND
from .data.layout import IdRow, Layout, Rows

Merge: TypeAlias = Callable[[IdRow, IdRow], IdRow | None]


class Join:
    """The join of rows of two layouts that have the same injected values."""

    def __init__(self, left: Layout, right: Layout) -> None:
        here, there = left.positions, right.positions
        shared = [variable for variable in right.columns if variable in here]
        keys = [each for each in shared if each in left.certain and each in right.certain]
        fresh = [there[variable] for variable in right.columns if variable not in here]
        self.layout = left.extended(right.columns, right.certain)
        self.left_key = _picker([here[variable] for variable in keys])
        self.right_key = _picker([there[variable] for variable in keys])
        self.merge = _merger(
            [(here[variable], there[variable]) for variable in shared if variable not in keys],
            fresh,
        )
        self.padding = (UNBOUND,) * len(fresh)
        self.exact = len(keys) == len(shared)
        """rows with the same key are compatible"""

    def table(self, rows: Rows) -> dict[IdRow, Rows]:
        """The right rows by key."""
        table: dict[IdRow, Rows] = {}
        key = self.right_key
        for row in rows:
            table.setdefault(key(row), []).append(row)
        return table

    def inner(self, left: Rows, table: dict[IdRow, Rows]) -> Rows:
        """Join(left, right)."""
        key, merge = self.left_key, self.merge
        out: Rows = []
        for row in left:
            for other in table.get(key(row), ()):
                merged = merge(row, other)
                if merged is not None:
                    out.append(merged)
        return out

    def outer(
        self, left: Rows, table: dict[IdRow, Rows], condition: Callable[[IdRow], bool] | None
    ) -> Rows:
        """LeftJoin(left, right, condition)."""
        key, merge = self.left_key, self.merge
        out: Rows = []
        for row in left:
            matched = False
            for other in table.get(key(row), ()):
                merged = merge(row, other)
                if merged is not None and (condition is None or condition(merged)):
                    out.append(merged)
                    matched = True
            if not matched:
                out.append(row + self.padding)
        return out


def _picker(columns: list[int]) -> Callable[[IdRow], IdRow]:
    if not columns:
        return lambda row: ()
    if len(columns) == 1:
        column = columns[0]
        return lambda row: (row[column],)
    return itemgetter(*columns)


def _merger(uncertain: list[tuple[int, int]], fresh: list[int]) -> Merge:
    """μ1 ∪ μ2 of two rows that agree on the key; None if they disagree elsewhere."""
    pick = _picker(fresh)
    if not uncertain:
        return lambda left, right: left + pick(right)

    def merge(left: IdRow, right: IdRow) -> IdRow | None:
        values = list(left)
        for here, there in uncertain:
            mine, theirs = values[here], right[there]
            if mine == UNBOUND:
                values[here] = theirs
            elif theirs not in (UNBOUND, mine):
                return None
        return (*values, *pick(right))

    return merge


class Difference:
    """Minus(left, right): rows of the left without a compatible row that shares a binding.

    Columns of injected values are no bindings, and do not count as shared.
    """

    def __init__(self, left: Layout, right: Layout) -> None:
        here, there = left.positions, right.positions
        shared = [variable for variable in right.variables if variable in here]
        self._columns = [here[variable] for variable in shared]
        self._left_key = _picker(self._columns)
        self._right_key = _picker([there[variable] for variable in shared])
        self._certain = all(each in left.certain and each in right.certain for each in shared)

    def removed(self, right: Rows) -> frozenset[IdRow]:
        """What of the right rows matters: their shared columns, each combination once."""
        return frozenset(map(self._right_key, right)) if self._columns else frozenset()

    def kept(self, left: Rows, removed: frozenset[IdRow]) -> Rows:
        """The left rows that none of these removes."""
        if not removed:
            return left
        if self._certain:
            key = self._left_key
            return [row for row in left if key(row) not in removed]
        columns = self._columns
        return [
            row for row in left if not any(_removes(row, columns, other) for other in removed)
        ]


def _removes(row: IdRow, columns: list[int], other: IdRow) -> bool:
    common = False
    for column, theirs in zip(columns, other, strict=True):
        mine = row[column]
        if mine and theirs:
            if mine != theirs:
                return False
            common = True
    return common
