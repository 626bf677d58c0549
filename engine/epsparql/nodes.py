"""Timed rows, and nodes: incremental operators from new occurrences to new solutions.

What has no time (background knowledge, inline data) spans [+∞, −∞], which min and max leave out.

A node is told three things, in this order, as time moves on:

* `push`: these occurrences are new (those that end at one instant before any that ends later; the
  first push is of what has no time);
* `settle(t)`: all that ends by t is known, so decide what waited for that;
* `forget(t)`: nothing that ends by t will be pushed any more, so drop what is past.

`settle(FOREVER)` is the end of the stream. A `timewise` node has returned, after `settle(t)`,
every solution that ends by t; others return solutions at the end of the stream only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, TypeAlias

from ...semantics.model.terms import Variable
from ...semantics.rdf.syntax.tree import Expression
from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow, Layout, rearrange
from ..tuning import IN_USE

TimedRow: TypeAlias = tuple[IdRow, float, float]
"""ids, start, end"""

TimedRows: TypeAlias = list[TimedRow]

Occurrence: TypeAlias = tuple[int, int, int, float, float]
"""subject, predicate, object, start, end"""

NEVER: Final = -math.inf
FOREVER: Final = math.inf

Test: TypeAlias = Callable[[IdRow, float, float], bool]
"""A condition on a row, read over an interval."""


def arranged(source: Layout, columns: tuple[Variable, ...]) -> Callable[[TimedRows], TimedRows]:
    """Return rows of one layout with the columns of another; a missing one is unbound."""
    if source.columns == columns:
        return lambda rows: rows
    arrange = rearrange(source, columns)

    def changed(rows: TimedRows) -> TimedRows:
        ids = arrange([row[0] for row in rows])
        return [(new, start, end) for new, (_, start, end) in zip(ids, rows, strict=True)]

    return changed


def passing(tests: Sequence[Test], rows: TimedRows) -> TimedRows:
    """Return the rows that pass all tests."""
    for test in tests:
        if not rows:
            break
        rows = [row for row in rows if test(*row)]
    return rows


@stateful(same=("layout",), compiled=("timewise",))
class Node(ABC):
    """One operator."""

    layout: Layout
    timewise: bool

    @abstractmethod
    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        """Return new solutions from new occurrences."""

    @abstractmethod
    def settle(self, t: float) -> TimedRows:
        """Return the solutions that are final, since everything that ends by t is known."""

    @abstractmethod
    def forget(self, t: float) -> None:
        """Evict the state for solutions that end by t."""

    @abstractmethod
    def held(self) -> Iterator[IdRow]:
        """Return the rows (or ids) in the node's state."""

    def bound(self, width: int) -> None:
        """Limit the span of solutions to `width`, so that nodes may evict sooner."""
        return

    def absorb(self, test: Filtered) -> bool:
        """Take over a condition on this node's solutions, as deep as it can be decided."""
        return False


class Filtered:
    """A condition that has to find the place where it is decided."""

    def __init__(
        self, expression: Expression, variables: frozenset[Hashable],
        compiled: Callable[[Layout], Test],
    ) -> None:
        self.expression = expression
        self.variables = variables
        self.compiled = compiled


@stateful(kept=("table", "size", "_pruned_at"))
class Index:
    """Rows by key, in the order of their ends."""

    __slots__ = ("_pruned_at", "size", "table")

    def __init__(self) -> None:
        self.table: dict[Hashable, tuple[list[float], TimedRows]] = {}
        self.size = 0
        self._pruned_at = IN_USE.remembered

    def add(self, key: Hashable, row: TimedRow) -> None:
        ends, rows = self.table.setdefault(key, ([], []))
        end = row[2]
        if not ends or ends[-1] <= end:
            ends.append(end)
            rows.append(row)
        else:
            at = bisect_right(ends, end)
            insort(ends, end)
            rows.insert(at, row)
        self.size += 1

    def all(self, key: Hashable) -> Sequence[TimedRow]:
        """Return the rows with this key."""
        found = self.table.get(key)
        return found[1] if found is not None else ()

    def ending_before(self, key: Hashable, t: float, since: float = NEVER) -> TimedRows:
        """Return this key's rows that end before t, not before `since`, and those without time."""
        found = self.table.get(key)
        if found is None:
            return []
        ends, rows = found
        last = bisect_left(ends, t)
        if since == NEVER:
            return rows[:last]
        timeless = bisect_right(ends, NEVER)
        first = max(bisect_left(ends, since), timeless)
        return [*rows[:timeless], *rows[first:last]] if timeless else rows[first:last]

    def prune(self, low: float) -> None:
        """Drop the rows that start before `low`, now and then, which costs little in the long
        run."""
        if self.size < self._pruned_at:
            return
        self.size = 0
        for key in list(self.table):
            rows = [row for row in self.table[key][1] if row[1] >= low]
            if rows:
                self.table[key] = ([row[2] for row in rows], rows)
                self.size += len(rows)
            else:
                del self.table[key]
        self._pruned_at = max(IN_USE.remembered, 2 * self.size)

    def held(self) -> Iterator[IdRow]:
        """Yield the rows in the state."""
        for _, rows in self.table.values():
            for row in rows:
                yield row[0]


