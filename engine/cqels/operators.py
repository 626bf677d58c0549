"""The operators, each kept up to date: rows with intervals come and go at their inputs.

An operator remembers what its inputs hold now, indexed by join key and ordered by time, and tells
its consumer what its output gains and loses. `deletes` says whether the consumer must know of
losses: it must not where nothing above remembers or negates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from ...semantics.rdf.syntax.tree import Expression
from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow, Layout
from ..rdf.joins import Join
from .arrangement import FOR_EVER, Arrangement

Sink: TypeAlias = Callable[[IdRow, int, int, int], None]
"""(row, start, end, +1 or -1)"""
Rewrite: TypeAlias = Callable[[IdRow], Iterable[IdRow]]
Condition: TypeAlias = Callable[[IdRow], bool]


def _nowhere(row: IdRow, start: int, end: int, sign: int) -> None:
    raise AssertionError("an operator without a consumer")


@stateful(same=("layout",), compiled=("sink", "deletes", "conditions"))
class Operator:
    """The base of all operators: the columns of their rows, and their consumers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.sink: Sink = _nowhere
        self.deletes = True
        self.conditions: Sequence[Expression] = ()
        """Of a FILTER: what holds of the rows that it lets pass"""

    def arrangements(self) -> Iterator[Arrangement]:
        """Yield the arrangements that store the operator's rows."""
        return iter(())


@stateful(compiled=("sinks",))
class Source(Operator):
    """A source of rows: a pattern on a window, or on the background."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.sinks: list[Sink] = []

    def push(self, row: IdRow, start: int, end: int, sign: int) -> None:
        for sink in self.sinks:
            sink(row, start, end, sign)


@stateful(compiled=("rewrite",))
class Rewriting(Operator):
    """FILTER, BIND, UNION's padding and the projection: what has no memory."""

    def __init__(self, layout: Layout, rewrite: Rewrite) -> None:
        super().__init__(layout)
        self.rewrite = rewrite

    def receive(self, row: IdRow, start: int, end: int, sign: int) -> None:
        for rewritten in self.rewrite(row):
            self.sink(rewritten, start, end, sign)


