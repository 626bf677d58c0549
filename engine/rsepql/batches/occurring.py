"""What a basic event pattern has matched, as columns: of each occurrence where, when and what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.matcher import Matcher
from ...rdf.sequence.timed import ALWAYS, Timed
from ..events.compile import EventNode
from ..events.occurrences import Placed
from .moving import NOTHING, WindowColumns, lasts


class OccurrenceColumns:
    """The occurrences of one EVENT, in the order of their items; those it may still need."""

    def __init__(self, node: EventNode, matcher: Matcher, window: WindowColumns) -> None:
        self.node = node
        self.window = window
        self.variables: tuple[Variable, ...] = matcher.columns
        self.position: Column = NOTHING
        """[n]: of its item in the window's stream"""
        self.time: Column = NOTHING
        """[n]"""
        self.rows: NDArray[np.int64] = np.zeros((0, len(self.variables)), np.int64)
        """[n, k]: its solution"""
        self._matcher = matcher
        self._lasts = lasts(window.function)

    # --- from items to columns, and back ----------------------------------------------------------

    def take_over(self) -> None:
        """Go on from what the store of the EVENT holds, which is empty then."""
        placed = list(self.node.store.placed())
        self.position = np.array([each.position for each in placed], np.int64)
        self.time = np.array([each.time for each in placed], np.int64)
        rows = np.array([each.row for each in placed], np.int64)
        self.rows = rows.reshape(len(placed), len(self.variables))

    def hand_back(self) -> Iterator[Placed]:
        """The occurrences, which are not needed here any more."""
        columns = (self.position.tolist(), self.time.tolist(), map(tuple, self.rows.tolist()))
        self.position = self.time = NOTHING
        self.rows = self.rows[:0]
        return map(Placed, *columns)

    # --- items ----------------------------------------------------------------------------------

    def arrive(self, batch: GraphBatch, mine: NDArray[np.bool_], position: Column) -> int:
        """Items arrive: those that are `mine`, at these positions (the others' mean nothing).

        Returns how many occurrences they have.
        """
        offsets, rows = self._matcher.match_columns(batch)
        item = np.repeat(np.arange(len(batch)), np.diff(offsets))
        if not mine.all():
            kept = mine[item]
            item, rows = item[kept], rows[kept]
        item, rows = each_once(item, rows)
        self.position = np.concatenate((self.position, position[item]))
        self.time = np.concatenate((self.time, batch.time[item]))
        self.rows = np.concatenate((self.rows, rows))
        return len(item)

    def forget(self) -> None:
        """What the window has forgotten is forgotten here, but for what was inside at last."""
        window, position = self.window, self.position
        kept = (position >= window.first) | (window.low <= position) & (position < window.high)
        if not kept.all():
            self.position, self.time, self.rows = position[kept], self.time[kept], self.rows[kept]

    def __len__(self) -> int:
        return len(self.time)

    def since(self, number: int) -> Timed:
        """Those from this number on; each with its position as the last column."""
        time = self.time[number:]
        rows = np.column_stack((self.rows[number:], self.position[number:]))
        deadline = np.full(len(time), ALWAYS) if self._lasts is None else time + self._lasts
        return Timed(rows, time, time, deadline)


def each_once(item: Column, rows: NDArray[np.int64]) -> tuple[Column, NDArray[np.int64]]:
    """The rows of each item as a set; items rise."""
    several = np.zeros(len(item), np.bool_)
    same = item[1:] == item[:-1]
    several[1:] |= same
    several[:-1] |= same
    if not several.any():
        return item, rows
    doubtful = np.flatnonzero(several)
    marked = np.column_stack((item[doubtful], rows[doubtful]))
    _, first = np.unique(marked, axis=0, return_index=True)
    several[doubtful[first]] = False
    kept = ~several
    return item[kept], rows[kept]
