"""E1 SEQ E2 SEQ … over columns: the matches that an evaluation gains and loses.

Occurrences are joined as they arrive, whether or not they are in a window yet. A match is gained
by the evaluation at which all its occurrences are inside, and lost when the first one leaves; so
it matters of each window which of the match's items there is the first, and which the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.data.layout import Layout
from ...rdf.matcher import Matcher
from ...rdf.sequence.temporal_join import ALWAYS, TemporalJoin, Timed
from ..events.compile import EventNode
from ..events.occurrences import Placed
from ..patterns import EventMapping
from .windows import NOTHING, WindowColumns, lasts


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """Matches (μ, t1, t2), each with the number of the evaluation that gains or loses it."""

    evaluation: Column
    rows: NDArray[np.int64]
    """[n, k]: μ"""
    start: Column
    end: Column
    positions: NDArray[np.int64]
    """[n, l]: where in its window's stream the occurrence of each EVENT is"""

    @classmethod
    def nothing(cls, variables: int, leaves: int) -> MatchColumns:
        """Return no matches."""
        none = np.zeros(0, np.int64)
        rows, positions = np.zeros((0, variables), np.int64), np.zeros((0, leaves), np.int64)
        return cls(none, rows, none, none, positions)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> MatchColumns:
        return MatchColumns(
            self.evaluation[which], self.rows[which], self.start[which], self.end[which],
            self.positions[which],
        )

    def at(self, evaluation: Column) -> MatchColumns:
        """Return the same at other evaluations."""
        return MatchColumns(evaluation, self.rows, self.start, self.end, self.positions)

    def in_order(self) -> MatchColumns:
        """Return the same in the order of evaluations."""
        return self[np.argsort(self.evaluation, kind="stable")]

    def and_then(self, others: MatchColumns) -> MatchColumns:
        """Return these matches and others."""
        if not len(self):
            return others
        if not len(others):
            return self
        return MatchColumns(
            np.concatenate((self.evaluation, others.evaluation)),
            np.concatenate((self.rows, others.rows)),
            np.concatenate((self.start, others.start)),
            np.concatenate((self.end, others.end)),
            np.concatenate((self.positions, others.positions)),
        )

    @property
    def events(self) -> list[EventMapping]:
        """Them as event mappings."""
        rows = map(tuple, self.rows.tolist())
        return list(zip(rows, self.start.tolist(), self.end.tolist(), strict=True))


