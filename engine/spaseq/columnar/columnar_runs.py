"""Partial matches of a query in arrays: batches of items in, matches as columns out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.mappings import SolutionMapping
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import Operator
from ...rdf.columns.batch import GraphBatch, Matched
from ...rdf.data.dictionary import Dictionary
from ...rdf.sequence.item_step import ABSENT, ELSEWHERE
from ...rdf.sequence.join_conditions import KnownValues
from ...rdf.sequence.partial_matches import GROUP, GROUPS, LINK, LINKS, LIVE_GROUPS, NODE, NODES
from ...rdf.sequence.program import WIDTH, Integers
from ...rdf.sequence.sequence_runtime import Found, SequenceRuntime, Window
from ..atoms import Atom, Conjoined, Disjoined, Leaf, LeafMode
from ..automaton import Automaton
from ..joins import Rows
from ..windows import MatchWindows, SlidingWindows
from .plan_builder import ColumnarPlan

Solved = Mapping[int, Rows]
"""By the number of each leaf on an item's stream: its rows on the item"""


class SolvedBatch:
    """A batch with the rows of every leaf, each solved when it is first asked for."""

    def __init__(self, automaton: Automaton, batch: GraphBatch) -> None:
        self.automaton = automaton
        self.batch = batch
        self._found: dict[int, Matched] = {}
        self._awaited = {n for edge in automaton.edges for n in _leaves(edge.atom)}
        self._passed = {n for edge in automaton.edges for n in edge.passed}

    def of(self, leaf: Leaf) -> Matched:
        """Return the leaf's rows by item, as `Matcher.match_columns` gives them."""
        found = self._found.get(leaf.number)
        if found is None:
            found = self._found[leaf.number] = leaf.solve_columns(self.batch)
        return found

    def items(self) -> Iterator[tuple[int, Solved | None]]:
        """Yield the items in order, each with its rows, None where it changes nothing."""
        by_stream = [
            [leaf for leaf in self.automaton.leaves if leaf.stream == iri]
            for iri in self.batch.streams
        ]
        matters = self._matter()
        offsets = {}
        rows = {}
        for leaf in (leaf for leaves in by_stream for leaf in leaves):
            bounds, table = self.of(leaf)
            offsets[leaf.number] = bounds.tolist()
            rows[leaf.number] = list(map(tuple, table.tolist()))
        concerned = [[leaf.number for leaf in leaves] for leaves in by_stream]
        nothing: Rows = frozenset()
        for item, stream in enumerate(self.batch.stream.tolist()):
            if not matters[item]:
                yield item, None
                continue
            solved = {}
            for leaf in concerned[stream]:
                begin, end = offsets[leaf][item], offsets[leaf][item + 1]
                solved[leaf] = frozenset(rows[leaf][begin:end]) if begin < end else nothing
            yield item, solved

    def _matter(self) -> list[bool]:
        """Return a mask of the items that can change the state: those with a row of some leaf."""
        if any(edge.operator is Operator.STRICT for edge in self.automaton.edges):
            return [True] * len(self.batch)  # any item comes between two that follow strictly
        found: NDArray[np.bool_] = np.zeros(len(self.batch), np.bool_)
        for number, iri in enumerate(self.batch.streams):
            here = self.batch.stream == number
            for leaf in self.automaton.leaves:
                if leaf.stream == iri:
                    found |= here & self._says(leaf)
        told: list[bool] = found.tolist()
        return told

    def _says(self, leaf: Leaf) -> NDArray[np.bool_]:
        """Return on which items the leaf has an answer, or a match that an absence tests."""
        offsets, _ = self.of(leaf)
        matched: NDArray[np.bool_] = np.diff(offsets) > 0
        if leaf.mode is LeafMode.MATCH or leaf.number not in self._awaited:
            return matched
        if leaf.mode is LeafMode.OPTIONAL or leaf.undecided or leaf.number in self._passed:
            return np.ones(len(matched), np.bool_)
        return ~matched


def _leaves(atom: Atom) -> Iterator[int]:
    """Yield the numbers of the leaves that an atom is made of."""
    if isinstance(atom, Leaf):
        yield atom.number
    elif isinstance(atom, Conjoined | Disjoined):
        for operand in atom.operands:
            yield from _leaves(operand)


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows that a batch's items have of each leaf, as kernels take them."""

    places: Integers
    words: Integers
    begin: int
    """the number of the first item that is not too early"""


