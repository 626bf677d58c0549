"""E1 SEQ E2 SEQ … over columns: which matches an evaluation gains, and which it loses.

Occurrences are joined as they arrive, whether or not they are in a window yet. A match is gained
by the evaluation at which all its occurrences are inside, and lost when the first one leaves; so
it matters of each window which of the match's items there is the first, and which the last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column
from ...rdf.data.layout import Layout
from ...rdf.sequence.temporal_join import TemporalJoin
from ...rdf.sequence.timed import Timed
from .found import MatchColumns, each_mapping_once
from .moving import WindowColumns
from .occurring import OccurrenceColumns


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
        """Whether one match stands for all of one event mapping"""
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

    def take_over(self) -> None:
        """The leaves have taken over what has occurred: that is matched anew."""
        self.hand_back()
        self._join([leaf.since(0) for leaf in self.leaves])
        for window in self.windows:
            window.stay()
        self.update()  # what is inside has been gained before

    def hand_back(self) -> None:
        """What has been matched is not needed here any more."""
        for join in self._joins:
            join.clear()
        self._waiting = self._held = self._nothing()

    # --- items ----------------------------------------------------------------------------------

    def match(self, arrived: Sequence[int]) -> None:
        """Occurrences have arrived: so many of each leaf."""
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
        """Filters that wait for what comes behind their EVENT."""
        for leaf in self.leaves:
            if leaf.node.conditions and found.size:
                columns = [self._columns[each] for each in leaf.node.layout.columns]
                rows = map(tuple, found.rows[:, columns].tolist())
                conditions = leaf.node.conditions
                found = found.taken(
                    np.array([all(holds(row) for holds in conditions) for row in rows], np.bool_)
                )
        return found

    def forget_before(self, now: int) -> None:
        """No item is earlier than `now` any more, and the windows have forgotten what was."""
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
        """The term ids that are held, with repetitions."""
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
        """The windows have moved: the matches gained and lost, each in the order of evaluations."""
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
    """A column for where an occurrence is in its window's stream; no query can name it."""
    return Variable(f"{_PLACE}{number}")
