"""A window of the query over columns: where in its stream it begins and ends at each instant.

What `windows.functions` finds for one instant is found here for many; positions are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.errors import Impossible
from ....semantics.model.trees import find
from ....semantics.rsepql.syntax.tree import (
    Bounds,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Moment,
    TimeBasedWindow,
    WindowFunction,
)
from ...rdf.columns.batch import Column
from ..reports.policies import ContentChange, clocks
from ..windows.functions import begins_at_once
from ..windows.movement import MovingWindow

NOTHING: Final = np.zeros(0, np.int64)
_FAR = 1 << 61
"""Times and widths up to here can be added."""


class WindowColumns(ABC):
    """A `MovingWindow` while items come in batches.

    `lows` and `highs` are its ranges at the evaluations that are being made, `low` and `high`
    those at the latest that has been made.
    """

    def __init__(self, window: MovingWindow) -> None:
        self.stream = window.stream
        self.function = window.function
        self.lows: Column = NOTHING
        self.highs: Column = NOTHING
        self.low = self.high = 0
        self.first = 0
        """The first position that is remembered"""
        self._window = window

    @abstractmethod
    def take_over(self) -> None:
        """Go on from what the window knows."""

    @abstractmethod
    def hand_back(self) -> None:
        """The window knows what has come meanwhile."""

    @abstractmethod
    def forget_before(self, t: int) -> None:
        """Nobody asks for an instant before `t` any more."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many items are remembered, by their times."""

    def stay(self) -> None:
        """The window at the latest evaluation alone."""
        self.lows, self.highs = np.array([self.low]), np.array([self.high])

    def entry(self, positions: Column) -> Column:
        """The first of these evaluations at which each item has come in; their number if none."""
        return np.searchsorted(self.highs, positions, "right")

    def exit(self, positions: Column) -> Column:
        """The first at which it has gone out again."""
        return np.searchsorted(self.lows, positions, "right")


class WindowAtOnce(WindowColumns):
    """One that lets items in when they come and reports then: all its ranges are found together."""

    def __init__(self, window: MovingWindow, reporter: ContentChange) -> None:
        super().__init__(window)
        self._reporter = reporter
        self._keeps_all = window.content.keeps_all

    # --- from items to columns, and back ----------------------------------------------------------

    def take_over(self) -> None:
        timeline = self._window.content.timeline
        self._times = np.array(timeline.times, np.int64)
        self._base = timeline.beginning
        self.low, self.high = self._window.movement.low, self._window.movement.high
        waiting, self._latest, self._known_until = self._reporter.arrivals
        self._waiting = np.array(waiting, np.int64)

    def hand_back(self) -> None:
        content, movement = self._window.content, self._window.movement
        content.begin_anew(self._base, self._times.tolist())
        movement.low, movement.high = self.low, self.high
        self._reporter.arrivals = self._waiting.tolist(), self._latest, self._known_until

    # --- items ----------------------------------------------------------------------------------

    def admitted(self, times: Column) -> NDArray[np.bool_] | None:
        """Which items at these times may ever be in the window; None: all."""
        match self.function:
            case LandmarkWindow(start):
                return times >= start.value
            case IntervalWindow(first, last):
                return (first.value <= times) & (times <= last.value)
            case _:
                return None

    def arrive(self, times: Column) -> Column:
        """Items of the window's stream arrive: their positions, of one not admitted the next's."""
        instants = times if self._latest is None else times[times > self._latest]
        if len(instants):
            self._waiting = np.concatenate((self._waiting, np.unique(instants)))
            self._latest = int(instants[-1])
        admitted = self.admitted(times)
        end = self._base + len(self._times)
        if admitted is None:
            self._times = np.concatenate((self._times, times))
            return np.arange(end, end + len(times))
        self._times = np.concatenate((self._times, times[admitted]))
        return end + np.cumsum(admitted) - admitted

    def forget_before(self, t: int) -> None:
        if self._keeps_all:
            passed = int(np.searchsorted(self._times, t))
        else:
            low = int(self.ranges(np.array([t]))[0][0])
            passed = max(0, low - self._base)
        self._times = self._times[passed:]
        self._base += passed
        self.first = 0 if self._keeps_all else self._base

    @property
    def size(self) -> int:
        return len(self._times)

    # --- evaluations ----------------------------------------------------------------------------

    def due(self, until: int | None) -> Column:
        """The instants up to `until` at which the window reports; each is asked for once."""
        waiting = self._waiting
        stop = len(waiting) if until is None else int(np.searchsorted(waiting, until, "right"))
        instants, self._waiting = waiting[:stop], waiting[stop:]
        if not stop:
            return instants
        low, high = self.ranges(instants)
        known = np.maximum.accumulate(np.concatenate(([self._known_until], high)))
        self._known_until = int(known[-1])
        return instants[high > np.maximum(low, known[:-1])]

    def move(self, instants: Column) -> None:
        """The window at these evaluations."""
        self.lows, self.highs = self.ranges(instants)
        if len(instants):
            self.low, self.high = int(self.lows[-1]), int(self.highs[-1])

    def ranges(self, instants: Column) -> tuple[Column, Column]:
        """The range of positions, low … high−1, at each of these instants, which rise."""
        until = self._position(instants, "right")
        match self.function:
            case TimeBasedWindow(width, bounds=Bounds.CLOSED_CLOSED):
                return self._position(instants - width.value, "left"), until
            case TimeBasedWindow(width):  # it lets in at once, so that it is open closed
                return self._position(instants - width.value, "right"), until
            case LandmarkWindow() | IntervalWindow() | IdentityWindow():
                return np.zeros_like(until), until
            case _:
                raise Impossible(f"not a window over columns: {self.function!r}")

    def _position(self, times: Column, side: str) -> Column:
        found = np.searchsorted(self._times, times, side)  # type: ignore[call-overload]
        return found + self._base  # type: ignore[no-any-return]


