"""X ⋈_R Y over rows of term ids: one join of a partial match with an event's solutions.

A row is a tuple over a fixed list of columns; an entry is a term id, 0 where the variable is
unbound, or a tuple of ids for a collected variable. Each join is compiled once: which columns are
shared, which of them serve as a hash key, how the merged row and the output row are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from rdflib.term import Variable

from ..checkpoints.state_schema import stateful

Entry: TypeAlias = int | tuple[int, ...]
Row: TypeAlias = tuple[Entry, ...]
Rows: TypeAlias = frozenset[Row]
Columns: TypeAlias = tuple[Variable, ...]
Condition: TypeAlias = Callable[[Row], bool]

UNBOUND = 0


@stateful()
@dataclass(frozen=True, slots=True)
class EventSolutions:
    """A pair's Ω as rows, with the deferred conditions that it still carries (by number).

    `bindable` are the variables of the GPM expressions that matched.
    """

    rows: Rows
    pending: tuple[int, ...] = ()
    bindable: frozenset[Variable] = frozenset()


Blocks: TypeAlias = Callable[[Row, Row], bool]
"""(merged row, row of a negated P) → is P's row compatible, with P's own conditions true?"""

Between: TypeAlias = tuple[tuple[Row, ...], ...]
"""For each absence of an edge, the rows of P seen strictly between the two events."""


def projection(columns: Sequence[Variable], onto: Sequence[Variable]) -> Callable[[Row], Row]:
    """Return the function that maps a row over `columns` to one over `onto` (missing = unbound)."""
    if tuple(columns) == tuple(onto):
        return lambda row: row
    where = {column: i for i, column in enumerate(columns)}
    parts = "".join(f"r[{where[c]}]," if c in where else f"{UNBOUND}," for c in onto)
    project: Callable[[Row], Row] = _compiled(f"lambda r: ({parts})")
    return project


@lru_cache(maxsize=1 << 12)
def _compiled(source: str) -> Any:
    """Return the function of a lambda expression over rows; queries of one shape share it."""
    return eval(source, {"gather": gather})


class Join:
    """(μ1 ∪ μ2) for compatible rows of X and Y that satisfy R, projected onto `output`.

    `drop` are the iteration-local variables of X (π_¬L); `collect` those of Y whose values are
    gathered into lists instead of replaced.
    """

    def __init__(
        self,
        left: Columns,
        right: Columns,
        output: Columns,
        *,
        certain_left: Collection[Variable],
        certain_right: Collection[Variable],
        drop: Collection[Variable] = (),
        collect: Collection[Variable] = (),
    ) -> None:
        kept = [c for c in left if c not in drop]
        self.merged: Columns = tuple(kept) + tuple(c for c in right if c not in kept)
        shared = [c for c in kept if c in right]
        keys = [c for c in shared if c in certain_left and c in certain_right]
        self.left_key = projection(left, keys)
        self.right_key = projection(right, keys)
        self._compile(left, right, output, kept, shared, keys, drop, collect)

    def _compile(
        self,
        left: Columns,
        right: Columns,
        output: Columns,
        kept: Sequence[Variable],
        shared: Sequence[Variable],
        keys: Sequence[Variable],
        drop: Collection[Variable],
        collect: Collection[Variable],
    ) -> None:
        at_left = {c: f"l[{i}]" for i, c in enumerate(left)}
        at_right = {c: f"r[{i}]" for i, c in enumerate(right)}
        at_merged = {c: f"m[{i}]" for i, c in enumerate(self.merged)}
        tests = [
            f"({at_left[c]} == {at_right[c]} or not {at_left[c]} or not {at_right[c]})"
            for c in shared
            if c not in keys
        ]
        self.compatible_beyond_key: Callable[[Row, Row], bool] = _compiled(
            f"lambda l, r: {' and '.join(tests) or 'True'}"
        )
        values = []
        for column in self.merged:
            if column in shared and column not in keys:
                values.append(f"{at_left[column]} or {at_right[column]}")
            else:
                values.append(at_left[column] if column in kept else at_right[column])
        self.merge: Callable[[Row, Row], Row] = _compiled(
            f"lambda l, r: ({''.join(v + ',' for v in values)})"
        )
        results = []
        for column in output:
            if column in collect:
                before = at_left.get(column, "()") if column in drop else "()"
                results.append(f"gather({before}, {at_merged.get(column, '0')})")
            else:
                results.append(at_merged.get(column, str(UNBOUND)))
        self.result: Callable[[Row, Row], Row] = _compiled(
            f"lambda l, m: ({''.join(v + ',' for v in results)})"
        )

    def combine(
        self, left: Row, right: Row, conditions: Iterable[Condition]
    ) -> Row | None:
        """Return the merged row of two rows that agree on the key; None if they do not join."""
        if not self.compatible_beyond_key(left, right):
            return None
        merged = self.merge(left, right)
        for condition in conditions:
            if not condition(merged):
                return None
        return merged

    def rows(
        self,
        omega: Iterable[Row],
        event: EventSolutions,
        conditions: Mapping[int, Condition],
        absences: Sequence[Blocks] = (),
        between: Between = (),
    ) -> Rows:
        """Return X ⋈_R Y, as rows over the output columns."""
        pending = [conditions[number] for number in event.pending]
        left_key, right_key = self.left_key, self.right_key
        found = set()
        for left in omega:
            key = left_key(left)
            for right in event.rows:
                if right_key(right) != key:
                    continue
                merged = self.combine(left, right, pending)
                if merged is not None and not blocked(merged, absences, between):
                    found.add(self.result(left, merged))
        return frozenset(found)


def blocked(merged: Row, absences: Sequence[Blocks], between: Between) -> bool:
    """Return True if an event strictly between matches a negated P compatibly."""
    for blocks, rows in zip(absences, between, strict=True):
        for row in rows:
            if blocks(merged, row):
                return True
    return False


def gather(before: Entry, value: Entry) -> Entry:
    """Return a collected variable's list with one more value, or the same if none is bound."""
    so_far = before if isinstance(before, tuple) else ()
    if not value:
        return so_far or UNBOUND
    return (*so_far, value)  # type: ignore[arg-type]
