"""What the leaves of a query say of all items of a batch, found out at once and once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ....semantics.spaseq.syntax.tree import Operator
from ...rdf.columns.batch import GraphBatch, Matched
from ..atoms import Atom, Conjoined, Disjoined, Leaf, LeafMode
from ..automaton import Automaton
from ..joins import Rows

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
        """The leaf's rows by item, as `Matcher.match_columns` gives them."""
        found = self._found.get(leaf.number)
        if found is None:
            found = self._found[leaf.number] = leaf.solve_columns(self.batch)
        return found

    def items(self) -> Iterator[tuple[int, Solved | None]]:
        """The items in their order; with each the rows on it, None where it changes nothing."""
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
        """Which items can change anything: those of which some leaf says something."""
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
        """On which items the leaf has an answer, or something that an absence asks for."""
        offsets, _ = self.of(leaf)
        matched: NDArray[np.bool_] = np.diff(offsets) > 0
        if leaf.mode is LeafMode.MATCH or leaf.number not in self._awaited:
            return matched
        if leaf.mode is LeafMode.OPTIONAL or leaf.undecided or leaf.number in self._passed:
            return np.ones(len(matched), np.bool_)
        return ~matched


def _leaves(atom: Atom) -> Iterator[int]:
    """The numbers of the leaves that an atom is made of."""
    if isinstance(atom, Leaf):
        yield atom.number
    elif isinstance(atom, Conjoined | Disjoined):
        for operand in atom.operands:
            yield from _leaves(operand)
