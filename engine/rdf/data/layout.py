"""The layout of a row's columns, known when a pattern is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from ....semantics.model.terms import Variable
from ...checkpoints.state_schema import stateful
from .graphs import IndexedGraph

IdRow: TypeAlias = tuple[int, ...]
Rows: TypeAlias = list[IdRow]
Step: TypeAlias = Callable[[IndexedGraph, Rows], Rows]
"""One operator: extends, filters or joins rows while the given graph is the active one."""


@stateful(kept=("columns", "certain", "injected"), anew=("_positions", "_certain"))
class Layout:
    """The columns of the rows between two steps.

    A variable in `certain` is bound in every row. Inside EXISTS, the first columns hold the values
    of the `injected` variables, those that the solution outside binds; they are the same in all
    rows of one evaluation, and every pattern inside starts from them. A variable gets a column of
    its own only where the pattern inside binds it.

    Layouts do not change. One that extends another shares its tables, so that a pattern of n
    triples is compiled in O(n): `columns` and `certain` are made when they are asked for.
    """

    def __init__(
        self,
        columns: tuple[Variable, ...] = (),
        certain: frozenset[Variable] = frozenset(),
        injected: tuple[Variable, ...] = (),
    ) -> None:
        self.columns = columns
        self.certain = certain
        self.injected = injected

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.columns, self.certain, self.injected

    @cached_property
    def columns(self) -> tuple[Variable, ...]:
        """The variable of each column."""
        return tuple(self._positions)

    @cached_property
    def certain(self) -> frozenset[Variable]:
        """The variables that are bound in every row."""
        return frozenset(self._certain)

    @cached_property
    def _positions(self) -> _Numbering:
        return _Numbering.of(self.columns)

    @cached_property
    def _certain(self) -> _Numbering:
        return _Numbering.of(self.certain)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self._positions)

    @property
    def base(self) -> int:
        """The number of columns with injected values."""
        return len(self.injected)

    def position(self, variable: Variable) -> int | None:
        """Return the column of a variable, if it has one."""
        return self._positions.get(variable)

    def column(self, variable: Variable) -> int:
        """Return the column of a variable that has one."""
        return self._positions.number(variable)

    def is_certain(self, variable: Variable) -> bool:
        """Return True if a variable is bound in every row."""
        return self._certain.get(variable) is not None

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
        """Return the layout from which a pattern inside is evaluated on its own."""
        return starting_from(self.injected)

    def extended(self, variables: Iterable[Variable], certain: Iterable[Variable] = ()) -> Layout:
        """Return the layout with new columns at the end, and more of them certain."""
        extended = Layout.__new__(Layout)
        extended.injected = self.injected
        extended._positions = self._positions.extended(variables)
        extended._certain = self._certain.extended(certain)
        return extended

    def united(self, alternatives: Sequence[Layout]) -> Layout:
        """Return the layout behind alternatives from this one: variables bound by all are bound."""
        certain = frozenset.intersection(*(each.certain for each in alternatives))
        return self.extended((name for each in alternatives for name in each.columns), certain)


class _Numbering:
    """Variables numbered from 0 by their order; an extension shares the table while it can."""

    __slots__ = ("_numbers", "_size")

    def __init__(self, numbers: dict[Variable, int], size: int) -> None:
        self._numbers = numbers  # those from `size` on belong to an extension
        self._size = size

    @classmethod
    def of(cls, variables: Iterable[Variable]) -> _Numbering:
        numbers = {each: number for number, each in enumerate(dict.fromkeys(variables))}
        return cls(numbers, len(numbers))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Variable]:
        return islice(self._numbers, self._size)

    def number(self, variable: Variable) -> int:
        return self._numbers[variable]

    def get(self, variable: Variable) -> int | None:
        number = self._numbers.get(variable)
        return number if number is not None and number < self._size else None

    def extended(self, variables: Iterable[Variable]) -> _Numbering:
        new = [each for each in dict.fromkeys(variables) if self.get(each) is None]
        if not new:
            return self
        # One extension can go on in the same table, each other one begins a table of its own.
        shared = len(self._numbers) == self._size
        numbers = self._numbers if shared else dict(islice(self._numbers.items(), self._size))
        for each in new:
            numbers[each] = len(numbers)
        return _Numbering(numbers, len(numbers))


def starting_from(injected: tuple[Variable, ...]) -> Layout:
    """Return the layout of a row of injected values."""
    # No query can name these variables.
    columns = tuple(Variable(f"^{variable}") for variable in injected)
    return Layout(columns, frozenset(columns), injected)


def unchanged(graph: IndexedGraph, rows: Rows) -> Rows:
    """Return the rows unchanged."""
    return rows


def in_order(steps: Iterable[Step]) -> Step:
    """Return the steps in order as one; it stops once no row is left."""
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
    """Return the step that binds those of the variables that are injected to their values."""
    step: Step = unchanged
    for variable in variables if layout.injected else ():
        column = layout.injections.get(variable)
        if column is None or layout.is_certain(variable):
            continue
        step = in_order([step, _injection(column, layout.position(variable))])
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
    """Return rows of one layout with another's columns, in its order; missing ones are unbound."""
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
