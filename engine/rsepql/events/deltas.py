"""Deltas of views of mappings, and the candidates of selective sequences (RSEP-QL (10), (11))."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Protocol, TypeAlias

from ...checkpoints.state_schema import stateful
from .compile import Match, SelectiveNode, interval
from .occurrences import Interval, Occurrence

Parts: TypeAlias = tuple[Occurrence, ...]
"""The occurrences that a match rests on"""

_KEY = itemgetter(0)


@stateful(kept=("_best", "_chosen", "_node", "_there", "_waiting"), anew=("_key",))
class Rivals:
    """Matches of E2 of which one is chosen, with its ties, by ≺.

    One that has nothing of E1 before it will never have: what enters E1 is later. So it is dropped
    where it is met.
    """

    __slots__ = ("_best", "_chosen", "_key", "_node", "_there", "_waiting")

    def __init__(self, node: SelectiveNode) -> None:
        self._node = node
        self._key = node.order.key
        self._there: dict[Parts, Match] = {}
        self._waiting: list[tuple[Interval, Match]] = []
        """The present matches, and some that are gone, the best one last, if ≺ has a key."""
        self._chosen: Mapping[Parts, object] = {}
        self._best: Interval | None = None
        """The rank of what is chosen, until part of it is removed"""

    def resumed(self) -> None:
        """Restore the order of rivals from the node."""
        self._key = self._node.order.key

    def __bool__(self) -> bool:
        return bool(self._there)

    def add(self, match: Match) -> bool:
        """Add one; return whether the choice may have changed."""
        self._there[match[3]] = match
        if self._key is None:
            return True
        key = self._rank(match)
        insort(self._waiting, (key, match), key=_KEY)
        if len(self._waiting) > 2 * len(self._there) + 8:
            self._waiting = [each for each in self._waiting if each[1][3] in self._there]
        return self._best is None or key >= self._best

    def remove(self, match: Match) -> bool:
        """Remove one; return whether the choice may have changed."""
        self._there.pop(match[3], None)
        if match[3] not in self._chosen:
            return False
        self._best = None
        return True

    def chosen(self) -> list[Match]:
        """Return the answers."""
        if self._key is None:
            self._chosen = dict.fromkeys(self._there)
            return self._node.chosen(list(self._there.values()))
        answers: list[Match] = []
        ties: dict[Parts, Match] = {}
        best: Interval | None = None
        waiting = self._waiting
        while waiting and (best is None or waiting[-1][0] == best):
            key, match = waiting.pop()
            if match[3] not in self._there or match[3] in ties:
                continue
            found = self._node.before(match)
            if found:
                best = key
                answers += found
                ties[match[3]] = match
            else:
                del self._there[match[3]]
        if best is not None:
            waiting.extend((best, match) for match in reversed(ties.values()))
        self._best = best
        self._chosen = dict.fromkeys(ties)
        return answers

    def _rank(self, match: Match) -> Interval:
        """Return the rank; greater is better."""
        start, end = interval(match)
        if self._key is None:
            return start, end
        first, second = self._key((start, end))
        return (first, second) if self._node.recent else (-first, -second)


Difference: TypeAlias = tuple[list[Match], list[Match]]
"""The matches that are new, and those that are lost"""


class Changes:
    """The insertions into the stores of an event pattern, by leaf, and the retractions."""

    def __init__(
        self, entered: Mapping[int, list[Occurrence]], left: list[Occurrence]
    ) -> None:
        self.entered = entered
        self.left = left

    def earliest(self, leaves: Iterable[int]) -> int | None:
        """Return the earliest time of the entries of these leaves."""
        return min(
            (each.time for leaf in leaves for each in self.entered.get(leaf, ())[:1]),
            default=None,
        )


class View(Protocol):
    """The matches of a node, for no μ and no limit."""

    def update(self, changes: Changes) -> Difference:
        """Update the view."""

    def matches(self) -> Iterable[Match]:
        """Return all matches, as of the latest update."""


@stateful(kept=("_found",))
class Matches:
    """Matches that are found anew together."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[Parts, Match] = {}

    def become(self, matches: Iterable[Match]) -> Difference:
        """Hold these matches instead; returns those that are new and those that are lost."""
        before = self._found
        self._found = {match[3]: match for match in matches}
        return (
            [match for parts, match in self._found.items() if parts not in before],
            [match for parts, match in before.items() if parts not in self._found],
        )

    def remove(self, parts: Parts) -> Match | None:
        """Remove a match, if it is there."""
        return self._found.pop(parts, None)

    def __bool__(self) -> bool:
        return bool(self._found)

    def __contains__(self, parts: object) -> bool:
        return parts in self._found

    def __iter__(self) -> Iterator[Match]:
        return iter(self._found.values())
