"""The views of FIRST E, LAST E and E1 SEQ^n E2, from one evaluation to the next.

What is first or last is kept by rank under ≺: a match of E costs work when it is found and when it
is lost, not as long as it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from ....semantics.model.errors import Impossible
from ...checkpoints.declared import stateful
from .changes import Changes, Difference, Matches, View
from .compile import FirstNode, LastNode, Match, NaiveNode, interval
from .orders import Interval
from .rivals import Parts


@stateful(
    kept=("_ranked", "_ranks", "_best", "_found"), parts=("_operand",), compiled=("_node", "_key")
)
class ExtremeView:
    """FIRST E, LAST E, where ≺ has a key: the matches of E by their rank."""

    def __init__(self, node: FirstNode | LastNode, operand: View) -> None:
        if node.order.key is None:
            raise Impossible("without a key there are no ranks")
        self._node = node
        self._key = node.order.key
        self._operand = operand
        self._ranked: dict[Interval, dict[Parts, Match]] = {}
        self._ranks: list[Interval] = []
        """A heap: the ranks that have matches, and some that have none any more"""
        self._best: Interval | None = None
        self._found = Matches()

    def update(self, changes: Changes) -> Difference:
        gained, lost = self._operand.update(changes)
        touched: set[Interval] = set()
        for match in lost:
            rank = self._rank(match)
            touched.add(rank)
            ranked = self._ranked[rank]
            del ranked[match[3]]
            if not ranked:
                del self._ranked[rank]
        for match in gained:
            rank = self._rank(match)
            touched.add(rank)
            if rank not in self._ranked:
                self._ranked[rank] = {}
                heappush(self._ranks, rank)
            self._ranked[rank][match[3]] = match
        before, self._best = self._best, self._least()
        if before == self._best and before not in touched:
            return [], []
        return self._found.become(
            () if self._best is None else self._ranked[self._best].values()
        )

    def matches(self) -> Iterable[Match]:
        return self._found

    def _least(self) -> Interval | None:
        """The rank of what is first, or last."""
        ranks, ranked = self._ranks, self._ranked
        if len(ranks) > 2 * len(ranked) + 8:
            ranks[:] = ranked
            heapify(ranks)
        while ranks and ranks[0] not in ranked:
            heappop(ranks)
        return ranks[0] if ranks else None

    def _rank(self, match: Match) -> Interval:
        """Smaller is better."""
        first, second = self._key(interval(match))
        return (first, second) if isinstance(self._node, FirstNode) else (-first, -second)


@stateful(kept=("_found",), parts=("_left", "_right"), compiled=("_node",))
class NaiveView:
    """E1 SEQ^n E2: what is last on both sides is joined again when it has changed."""

    def __init__(self, node: NaiveNode, left: View, right: View) -> None:
        self._node = node
        self._left = left
        self._right = right
        self._found = Matches()

    def update(self, changes: Changes) -> Difference:
        # Both sides have to hear of what has changed.
        differences = self._left.update(changes), self._right.update(changes)
        if not any(map(any, differences)):
            return [], []
        return self._found.become(self._node.joined(self._left.matches(), self._right.matches()))

    def matches(self) -> Iterable[Match]:
        return self._found
