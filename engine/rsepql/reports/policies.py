"""Report policies over unbounded input (RSEP-QL 3.4), and the instants of evaluation ET.

A reporter is told what arrives and knows the next instant that may report. Whether it does is asked
once nothing more can come at that instant or before it, and asked in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

from ....semantics.model.errors import Impossible, QueryError, UnsupportedError
from ....semantics.model.terms import URIRef
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.tree import (
    Bounds,
    CountWindow,
    IntervalWindow,
    NestedWindow,
    TimeBasedWindow,
    WindowFunction,
)
from ...checkpoints.state_schema import stateful
from ..windows.functions import Content
from ..windows.window_state import WindowState

MOST_TICKS = 1_000_000
"""As many evaluations as may lie between two items."""


class Reporter(Protocol):
    """The instants at which one window reports."""

    def arrive(self, time: int) -> None:
        """Add an item of the window's stream."""

    def end(self, until: int) -> None:
        """End the streams; the last of all streams was at `until`."""

    def next(self) -> int | None:
        """Return the next instant that may report; None if there is none, as far as is known."""

    def reports(self, t: int) -> bool:
        """Return True if the window reports at `next()`, which is in the past from now on."""

    def ticks(self, until: int | None) -> int:
        """Return the number of instants up to `until` that may report without an item.

        Where it is None, no item comes any more.
        """


@stateful(kept=("_times",))
class Listed:
    """Explicit evaluation times."""

    def __init__(self, times: tuple[int, ...]) -> None:
        self._times = deque(sorted(set(times)))

    def arrive(self, time: int) -> None:
        """Ignore an arrival, which changes nothing."""

    def end(self, until: int) -> None:
        """End the streams; times behind the end are evaluated too."""

    def next(self) -> int | None:
        return self._times[0] if self._times else None

    def reports(self, t: int) -> bool:
        self._times.popleft()
        return True

    def ticks(self, until: int | None) -> int:
        return 0


@stateful(kept=("waiting", "latest"))
class _Instants:
    """Instants that come in order, each once."""

    def __init__(self) -> None:
        self.waiting: deque[int] = deque()
        self.latest: int | None = None

    def add(self, t: int) -> None:
        if self.latest is None or t > self.latest:
            self.latest = t
            self.waiting.append(t)


@stateful(
    kept=("_known", "_known_until"), parts=("_content", "_instants"), compiled=("_clocks",)
)
class ContentChange:
    """The times when an item is first in the window: at its arrival, or at a later step."""

    def __init__(self, content: Content) -> None:
        self._content = content
        found = [_Clock(each) for each in clocks(content.function)]
        self._clocks = [each for each in found if not each.lets_in_at_once]
        self._instants = [_Instants() for _ in range(len(self._clocks) + 1)]
        self._known: set[int] = set()
        self._known_until = 0

    @property
    def arrivals(self) -> tuple[list[tuple[list[int], int | None]], int]:
        """The position of the policy.

        It holds the instants to report at, and the latest ever, for arrivals of items and for the
        steps that admit them; and the position up to which they are known.
        """
        found = [(list(instants.waiting), instants.latest) for instants in self._instants]
        return found, self._known_until

    @arrivals.setter
    def arrivals(self, these: tuple[list[tuple[list[int], int | None]], int]) -> None:
        found, self._known_until = these
        for instants, (waiting, latest) in zip(self._instants, found, strict=True):
            instants.waiting, instants.latest = deque(waiting), latest

    def arrive(self, time: int) -> None:
        self._instants[0].add(time)
        if self._clocks:
            for clock, instants in zip(self._clocks, self._instants[1:], strict=True):
                instants.add(clock.lets_in(time))

    def end(self, until: int) -> None:
        """End the streams; items that have arrived may still enter the window."""

    def next(self) -> int | None:
        if not self._clocks:
            waiting = self._instants[0].waiting
            return waiting[0] if waiting else None
        return min((each.waiting[0] for each in self._instants if each.waiting), default=None)

    def reports(self, t: int) -> bool:
        for each in self._instants:
            if each.waiting and each.waiting[0] == t:
                each.waiting.popleft()
        low, high = self._content.at(t)
        if self._content.monotone:
            fresh = high > max(low, self._known_until)
            self._known_until = max(self._known_until, high)
            return fresh
        held = set(range(low, high))
        fresh = not held <= self._known
        oldest = self._content.timeline.beginning
        self._known = {each for each in self._known | held if each >= oldest}
        return fresh

    def ticks(self, until: int | None) -> int:
        return 0