@stateful(parts=("_left", "_right"), compiled=("_join",))
class Joining(Operator):
    """JOIN: compatible rows over the intersection of their intervals, if it is not empty."""

    def __init__(self, left: Layout, right: Layout) -> None:
        self._join = Join(left, right)
        super().__init__(self._join.layout)
        self._left = Arrangement(self._join.left_key, by_end=True)
        self._right = Arrangement(self._join.right_key, by_end=True)

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._left, self._right)

    def left(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._left, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        for met in self.met_by_left(row, start, end):
            self.sink(*met, sign)

    def right(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._right, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        for met in self.met_by_right(row, start, end):
            self.sink(*met, sign)

    def met_by_left(self, row: IdRow, start: int, end: int) -> Iterator[tuple[IdRow, int, int]]:
        """Yield the joins of a row of the left with stored rows of the right."""
        for other_end, other_start, other in self._right.since(self._join.left_key(row), start):
            if other_start <= end:
                merged = self._join.merge(row, other)
                if merged is not None:
                    yield merged, max(start, other_start), min(end, other_end)

    def met_by_right(self, row: IdRow, start: int, end: int) -> Iterator[tuple[IdRow, int, int]]:
        """Yield the joins of stored rows of the left with a row of the right."""
        for other_end, other_start, other in self._left.since(self._join.right_key(row), start):
            if other_start <= end:
                merged = self._join.merge(other, row)
                if merged is not None:
                    yield merged, max(start, other_start), min(end, other_end)


@stateful(parts=("_left", "_right"), compiled=("_join",))
class Sequencing(Operator):
    """SEQ: compatible rows, the left one ending before the right one starts."""

    def __init__(self, left: Layout, right: Layout) -> None:
        self._join = Join(left, right)
        super().__init__(self._join.layout)
        self._left = Arrangement(self._join.left_key, by_end=True)
        self._right = Arrangement(self._join.right_key, by_end=False)

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._left, self._right)

    def left(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._left, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        for _, last, other in self._right.since(self._join.left_key(row), end + 1):
            merged = self._join.merge(row, other)
            if merged is not None:
                self.sink(merged, start, last, sign)

    def right(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._right, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        for _, first, other in self._left.before(self._join.right_key(row), start):
            merged = self._join.merge(other, row)
            if merged is not None:
                self.sink(merged, first, end, sign)


@stateful(
    parts=("_first", "_first_by_absent", "_last", "_absent"),
    compiled=("_join", "_gap", "_block", "_towards_key"),
)
class SequencingWithout(Operator):
    """SEQ_WO: as SEQ, with no compatible row of a third input between the two.

    Nothing is remembered of pairs: what a row in between allows or forbids is found again.
    """

    def __init__(self, first: Layout, absent: Layout, last: Layout, *, closed: bool) -> None:
        self._join = Join(first, last)
        super().__init__(self._join.layout)
        # Whether an interval may not even touch its neighbours.
        self._gap = 0 if closed else 1
        self._block = Join(self.layout, absent)
        towards = Join(first, absent)
        self._towards_key = towards.right_key
        self._first = Arrangement(self._join.left_key, by_end=True)
        self._first_by_absent = Arrangement(towards.left_key, by_end=True)
        self._last = Arrangement(self._join.right_key, by_end=False)
        self._absent = Arrangement(self._block.right_key, by_end=False)

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._first, self._first_by_absent, self._last, self._absent)

    def blocked(self, merged: IdRow, end: int, start: int) -> bool:
        """Return True if a row lies between an `end` and a `start`."""
        for begins, ends, other in self._absent.since(
            self._block.left_key(merged), end + self._gap
        ):
            if begins > start:
                return False
            if ends + self._gap <= start and self._block.merge(merged, other) is not None:
                return True
        return False

    def left(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._first, row, start, end, sign):
            return
        _changed(self._first_by_absent, row, start, end, sign)
        if sign < 0 and not self.deletes:
            return
        for begins, ends, other in self._last.since(self._join.left_key(row), end + 1):
            merged = self._join.merge(row, other)
            if merged is not None and not self.blocked(merged, end, begins):
                self.sink(merged, start, ends, sign)

    def right(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._last, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        for ends, begins, other in self._first.before(self._join.right_key(row), start):
            merged = self._join.merge(other, row)
            if merged is not None and not self.blocked(merged, ends, start):
                self.sink(merged, begins, end, sign)

    def middle(self, row: IdRow, start: int, end: int, sign: int) -> None:
        """Add or remove a row in between: pairs that no other blocks are lost or gained."""
        if sign > 0:
            freed = list(self._pairs(row, start, end))
            if not self._absent.add(row, start, end):
                return
        else:
            if not self._absent.remove(row, start, end):
                return
            freed = list(self._pairs(row, start, end))
        for merged, first, last in freed:
            self.sink(merged, first, last, -sign)

    def _pairs(self, row: IdRow, start: int, end: int) -> Iterator[tuple[IdRow, int, int]]:
        """Yield the pairs around an interval that no row in the state blocks."""
        key = self._towards_key(row)
        blocking = self._block.right_key(row)
        for ends, begins, first in self._first_by_absent.before(key, start + 1 - self._gap):
            latest = max(ends + 1, end + self._gap)
            for starts, stops, last in self._last.since(self._join.left_key(first), latest):
                merged = self._join.merge(first, last)
                if (
                    merged is not None
                    and self._block.left_key(merged) == blocking
                    and self._block.merge(merged, row) is not None
                    and not self.blocked(merged, ends, starts)
                ):
                    yield merged, begins, stops


@stateful(parts=("_rows", "_absent"), compiled=("_join",))
class WithoutHead(Operator):
    """NO_HEAD: rows before whose start no compatible row of the absent input ends."""

    def __init__(self, absent: Layout, rows: Layout) -> None:
        super().__init__(rows)
        self._join = Join(rows, absent)
        self._rows = Arrangement(self._join.left_key, by_end=False)
        self._absent = Arrangement(self._join.right_key, by_end=True)

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._rows, self._absent)

    def blocked(self, row: IdRow, start: int) -> bool:
        merge = self._join.merge
        for end, _, other in self._absent.at(self._join.left_key(row)):
            if end >= start:
                return False
            if merge(row, other) is not None:
                return True
        return False

    def rows(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._rows, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        if not self.blocked(row, start):
            self.sink(row, start, end, sign)

    def absent(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if sign > 0:
            freed = list(self._freed(row, end))
            if not self._absent.add(row, start, end):
                return
        else:
            if not self._absent.remove(row, start, end):
                return
            freed = list(self._freed(row, end))
        for begins, ends, other in freed:
            self.sink(other, begins, ends, -sign)

    def _freed(self, row: IdRow, end: int) -> Iterator[tuple[int, int, IdRow]]:
        key = self._join.right_key(row)
        others = self._absent.at(key)
        # Where all that is shared is in the key, the earliest end decides.
        exact = self._join.exact
        first = others[0][0] if others and exact else FOR_EVER
        for begins, ends, other in self._rows.since(key, end + 1):
            if begins > first:
                return
            if exact or (
                self._join.merge(other, row) is not None and not self.blocked(other, begins)
            ):
                yield begins, ends, other


@stateful(parts=("_rows", "_absent"), compiled=("_join",))
class WithoutTail(Operator):
    """NO_TAIL: rows after whose end no compatible row of the absent input starts."""

    def __init__(self, rows: Layout, absent: Layout) -> None:
        super().__init__(rows)
        self._join = Join(rows, absent)
        self._rows = Arrangement(self._join.left_key, by_end=True)
        self._absent = Arrangement(self._join.right_key, by_end=False)

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._rows, self._absent)

    def blocked(self, row: IdRow, end: int) -> bool:
        merge = self._join.merge
        if self._join.exact:
            others = self._absent.at(self._join.left_key(row))
            return bool(others) and others[-1][0] > end
        return any(
            merge(row, other) is not None
            for _, _, other in self._absent.since(self._join.left_key(row), end + 1)
        )

    def rows(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._rows, row, start, end, sign) or (sign < 0 and not self.deletes):
            return
        if not self.blocked(row, end):
            self.sink(row, start, end, sign)

    def absent(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if sign > 0:
            freed = list(self._freed(row, start))
            if not self._absent.add(row, start, end):
                return
        else:
            if not self._absent.remove(row, start, end):
                return
            freed = list(self._freed(row, start))
        for ends, begins, other in freed:
            self.sink(other, begins, ends, -sign)

    def _freed(self, row: IdRow, start: int) -> Iterator[tuple[int, int, IdRow]]:
        key = self._join.right_key(row)
        others = self._absent.at(key)
        exact = self._join.exact
        latest = others[-1][0] if others and exact else None
        candidates = self._rows.before(key, start)
        for ends, begins, other in reversed(candidates):
            if latest is not None and ends < latest:
                return
            if exact or (
                self._join.merge(other, row) is not None and not self.blocked(other, ends)
            ):
                yield ends, begins, other


@stateful(kept=("_counts",), parts=("_left", "_right"), compiled=("_join",))
class _Matching(Operator):
    """The base of LEFT_JOIN and MINUS: the number of rows of the right that match each left row."""

    def __init__(self, left: Layout, right: Layout) -> None:
        self._join = Join(left, right)
        super().__init__(left)
        self._left = Arrangement(self._join.left_key, by_end=True)
        self._right = Arrangement(self._join.right_key, by_end=True)
        self._counts: dict[tuple[int, int, IdRow], int] = {}

    def arrangements(self) -> Iterator[Arrangement]:
        yield from (self._left, self._right)

    def meets(self, left: IdRow, right: IdRow) -> IdRow | None:
        """Return the merged row, if the two join."""
        raise NotImplementedError

    def matched(self, merged: IdRow, start: int, end: int, sign: int) -> None:
        """Add or remove a joined pair."""

    def unmatched(self, row: IdRow, start: int, end: int, sign: int) -> None:
        """Add or remove a left row without a join partner."""
        raise NotImplementedError

    def left(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._left, row, start, end, sign):
            return
        count = 0
        for other_end, other_start, other in self._right.since(self._join.left_key(row), start):
            if other_start <= end:
                merged = self.meets(row, other)
                if merged is not None:
                    count += 1
                    self.matched(merged, max(start, other_start), min(end, other_end), sign)
        if not count:
            self.unmatched(row, start, end, sign)
        if sign > 0:
            self._counts[start, end, row] = count
        else:
            del self._counts[start, end, row]

    def right(self, row: IdRow, start: int, end: int, sign: int) -> None:
        if not _changed(self._right, row, start, end, sign):
            return
        for other_end, other_start, other in self._left.since(self._join.right_key(row), start):
            if other_start > end:
                continue
            merged = self.meets(other, row)
            if merged is None:
                continue
            place = other_start, other_end, other
            self._counts[place] += sign
            if self._counts[place] == (1 if sign > 0 else 0):
                self.unmatched(other, other_start, other_end, -sign)
            self.matched(merged, max(start, other_start), min(end, other_end), sign)


@stateful(compiled=("_condition",))
class LeftJoining(_Matching):
    """LEFT_JOIN: JOIN as far as the condition holds, and what of the left has no part in it."""

    def __init__(self, left: Layout, right: Layout, condition: Condition) -> None:
        super().__init__(left, right)
        self._condition = condition
        self.layout = left.extended(self._join.layout.columns)

    def meets(self, left: IdRow, right: IdRow) -> IdRow | None:
        merged = self._join.merge(left, right)
        return merged if merged is not None and self._condition(merged) else None

    def matched(self, merged: IdRow, start: int, end: int, sign: int) -> None:
        self.sink(merged, start, end, sign)

    def unmatched(self, row: IdRow, start: int, end: int, sign: int) -> None:
        self.sink(row + self._join.padding, start, end, sign)


@stateful(compiled=("_shared",))
class Subtracting(_Matching):
    """MINUS: what of the left meets no row of the right with which it shares a binding."""

    def __init__(self, left: Layout, right: Layout) -> None:
        super().__init__(left, right)
        here, there = left.positions, right.positions
        self._shared = [(here[v], there[v]) for v in right.columns if v in here]

    def meets(self, left: IdRow, right: IdRow) -> IdRow | None:
        common = False
        for mine, theirs in self._shared:
            one, other = left[mine], right[theirs]
            if one and other:
                if one != other:
                    return None
                common = True
        return left if common else None

    def unmatched(self, row: IdRow, start: int, end: int, sign: int) -> None:
        self.sink(row, start, end, sign)


def _changed(
    arrangement: Arrangement, row: IdRow, start: int, end: int, sign: int
) -> bool:
    return (arrangement.add if sign > 0 else arrangement.remove)(row, start, end)