class ColumnarRuns:
    """As `runtime.Runs`, with its partial matches in arrays."""

    def __init__(
        self,
        plan: ColumnarPlan,
        policy: SlidingWindows | MatchWindows,
        dictionary: Dictionary,
        values: KnownValues,
    ) -> None:
        self.plan = plan
        self._policy = policy
        self._dictionary = dictionary
        self.values = values
        self._sweeps = dictionary.sweeps
        if isinstance(policy, MatchWindows):
            window = Window(0, 0, policy.width)
        else:
            window = Window(policy.slide, policy.start, policy.width, policy.closed)
        self.sequence = SequenceRuntime(plan.program, window)

    def feed(self, batch: GraphBatch, tables: Tables) -> ColumnMatches:
        """Return the matches that these items make final."""
        if self._sweeps != self._dictionary.sweeps:
            self._sweeps = self._dictionary.sweeps
            self.values.find(np.array(sorted(self.ids_held()), np.int64))
        found = self.sequence.feed(
            np.ascontiguousarray(batch.time[tables.begin :]),
            np.ascontiguousarray(batch.rank[tables.begin :]),
            tables.places, tables.words, self.values,
        )  # fmt: skip
        found.item[:] += tables.begin
        return ColumnMatches(found, batch, self._policy, self.plan, self._dictionary)

    def ids_held(self) -> set[int]:
        """Return the term ids that partial matches still need, and no others."""
        self.sequence.compact()
        held, width = self.sequence.held, int(self.plan.program.sizes[WIDTH])
        found: set[int] = set()
        for array, count, head, size in (
            (held.nodes, NODES, NODE, NODE + width), (held.groups, GROUPS, GROUP, GROUP + width),
            (held.links, LINKS, LINK, LINK + 2 * width),
        ):  # fmt: skip
            last = int(held.registers[count])
            rows = array[: last * size].reshape(last, size)[1:, head:]
            found.update(np.unique(rows).tolist())
        return found

    def groups_and_nodes(self) -> tuple[int, int]:
        """Return the number of waiting groups, and the number of nodes held for them."""
        self.sequence.compact()
        registers = self.sequence.held.registers
        return int(registers[LIVE_GROUPS]), int(registers[NODES]) - 1


def leaf_tables(
    plan: ColumnarPlan, solved: SolvedBatch, values: KnownValues, start: int
) -> Tables | None:
    """Return the tables of the leaves; None where an item has several solutions of one."""
    values.refresh()
    values.find(np.array(plan.constants, np.int64))
    batch = solved.batch
    begin_at = int((batch.time < start).sum())
    width, items = int(plan.program.sizes[WIDTH]), len(batch) - begin_at
    leaves = plan.automaton.leaves
    places = np.full((len(leaves), items), ELSEWHERE, np.int64)
    words = [np.zeros(width, np.int64)]
    begin = 1
    for leaf in leaves:
        here = [number for number, iri in enumerate(batch.streams) if iri == leaf.stream]
        if not here:
            continue
        of_stream = (batch.stream == here[0]) & (batch.time >= start)
        offsets, rows = solved.of(leaf)
        rows = rows[:, : len(leaf.columns)]  # a negated leaf binds nothing
        counts = np.diff(offsets)
        if (counts[of_stream] > 1).any() and not _alike(offsets, rows, of_stream):
            return None
        which = np.flatnonzero(of_stream & (counts > 0))
        places[leaf.number, of_stream[begin_at:]] = ABSENT
        places[leaf.number, which - begin_at] = (begin + np.arange(len(which))) * width
        chosen = rows[offsets[which]]
        for column in plan.compared(leaf.columns):
            values.find(chosen[:, column])
        table = np.zeros((len(which), width), np.int64)
        table[:, : rows.shape[1]] = chosen
        words.append(table.reshape(-1))
        begin += len(which)
    return Tables(places.reshape(-1), np.concatenate(words), begin_at)


def _alike(offsets: Integers, rows: Integers, of_stream: NDArray[np.bool_]) -> bool:
    """Return True if each item has one solution, however often."""
    counts = np.diff(offsets)
    first = np.repeat(offsets[:-1], counts)
    same: bool = bool((rows == rows[first]).all(axis=1)[np.repeat(of_stream, counts)].all())
    return same


class ColumnMatches:
    """Matches as columns: pairs are made when somebody looks at them."""

    def __init__(
        self,
        found: Found,
        batch: GraphBatch,
        policy: SlidingWindows | MatchWindows,
        plan: ColumnarPlan,
        dictionary: Dictionary,
    ) -> None:
        self.found = found
        self._batch = batch
        self._policy = policy
        self._select = plan.automaton.select
        self._dictionary = dictionary

    def __len__(self) -> int:
        found, policy = self.found, self._policy
        if isinstance(policy, MatchWindows):
            return len(found.item)
        over = self._batch.time[found.item] - policy.start - policy.width
        index = -((-over) // policy.slide) if policy.closed else over // policy.slide + 1
        latest = (found.first - policy.start) // policy.slide
        held = latest - np.maximum(index, 0) + 1
        return int(held.sum() if policy.apart else (held > 0).sum())

    def __iter__(self) -> Iterator[Pair]:
        return (pair for _, pair in self.by_item())

    def by_item(self) -> Iterator[tuple[int, Pair]]:
        decode = self._dictionary.decode
        found, batch = self.found, self._batch
        columns = (found.item.tolist(), found.first.tolist(), found.rows.tolist())
        for item, first, row in zip(*columns, strict=True):
            time, rank = int(batch.time[item]), int(batch.rank[item])
            bound = zip(self._select, row, strict=True)
            solution = SolutionMapping({name: decode(number) for name, number in bound if number})
            for window in self._policy.windows(first, time):
                yield item, Pair(window, time, frozenset({solution}), rank)
