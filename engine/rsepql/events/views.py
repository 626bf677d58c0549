"""⟨⟨E⟩⟩ from one evaluation to the next: which matches are new, and which are lost.

A match of E1 SEQ E2 belongs to a match of E2. New matches are found from new matches of E2, since
whatever else enters is later than all known matches of E2. A match is lost when an occurrence
leaves that it rests on. A view is rebuilt where windows move so that the first does not hold, or
where E1 is such that the second does not. So a match costs work when it is found and when it is
lost.

Matches are told apart by the occurrences that they rest on.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...checkpoints.declared import stateful
from .changes import Changes, Difference, Matches, View
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
)
from .extremes import ExtremeView, NaiveView
from .occurrences import Occurrence
from .rivals import Parts, Rivals


def view_of(node: Node, *, only_grows: bool = False) -> View:
    """The view of a node; one that `only_grows` tells what is new and holds nothing."""
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
    """EVENT w P"""

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
    """Whether E1 has changed in such a way that a view must be rebuilt."""

    def __init__(self, left: Node, *, settled: bool) -> None:
        self._leaves = frozenset(left.leaves)
        self._settled = settled
        self._latest: int | None = None

    def caused_by(self, changes: Changes, added: Iterable[Match]) -> bool:
        """`added` are the new matches of E2."""
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
        """The matches that belong to a new match of E2."""
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
        """Where something rests on these for E1, E1 is looked up again."""
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
        """Chooses again among these rivals."""
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
