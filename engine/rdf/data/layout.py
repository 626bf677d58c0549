"""What stands in which column of a row, known when a pattern is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ....semantics.model.terms import Variable
from ...checkpoints.declared import stateful
from .graphs import IndexedGraph

IdRow: TypeAlias = tuple[int, ...]
Rows: TypeAlias = list[IdRow]
Step: TypeAlias = Callable[[IndexedGraph, Rows], Rows]
"""One operator: extends, filters or joins rows while the given graph is the active one."""


@stateful()
@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of the rows between two steps.

    A variable in `certain` is bound in every row. Inside EXISTS, the first columns hold the values
    of the `injected` variables, those that the solution outside binds; they are the same in all
    rows of one evaluation, and every pattern inside starts from them. A variable gets a column of
    its own only where the pattern inside binds it.
    """

    columns: tuple[Variable, ...] = ()
    certain: frozenset[Variable] = frozenset()
    injected: tuple[Variable, ...] = ()

    @property
    def base(self) -> int:
        """How many columns hold injected values."""
        return len(self.injected)

    @property
    def positions(self) -> dict[Variable, int]:
        """Variable to column."""
        return {variable: position for position, variable in enumerate(self.columns)}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that rows may bind."""
        return self.columns[self.base :]

    @property
    def injections(self) -> dict[Variable, int]:
        """Injected variable to the column of its value."""
        return {variable: position for position, variable in enumerate(self.injected)}

    def start(self) -> Layout:
        """The layout from which a pattern inside is evaluated on its own."""
        return starting_from(self.injected)

    def extended(self, variables: Iterable[Variable], certain: Iterable[Variable] = ()) -> Layout:
        """With further columns at the end (those that are new), and more of them certain."""
        columns = tuple(dict.fromkeys((*self.columns, *variables)))
        return Layout(columns, self.certain | frozenset(certain), self.injected)

    def united(self, alternatives: Sequence[Layout]) -> Layout:
        """The layout behind alternatives that each go on from this one: what all bind is bound."""
        certain = frozenset.intersection(*(each.certain for each in alternatives))
        return self.extended((name for each in alternatives for name in each.columns), certain)


def starting_from(injected: tuple[Variable, ...]) -> Layout:
    """The layout of a row of injected values."""
    # No query can name these variables.
    columns = tuple(Variable(f"^{variable}") for variable in injected)
    return Layout(columns, frozenset(columns), injected)


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


def inject(variables: Iterable[Variable], layout: Layout) -> tuple[Step, Layout]:
    """The step that binds those of the variables that are injected to their values."""
    step: Step = unchanged
    for variable in variables:
        column = layout.injections.get(variable)
        if column is None or variable in layout.certain:
            continue
        step = in_order([step, _injection(column, layout.positions.get(variable))])
        layout = layout.extended((variable,), (variable,))
    return step, layout


def _injection(source: int, target: int | None) -> Step:
    if target is None:
        return lambda graph, rows: [(*row, row[source]) for row in rows]
    column = target
    return lambda graph, rows: [
        (*row[:column], row[source], *row[column + 1 :])
        for row in rows
        if row[column] in (0, row[source])
    ]


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
