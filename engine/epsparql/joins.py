"""Join, SeqJoin, EqJoin, Union, Minus and the left joins, incremental on both sides.

New solutions of either side meet what the other side remembers, by the values of the variables that
both surely bind. What is remembered is as little as the operator allows: of a SEQ, when its left
side is timewise, the right side is never remembered, since no later left solution ends before it
started.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow, Layout
from ..rdf.joins import Difference, Join
from .nodes import (
    FOREVER,
    NEVER,
    Filtered,
    Index,
    Node,
    Occurrence,
    Test,
    TimedRow,
    TimedRows,
    arranged,
    passing,
)


@stateful(
    kept=("lefts", "rights"), parts=("left", "right"),
    compiled=("join", "tests", "conditions", "width"),
)
class _Binary(Node):
    """Two sides that are joined, all conditions applied where they can be decided."""

    def __init__(self, left: Node, right: Node) -> None:
        self.left = left
        self.right = right
        self.join = Join(left.layout, right.layout)
        self.layout = self.join.layout
        self.timewise = left.timewise and right.timewise
        self.tests: list[Test] = []
        self.conditions: list[Filtered] = []
        """The conditions pushed down into it: the same as its tests."""
        self.width: int | None = None
        self.lefts = Index()
        self.rights = Index()

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        return self.combined(self.left.push(occurrences), self.right.push(occurrences))

    def settle(self, t: float) -> TimedRows:
        return self.combined(self.left.settle(t), self.right.settle(t))

    def combined(self, lefts: TimedRows, rights: TimedRows) -> TimedRows:
        """Return the joins of new solutions with each other and with the state."""
        if not lefts and not rights:
            return []
        return passing(self.tests, self.met(lefts, rights))

    def met(self, lefts: TimedRows, rights: TimedRows) -> TimedRows:
        raise NotImplementedError

    def forget(self, t: float) -> None:
        self.left.forget(t)
        self.right.forget(t)
        if self.width is not None and self.timewise:
            self.lefts.prune(t - self.width)
            self.rights.prune(t - self.width)

    def held(self) -> Iterator[IdRow]:
        yield from self.left.held()
        yield from self.right.held()
        yield from self.lefts.held()
        yield from self.rights.held()

    def bound(self, width: int) -> None:
        self.width = width if self.width is None else min(width, self.width)
        self.left.bound(width)
        self.right.bound(width)

    def absorb(self, test: Filtered) -> bool:
        for side in (self.left, self.right):
            if test.variables <= side.layout.certain and side.absorb(test):
                return True
        self.conditions.append(test)
        self.tests.append(test.compiled(self.layout))
        return True

    def pair(self, left: TimedRow, right: TimedRow, out: TimedRows) -> None:
        """Add ψ ⋈ ψ', if they are compatible."""
        row = self.join.merge(left[0], right[0])
        if row is not None:
            out.append((row, min(left[1], right[1]), max(left[2], right[2])))

    def key_of_left(self, row: TimedRow) -> Hashable:
        return self.join.left_key(row[0])

    def key_of_right(self, row: TimedRow) -> Hashable:
        return self.join.right_key(row[0])


class Joined(_Binary):
    """Join(Ψ, Ψ')."""

    def met(self, lefts: TimedRows, rights: TimedRows) -> TimedRows:
        out: TimedRows = []
        for right in rights:
            key = self.key_of_right(right)
            for left in self.lefts.all(key):
                self.pair(left, right, out)
            self.rights.add(key, right)
        for left in lefts:
            key = self.key_of_left(left)
            for right in self.rights.all(key):
                self.pair(left, right, out)
            self.lefts.add(key, left)
        return out


class Sequenced(_Binary):
    """SeqJoin(Ψ, Ψ'): tω < t'α."""

    def met(self, lefts: TimedRows, rights: TimedRows) -> TimedRows:
        out: TimedRows = []
        prompt = self.left.timewise
        for right in rights:
            key = self.key_of_right(right)
            since = NEVER
            if self.width is not None and right[2] != NEVER:
                since = right[2] - self.width
            for left in self.lefts.ending_before(key, right[1], since):
                self.pair(left, right, out)
            if not prompt or right[1] == FOREVER:
                self.rights.add(key, right)
        for left in lefts:
            key = self.key_of_left(left)
            if self.rights.size:
                for right in self.rights.all(key):
                    if left[2] < right[1]:
                        self.pair(left, right, out)
            self.lefts.add(key, left)
        return out


