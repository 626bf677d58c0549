"""Event patterns compiled to look-ups (RSEP-QL 4.2 and 4.3).

⟨⟨E⟩⟩ is found from the right: for each match of E2 the matches of E1 that are compatible and lie
before it are looked up by join key and time, as the definitions substitute μ2 into E1 and narrow
the window to [0, t3 − 1]. So an evaluation touches only what takes part in answers.

A match is (μ as a row, t1, t2, the occurrences it rests on).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol, TypeAlias

from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import SequenceOperator
from ...checkpoints.state_schema import stateful
from ...rdf.data.graphs import IndexedGraph
from ...rdf.data.layout import IdRow, Layout
from ...rdf.joins import Join
from .occurrences import Interval, Occurrence, Order, Store

Match: TypeAlias = tuple[IdRow, int, int, tuple[Occurrence, ...]]

NO_LIMIT = 1 << 128
"""Later than any item."""


class Node(Protocol):
    """⟨⟨μ(E)⟩⟩ over W^⊔[0, limit] • W, for any μ and limit."""

    layout: Layout
    """The columns of the rows of its matches: first those of μ."""
    leaves: tuple[int, ...]
    """The numbers of its EVENTs."""
    monotone: bool
    """True if its matches stay matches, whatever else comes or goes."""
    settled: bool
    """True if no match appears because an occurrence expires on which no match rests."""

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        """Return all matches."""

    def first(self, mu: IdRow, limit: int) -> list[Match]:
        """FIRST E: those than which none is smaller under ≺."""

    def last(self, mu: IdRow, limit: int) -> list[Match]:
        """LAST E: those than which none is greater under ≺."""


def interval(match: Match) -> Interval:
    """(t1, t2)"""
    return match[1], match[2]


@stateful(same=("layout", "leaves"), compiled=("_order", "monotone", "settled"))
class _Ordered:
    """FIRST and LAST of what `matches` finds."""

    _order: Order

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        raise NotImplementedError

    def first(self, mu: IdRow, limit: int) -> list[Match]:
        return self._order.first(self.matches(mu, limit), interval)

    def last(self, mu: IdRow, limit: int) -> list[Match]:
        return self._order.last(self.matches(mu, limit), interval)


@stateful(compiled=("_number", "_solve"), anew=("items",))
class ScanNode(_Ordered):
    """EVENT w P (4), matched whenever it is asked for.

    So it is where values that P does not bind for sure, or graphs that change, decide what P means:
    `solve` finds the rows of `layout` on an item, given μ. `items` are those in the window.
    """

    monotone = False
    settled = False

    def __init__(
        self,
        number: int,
        layout: Layout,
        order: Order,
        solve: Callable[[IdRow, IndexedGraph], list[IdRow]],
    ) -> None:
        self._number = number
        self.leaves: tuple[int, ...] = (number,)
        self.layout = layout
        self._order = order
        self._solve = solve
        self.items: list[ScannedItem] = []

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        found: list[Match] = []
        for item in self.items:
            if item.time > limit:
                break
            for row in self._solve(mu, item.graph):
                occurrence = Occurrence(self._number, item.time, row)
                found.append((row, item.time, item.time, (occurrence,)))
        return found


@dataclass(slots=True)
class ScannedItem:
    """An item as patterns see it: what is left of its graph."""

    time: int
    graph: IndexedGraph


@stateful(
    same=("layout", "leaves"), parts=("store",),
    compiled=("number", "conditions", "_key", "_merge"),
)
class EventNode:
    """EVENT w P (4), matched once an item.

    `conditions` are filters of P that wait for μ, as positions of the merged row.
    """

    monotone = True
    settled = True

    def __init__(
        self,
        number: int,
        columns: Layout,
        given: Layout,
        conditions: Callable[[Layout], list[Callable[[IdRow], bool]]],
    ) -> None:
        join = Join(given, columns)
        self.number = number
        self.leaves: tuple[int, ...] = (number,)
        self.layout = join.layout
        self.store = Store(join.right_key)
        self._key = join.left_key
        self._merge = join.merge
        self.conditions = conditions(join.layout)

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        bucket = self.store.bucket(self._key(mu))
        if bucket is None:
            return []
        return list(self._merged(mu, bucket.until(limit)))

    def first(self, mu: IdRow, limit: int) -> list[Match]:
        bucket = self.store.bucket(self._key(mu))
        return [] if bucket is None else _tied(self._merged(mu, bucket.earliest(limit)))

    def last(self, mu: IdRow, limit: int) -> list[Match]:
        bucket = self.store.bucket(self._key(mu))
        return [] if bucket is None else _tied(self._merged(mu, bucket.latest(limit)))

    def alone(self, occurrences: Iterable[Occurrence]) -> Iterator[Match]:
        """Return those of these that are matches for the empty μ."""
        return self._merged((), occurrences)

    def _merged(self, mu: IdRow, occurrences: Iterable[Occurrence]) -> Iterator[Match]:
        merge, conditions = self._merge, self.conditions
        for each in occurrences:
            merged = merge(mu, each.row)
            if merged is not None and all(holds(merged) for holds in conditions):
                yield merged, each.time, each.time, (each,)


def _tied(matches: Iterator[Match]) -> list[Match]:
    """Return the first match, with those of the same instant; ≺ orders instants by time."""
    best = next(matches, None)
    if best is None:
        return []
    return [best, *takewhile(lambda match: match[1] == best[1], matches)]


@stateful(parts=("operand",), compiled=("order",))
class _Extreme(_Ordered):
    """The base of FIRST and LAST, which choose among the matches of E."""

    monotone = False

    def __init__(self, operand: Node, order: Order) -> None:
        self.operand = operand
        self.order = self._order = order
        self.layout = operand.layout
        self.leaves = operand.leaves
        self.settled = operand.monotone


class FirstNode(_Extreme):
    """FIRST E (5)."""

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        return self.operand.first(mu, limit)


class LastNode(_Extreme):
    """LAST E (6)."""

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        return self.operand.last(mu, limit)


@stateful(parts=("left", "right"))
class SequenceNode(_Ordered):
    """E1 SEQ E2 (7); `left` goes on from the rows of `right`."""

    def __init__(self, left: Node, right: Node, order: Order) -> None:
        self.left = left
        self.right = right
        self._order = order
        self.layout = left.layout
        self.leaves = (*left.leaves, *right.leaves)
        self.monotone = left.monotone and right.monotone
        self.settled = left.settled and right.monotone

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        return [
            match
            for last in self.right.matches(mu, limit)
            for match in self.before(last)
        ]

    def before(self, last: Match) -> list[Match]:
        """Return the matches of E1 joined with one match of E2."""
        mu2, t3, t4, rest = last
        return [
            (row, t1, t4, parts + rest)
            for row, t1, _, parts in self.left.matches(mu2, t3 - 1)
        ]


@stateful(
    parts=("left", "right"), compiled=("order", "recent", "_rivals_are_same", "_named")
)
class SelectiveNode(_Ordered):
    """E1 SEQ^c E2 (10), E1 SEQ^r E2 (11)

    One match of E2 among rivals is chosen, of those that have something of E1 before them; then
    what comes first, or last, in E1. `rivals_are_same`: rivals carry the same μ2.
    """

    monotone = False

    def __init__(
        self, left: Node, right: Node, order: Order, *, recent: bool, rivals_are_same: bool
    ) -> None:
        self.left = left
        self.right = right
        self.order = self._order = order
        self.recent = recent
        self._rivals_are_same = rivals_are_same
        # Under a consumption policy blank nodes are columns, too: they are no part of μ2.
        named = [k for k, v in enumerate(right.layout.columns) if not v.startswith("_:")]
        self._named = None if len(named) == len(right.layout.columns) else named
        self.layout = left.layout
        self.leaves = (*left.leaves, *right.leaves)
        self.settled = left.monotone and right.monotone

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        rivals: dict[IdRow, list[Match]] = {}
        for match in self.right.matches(mu, limit):
            rivals.setdefault(self.class_of(match), []).append(match)
        return [match for each in rivals.values() for match in self.chosen(each)]

    def class_of(self, match: Match) -> IdRow:
        """Return the values that rival matches of E2 have in common."""
        if not self._rivals_are_same:
            return ()
        row = match[0]
        return row if self._named is None else tuple(row[k] for k in self._named)

    def chosen(self, rivals: list[Match]) -> list[Match]:
        """Return the answers among rivals."""
        found = [(rival, before) for rival in rivals if (before := self.before(rival))]
        order = self._order
        choose = order.last if self.recent else order.first
        return [match for _, before in choose(found, _of_rival) for match in before]

    def before(self, rival: Match) -> list[Match]:
        """Return the chosen matches of E1 joined with one match of E2."""
        mu2, t3, t4, rest = rival
        choose = self.left.last if self.recent else self.left.first
        return [(row, t1, t4, parts + rest) for row, t1, _, parts in choose(mu2, t3 - 1)]


def _of_rival(found: tuple[Match, list[Match]]) -> Interval:
    return interval(found[0])


@stateful(parts=("left", "right"), compiled=("_join",))
class NaiveNode(_Ordered):
    """E1 SEQ^n E2 (9): only the last matches of both, which may not be compatible at all."""

    monotone = False
    settled = False

    def __init__(self, left: Node, right: Node, order: Order) -> None:
        self.left = left
        self.right = right
        self.leaves = (*left.leaves, *right.leaves)
        self._order = order
        self._join = Join(left.layout, right.layout)
        self.layout = self._join.layout

    def lasts(self) -> tuple[LastNode, LastNode]:
        """LAST E1, LAST E2."""
        return LastNode(self.left, self._order), LastNode(self.right, self._order)

    def matches(self, mu: IdRow, limit: int) -> list[Match]:
        return self.joined(self.left.last(mu, limit), self.right.last(mu, limit))

    def joined(self, left: Iterable[Match], right: Iterable[Match]) -> list[Match]:
        """Return those of the last matches of E1 and E2 that are compatible and in sequence."""
        key, merge = self._join.left_key, self._join.merge
        table: dict[IdRow, list[Match]] = {}
        for match in right:
            table.setdefault(self._join.right_key(match[0]), []).append(match)
        if not table:
            return []
        return [
            (merged, t1, t4, parts + rest)
            for mu1, t1, t2, parts in left
            for mu2, t3, t4, rest in table.get(key(mu1), ())
            if t2 < t3 and (merged := merge(mu1, mu2)) is not None
        ]


def sequence(
    operator: SequenceOperator,
    left: Callable[[Layout], Node],
    right: Callable[[Layout], Node],
    given: Layout,
    readings: Readings,
) -> Node:
    """E1 • E2; the operands are compiled for the rows that they go on from."""
    order = Order(readings.order)
    after = right(given)
    match operator:
        case SequenceOperator.UNRESTRICTED:
            return SequenceNode(left(after.layout), after, order)
        case SequenceOperator.NAIVE:
            return NaiveNode(left(given), after, order)
        case SequenceOperator.CHRONOLOGICAL | SequenceOperator.RECENT:
            return SelectiveNode(
                left(after.layout),
                after,
                order,
                recent=operator is SequenceOperator.RECENT,
                rivals_are_same=readings.rivals == "same",
            )
