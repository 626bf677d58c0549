"""Window functions (RSEP-QL Def. 3) as ranges of positions in their stream.

Items come in time order, so what a window holds at any time is a contiguous piece of its stream:
two searches by time find it, and nothing is copied.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TypeAlias, TypeGuard, assert_never

from ....semantics.rsepql.syntax.tree import (
    Bounds,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    NestedWindow,
    TimeBasedWindow,
    WindowFunction,
)
from ...checkpoints.state_schema import stateful
from ...tuning import IN_USE

Range: TypeAlias = tuple[int, int]
"""Positions low … high−1; nothing if high ≤ low."""



@stateful(kept=("_times", "_base", "_first"))
class Timeline:
    """The times of a stream's items by position; a forgotten prefix keeps its positions."""

    def __init__(self) -> None:
        self._times: list[int] = []
        self._base = 0
        self._first = 0

    @property
    def end(self) -> int:
        """The position of the next item."""
        return self._base + len(self._times)

    @property
    def beginning(self) -> int:
        """The least position that is not forgotten."""
        return self._base + self._first

    def __len__(self) -> int:
        return len(self._times) - self._first

    @property
    def times(self) -> list[int]:
        """The times that are not forgotten, from `beginning` on."""
        return self._times[self._first:]

    def begin_anew(self, base: int, times: list[int]) -> None:
        """Begin at position `base`: its item came at the first of these times, and so on."""
        self._times, self._base, self._first = times, base, 0

    def append(self, time: int) -> int:
        """Add an item; return its position."""
        self._times.append(time)
        return self.end - 1

    def before(self, time: int) -> int:
        """Return the position of the first item at `time` or later."""
        return self._base + bisect_left(self._times, time, self._first)

    def until(self, time: int) -> int:
        """Return the position of the first item later than `time`."""
        times = self._times
        if not times or times[-1] <= time:
            return self.end
        return self._base + bisect_right(times, time, self._first)

    def evict_before(self, position: int) -> None:
        """Evict earlier positions, which are never requested again."""
        self._first = max(self._first, min(position, self.end) - self._base)
        if self._first > IN_USE.passed and self._first * 2 > len(self._times):
            del self._times[: self._first]
            self._base += self._first
            self._first = 0


@stateful(
    kept=("_latest", "_range"), parts=("timeline",),
    compiled=("function", "monotone", "keeps_all", "_narrowed", "_kept"),
)
class Content:
    """The content of a window function at an instant, as positions of the stream."""

    def __init__(self, function: WindowFunction) -> None:
        self.function = function
        self.monotone = is_monotone(function)
        self.keeps_all = isinstance(function, LandmarkWindow | IdentityWindow)
        """True if all items that are admitted stay."""
        self.timeline = Timeline()
        self._narrowed: Narrowed = (
            (lambda t, given: given) if self.keeps_all else _compiled(function, self.timeline)
        )
        self._latest: tuple[int, int] | None = None
        self._range: Range = (0, 0)
        # Whether an item counts for a step depends on how many were there before it.
        base = function
        while _steps_by_count(base):
            base = base.inner
        self._kept = _compiled(base, self.timeline)

    def at(self, t: int) -> Range:
        """Return W(S, t), of the items that have come; where it is monotone, so are both bounds."""
        asked = (t, self.timeline.end)
        if asked != self._latest:
            self._latest = asked
            self._range = self._narrowed(t, (0, self.timeline.until(t)))
        return self._range

    def begin_anew(self, base: int, times: list[int]) -> None:
        """Replace the timeline: its items since position `base` came at these times."""
        self.timeline.begin_anew(base, times)
        self._latest = None

    def evict_before(self, t: int) -> int:
        """Evict the positions that no instant from `t` on needs; return the first one kept."""
        timeline = self.timeline
        if self.keeps_all:
            # The items are kept; at what times the earlier ones came is of no interest.
            timeline.evict_before(timeline.before(t))
            return 0
        low, _ = self._kept(t, (0, timeline.until(t)))
        timeline.evict_before(low)
        return timeline.beginning


Narrowed: TypeAlias = Callable[[int, Range], Range]
"""The restriction of a part of the stream by a window function at t."""


def _compiled(function: WindowFunction, timeline: Timeline) -> Narrowed:
    match function:
        case TimeBasedWindow():
            return _time_based(function, timeline)
        case LandmarkWindow(start):
            return lambda t, given: (max(given[0], timeline.before(start.value)), given[1])
        case IntervalWindow(first, last):
            return lambda t, given: (
                max(given[0], timeline.before(first.value)),
                min(given[1], timeline.until(last.value)),
            )
        case IdentityWindow():
            return lambda t, given: given
        case CountWindow(size, step):
            return lambda t, given: _counted(size, step, given)
        case NestedWindow(outer, inner):
            narrow, widest = _compiled(outer, timeline), _compiled(inner, timeline)
            return lambda t, given: narrow(t, widest(t, given))
        case _:
            assert_never(function)  # mypy: a new window function is missing here


def _time_based(window: TimeBasedWindow, timeline: Timeline) -> Narrowed:
    """Return (t' − α, t'] with t' = ⌊t/β⌋·β, counted from t0."""
    width = window.width.value
    step = 1 if window.step is None else window.step.value
    start = 0 if window.start is None else window.start.value
    closed_first = window.bounds in (Bounds.CLOSED_OPEN, Bounds.CLOSED_CLOSED)
    closed_last = window.bounds in (Bounds.OPEN_CLOSED, Bounds.CLOSED_CLOSED)
    first = timeline.before if closed_first else timeline.until
    last = timeline.until if closed_last else timeline.before

    def narrowed(t: int, given: Range) -> Range:
        end = t - (t - start) % step
        return max(given[0], first(end - width)), min(given[1], last(end))

    return narrowed


def _counted(size: int, step: int, given: Range) -> Range:
    low, high = given
    last = low + max(0, high - low) // step * step
    return max(low, last - size), last


def is_monotone(function: WindowFunction) -> bool:
    """Return True if no bound of the range ever decreases."""
    match function:
        case NestedWindow(CountWindow(_, step), inner) if step > 1:
            return begins_at_once(inner) and is_monotone(inner)
        case NestedWindow(outer, inner):
            return is_monotone(outer) and is_monotone(inner)
        case _:
            return True


def _steps_by_count(function: WindowFunction) -> TypeGuard[NestedWindow]:
    """Return True if a window by count, with steps, is nested anywhere around another."""
    match function:
        case NestedWindow(CountWindow(_, step)) if step > 1:
            return True
        case NestedWindow(outer, inner):
            return _steps_by_count(outer) or _steps_by_count(inner)
        case _:
            return False


def begins_at_once(function: WindowFunction) -> bool:
    """Return True if the range always begins at the same position."""
    match function:
        case LandmarkWindow() | IntervalWindow() | IdentityWindow():
            return True
        case NestedWindow(outer, inner):
            return begins_at_once(outer) and begins_at_once(inner)
        case _:
            return False


def admits(function: WindowFunction, time: int) -> bool:
    """Return True if an item at this time may ever be in the window, or is counted by it."""
    match function:
        case LandmarkWindow(start):
            return time >= start.value
        case IntervalWindow(first, last):
            return first.value <= time <= last.value
        case NestedWindow(outer, inner):
            return admits(inner, time) and (_counts(inner) or admits(outer, time))
        case _:
            return True


def _counts(function: WindowFunction) -> bool:
    match function:
        case CountWindow():
            return True
        case NestedWindow(outer, inner):
            return _counts(outer) or _counts(inner)
        case _:
            return False