class Simultaneous(Joined):
    """EqJoin(Ψ, Ψ'): tα = t'α and tω = t'ω."""

    def key_of_left(self, row: TimedRow) -> Hashable:
        return self.join.left_key(row[0]), row[1], row[2]

    def key_of_right(self, row: TimedRow) -> Hashable:
        return self.join.right_key(row[0]), row[1], row[2]

    def forget(self, t: float) -> None:
        self.left.forget(t)
        self.right.forget(t)
        # What has no time is there from the beginning, on both sides.
        if self.left.timewise:
            self.rights = Index()
        if self.right.timewise:
            self.lefts = Index()


@stateful(parts=("sides",), compiled=("_arrange",))
class United(Node):
    """Union(Ψ, Ψ', …)."""

    def __init__(self, sides: Sequence[Node]) -> None:
        self.sides = tuple(sides)
        columns = tuple(dict.fromkeys(v for side in sides for v in side.layout.columns))
        certain = frozenset.intersection(*(side.layout.certain for side in sides))
        self.layout = Layout(columns, certain)
        self.timewise = all(side.timewise for side in sides)
        self._arrange = [arranged(side.layout, columns) for side in sides]

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        return self._together(lambda side: side.push(occurrences))

    def settle(self, t: float) -> TimedRows:
        return self._together(lambda side: side.settle(t))

    def _together(self, told: Callable[[Node], TimedRows]) -> TimedRows:
        out: TimedRows = []
        for side, arrange in zip(self.sides, self._arrange, strict=True):
            rows = told(side)
            if rows:
                out += arrange(rows)
        return out

    def forget(self, t: float) -> None:
        for side in self.sides:
            side.forget(t)

    def held(self) -> Iterator[IdRow]:
        for side in self.sides:
            yield from side.held()

    def bound(self, width: int) -> None:
        for side in self.sides:
            side.bound(width)


@stateful(
    kept=("_lefts", "_removed"), parts=("left", "right"), compiled=("_difference",)
)
class Without(Node):
    """Minus(Ψ, Ψ'): only the end of the stream tells what stays."""

    timewise = False

    def __init__(self, left: Node, right: Node) -> None:
        self.left = left
        self.right = right
        self.layout = left.layout
        self._difference = Difference(left.layout, right.layout)
        self._lefts: TimedRows = []
        self._removed: set[IdRow] = set()

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        self._remember(self.left.push(occurrences), self.right.push(occurrences))
        return []

    def settle(self, t: float) -> TimedRows:
        self._remember(self.left.settle(t), self.right.settle(t))
        if t != FOREVER:
            return []
        lefts, self._lefts = self._lefts, []
        kept = set(self._difference.kept([row[0] for row in lefts], frozenset(self._removed)))
        return [row for row in lefts if row[0] in kept]

    def _remember(self, lefts: TimedRows, rights: TimedRows) -> None:
        self._lefts += lefts
        self._removed |= self._difference.removed([row[0] for row in rights])

    def forget(self, t: float) -> None:
        self.left.forget(t)
        self.right.forget(t)

    def held(self) -> Iterator[IdRow]:
        yield from self.left.held()
        yield from self.right.held()
        yield from (row[0] for row in self._lefts)
        yield from self._removed


