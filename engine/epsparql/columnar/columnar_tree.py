"""A tree of nodes over batches of items as columns, as far as its nodes have a columnar form.

These are triple patterns, the SEQs of them, and UNIONs; whatever changes solutions one by one
stands above or between them and is asked as always. What SEQs remember lies in columns while
batches come, and in the nodes' own indexes while items come one by one; it is moved when that
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from ...rdf.columns.batch import GraphBatch
from ...rdf.columns.matching.filter_conditions import Condition, compile_truth
from ...rdf.columns.matching.tables import Table
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import Layout
from ...rdf.sequence.temporal_join import (
    ALWAYS,
    FURTHEST,
    TemporalJoin,
    Timed,
    nothing,
    timed,
    together,
)
from ...tuning import IN_USE
from ..basic_graph_patterns import Block
from ..compile import Tree
from ..expressions import normal
from ..joins import Sequenced, United
from ..nodes import (
    FOREVER,
    NEVER,
    AtTheEnd,
    Distinct,
    Filtered,
    Index,
    Node,
    Occurrence,
    TimedRow,
    TimedRows,
    Wrapping,
)
from .triple_joins import Basic, Occurring, asked_for, latest_of, occurrences, stored

Compiled: TypeAlias = Callable[[Sequence[Filtered], Layout], list[Condition]]
"""Filters, compiled for rows of a layout"""


class Columnar(Protocol):
    """A node over batches."""

    layout: Layout

    def fed(self, occurring: Occurring) -> Timed:
        """Return the new solutions, in the order of their ends."""

    def states(self) -> Iterator[Sequel | Conjunction]:
        """Yield the nodes with state."""


def _passing(conditions: Sequence[Condition], layout: Layout, found: Timed) -> Timed:
    """Return the rows for which all conditions hold; these read no interval."""
    for condition in conditions:
        if found.size:
            columns = {v: found.rows[:, at] for v, at in layout.positions.items()}
            found = found.taken(condition(Table(found.end, columns)))
    return found


class _Leaf:
    """A triple pattern."""

    def __init__(self, block: Block, conditions: Compiled) -> None:
        (self._pattern,) = block.patterns
        self.layout = block.layout
        self._places = [self._pattern.index(v) for v in self.layout.columns]
        self._conditions = conditions(block.conditions, self.layout)

    def fed(self, occurring: Occurring) -> Timed:
        columns, items = occurring.matching(self._pattern)
        rows = np.empty((len(items), len(self._places)), np.int64)
        for at, place in enumerate(self._places):
            rows[:, at] = columns[place]
        found = Timed(
            rows, occurring.start[items], occurring.end[items], np.full(len(items), ALWAYS)
        )
        return _passing(self._conditions, self.layout, found)

    def states(self) -> Iterator[Sequel | Conjunction]:
        return iter(())


class Conjunction:
    """Several triple patterns."""

    def __init__(self, block: Block, conditions: Compiled) -> None:
        self.layout = block.layout
        self.basic = Basic(block)
        self._picks = [block.all_columns.index(v) for v in self.layout.columns]
        self._conditions = conditions(block.conditions, self.layout)

    def fed(self, occurring: Occurring) -> Timed:
        rows = self.basic.rows(occurring)
        start, end = rows[:, -2].copy(), rows[:, -1].copy()
        found = Timed(rows[:, self._picks], start, end, np.full(len(rows), ALWAYS))
        return _passing(self._conditions, self.layout, found)

    def states(self) -> Iterator[Sequel | Conjunction]:
        yield self

    def movable(self) -> bool:
        """Return True if the store's state can be in columns."""
        return self.basic.movable()

    def take(self, occurring: Occurring | None) -> None:
        """Buffer the occurrences so far."""
        self.basic.take(occurring)

    def export_state(self) -> None:
        """Export the block's state to the store."""
        self.basic.export_state()

    def forget(self, now: int) -> None:
        """Evict the state for items that end before now."""
        self.basic.forget(now)

    def waiting(self) -> Iterator[Timed]:
        """Yield the buffered rows in columns."""
        for meeting in self.basic.meetings:
            for join in meeting.joins():
                waiting = join.waiting
                yield waiting._replace(rows=waiting.rows[:, :-2])  # without their spans


