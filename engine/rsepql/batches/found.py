"""Matches of event patterns as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...rdf.columns.batch import Column
from ..patterns import EventMapping


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
        """No matches."""
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
        """The same at other evaluations."""
        return MatchColumns(evaluation, self.rows, self.start, self.end, self.positions)

    def in_order(self) -> MatchColumns:
        """The same in the order of evaluations."""
        return self[np.argsort(self.evaluation, kind="stable")]

    def and_then(self, others: MatchColumns) -> MatchColumns:
        """These and others."""
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
    """One match for each event mapping."""
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
