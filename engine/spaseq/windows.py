"""The windows that a match lies in (SPAseq Def. 16 and its readings).

Every definition of a sequence looks strictly between its events, so whether a match lies in a
window depends on the times of its first and its last event alone. The engine therefore runs one
automaton over the whole stream and asks a policy two things: in which windows a match lies, and how
old a first event may be to matter still. Windows by count are different: `by_position`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ...semantics.model.errors import Impossible
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.tree import Extent
from ..checkpoints.state_schema import stateful


class WindowPolicy(Protocol):
    """Windows over time."""

    def oldest(self, now: int) -> int:
        """Return the least first-event time of a match that may still end at `now` or later."""

    def windows(self, first: int, last: int) -> Iterator[tuple[int, int] | None]:
        """Return the windows that hold both times; None stands for "no fixed windows"."""


@stateful()
@dataclass(frozen=True, slots=True)
class SlidingWindows:
    """[t+kβ, t+kβ+ω], k ≥ 0; tumbling windows are those with β = ω.

    `closed` says whether the end belongs to the window. If they are not `apart`, a match in one
    of them is in their union (answers=union).
    """

    start: int
    width: int
    slide: int
    closed: bool = True
    apart: bool = True

    def _first_index(self, now: int) -> int:
        """Return the least k whose window has not ended before `now`."""
        over = now - self.start - self.width
        if self.closed:
            return max(0, -(-over // self.slide))
        return max(0, over // self.slide + 1)

    def oldest(self, now: int) -> int:
        return self.start + self._first_index(now) * self.slide

    def windows(self, first: int, last: int) -> Iterator[tuple[int, int] | None]:
        latest = (first - self.start) // self.slide
        indices = range(self._first_index(last), latest + 1)
        if not self.apart and indices:
            yield None
            return
        for k in indices:
            begin = self.start + k * self.slide
            yield begin, begin + self.width


@stateful()
@dataclass(frozen=True, slots=True)
class MatchWindows:
    """No fixed windows: a match spans at most ω (window=match)."""

    width: int

    def oldest(self, now: int) -> int:
        return now - self.width

    def windows(self, first: int, last: int) -> Iterator[tuple[int, int] | None]:
        if last - first <= self.width:
            yield None


@stateful()
@dataclass(frozen=True, slots=True)
class OneWindow:
    """A single window that everything lies in: one window of those by position."""

    window: tuple[int, int] | None
    beginning: int

    def oldest(self, now: int) -> int:
        return self.beginning

    def windows(self, first: int, last: int) -> Iterator[tuple[int, int] | None]:
        yield self.window


def over_time(readings: Readings, within: Extent, slide: Extent | None, start: int) -> WindowPolicy:
    """Return the policy of a query whose windows are measured in time."""
    apart = readings.answers == "windows"
    match readings.window:
        case "tumbling":
            return SlidingWindows(start, within.value, within.value, apart=apart)
        case "tumbling-half-open":
            return SlidingWindows(start, within.value, within.value, closed=False, apart=apart)
        case "sliding":
            if slide is None:
                raise Impossible("window=sliding without SLIDE passed the readings' check")
            return SlidingWindows(start, within.value, slide.value, apart=apart)
        case "match":
            return MatchWindows(within.value)
