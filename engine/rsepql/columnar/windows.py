"""Windows over columns: their ranges at many instants, and the instants of evaluation.

What `windows.functions` finds for one instant is found here for many; positions are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import URIRef
from ....semantics.model.trees import find
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.tree import (
    Bounds,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Moment,
    TimeBasedWindow,
    WindowFunction,
)
from ...rdf.columns.batch import Column, GraphBatch
from ..plan import Plan
from ..reports.policies import ContentChange, Schedule, clocks
from ..windows.functions import begins_at_once
from ..windows.window_state import WindowState

NOTHING: Final = np.zeros(0, np.int64)
_FAR = 1 << 61
"""Times and widths up to here can be added."""


class WindowColumns(ABC):
    """A `WindowState` while items come in batches.

    `lows` and `highs` are its ranges at the evaluations that are being made, `low` and `high`
    those at the latest that has been made.
    """

    def __init__(self, window: WindowState) -> None:
        self.stream = window.stream
        self.function = window.function
        self.lows: Column = NOTHING
        self.highs: Column = NOTHING
        self.low = self.high = 0
        self.first = 0
        """The first position that is remembered"""
        self._window = window

    @abstractmethod
    def import_state(self) -> None:
        """Go on from what the window knows."""

    @abstractmethod
    def export_state(self) -> None:
        """Export to the window the items that have arrived meanwhile."""

    @abstractmethod
    def evict_before(self, t: int) -> None:
        """Evict the state for instants before `t`, which are not needed any more."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of items in the state, by their times."""

    def stay(self) -> None:
        """Keep the window at the latest evaluation alone."""
        self.lows, self.highs = np.array([self.low]), np.array([self.high])

    def entry(self, positions: Column) -> Column:
        """Return the first of these evaluations that has each item, or their number if none has."""
        return np.searchsorted(self.highs, positions, "right")

    def exit(self, positions: Column) -> Column:
        """Return the first at which it has gone out again."""
        return np.searchsorted(self.lows, positions, "right")


class WindowAtOnce(WindowColumns):
    """One that reports what is new in it: all its ranges and reports are found together."""

    def __init__(self, window: WindowState, reporter: ContentChange) -> None:
        super().__init__(window)
        self._reporter = reporter
        self._keeps_all = window.content.keeps_all
        self._steps = None
        if isinstance(window.function, TimeBasedWindow):
            self._steps = _Steps(window.function)

    # --- from items to columns, and back ----------------------------------------------------------

    def import_state(self) -> None:
        timeline = self._window.content.timeline
        self._times = np.array(timeline.times, np.int64)
        self._base = timeline.beginning
        self.low, self.high = self._window.movement.low, self._window.movement.high
        waiting, self._known_until = self._reporter.arrivals
        self._waiting = [_Waiting(np.array(times, np.int64), latest) for times, latest in waiting]

    def export_state(self) -> None:
        content, movement = self._window.content, self._window.movement
        content.begin_anew(self._base, self._times.tolist())
        movement.low, movement.high = self.low, self.high
        waiting = [(each.times.tolist(), each.latest) for each in self._waiting]
        self._reporter.arrivals = waiting, self._known_until

    # --- items ----------------------------------------------------------------------------------

    def admitted(self, times: Column) -> NDArray[np.bool_] | None:
        """Return a mask of the times at which an item may ever be in the window; None: all."""
        match self.function:
            case LandmarkWindow(start):
                return times >= start.value
            case IntervalWindow(first, last):
                return (first.value <= times) & (times <= last.value)
            case _:
                return None

    def arrive(self, times: Column) -> Column:
        """Add items of the window's stream; return their positions (not admitted: the next's)."""
        self._waiting[0].add(times)
        if self._steps is not None and len(self._waiting) > 1:
            self._waiting[1].add(self._steps.letting_in(times))
        admitted = self.admitted(times)
        end = self._base + len(self._times)
        if admitted is None:
            self._times = np.concatenate((self._times, times))
            return np.arange(end, end + len(times))
        self._times = np.concatenate((self._times, times[admitted]))
        return end + np.cumsum(admitted) - admitted

    def evict_before(self, t: int) -> None:
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
        """Return the instants up to `until` at which the window reports; each is asked for once."""
        instants, *others = (each.up_to(until) for each in self._waiting)
        if others:
            instants = np.unique(np.concatenate((instants, *others)))
        if not len(instants):
            return instants
        low, high = self.ranges(instants)
        known = np.maximum.accumulate(np.concatenate(([self._known_until], high)))
        self._known_until = int(known[-1])
        return instants[high > np.maximum(low, known[:-1])]

    def move(self, instants: Column) -> None:
        """Move the window to these evaluations."""
        self.lows, self.highs = self.ranges(instants)
        if len(instants):
            self.low, self.high = int(self.lows[-1]), int(self.highs[-1])

    def ranges(self, instants: Column) -> tuple[Column, Column]:
        """Return the range of positions, low … high−1, at each of these instants, which rise."""
        if self._steps is None:
            until = self._position(instants, "right")
            return np.zeros_like(until), until
        end = self._steps.latest(instants)
        first, last = self._steps.sides
        return self._position(end - self._steps.width, first), self._position(end, last)

    def _position(self, times: Column, side: str) -> Column:
        found = np.searchsorted(self._times, times, side)  # type: ignore[call-overload]
        return found + self._base  # type: ignore[no-any-return]


