"""Triple patterns and their joins over the occurrences of a batch.

The order of arrival stands in the place of time: what came before waits for what comes, on both
sides; of one item the left side comes first, so that each pair is found once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.items import TimeKind
from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.columns.matching.triple_scan import partition
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import Layout
from ...rdf.sequence.temporal_join import ALWAYS, Table, TemporalJoin, Timed
from ..basic_graph_patterns import Block, Pattern, Store
from ..nodes import NEVER, Occurrence, TimedRow


class Occurring:
    """The triples of a batch, those left out that occur a second time at one instant."""

    def __init__(self, batch: GraphBatch, before: AbstractSet[Occurrence], now: float) -> None:
        """Set up the join; `before` are the occurrences so far at `now`, which may not be over."""
        self.start, self.end = batch.start, batch.time
        self.batch = _first_times(batch, before, now)
        self._triples = partition(self.batch)

    def matching(self, pattern: Pattern) -> tuple[Sequence[Column], Column]:
        """Return subjects, predicates and objects of the matching triples, and their items."""
        predicate = pattern[1]
        everything = isinstance(predicate, Variable)
        triples = (
            self._triples.all if isinstance(predicate, Variable)
            else self._triples.having(predicate)
        )
        columns = [triples.subject, self._triples.predicate, triples.object]
        items = triples.item
        first: dict[Variable, int] = {}
        for place, term in enumerate(pattern):
            if not isinstance(term, Variable):
                if place == 1:
                    continue
                holds = columns[place] == term
            else:
                before = first.setdefault(term, place)
                if before == place:
                    continue
                holds = columns[before] == columns[place]
            columns = [
                each if place == 1 and not everything else each[holds]
                for place, each in enumerate(columns)
            ]
            items = items[holds]
        return columns, items


def _first_times(batch: GraphBatch, before: AbstractSet[Occurrence], now: float) -> GraphBatch:
    """Return the batch without triples that occur again at the instant, over the same interval."""
    ends = batch.time
    going_on = ends == now if before else np.zeros(len(ends), np.bool_)
    tied = going_on.copy()
    same = ends[1:] == ends[:-1]
    tied[1:] |= same
    tied[:-1] |= same
    if not bool(tied.any()):
        return batch
    items = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    whole = np.array(
        [batch.subject, batch.predicate, batch.object, batch.start[items], ends[items]]
    )
    fresh = np.ones(len(items), np.bool_)
    numbers = np.flatnonzero(tied[items])
    if numbers.size:
        order = numbers[np.lexsort(whole[:, numbers])]
        again = (whole[:, order[1:]] == whole[:, order[:-1]]).all(axis=0)
        fresh[order[1:][again]] = False
    for number in np.flatnonzero(going_on[items]).tolist():
        s, p, o, start, end = whole[:, number].tolist()
        fresh[number] &= (s, p, o, start, end) not in before
    return _only(batch, fresh)


def asked_for(batch: GraphBatch, store: Store) -> GraphBatch:
    """Return the batch without triples that a store does not look up."""
    predicates = np.unique(batch.predicate).tolist()
    wanted = [predicate for predicate in predicates if store.asks_for(predicate)]
    if len(wanted) == len(predicates):
        return batch
    return _only(batch, np.isin(batch.predicate, wanted))


def _only(batch: GraphBatch, chosen: NDArray[np.bool_]) -> GraphBatch:
    offsets = np.concatenate(([0], np.cumsum(chosen)))[batch.offsets]
    return replace(
        batch, offsets=offsets, subject=batch.subject[chosen], predicate=batch.predicate[chosen],
        object=batch.object[chosen],
    )


def latest_of(batch: GraphBatch) -> set[Occurrence]:
    """Return the occurrences of the last instant."""
    first = int(np.searchsorted(batch.time, batch.time[-1]))
    return set(occurrences(batch.cut(first, len(batch))))


def occurrences(batch: GraphBatch) -> Iterator[Occurrence]:
    """Return the triples with the intervals of their items."""
    items = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    columns = (batch.subject, batch.predicate, batch.object, batch.start[items], batch.time[items])
    return zip(*(column.tolist() for column in columns), strict=True)


_SPANS = (Variable(".left start"), Variable(".left end")), (
    Variable(".right start"), Variable(".right end"),
)


class Arriving:
    """Rows of one side: ids, start and end, in the order of the items that they came with."""

    def __init__(self, rows: Table, item: Column) -> None:
        self.rows = rows
        self.item = item

    def timed(self, later: int) -> Timed:
        """Return the rows with arrival instead of time."""
        at = 2 * self.item + later
        return Timed(self.rows, at, at, np.full(len(at), ALWAYS))


class Meeting:
    """Two sides, joined at any time."""

    def __init__(self, left: Sequence[Variable], right: Sequence[Variable]) -> None:
        self.columns = tuple(dict.fromkeys((*left, *right)))
        first, second = (*left, *_SPANS[0]), (*right, *_SPANS[1])
        sides = Layout(first, frozenset(first)), Layout(second, frozenset(second))
        self._lefts, self._rights = TemporalJoin(*sides), TemporalJoin(*reversed(sides))

    def fed(self, left: Arriving, right: Arriving) -> Arriving:
        """Return the new rows of both."""
        mine, theirs = left.timed(0), right.timed(1)
        parts = [
            self._spanned(self._lefts, self._lefts.joined(mine, theirs)),
            self._spanned(self._rights, self._rights.joined(theirs, mine)),
        ]
        item = np.concatenate([part.item for part in parts])
        order = np.argsort(item, kind="stable")
        return Arriving(np.concatenate([part.rows for part in parts])[order], item[order])

    def _spanned(self, join: TemporalJoin, found: Timed) -> Arriving:
        at = join.layout.positions
        (start, end), (other_start, other_end) = _SPANS
        columns = [found.rows[:, at[variable]] for variable in self.columns]
        starts = np.minimum(found.rows[:, at[start]], found.rows[:, at[other_start]])
        ends = np.maximum(found.rows[:, at[end]], found.rows[:, at[other_end]])
        return Arriving(np.stack([*columns, starts, ends], axis=1), found.end >> 1)

    def forget(self, low: int) -> None:
        """Evict the rows that end before `low`."""
        for join in (self._lefts, self._rights):
            # A span stands behind the ids of its side, which are as many as wait.
            ends = join.waiting.rows[:, -1]
            join.drop(int(np.searchsorted(ends, low)))

    def clear(self) -> None:
        """Discard all waiting rows."""
        self._lefts.clear()
        self._rights.clear()

    def joins(self) -> tuple[TemporalJoin, TemporalJoin]:
        """Return the joins in both directions."""
        return self._lefts, self._rights


class Basic:
    """The rows of a block of several patterns."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self._patterns = block.in_order()
        self._variables = [
            tuple(dict.fromkeys(p for p in pattern if isinstance(p, Variable)))
            for pattern in self._patterns
        ]
        self.meetings: list[Meeting] = []
        known = self._variables[0]
        for variables in self._variables[1:]:
            self.meetings.append(Meeting(known, variables))
            known = self.meetings[-1].columns
        self._picks = [*(known.index(v) for v in block.all_columns), -2, -1]
        self._count = 0
        self.seen: set[TimedRow] = set()

    def rows(self, occurring: Occurring) -> Table:
        """Return its new rows over all its variables, with their spans, by their ends."""
        found, *others = [
            self._arriving(occurring, pattern, variables)
            for pattern, variables in zip(self._patterns, self._variables, strict=True)
        ]
        for meeting, other in zip(self.meetings, others, strict=True):
            found = meeting.fed(found, other)
        self._count += len(occurring.end)
        rows = found.rows[:, self._picks]
        if self.block.width is not None:
            rows = rows[rows[:, -1] - rows[:, -2] <= self.block.width]
        return rows if self.block.each else self._once(rows)

    def _arriving(
        self, occurring: Occurring, pattern: Pattern, variables: Sequence[Variable]
    ) -> Arriving:
        columns, items = occurring.matching(pattern)
        taken = [columns[pattern.index(variable)] for variable in variables]
        rows = np.stack([*taken, occurring.start[items], occurring.end[items]], axis=1)
        return Arriving(rows, items + self._count)

    def _once(self, rows: Table) -> Table:
        """Return the rows that are new at their instant."""
        if not len(rows):
            return rows
        order = np.lexsort(rows.T)
        there = rows[order]
        fresh = np.ones(len(rows), np.bool_)
        fresh[order[1:][(there[1:] == there[:-1]).all(axis=1)]] = False
        latest = {end for _, _, end in self.seen}
        for number in np.flatnonzero(np.isin(rows[:, -1], list(latest))).tolist():
            *ids, start, end = rows[number].tolist()
            fresh[number] &= (tuple(ids), start, end) not in self.seen
        rows = rows[fresh]
        if len(rows):
            last = int(rows[-1, -1])
            self.seen = {each for each in self.seen if each[2] == last} | {
                (tuple(ids), start, end)
                for *ids, start, end in rows[rows[:, -1] == last].tolist()
            }
        return rows

    # --- between the two ways ---------------------------------------------------------------

    def movable(self) -> bool:
        """Return True if the store's state can be in columns."""
        return self.block.width is None or not self.block.store.timeless()

    def take(self, occurring: Occurring | None) -> None:
        """Buffer the occurrences so far; their rows have been found."""
        self.seen = set()
        if occurring is not None:
            self.rows(occurring)
        self.seen = self.block.exchange(set())

    def export_state(self) -> None:
        """Export the occurrences to the store."""
        self.block.exchange(self.seen)
        self.seen = set()
        for meeting in self.meetings:
            meeting.clear()

    def forget(self, now: int) -> None:
        """Evict the state for items that end before now."""
        if self.block.width is not None:
            for meeting in self.meetings:
                meeting.forget(now - self.block.width)


def stored(store: Store, dictionary: Dictionary) -> Occurring | None:
    """Return the contents of a store, each occurrence an item of its own."""
    rows = [
        (s, p, o, ALWAYS, -ALWAYS) if end == NEVER else (s, p, o, int(start), int(end))
        for s, p, o, start, end in store.occurrences()
    ]
    if not rows:
        return None
    s, p, o, start, end = np.array(rows, np.int64).T.copy()
    none, offsets = np.zeros(len(rows), np.int64), np.arange(len(rows) + 1)
    batch = GraphBatch(
        dictionary, TimeKind.INTEGER, (), none, end, start, none, offsets, s, p, o
    )
    return Occurring(batch, frozenset(), NEVER)