def each_mapping_once(matches: MatchColumns) -> MatchColumns:
    """Return one match for each event mapping."""
    if len(matches) < 2:
        return matches
    columns = (matches.start, *matches.rows.T, matches.end)
    order = np.lexsort(columns)
    again = np.ones(len(matches) - 1, np.bool_)
    for column in columns:
        ordered = column[order]
        again &= ordered[1:] == ordered[:-1]
    if not again.any():
        return matches
    keeps = np.ones(len(matches), np.bool_)
    keeps[order[1:][again]] = False
    return matches[keeps]


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

    def import_state(self) -> None:
        """Go on from what the store of the EVENT holds, which is empty then."""
        placed = list(self.node.store.placed())
        self.position = np.array([each.position for each in placed], np.int64)
        self.time = np.array([each.time for each in placed], np.int64)
        rows = np.array([each.row for each in placed], np.int64)
        self.rows = rows.reshape(len(placed), len(self.variables))

    def export_state(self) -> Iterator[Placed]:
        """Return the occurrences, which are not needed here any more."""
        columns = (self.position.tolist(), self.time.tolist(), map(tuple, self.rows.tolist()))
        self.position = self.time = NOTHING
        self.rows = self.rows[:0]
        return map(Placed, *columns)

    # --- items ----------------------------------------------------------------------------------

    def arrive(self, batch: GraphBatch, mine: NDArray[np.bool_], position: Column) -> int:
        """Add the items that are `mine`, at these positions (those of others mean nothing).

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
        """Evict the items that the window has evicted, except those that were inside at last."""
        window, position = self.window, self.position
        kept = (position >= window.first) | (window.low <= position) & (position < window.high)
        if not kept.all():
            self.position, self.time, self.rows = position[kept], self.time[kept], self.rows[kept]

    def __len__(self) -> int:
        return len(self.time)

    def since(self, number: int) -> Timed:
        """Return the rows from this number on, each with its position as the last column."""
        time = self.time[number:]
        rows = np.column_stack((self.rows[number:], self.position[number:]))
        deadline = np.full(len(time), ALWAYS) if self._lasts is None else time + self._lasts
        return Timed(rows, time, time, deadline)


def each_once(item: Column, rows: NDArray[np.int64]) -> tuple[Column, NDArray[np.int64]]:
    """Return the rows of each item as a set; items rise."""
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


class SequenceColumns:
    """The matches of a sequence of EVENTs, over `variables`."""

    def __init__(
        self,
        leaves: Sequence[OccurrenceColumns],
        variables: Sequence[Variable],
        *,
        mappings_only: bool,
        only_grows: bool,
    ) -> None:
        self.leaves = list(leaves)
        self.windows: list[WindowColumns] = list(dict.fromkeys(leaf.window for leaf in leaves))
        places = [self.windows.index(leaf.window) for leaf in leaves]
        self._first = [places.index(place) for place in range(len(self.windows))]
        self._last = [len(places) - 1 - places[::-1].index(n) for n in range(len(self.windows))]
        self._mappings_only = mappings_only
        """True if one match stands for all of one event mapping."""
        self._only_grows = only_grows
        self._layouts = [
            Layout((*leaf.variables, _place(n)), frozenset((*leaf.variables, _place(n))))
            for n, leaf in enumerate(leaves)
        ]
        self._joins: list[TemporalJoin] = []
        layout = self._layouts[0]
        for following in self._layouts[1:]:
            self._joins.append(TemporalJoin(layout, following))
            layout = self._joins[-1].layout
        self._columns = layout.positions
        self._variables = [self._columns[each] for each in variables]
        self._positions = [self._columns[_place(n)] for n in range(len(leaves))]
        self._waiting = self._held = self._nothing()

    def _nothing(self) -> MatchColumns:
        return MatchColumns.nothing(len(self._variables), len(self.leaves))

    # --- from items to columns, and back ----------------------------------------------------------

    def import_state(self) -> None:
        """Match the occurrences that the leaves have imported."""
        self.export_state()
        self._join([leaf.since(0) for leaf in self.leaves])
        for window in self.windows:
            window.stay()
        self.update()  # what is inside has been gained before

    def export_state(self) -> None:
        """Evict the matches, which are not needed here any more."""
        for join in self._joins:
            join.clear()
        self._waiting = self._held = self._nothing()

    # --- items ----------------------------------------------------------------------------------

    def match(self, arrived: Sequence[int]) -> None:
        """Match the new occurrences: that many of each leaf."""
        self._join([
            leaf.since(len(leaf) - count)
            for leaf, count in zip(self.leaves, arrived, strict=True)
        ])

    def _join(self, arrived: list[Timed]) -> None:
        found = arrived[0]
        for join, right in zip(self._joins, arrived[1:], strict=True):
            found = join.joined(found, right)
        found = self._filtered(found)
        if found.size:
            matches = MatchColumns(
                found.start, found.rows[:, self._variables], found.start, found.end,
                found.rows[:, self._positions],
            )
            self._waiting = self._waiting.and_then(matches)

    def _filtered(self, found: Timed) -> Timed:
        """Return the rows under the filters that wait for events behind their EVENT."""
        for leaf in self.leaves:
            if leaf.node.conditions and found.size:
                columns = [self._columns[each] for each in leaf.node.layout.columns]
                rows = map(tuple, found.rows[:, columns].tolist())
                conditions = leaf.node.conditions
                found = found.taken(
                    np.array([all(holds(row) for holds in conditions) for row in rows], np.bool_)
                )
        return found

    def evict_before(self, now: int) -> None:
        """Evict state: no item is earlier than `now` any more; the windows have evicted theirs."""
        for leaf in self.leaves:
            leaf.forget()
        for join in self._joins:
            join.forget(now)
        waiting = np.ones(len(self._waiting), np.bool_)
        for window, first in zip(self.windows, self._first, strict=True):
            waiting &= self._waiting.positions[:, first] >= window.first
        if not waiting.all():
            self._waiting = self._waiting[waiting]

    def ids(self) -> NDArray[np.int64]:
        """Return the term ids that are held, with repetitions."""
        return np.concatenate([
            *(leaf.rows.ravel() for leaf in self.leaves),
            self._waiting.rows.ravel(), self._held.rows.ravel(),
            *(join.waiting.rows[:, [
                at for at, each in enumerate(join.layout.columns[: join.waiting.rows.shape[1]])
                if not each.startswith(_PLACE)
            ]].ravel() for join in self._joins),
        ])

    # --- evaluations ----------------------------------------------------------------------------

    def update(self) -> tuple[MatchColumns, MatchColumns]:
        """Return the matches gained and lost by moved windows, each in the order of evaluations."""
        waiting = self._waiting
        count = len(self.windows[0].lows)
        entry = np.zeros(len(waiting), np.int64)
        for window, last in zip(self.windows, self._last, strict=True):
            entry = np.maximum(entry, window.entry(waiting.positions[:, last]))
        self._waiting = waiting[entry == count]
        gone = self._exit(waiting, count)
        inside = entry < gone
        gained = waiting.at(entry)[inside].in_order()
        if self._mappings_only:
            gained = each_mapping_once(gained)
        if self._only_grows:
            return gained, self._nothing()
        matches = self._held.and_then(gained)
        gone = self._exit(matches, count)
        self._held = matches[gone == count]
        return gained, matches.at(gone)[gone < count].in_order()

    def _exit(self, matches: MatchColumns, count: int) -> Column:
        gone = np.full(len(matches), count)
        for window, first in zip(self.windows, self._first, strict=True):
            gone = np.minimum(gone, window.exit(matches.positions[:, first]))
        return gone


_PLACE = "^position "


def _place(number: int) -> Variable:
    """Return a column for where an occurrence is in its window's stream; no query can name it."""
    return Variable(f"{_PLACE}{number}")