@stateful(kept=("_given",), compiled=("_rows",))
class Fixed(Node):
    """Rows without time that are there from the beginning: inline data, the empty pattern, and
    what GRAPH finds in the background."""

    timewise = True

    def __init__(self, layout: Layout, rows: Callable[[], TimedRows]) -> None:
        self.layout = layout
        self._rows = rows
        self._given = False

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        if self._given:
            return []
        self._given = True
        return self._rows()

    def settle(self, t: float) -> TimedRows:
        return []

    def forget(self, t: float) -> None:
        pass

    def held(self) -> Iterator[IdRow]:
        return iter(())


@stateful(parts=("inner",))
class Wrapping(Node):
    """A node that changes the solutions of one other, one by one."""

    def __init__(self, inner: Node, layout: Layout) -> None:
        self.inner = inner
        self.layout = layout
        self.timewise = inner.timewise

    @abstractmethod
    def changed(self, rows: TimedRows) -> TimedRows:
        """Return the solutions changed."""

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        rows = self.inner.push(occurrences)
        return self.changed(rows) if rows else rows

    def settle(self, t: float) -> TimedRows:
        rows = self.inner.settle(t)
        return self.changed(rows) if rows else rows

    def forget(self, t: float) -> None:
        self.inner.forget(t)

    def held(self) -> Iterator[IdRow]:
        return self.inner.held()

    def bound(self, width: int) -> None:
        self.inner.bound(width)


@stateful(compiled=("tests",))
class Selected(Wrapping):
    """Filter(F, Ψ)."""

    def __init__(self, inner: Node, tests: list[Test]) -> None:
        super().__init__(inner, inner.layout)
        self.tests = tests

    def changed(self, rows: TimedRows) -> TimedRows:
        return passing(self.tests, rows)


@stateful(compiled=("_change",))
class Changed(Wrapping):
    """BIND and projection: a function of many rows at once."""

    def __init__(
        self, inner: Node, layout: Layout, change: Callable[[TimedRows], TimedRows]
    ) -> None:
        super().__init__(inner, layout)
        self._change = change

    def changed(self, rows: TimedRows) -> TimedRows:
        return self._change(rows)


@stateful(kept=("_seen",))
class Distinct(Wrapping):
    """Distinct(Ψ): what is past cannot come again."""

    def __init__(self, inner: Node) -> None:
        super().__init__(inner, inner.layout)
        self._seen: set[TimedRow] = set()

    def changed(self, rows: TimedRows) -> TimedRows:
        fresh = [row for row in dict.fromkeys(rows) if row not in self._seen]
        self._seen.update(fresh)
        return fresh

    def forget(self, t: float) -> None:
        self.inner.forget(t)
        if self.timewise:
            self._seen.clear()

    def keep(self, t: float) -> None:
        """Keep only the rows of instant t, which is not over yet, after many instants."""
        if self.timewise:
            self._seen = {row for row in self._seen if row[2] == t}

    def held(self) -> Iterator[IdRow]:
        yield from self.inner.held()
        for row in self._seen:
            yield row[0]


@stateful(kept=("_waiting",), parts=("inner",), compiled=("_change",))
class AtTheEnd(Node):
    """Whatever needs all solutions: aggregates, ORDER BY, LIMIT, and conditions with EXISTS."""

    timewise = False

    def __init__(
        self, inner: Node, layout: Layout, change: Callable[[TimedRows], TimedRows]
    ) -> None:
        self.inner = inner
        self.layout = layout
        self._change = change
        self._waiting: TimedRows = []

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        self._waiting += self.inner.push(occurrences)
        return []

    def wait(self, rows: TimedRows) -> None:
        """Buffer rows that the inner node has found other than by `push`."""
        self._waiting += rows

    def settle(self, t: float) -> TimedRows:
        self._waiting += self.inner.settle(t)
        if t != FOREVER:
            return []
        rows, self._waiting = self._waiting, []
        return self._change(rows)

    def forget(self, t: float) -> None:
        self.inner.forget(t)

    def held(self) -> Iterator[IdRow]:
        yield from self.inner.held()
        for row in self._waiting:
            yield row[0]
