"""Views of ⟨⟨E⟩⟩, FIRST, LAST and SEQ^n from one evaluation to the next: matches gained and lost.

What is first or last is kept by rank under ≺: a match of E costs work when it is found and when it
is lost, not as long as it is there.

A match of E1 SEQ E2 belongs to a match of E2. New matches are found from new matches of E2, since
whatever else enters is later than all known matches of E2. A match is lost when an occurrence
leaves that it rests on. A view is rebuilt where windows move so that the first does not hold, or
where E1 is such that the second does not. So a match costs work when it is found and when it is
lost.

Matches are told apart by the occurrences that they rest on.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from ....semantics.model.errors import Impossible
from ...checkpoints.state_schema import stateful
from .compile import (
    NO_LIMIT,
    EventNode,
    FirstNode,
    LastNode,
    Match,
    NaiveNode,
    Node,
    SelectiveNode,
    SequenceNode,
    interval,
)
from .deltas import Changes, Difference, Matches, Parts, Rivals, View
from .occurrences import Interval, Occurrence


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
        """Return the rank of the first occurrence, or of the last."""
        ranks, ranked = self._ranks, self._ranked
        if len(ranks) > 2 * len(ranked) + 8:
            ranks[:] = ranked
            heapify(ranks)
        while ranks and ranks[0] not in ranked:
            heappop(ranks)
        return ranks[0] if ranks else None

    def _rank(self, match: Match) -> Interval:
        """Return the rank; smaller is better."""
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


def view_of(node: Node, *, only_grows: bool = False) -> View:
    """Return the view of a node; one that `only_grows` returns additions and holds no state."""
    match node:
        case EventNode():
            return EventView(node)
        case SequenceNode() if only_grows and node.monotone:
            return GrowingView(node, view_of(node.right, only_grows=True))
        case SequenceNode():
            return SequenceView(node, view_of(node.right))
        case SelectiveNode():
            return SelectiveView(node, view_of(node.right))
        case NaiveNode():
            return NaiveView(node, *(view_of(each) for each in node.lasts()))
        case FirstNode() | LastNode() if (
            node.order.key is not None and not isinstance(node.operand, EventNode)
        ):
            return ExtremeView(node, view_of(node.operand))
        case _:
            return RecomputedView(node)


@stateful(parts=("_node",))
class EventView:
    """EVENT w P."""

    def __init__(self, node: EventNode) -> None:
        self._node = node

    def update(self, changes: Changes) -> Difference:
        leaf, alone = self._node.number, self._node.alone
        return (
            list(alone(changes.entered.get(leaf, ()))),
            list(alone([each for each in changes.left if each.leaf == leaf])),
        )

    def matches(self) -> Iterable[Match]:
        return self._node.alone(self._node.store)


@stateful(kept=("_found",), parts=("_node",))
class RecomputedView:
    """A node whose matches compete with each other."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._found = Matches()

    def update(self, changes: Changes) -> Difference:
        return self._found.become(self._node.matches((), NO_LIMIT))

    def matches(self) -> Iterable[Match]:
        return self._found


@stateful(kept=("_latest",), compiled=("_leaves", "_settled"))
class _Disruption:
    """The detection of changes of E1 after which a view must be rebuilt."""

    def __init__(self, left: Node, *, settled: bool) -> None:
        self._leaves = frozenset(left.leaves)
        self._settled = settled
        self._latest: int | None = None

    def caused_by(self, changes: Changes, added: Iterable[Match]) -> bool:
        """Return whether the match is caused by `added`, the new matches of E2."""
        earliest = changes.earliest(self._leaves)
        disrupted = (
            earliest is not None and self._latest is not None and earliest < self._latest
        ) or (
            not self._settled and any(each.leaf in self._leaves for each in changes.left)
        )
        for match in added:
            if self._latest is None or match[1] > self._latest:
                self._latest = match[1]
        return disrupted