class _Waiting:
    """Instants at which a window may report, rising, each once."""

    def __init__(self, times: Column, latest: int | None) -> None:
        self.times = times
        self.latest = latest
        """the latest that ever was"""

    def add(self, times: Column) -> None:
        """Add further ascending ones, some of which may be present."""
        new = times if self.latest is None else times[times > self.latest]
        if len(new):
            self.times = np.concatenate((self.times, np.unique(new)))
            self.latest = int(new[-1])

    def up_to(self, until: int | None) -> Column:
        """Return those up to an instant (None: all); each is requested once."""
        stop = len(self.times)
        if until is not None:
            stop = int(np.searchsorted(self.times, until, "right"))
        found, self.times = self.times[:stop], self.times[stop:]
        return found


class _Steps:
    """The steps of a time-based window, for many instants at once."""

    def __init__(self, window: TimeBasedWindow) -> None:
        self.width = window.width.value
        self._step = 1 if window.step is None else window.step.value
        self._start = 0 if window.start is None else window.start.value
        from_included = window.bounds in (Bounds.CLOSED_OPEN, Bounds.CLOSED_CLOSED)
        self._to_included = window.bounds in (Bounds.OPEN_CLOSED, Bounds.CLOSED_CLOSED)
        self.sides = (
            "left" if from_included else "right", "right" if self._to_included else "left",
        )
        """on which sides of equal times the window begins and ends"""

    def latest(self, instants: Column) -> Column:
        """Return the latest step at each instant."""
        return instants - (instants - self._start) % self._step

    def letting_in(self, times: Column) -> Column:
        """Return the first step whose window may hold an item of this time."""
        steps = times + (self._start - times) % self._step
        return steps if self._to_included else np.where(steps > times, steps, steps + self._step)


class SteppingWindow(WindowColumns):
    """Any other whose bounds never decrease: it is asked for its range at each evaluation."""

    def __init__(self, window: WindowState) -> None:
        super().__init__(window)
        self._noted: list[tuple[int, int]] = []

    def import_state(self) -> None:
        self.low, self.high = self._window.movement.low, self._window.movement.high

    def export_state(self) -> None:
        self._window.movement.low, self._window.movement.high = self.low, self.high

    def arrive(self, time: int) -> int | None:
        """Add an item of the window's stream; return its position, if it may ever be inside."""
        return self._window.arrive(time) if self._window.admits(time) else None

    def note(self, t: int) -> None:
        """Note an evaluation at t; no later item has arrived."""
        self._noted.append(self._window.content.at(t))

    def move(self) -> None:
        """Move the window to the noted evaluations."""
        ranges = np.array(self._noted, np.int64).reshape(-1, 2)
        self.lows, self.highs = ranges[:, 0], ranges[:, 1]
        if self._noted:
            self.low, self.high = self._noted[-1]
        self._noted = []

    def evict_before(self, t: int) -> None:
        self.first = self._window.evict_before(t)

    @property
    def size(self) -> int:
        return len(self._window.content.timeline)


def found_at_once(function: WindowFunction) -> bool:
    """Return True if `WindowAtOnce` takes a window function."""
    return isinstance(
        function, TimeBasedWindow | LandmarkWindow | IntervalWindow | IdentityWindow
    )


def is_columnar(window: WindowState) -> bool:
    """Return True if columns are pruned as the window moves, or need not be."""
    function = window.function
    return (
        window.content.monotone
        and (lasts(function) is not None or begins_at_once(function))
        and all(abs(moment.value) < _FAR for moment in find(function, Moment))
    )