class Sequel:
    """SEQ."""

    def __init__(
        self, node: Sequenced, left: Columnar, right: Columnar, conditions: Compiled
    ) -> None:
        self.layout = node.layout
        self._node = node
        self._left, self._right = left, right
        self.join = TemporalJoin(left.layout, right.layout)
        self._conditions = conditions(node.conditions, self.layout)

    def fed(self, occurring: Occurring) -> Timed:
        lefts, rights = self._left.fed(occurring), self._right.fed(occurring)
        found = self.join.joined(self._bounded(lefts), rights)
        return _passing(self._conditions, self.layout, found)

    def _bounded(self, lefts: Timed) -> Timed:
        width = self._node.width
        if width is None or width > FURTHEST:
            return lefts._replace(deadline=np.full(lefts.size, ALWAYS))
        return lefts._replace(deadline=lefts.start + width)

    def states(self) -> Iterator[Sequel | Conjunction]:
        yield from self._left.states()
        yield from self._right.states()
        yield self

    # --- between the two ways ---------------------------------------------------------------

    def movable(self) -> bool:
        """Return True if the node's state can be in columns."""
        node = self._node
        if node.rights.size:
            return False
        return node.width is None or all(row[2] != NEVER for row in _indexed(node))

    def take(self, occurring: Occurring | None) -> None:
        """Move the node's state to columns."""
        node = self._node
        rows = timed(
            [
                (ids, ALWAYS, -ALWAYS) if end == NEVER else (ids, int(start), int(end))
                for ids, start, end in _indexed(node)
            ],
            len(node.left.layout.columns),
        )
        self.join.remember(self._bounded(rows))
        node.lefts = Index()

    def forget(self, now: int) -> None:
        """Evict the state for items that end before now."""
        self.join.forget(now)

    def waiting(self) -> Iterator[Timed]:
        """Yield the buffered rows in columns."""
        yield self.join.waiting

    def export_state(self) -> None:
        """Move the state from columns to the node."""
        node = self._node
        for ids, start, end in self.join.waiting.tuples():
            row: TimedRow = (ids, start, end) if end != -ALWAYS else (ids, FOREVER, NEVER)
            node.lefts.add(node.key_of_left(row), row)
        self.join.clear()


def _indexed(node: Sequenced) -> Iterator[TimedRow]:
    for _, rows in node.lefts.table.values():
        yield from rows


class _Alternatives:
    """UNION."""

    def __init__(self, node: United, sides: Sequence[Columnar]) -> None:
        self.layout = node.layout
        self._sides = sides

    def fed(self, occurring: Occurring) -> Timed:
        width = len(self.layout.columns)
        parts = []
        for side in self._sides:
            found = side.fed(occurring)
            rows = np.zeros((found.size, width), np.int64)
            for at, variable in enumerate(self.layout.columns):
                if variable in side.layout.positions:
                    rows[:, at] = found.rows[:, side.layout.positions[variable]]
            parts.append(found._replace(rows=rows))
        return together(parts, width)

    def states(self) -> Iterator[Sequel | Conjunction]:
        for side in self._sides:
            yield from side.states()


class _Changing:
    """A node that rewrites solutions item-at-a-time, between columnar nodes."""

    def __init__(self, node: Wrapping, inner: Columnar) -> None:
        self.layout = node.layout
        self._node = node
        self._inner = inner

    def fed(self, occurring: Occurring) -> Timed:
        width = len(self.layout.columns)
        found: TimedRows = list(self._inner.fed(occurring).tuples())
        if not found:
            return nothing(width)
        changed = self._node.changed(found)
        return timed([(ids, int(start), int(end)) for ids, start, end in changed], width)

    def states(self) -> Iterator[Sequel | Conjunction]:
        return self._inner.states()