@stateful(kept=("_groups", "_users"), parts=("_node", "_right", "_disruption"))
class SequenceView:
    """E1 SEQ E2: the matches by that of E2 which they belong to."""

    def __init__(self, node: SequenceNode, right: View) -> None:
        self._node = node
        self._right = right
        self._disruption = _Disruption(node.left, settled=node.left.settled)
        self._groups: dict[Parts, tuple[Match, Matches]] = {}
        self._users: dict[Occurrence, dict[Parts, Parts]] = {}
        """The matches that rest on an occurrence for E1, each with the match of E2 it belongs to"""

    def update(self, changes: Changes) -> Difference:
        gained, lost = self._right.update(changes)
        if self._disruption.caused_by(changes, gained):
            return self._rebuilt()
        removed: list[Match] = []
        for last in lost:
            group = self._groups.pop(last[3], None)
            if group is not None:
                old = list(group[1])
                self._unregister(last[3], old)
                removed += old
        added: list[Match] = []
        if self._node.left.monotone:
            self._take_away(changes.left, removed)
        else:
            self._find_again(changes.left, added, removed)
        for last in gained:
            added += self._found(last, self._node.before(last))
        return added, removed

    def matches(self) -> Iterable[Match]:
        return (match for _, group in self._groups.values() for match in group)

    def _found(self, last: Match, found: list[Match]) -> list[Match]:
        """Return the matches that belong to a new match of E2."""
        if found:
            group = Matches()
            self._groups[last[3]] = last, group
            group.become(found)
            self._register(last[3], found)
        return found

    def _take_away(self, left: list[Occurrence], removed: list[Match]) -> None:
        """Remove what rests on these for E1."""
        for occurrence in left:
            for parts, last in self._users.pop(occurrence, {}).items():
                group = self._groups[last][1]
                match = group.remove(parts)
                if match is not None:
                    removed.append(match)
                    self._unregister(last, (match,))
                if not group:
                    del self._groups[last]

    def _find_again(
        self, left: list[Occurrence], added: list[Match], removed: list[Match]
    ) -> None:
        """Look up E1 again for the entries that rest on these occurrences for E1."""
        affected = {
            last: None
            for occurrence in left
            for last in self._users.pop(occurrence, {}).values()
        }
        for parts in affected:
            last, group = self._groups[parts]
            new, old = group.become(self._node.before(last))
            self._unregister(parts, old)
            self._register(parts, new)
            added += new
            removed += old
            if not group:
                del self._groups[parts]

    def _register(self, last: Parts, matches: Iterable[Match]) -> None:
        users = self._users
        for match in matches:
            parts = match[3]
            for each in parts[: -len(last)]:
                known = users.get(each)
                if known is None:
                    users[each] = {parts: last}
                else:
                    known[parts] = last

    def _unregister(self, last: Parts, matches: Iterable[Match]) -> None:
        users = self._users
        for match in matches:
            parts = match[3]
            for each in parts[: -len(last)]:
                known = users.get(each)
                if known is not None:
                    known.pop(parts, None)
                    if not known:
                        del users[each]

    def _rebuilt(self) -> Difference:
        before = Matches()
        before.become(self.matches())
        self._groups.clear()
        self._users.clear()
        for match in self._right.matches():
            self._found(match, self._node.before(match))
        return before.become(self.matches())


@stateful(parts=("_node", "_right"))
class GrowingView:
    """E1 SEQ E2 where nothing ever goes, and what enters is later than all that is there."""

    def __init__(self, node: SequenceNode, right: View) -> None:
        self._node = node
        self._right = right

    def update(self, changes: Changes) -> Difference:
        gained, _ = self._right.update(changes)
        return [match for last in gained for match in self._node.before(last)], []

    def matches(self) -> Iterable[Match]:
        return self._node.matches((), NO_LIMIT)


@stateful(
    kept=("_rivals", "_answers", "_users"), parts=("_node", "_right", "_disruption")
)
class SelectiveView:
    """E1 SEQ^c E2, E1 SEQ^r E2: the answers by the rivals among which they are chosen."""

    def __init__(self, node: SelectiveNode, right: View) -> None:
        self._node = node
        self._right = right
        # FIRST and LAST look at all matches, not only at those they choose.
        self._disruption = _Disruption(node.left, settled=node.left.monotone)
        self._rivals: dict[tuple[int, ...], Rivals] = {}
        self._answers: dict[tuple[int, ...], Matches] = {}
        self._users: dict[Occurrence, dict[tuple[int, ...], None]] = {}

    def update(self, changes: Changes) -> Difference:
        gained, lost = self._right.update(changes)
        if self._disruption.caused_by(changes, gained):
            return self._rebuilt()
        dirty: dict[tuple[int, ...], None] = {}
        for match in lost:
            key = self._node.class_of(match)
            if key in self._rivals and self._rivals[key].remove(match):
                dirty[key] = None
        for occurrence in changes.left:
            dirty.update(self._users.pop(occurrence, {}))
        for match in gained:
            key = self._node.class_of(match)
            if self._add(key, match):
                dirty[key] = None
        added: list[Match] = []
        removed: list[Match] = []
        for key in dirty:
            new, old = self._chosen(key)
            added += new
            removed += old
        return added, removed

    def matches(self) -> Iterable[Match]:
        return (match for found in self._answers.values() for match in found)

    def _add(self, key: tuple[int, ...], match: Match) -> bool:
        rivals = self._rivals.get(key)
        if rivals is None:
            rivals = self._rivals[key] = Rivals(self._node)
        return rivals.add(match)

    def _chosen(self, key: tuple[int, ...]) -> Difference:
        """Choose again among these rivals."""
        rivals = self._rivals.get(key)
        chosen = [] if rivals is None else rivals.chosen()
        answers = self._answers.get(key)
        if answers is None:
            answers = self._answers[key] = Matches()
        difference = answers.become(chosen)
        users = self._users
        for match in difference[1]:
            for each in match[3]:
                if each in users:
                    users[each].pop(key, None)
                    if not users[each]:
                        del users[each]
        for match in answers:
            for each in match[3]:
                users.setdefault(each, {})[key] = None
        if not answers:
            del self._answers[key]
        if rivals is not None and not rivals:
            del self._rivals[key]
        return difference

    def _rebuilt(self) -> Difference:
        before = Matches()
        before.become(self.matches())
        self._rivals.clear()
        self._answers.clear()
        self._users.clear()
        for match in self._right.matches():
            self._add(self._node.class_of(match), match)
        for key in list(self._rivals):
            self._chosen(key)
        return before.become(self.matches())
