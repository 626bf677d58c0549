"""What stands in which column of a row, known when a pattern is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ...semantics.rdf.terms import Variable
from .graphs import IndexedGraph

IdRow: TypeAlias = tuple[int, ...]
Rows: TypeAlias = list[IdRow]
Step: TypeAlias = Callable[[IndexedGraph, Rows], Rows]
"""One operator: extends, filters or joins rows while the given graph is the active one."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of the rows between two steps.

    A variable in `certain` is bound in every row. The first `base` columns hold constants: the
    values that EXISTS substitutes for variables (SPARQL 1.1 Query, 18.6). They are the same in all
    rows of one evaluation, and every pattern inside starts from them.
    """

    columns: tuple[Variable, ...] = ()
    certain: frozenset[Variable] = frozenset()
    base: int = 0

    @property
    def positions(self) -> dict[Variable, int]:
        """Variable to column."""
        return {variable: position for position, variable in enumerate(self.columns)}

    @property
    def substituted(self) -> frozenset[Variable]:
        """The variables that stand for constants."""
        return frozenset(self.columns[: self.base])

    def start(self) -> Layout:
        """The layout from which a pattern inside is evaluated on its own."""
        columns = self.columns[: self.base]
        return Layout(columns, frozenset(columns), self.base)

    def extended(self, variables: Iterable[Variable], certain: Iterable[Variable] = ()) -> Layout:
        """With further columns at the end (those that are new), and more of them certain."""
        columns = tuple(dict.fromkeys((*self.columns, *variables)))
        return Layout(columns, self.certain | frozenset(certain), self.base)


def unchanged(graph: IndexedGraph, rows: Rows) -> Rows:
    """The step that does nothing."""
    return rows


def in_order(steps: Iterable[Step]) -> Step:
    """One step after the other; none is taken once no row is left."""
    chain = tuple(step for step in steps if step is not unchanged)
    if not chain:
        return unchanged
    if len(chain) == 1:
        return chain[0]

    def run(graph: IndexedGraph, rows: Rows) -> Rows:
        for step in chain:
            if not rows:
                return rows
            rows = step(graph, rows)
        return rows

    return run


def rearrange(source: Layout, target: tuple[Variable, ...]) -> Callable[[Rows], Rows]:
    """Rows of one layout with the columns of another, in its order; a missing one is unbound."""
    if source.columns == target:
        return lambda rows: rows
    positions = source.positions
    width = len(source.columns)
    picks = [positions.get(variable, width) for variable in target]
    if width in picks:
        return lambda rows: [
            tuple([padded[pick] for pick in picks]) for padded in [(*row, 0) for row in rows]
        ]
    return lambda rows: [tuple([row[pick] for pick in picks]) for row in rows]
