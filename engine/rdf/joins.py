"""Joins of rows: Join, LeftJoin and Minus of the algebra (SPARQL 1.1 Query, 18.5), by hashing.

Two rows are compatible if they agree on every column that both bind. Columns that are certain on
both sides make the hash key; the others are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

from .dictionary import UNBOUND
from .layout import IdRow, Layout, Rows

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


def difference(left: Layout, right: Layout) -> Callable[[Rows, Rows], Rows]:
    """Minus(left, right): rows of the left without a compatible row that shares a binding.

    Columns of injected values are no bindings, and do not count as shared.
    """
    here, there = left.positions, right.positions
    shared = [variable for variable in right.columns[right.base :] if variable in here]
    if not shared:
        return lambda rows, others: rows
    pairs = [(here[variable], there[variable]) for variable in shared]
    if all(variable in left.certain and variable in right.certain for variable in shared):
        left_key = _picker([mine for mine, _ in pairs])
        right_key = _picker([theirs for _, theirs in pairs])

        def by_key(rows: Rows, others: Rows) -> Rows:
            gone = {right_key(other) for other in others}
            return [row for row in rows if left_key(row) not in gone]

        return by_key

    def by_pair(rows: Rows, others: Rows) -> Rows:
        # Only what is shared matters: duplicates need not be compared again.
        reduced = {tuple([other[theirs] for _, theirs in pairs]) for other in others}
        columns = [mine for mine, _ in pairs]
        return [
            row
            for row in rows
            if not any(_removes(row, columns, other) for other in reduced)
        ]

    return by_pair


def _removes(row: IdRow, columns: list[int], other: IdRow) -> bool:
    common = False
    for column, theirs in zip(columns, other, strict=True):
        mine = row[column]
        if mine and theirs:
            if mine != theirs:
                return False
            common = True
    return common
