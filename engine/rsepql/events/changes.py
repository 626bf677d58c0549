"""What a view of event mappings is told, and how it tells what is new and what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from ...checkpoints.declared import stateful
from .compile import Match
from .occurrences import Occurrence
from .rivals import Parts

Difference: TypeAlias = tuple[list[Match], list[Match]]
"""The matches that are new, and those that are lost"""


class Changes:
    """What has entered the stores of an event pattern, by leaf, and what has left them."""

    def __init__(
        self, entered: Mapping[int, list[Occurrence]], left: list[Occurrence]
    ) -> None:
        self.entered = entered
        self.left = left

    def earliest(self, leaves: Iterable[int]) -> int | None:
        """The earliest time of what has entered these leaves."""
        return min(
            (each.time for leaf in leaves for each in self.entered.get(leaf, ())[:1]),
            default=None,
        )


class View(Protocol):
    """The matches of a node, for no μ and no limit."""

    def update(self, changes: Changes) -> Difference:
        """Brings the view up to date."""

    def matches(self) -> Iterable[Match]:
        """All matches, as of the latest update."""


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