def lasts(function: WindowFunction) -> int | None:
    """Return the maximum time for which an item may be in the window; None: not known."""
    # Until the next step there is what the last has let in.
    return min(
        (
            clock.width.value + (0 if clock.step is None else clock.step.value - 1)
            for clock in clocks(function)
        ),
        default=None,
    )


EnteredItems = tuple[NDArray[np.bool_], Column]
"""The items of a batch that a window admits, and their positions; the others' are undefined."""
Due = Callable[[int | None, int | None], Iterator[int]]
"""The instants up to one (None: all) at which the query is evaluated, the latest item being at \
another; each is asked for once"""


class BatchSchedule(Protocol):
    """The windows of a query, in its order, as they move together."""

    @property
    def windows(self) -> Sequence[WindowColumns]: ...

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[EnteredItems]:
        """Add items after `latest`; return the effect on each window."""

    def due(self, until: int | None, latest: int | None) -> Column:
        """Return the evaluations up to an instant; the windows have moved to them."""


class ItemBatchSchedule:
    """A schedule for windows whose new items are reported, so that it need not be consulted."""

    def __init__(self, windows: Sequence[WindowAtOnce], evaluation: Evaluation) -> None:
        self.windows = windows
        self._first, self._last = evaluation.first, evaluation.last

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[EnteredItems]:
        arrived = []
        for window in self.windows:
            mine = batch.stream == _number(batch, window.stream)
            times = batch.time[mine]
            position = np.zeros(len(batch), np.int64)
            position[mine] = window.arrive(times)
            admitted = window.admitted(times)
            if admitted is not None:
                mine[mine] = admitted
            arrived.append((mine, position))
        return arrived

    def due(self, until: int | None, latest: int | None) -> Column:
        due = [window.due(until) for window in self.windows]
        instants = due[0] if len(due) == 1 else np.unique(np.concatenate(due))
        if self._first is not None:
            instants = instants[instants >= self._first]
        if self._last is not None:
            instants = instants[instants <= self._last]
        for window in self.windows:
            window.move(instants)
        return instants


class ReportBatchSchedule:
    """The schedule says when, as it does item by item."""

    def __init__(
        self, windows: Sequence[SteppingWindow], schedule: Schedule, due: Due
    ) -> None:
        self.windows = windows
        self._schedule = schedule
        self._due = due
        self._instants: list[int] = []

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[EnteredItems]:
        on: dict[URIRef, list[tuple[int, SteppingWindow]]] = {}
        for place, window in enumerate(self.windows):
            on.setdefault(window.stream, []).append((place, window))
        listening = [(iri, on.get(iri, [])) for iri in batch.streams]
        items: list[list[int]] = [[] for _ in self.windows]
        positions: list[list[int]] = [[] for _ in self.windows]
        heads = zip(batch.stream.tolist(), batch.time.tolist(), strict=True)
        for number, (stream, time) in enumerate(heads):
            if time != latest:
                self._note(time - 1, latest)
                latest = time
            iri, concerned = listening[stream]
            for place, window in concerned:
                position = window.arrive(time)
                if position is not None:
                    items[place].append(number)
                    positions[place].append(position)
            self._schedule.arrive(iri, time)
        arrived = []
        for mine, where in zip(items, positions, strict=True):
            admitted, position_of = np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.int64)
            admitted[mine] = True
            position_of[mine] = where
            arrived.append((admitted, position_of))
        return arrived

    def _note(self, until: int | None, latest: int | None) -> None:
        for t in self._due(until, latest):
            self._instants.append(t)
            for window in self.windows:
                window.note(t)

    def due(self, until: int | None, latest: int | None) -> Column:
        self._note(until, latest)
        instants, self._instants = self._instants, []
        for window in self.windows:
            window.move()
        return np.array(instants, np.int64) if instants else NOTHING


def pace(plan: Plan, schedule: Schedule, evaluation: Evaluation, due: Due) -> BatchSchedule:
    """Return the pace of a query whose windows are columnar."""
    if evaluation.at is None and evaluation.policy == "content-change":
        at_once = [
            WindowAtOnce(window, reporter)
            for window, reporter in zip(plan.windows, schedule.reporters, strict=True)
            if isinstance(reporter, ContentChange) and found_at_once(window.function)
        ]
        if len(at_once) == len(plan.windows):
            return ItemBatchSchedule(at_once, evaluation)
    return ReportBatchSchedule([SteppingWindow(each) for each in plan.windows], schedule, due)


def _number(batch: GraphBatch, stream: URIRef) -> int:
    return batch.streams.index(stream) if stream in batch.streams else -1
