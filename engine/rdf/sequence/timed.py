"""Rows with intervals as columns: what temporal joins take and give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.batch import Column
from ..data.layout import IdRow

Table = NDArray[np.int64]
"""[m, k]: a row of ids for each solution, 0 for unbound"""

ALWAYS: Final = 1 << 61
"""A deadline that never comes, later than any time of an item; `-ALWAYS` is earlier than any."""

FURTHEST: Final = ALWAYS // 2
"""Times may be so far from 0."""


class Timed(NamedTuple):
    """m rows in the order of their ends."""

    rows: Table
    start: Column
    end: Column
    deadline: Column
    """[m]: the last time at which something that happens then may follow the row"""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.end)

    def taken(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Timed:
        """The rows with these numbers, or where it is true."""
        return Timed(
            self.rows[chosen], self.start[chosen], self.end[chosen], self.deadline[chosen]
        )

    def in_order(self) -> Timed:
        """The same rows by their ends; those that end at once as they stand."""
        if self.size < 2 or bool((self.end[1:] >= self.end[:-1]).all()):
            return self
        return self.taken(np.argsort(self.end, kind="stable"))

    def tuples(self) -> Iterable[tuple[IdRow, int, int]]:
        """Each row with its interval, as the engines have them that go row by row."""
        ids: Iterable[IdRow] = map(tuple, self.rows.tolist())
        return zip(ids, self.start.tolist(), self.end.tolist(), strict=True)


def nothing(width: int) -> Timed:
    """No rows, of so many columns."""
    none = np.zeros(0, np.int64)
    return Timed(np.zeros((0, width), np.int64), none, none, none)


def timed(found: Sequence[tuple[IdRow, int, int]], width: int, deadline: int = ALWAYS) -> Timed:
    """Rows with their intervals as columns, in the order of their ends."""
    if not found:
        return nothing(width)
    rows = np.array([ids for ids, _, _ in found], np.int64).reshape(len(found), width)
    start = np.array([start for _, start, _ in found], np.int64)
    end = np.array([end for _, _, end in found], np.int64)
    return Timed(rows, start, end, np.full(len(found), deadline)).in_order()


def together(parts: Sequence[Timed], width: int) -> Timed:
    """The rows of several, in the order of their ends."""
    parts = [part for part in parts if part.size]
    if not parts:
        return nothing(width)
    if len(parts) == 1:
        return parts[0]
    return Timed(*(np.concatenate(columns) for columns in zip(*parts, strict=True))).in_order()