@stateful(kept=("_next", "_latest", "_stop"), compiled=("_clock",))
class Ticks:
    """The steps of a time-based window, from the first item on, as long as it may hold one.

    And as long as any stream goes on: that this one has ended cannot be known before.
    """

    def __init__(self, clock: TimeBasedWindow) -> None:
        self._clock = _Clock(clock)
        self._next: int | None = None
        self._latest = 0
        self._stop: int | None = None

    def arrive(self, time: int) -> None:
        self._latest = time
        if self._next is None:
            self._next = self._clock.at_or_after(time)

    def end(self, until: int) -> None:
        self._stop = max(self._clock.last_tick(self._latest), until)

    def next(self) -> int | None:
        if self._next is None or (self._stop is not None and self._next > self._stop):
            return None
        return self._next

    def reports(self, t: int) -> bool:
        self._next = t + self._clock.step
        return True

    def ticks(self, until: int | None) -> int:
        begin, last = self.next(), self._stop if until is None else until
        if begin is None or last is None:
            return 0
        return max(0, (last - begin) // self._clock.step + 1)


@stateful(
    kept=("_next", "_latest", "_stop"), compiled=("_period", "_start", "_clocks")
)
class Periodic:
    """start + k·period, from the first item on, as long as the window may hold one.

    And as long as any stream goes on.
    """

    def __init__(self, function: WindowFunction, period: int, start: int) -> None:
        self._period = period
        self._start = start
        self._clocks = [_Clock(each) for each in clocks(function)[:1]]
        self._next: int | None = None
        self._latest = 0
        self._stop: int | None = None

    def arrive(self, time: int) -> None:
        self._latest = time
        if self._next is None:
            self._next = self._at_or_after(time)

    def end(self, until: int) -> None:
        self._stop = max(self._at_or_after(self._latest), until)
        for clock in self._clocks:
            # What the last step lets in is seen until the next.
            seen_until = clock.last_tick(self._latest) + clock.step - 1
            behind = (seen_until - self._start) % self._period
            self._stop = max(self._stop, seen_until - behind)

    def next(self) -> int | None:
        if self._next is None or (self._stop is not None and self._next > self._stop):
            return None
        return self._next

    def reports(self, t: int) -> bool:
        self._next = t + self._period
        return True

    def ticks(self, until: int | None) -> int:
        begin, last = self.next(), self._stop if until is None else until
        if begin is None or last is None:
            return 0
        return max(0, (last - begin) // self._period + 1)

    def _at_or_after(self, time: int) -> int:
        return time + (self._start - time) % self._period


@stateful(kept=("_count",), parts=("_instants",), compiled=("_every",))
class Arrivals:
    """The times of every nth item."""

    def __init__(self, every: int = 1) -> None:
        self._every = every
        self._count = 0
        self._instants = _Instants()

    def arrive(self, time: int) -> None:
        self._count += 1
        if self._count % self._every == 0:
            self._instants.add(time)

    def end(self, until: int) -> None:
        """End the streams; every arrival has been reported."""

    def next(self) -> int | None:
        return self._instants.waiting[0] if self._instants.waiting else None

    def reports(self, t: int) -> bool:
        self._instants.waiting.popleft()
        return True

    def ticks(self, until: int | None) -> int:
        return 0


@stateful(parts=("_content", "_ticks"), compiled=("arrive", "end", "next", "ticks"))
class NonEmpty:
    """Those ticks at which the window holds an item."""

    def __init__(self, content: Content, ticks: Reporter) -> None:
        self._content = content
        self._ticks = ticks
        self.arrive: Callable[[int], None] = ticks.arrive
        self.end: Callable[[int], None] = ticks.end
        self.next: Callable[[], int | None] = ticks.next
        self.ticks: Callable[[int | None], int] = ticks.ticks

    def reports(self, t: int) -> bool:
        self._ticks.reports(t)
        low, high = self._content.at(t)
        return high > low


def reporter(evaluation: Evaluation, content: Content, period: int | None) -> Reporter | None:
    """Return the reporter of a window under a report policy; None if it never reports."""
    match evaluation.policy:
        case "content-change":
            return ContentChange(content)
        case "window-close":
            return _closing(content.function)
        case "non-empty-content":
            ticking = clocks(content.function)[:1]
            return NonEmpty(content, Ticks(ticking[0]) if ticking else Arrivals())
        case "periodic" if period is not None:
            return Periodic(content.function, period, evaluation.start)
        case _:
            raise Impossible(f"the policy {evaluation.policy} with the period {period}")


def _closing(function: WindowFunction) -> Reporter | None:
    match function:
        case TimeBasedWindow():
            return Ticks(function)
        case IntervalWindow(_, last):
            return Listed((last.value,))
        case CountWindow(_, step):
            return Arrivals(step)
        case NestedWindow(outer, inner):
            return _closing(outer) or _closing(inner)
        case _:
            return None


def clocks(function: WindowFunction) -> list[TimeBasedWindow]:
    """Return the time-based windows in a window, from the outermost."""
    match function:
        case TimeBasedWindow():
            return [function]
        case NestedWindow(outer, inner):
            return clocks(outer) + clocks(inner)
        case _:
            return []


class _Clock:
    """The steps of a time-based window."""

    def __init__(self, window: TimeBasedWindow) -> None:
        self.step = 1 if window.step is None else window.step.value
        self._start = 0 if window.start is None else window.start.value
        self._width = window.width.value
        self._from_included = window.bounds in (Bounds.CLOSED_OPEN, Bounds.CLOSED_CLOSED)
        self._to_included = window.bounds in (Bounds.OPEN_CLOSED, Bounds.CLOSED_CLOSED)

    @property
    def lets_in_at_once(self) -> bool:
        """True if an item is in the window when it comes."""
        return self.step == 1 and self._to_included

    def at_or_after(self, time: int) -> int:
        """Return the first step at `time` or later."""
        return time + (self._start - time) % self.step

    def lets_in(self, time: int) -> int:
        """Return the first step whose window may hold an item of this time."""
        step = self.at_or_after(time)
        return step if self._to_included or step > time else step + self.step

    def last_tick(self, time: int) -> int:
        """Return the last step that holds an item of this time, or else the first after it."""
        end = time + self._width
        last = end - (end - self._start) % self.step
        if last == end and not self._from_included:
            last -= self.step  # there the item is on the open bound
        return max(self.at_or_after(time), last)


def too_many(count: int) -> UnsupportedError:
    """Return the error of a policy that asks for too many evaluations between two items."""
    return UnsupportedError(
        f"the report policy asks for {count} evaluations between two items (at most {MOST_TICKS}"
        " are made): choose longer steps or periods, or list the evaluation times"
    )


@stateful(parts=("reporters",), compiled=("_told",))
class Schedule:
    """The reporters of all windows, as one."""

    def __init__(self, evaluation: Evaluation, windows: list[WindowState]) -> None:
        reporters = list(_reporters(evaluation, windows))
        self.reporters = [each for _, each in reporters]
        self._told: dict[URIRef, list[Reporter]] = {}
        for stream, each in reporters:
            if stream is not None:
                self._told.setdefault(stream, []).append(each)

    def arrive(self, stream: URIRef, time: int) -> None:
        """Add an item."""
        for each in self._told.get(stream, ()):
            each.arrive(time)

    def end(self, until: int) -> None:
        """End the streams; the last was at `until`."""
        for each in self.reporters:
            each.end(until)

    def next(self) -> int | None:
        """Return the next instant at which the query may be evaluated, as far as is known."""
        if len(self.reporters) == 1:
            return self.reporters[0].next()
        instants = [t for each in self.reporters if (t := each.next()) is not None]
        return min(instants, default=None)

    def reports(self, t: int) -> bool:
        """Return True if the query is evaluated at `next()`, which is in the past from now on."""
        found = False
        for each in self.reporters:
            if each.next() == t:
                found |= each.reports(t)
        return found

    def ticks(self, until: int | None) -> int:
        """Return the number of instants up to `until`, or the end, that need no item to report."""
        return max((each.ticks(until) for each in self.reporters), default=0)


def _reporters(
    evaluation: Evaluation, windows: list[WindowState]
) -> Iterator[tuple[URIRef | None, Reporter]]:
    """Yield each reporter, and the stream whose items it needs."""
    if evaluation.at is not None:
        yield None, Listed(evaluation.at)
        return
    period = evaluation.period
    if evaluation.policy == "periodic" and period is None:
        ticking = [clock for each in windows for clock in clocks(each.function)]
        if not ticking:
            raise QueryError("policy periodic needs a period: no window of the query has a step")
        period = min(1 if each.step is None else each.step.value for each in ticking)
    found = False
    for window in windows:
        each = reporter(evaluation, window.content, period)
        if each is not None:
            found = True
            yield window.stream, each
    if evaluation.policy == "window-close" and not found:
        raise QueryError("policy window-close: no window of the query ever closes")