@stateful(
    kept=("partners", "waiting"), parts=("mandatory", "optional"),
    compiled=("join", "_joined", "_absent", "_same"),
)
class Outer(Node):
    """The left joins: every mandatory solution, joined with those optional ones that are related
    to it and fulfil F, or alone where there is none.

    `joined` is F for a pair and its combination, `absent` F where the absence of a partner is
    stated (the paper's formulas let the two read different intervals).
    """

    def __init__(self, mandatory: Node, optional: Node, joined: PairTest, absent: PairTest) -> None:
        self.mandatory = mandatory
        self.optional = optional
        self.join = Join(mandatory.layout, optional.layout)
        # What the optional side binds may be unbound.
        self.layout = Layout(self.join.layout.columns, mandatory.layout.certain)
        self._joined = joined
        self._absent = absent
        self._same = joined is absent
        self.partners = Index()
        self.waiting: TimedRows = []

    def absorb(self, test: Filtered) -> bool:
        return test.variables <= self.mandatory.layout.certain and self.mandatory.absorb(test)

    def forget(self, t: float) -> None:
        self.mandatory.forget(t)
        self.optional.forget(t)

    def held(self) -> Iterator[IdRow]:
        yield from self.mandatory.held()
        yield from self.optional.held()
        yield from self.partners.held()
        yield from (row[0] for row in self.waiting)

    def key(self, mandatory: TimedRow) -> Hashable:
        return self.join.left_key(mandatory[0])

    def remember(self, optionals: TimedRows) -> None:
        """Add solutions of the optional side."""
        for row in optionals:
            self.partners.add(self.join.right_key(row[0]), row)

    def related(self, mandatory: TimedRow) -> Sequence[TimedRow]:
        """Return the optional solutions, of those known, that may be joined."""
        raise NotImplementedError

    def decided(self, mandatory: TimedRow, out: TimedRows) -> None:
        """Emit the mandatory solution with its partners, or alone; all partners are known."""
        alone = True
        for other in self.related(mandatory):
            row = self.join.merge(mandatory[0], other[0])
            if row is None:
                continue
            both = (row, min(mandatory[1], other[1]), max(mandatory[2], other[2]))
            holds = self._joined(both, mandatory, other)
            if holds:
                out.append(both)
            if alone and (holds if self._same else self._absent(both, mandatory, other)):
                alone = False
        if alone:
            out.append((mandatory[0] + self.join.padding, mandatory[1], mandatory[2]))


PairTest = Callable[[TimedRow, TimedRow, TimedRow], bool]
"""F of a combination, its mandatory and its optional part"""


@stateful(compiled=("_limit",))
class Prompt(Outer):
    """Partners end before the mandatory solution does, so that it is decided when it comes:
    SeqRightJoin (t'ω < tα), LeftJoin as the paper has it (t'ω < tω)"""

    def __init__(
        self, mandatory: Node, optional: Node, joined: PairTest, absent: PairTest,
        limit: Callable[[TimedRow], float],
    ) -> None:
        super().__init__(mandatory, optional, joined, absent)
        self.timewise = mandatory.timewise and optional.timewise
        self._limit = limit

    def related(self, mandatory: TimedRow) -> Sequence[TimedRow]:
        return self.partners.ending_before(self.key(mandatory), self._limit(mandatory))

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        self.remember(self.optional.push(occurrences))
        return self.received(self.mandatory.push(occurrences))

    def settle(self, t: float) -> TimedRows:
        self.remember(self.optional.settle(t))
        out = self.received(self.mandatory.settle(t))
        if self.waiting and (self.optional.timewise or t == FOREVER):
            waiting, self.waiting = self.waiting, []
            for row in waiting:
                self.decided(row, out)
        return out

    def received(self, rows: TimedRows) -> TimedRows:
        """Decide new mandatory solutions at once, if they have a time and the optional side is not
        late"""
        if not self.optional.timewise:
            self.waiting += rows
            return []
        out: TimedRows = []
        for row in rows:
            if row[2] == NEVER:
                self.waiting.append(row)
            else:
                self.decided(row, out)
        return out

    def bound(self, width: int) -> None:
        # An optional solution that is too long ago still keeps the mandatory one from being alone.
        self.mandatory.bound(width)