class SteppingWindow(WindowColumns):
    """Any other whose bounds never decrease: it is asked for its range at each evaluation."""

    def __init__(self, window: MovingWindow) -> None:
        super().__init__(window)
        self._noted: list[tuple[int, int]] = []

    def take_over(self) -> None:
        self.low, self.high = self._window.movement.low, self._window.movement.high

    def hand_back(self) -> None:
        self._window.movement.low, self._window.movement.high = self.low, self.high

    def arrive(self, time: int) -> int | None:
        """An item of the window's stream arrives: its position, if it may ever be inside."""
        return self._window.arrive(time) if self._window.admits(time) else None

    def note(self, t: int) -> None:
        """There is an evaluation at t; nothing has come that is later."""
        self._noted.append(self._window.content.at(t))

    def move(self) -> None:
        """The window at the evaluations that have been noted."""
        ranges = np.array(self._noted, np.int64).reshape(-1, 2)
        self.lows, self.highs = ranges[:, 0], ranges[:, 1]
        if self._noted:
            self.low, self.high = self._noted[-1]
        self._noted = []

    def forget_before(self, t: int) -> None:
        self.first = self._window.forget_before(t)

    @property
    def size(self) -> int:
        return len(self._window.content.timeline)


def lets_in_at_once(function: WindowFunction) -> bool:
    """Whether `WindowAtOnce` takes a window function, reported at each item that it lets in."""
    return isinstance(
        function, TimeBasedWindow | LandmarkWindow | IntervalWindow | IdentityWindow
    ) and ContentChange.at_once(clocks(function))


def is_columnar(window: MovingWindow) -> bool:
    """Whether columns are pruned as the window moves, or need not be."""
    function = window.function
    return (
        window.content.monotone
        and (lasts(function) is not None or begins_at_once(function))
        and all(abs(moment.value) < _FAR for moment in find(function, Moment))
    )


def lasts(function: WindowFunction) -> int | None:
    """How long after its time an item may be in the window at most; None: that is not known."""
    # Until the next step there is what the last has let in.
    return min(
        (
            clock.width.value + (0 if clock.step is None else clock.step.value - 1)
            for clock in clocks(function)
        ),
        default=None,
    )
