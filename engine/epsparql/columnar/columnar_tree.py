"""A tree of nodes that takes batches of items as columns, as far as its nodes can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...capacities import IN_USE
from ...rdf.columns.batch import GraphBatch
from ...rdf.columns.matching.truths import Condition, compile_truth
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import Layout
from ...rdf.sequence.timed import FURTHEST
from ..compile import Tree
from ..expressions import normal
from ..joins import Sequenced, United
from ..nodes import AtTheEnd, Distinct, Filtered, Node, Wrapping
from ..rows import Occurrence, TimedRows
from .columnar_nodes import part_of
from .meeting import stored
from .occurring import Occurring, asked_for, latest_of, occurrences


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
        """Whether it can be fed with this batch; what is remembered then lies in columns."""
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
        """The new solutions, and the occurrences of the last instant, as `known` are of `now`."""
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
        """What is remembered goes to the nodes"""
        if self._active:
            for batch in self._unstored:
                for occurrence in occurrences(batch):
                    self._store.add(occurrence)
            self._unstored = []
            for state in self._states:
                state.give_back()
            self._active = False

    def __len__(self) -> int:
        return sum(part.size for state in self._states for part in state.waiting())

    def held(self) -> Iterator[int]:
        """The ids that are remembered in columns"""
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