@stateful(compiled=("_simultaneous",))
class Late(Outer):
    """Partners may come as late as the mandatory solution ends: EqLeftJoin (the same interval),
    LeftJoin with t'ω ≤ tω"""

    def __init__(
        self, mandatory: Node, optional: Node, joined: PairTest, absent: PairTest,
        *, simultaneous: bool,
    ) -> None:
        super().__init__(mandatory, optional, joined, absent)
        self.timewise = mandatory.timewise and optional.timewise
        self._simultaneous = simultaneous

    def remember(self, optionals: TimedRows) -> None:
        if not self._simultaneous:
            super().remember(optionals)
            return
        for row in optionals:
            self.partners.add((self.join.right_key(row[0]), row[1], row[2]), row)

    def related(self, mandatory: TimedRow) -> Sequence[TimedRow]:
        key = self.key(mandatory)
        if self._simultaneous:
            return self.partners.all((key, mandatory[1], mandatory[2]))
        return [row for row in self.partners.all(key) if row[2] <= mandatory[2]]

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        self.remember(self.optional.push(occurrences))
        self.waiting += self.mandatory.push(occurrences)
        return []

    def settle(self, t: float) -> TimedRows:
        self.remember(self.optional.settle(t))
        self.waiting += self.mandatory.settle(t)
        if not self.waiting or not (self.optional.timewise or t == FOREVER):
            return []
        waiting, self.waiting = self.waiting, []
        out: TimedRows = []
        for row in waiting:
            if row[2] <= t:
                self.decided(row, out)
            else:
                self.waiting.append(row)
        return out

    def forget(self, t: float) -> None:
        super().forget(t)
        if self._simultaneous and self.mandatory.timewise and self.optional.timewise:
            self.partners = Index()

    def bound(self, width: int) -> None:
        self.mandatory.bound(width)
        if self._simultaneous:
            self.optional.bound(width)


@stateful(kept=("_known",), compiled=("_after",))
class Endless(Outer):
    """Partners may come as long as there is a stream: SPARQL's OPTIONAL, and SEQOPTIONAL

    What is joined is returned at once, what is alone at the end of the stream.
    """

    timewise = False

    def __init__(
        self, mandatory: Node, optional: Node, joined: PairTest, absent: PairTest,
        *, after: bool,
    ) -> None:
        super().__init__(mandatory, optional, joined, absent)
        self._after = after
        self._known: dict[Hashable, list[_Mandatory]] = {}

    def push(self, occurrences: Sequence[Occurrence]) -> TimedRows:
        return self.received(self.mandatory.push(occurrences), self.optional.push(occurrences))

    def settle(self, t: float) -> TimedRows:
        out = self.received(self.mandatory.settle(t), self.optional.settle(t))
        if t == FOREVER:
            for known in self._known.values():
                for each in known:
                    if each.alone:
                        ids, start, end = each.row
                        out.append((ids + self.join.padding, start, end))
            self._known = {}
        return out

    def received(self, mandatories: TimedRows, optionals: TimedRows) -> TimedRows:
        """Process new solutions of both sides."""
        out: TimedRows = []
        for other in optionals:
            key = self.join.right_key(other[0])
            for each in self._known.get(key, ()):
                self._pair(each, other, out)
            self.partners.add(key, other)
        for row in mandatories:
            mine = self.key(row)
            each = _Mandatory(row)
            for other in self.partners.all(mine):
                self._pair(each, other, out)
            self._known.setdefault(mine, []).append(each)
        return out

    def _pair(self, each: _Mandatory, other: TimedRow, out: TimedRows) -> None:
        mandatory = each.row
        if self._after and not mandatory[2] < other[1]:
            return
        row = self.join.merge(mandatory[0], other[0])
        if row is None:
            return
        both = (row, min(mandatory[1], other[1]), max(mandatory[2], other[2]))
        holds = self._joined(both, mandatory, other)
        if holds:
            out.append(both)
        if holds if self._same else self._absent(both, mandatory, other):
            each.alone = False

    def held(self) -> Iterator[IdRow]:
        yield from super().held()
        for known in self._known.values():
            yield from (each.row[0] for each in known)


@stateful(kept=("alone", "row"))
class _Mandatory:
    """A mandatory solution, and whether it is still alone."""

    __slots__ = ("alone", "row")

    def __init__(self, row: TimedRow) -> None:
        self.row = row
        self.alone = True