def part_of(node: Node, conditions: Compiled) -> Columnar | None:
    """Return the columnar node, if that is possible."""
    match node:
        case Block() if node.patterns and not node.outer:
            kind = _Leaf if len(node.patterns) == 1 else Conjunction
            return kind(node, conditions)
        case Sequenced() if node.left.timewise:
            left, right = part_of(node.left, conditions), part_of(node.right, conditions)
            if left is None or right is None:
                return None
            made = Sequel(node, left, right, conditions)
            return made if made.join.exact else None
        case United():
            parts = [part_of(side, conditions) for side in node.sides]
            sides = [part for part in parts if part is not None]
            return _Alternatives(node, sides) if len(sides) == len(parts) else None
        case Wrapping():
            inner = part_of(node.inner, conditions)
            return None if inner is None else _Changing(node, inner)
    return None


class ColumnarTree:
    """A tree of nodes that is fed with batches."""

    def __init__(self, tree: Tree, dictionary: Dictionary) -> None:
        def conditions(filters: Sequence[Filtered], layout: Layout) -> list[Condition]:
            return [
                compile_truth(normal(each.expression), layout.columns, dictionary)
                for each in filters
            ]

        self._active = False  # whether what is remembered lies in columns
        self._above: list[Wrapping | AtTheEnd] = []
        node = tree.root
        while isinstance(node, Wrapping | AtTheEnd):
            self._above.append(node)
            node = node.inner
        # What EXISTS asks for is all that has occurred, one by one.
        self._part = part_of(node, conditions) if tree.scope.log is None else None
        self._states = [] if self._part is None else list(self._part.states())
        self._store = tree.scope.store
        self._unstored: list[GraphBatch] = []
        self._dictionary = dictionary
        self._distinct = [each for each in _all(tree.root) if isinstance(each, Distinct)]

    def takes(self, batch: GraphBatch) -> bool:
        """Return True if the tree takes this batch; its state is then in columns."""
        if self._part is None or (not self._active and len(batch) < IN_USE.columns):
            return False
        if batch.time[-1] > FURTHEST or batch.start.min() < -FURTHEST:
            return False
        if not self._active and all(state.movable() for state in self._states):
            occurring = stored(self._store, self._dictionary)
            for state in self._states:
                state.take(occurring)
            self._active = True
        return self._active

    def push(
        self, batch: GraphBatch, known: set[Occurrence], now: float
    ) -> tuple[TimedRows, set[Occurrence]]:
        """Return the new solutions, and the last instant's occurrences, as `known` are of `now`."""
        assert self._part is not None
        occurring = Occurring(batch, known, now)
        if self._store.horizons:
            self._unstored.append(asked_for(occurring.batch, self._store))
        rows: TimedRows = list(self._part.fed(occurring).tuples())
        for node in reversed(self._above):
            if not rows:
                break
            if isinstance(node, AtTheEnd):
                node.wait(rows)
                rows = []
            else:
                rows = node.changed(rows)
        last = int(batch.time[-1])
        latest = latest_of(batch)
        for state in self._states:
            state.forget(last)
        width = self._store.horizon()
        if width is not None:
            self._unstored = [each for each in self._unstored if each.time[-1] >= last - width]
        for distinct in self._distinct:
            distinct.keep(last)
        return rows, latest | known if last == now else latest

    def deactivate(self) -> None:
        """Move the state to the nodes."""
        if self._active:
            for batch in self._unstored:
                for occurrence in occurrences(batch):
                    self._store.add(occurrence)
            self._unstored = []
            for state in self._states:
                state.export_state()
            self._active = False

    def __len__(self) -> int:
        return sum(part.size for state in self._states for part in state.waiting())

    def held(self) -> Iterator[int]:
        """Yield the ids in the columnar state."""
        for state in self._states:
            for part in state.waiting():
                yield from part.rows.ravel().tolist()
        for batch in self._unstored:
            for column in (batch.subject, batch.predicate, batch.object):
                yield from column.tolist()


def _all(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Wrapping() | AtTheEnd():
            yield from _all(node.inner)
        case Sequenced():
            yield from _all(node.left)
            yield from _all(node.right)
        case United():
            for side in node.sides:
                yield from _all(side)
