"""ET, the instants of evaluation (Def. 5): listed, or found by a report policy (3.4, SECRET).

A policy is asked for one window over one stream; a query is evaluated whenever one of its windows
reports. Streams are finite here: a policy has no more to report once the last item has been seen
and every time-based window is empty. Which item is the last, `until` says: with several streams it
is the last of them all, for that one of them has nothing more to say cannot be known before.

A time-based window ticks at its steps t0 + k·β, every other at the arrival of an item. What is
nested ticks with its outer window if that is time-based, else with its inner one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..model.errors import QueryError, UnsupportedError
from .dataset import StreamingDataset, WindowedStream
from .syntax.evaluation import Evaluation
from .window_functions import Counted, Interval, Nested, TimeBased, Timed, Window, arrived

MOST_REPORTS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Item:
    """An item as a policy sees it: when it comes, and as which."""

    time: int
    number: int


def content_change(window: Window, stream: Sequence[Timed]) -> list[int]:
    """Return the instants at which an item is in the window for the first time.

    That is when it arrives, or at the step that lets it in, where the window has steps. That items
    leave is not reported.
    """
    items = _numbered(stream)
    clocks = _clocks(window)
    instants = {item.time for item in items}
    for clock in clocks:
        for item in items:
            step = clock.next_step(item.time)
            instants.add(step if clock.to_included or step > item.time else step + clock.step)
    reports = []
    known: set[int] = set()
    for t in sorted(instants):
        held = {item.number for item in window(arrived(items, t), t)}
        if held - known:
            reports.append(t)
        known |= held
    return reports


def window_close(
    window: Window, stream: Sequence[Timed], until: int | None = None
) -> list[int]:
    """Return the instants at which a window is complete, also if it is empty.

    A time-based window closes at each of its steps, from the first at or after the first item to
    the last at which it holds an item or that is not behind `until`; an interval closes at its end,
    a window of n items every m of them. Other windows never close.
    """
    match window:
        case TimeBased():
            return _limited(_step_instants(window, stream, until))
        case Interval(_, last):
            return [] if last is None else [last]
        case Counted(_, step):
            return sorted({item.time for item in islice(stream, step - 1, None, step)})
        case Nested(outer, inner):
            closing = outer if closes(outer) else inner
            return window_close(closing, stream, until)
    return []


def closes(window: Window) -> bool:
    """Return True if a window is complete at some time."""
    match window:
        case TimeBased() | Counted():
            return True
        case Interval(_, last):
            return last is not None
        case Nested(outer, inner):
            return closes(outer) or closes(inner)
    return False


def non_empty_content(window: Window, stream: Sequence[Timed]) -> list[int]:
    """Return the ticks at which the window holds an item."""
    clocks = _clocks(window)
    if clocks:
        ticks = _limited(_step_instants(clocks[0], stream))
    else:
        ticks = sorted({i.time for i in stream})
    return [t for t in ticks if window(arrived(stream, t), t)]


def periodic(
    window: Window,
    stream: Sequence[Timed],
    period: int,
    start: int = 0,
    until: int | None = None,
) -> list[int]:
    """start + k·period: from the first at or after the first item to the last at which the window
    holds an item or that is not behind `until`, or the first at or after the last item, whichever
    is later."""
    if not stream:
        return []
    clock = TimeBased(period, period, start)
    last = clock.next_step(stream[-1].time)
    for ticking in _clocks(window)[:1]:
        steps = _step_instants(ticking, stream)
        # The content of the last step is seen until the next.
        last = max(last, clock.last_step(steps[-1] + ticking.step - 1))
    if until is not None:
        last = max(last, clock.last_step(until))
    return _limited(range(clock.next_step(stream[0].time), last + 1, period))


def _step_instants(window: TimeBased, stream: Sequence[Timed], until: int | None = None) -> range:
    """Return the steps from the first item on, while the window may hold an item or to `until`."""
    if not stream:
        return range(0)
    first = window.next_step(stream[0].time)
    last = window.next_step(stream[-1].time)
    leaving = window.last_step(stream[-1].time + window.width)
    if not window.holds(stream[-1].time, leaving):
        leaving -= window.step
    if until is not None:
        last = max(last, window.last_step(until))
    return range(first, max(last, leaving) + 1, window.step)


def _clocks(window: Window) -> list[TimeBased]:
    """Return the time-based windows in a window, from the outermost."""
    match window:
        case TimeBased():
            return [window]
        case Nested(outer, inner):
            return _clocks(outer) + _clocks(inner)
    return []


def _numbered(stream: Iterable[Timed]) -> list[_Item]:
    return [_Item(item.time, number) for number, item in enumerate(stream)]


def _limited(instants: range) -> list[int]:
    if len(instants) > MOST_REPORTS:
        raise UnsupportedError(
            f"the report policy asks for {len(instants)} evaluations (at most {MOST_REPORTS} are"
            " made): choose longer steps or periods, or list the evaluation times"
        )
    return list(instants)


def evaluation_times(sds: StreamingDataset, evaluation: Evaluation) -> list[int]:
    """ET in increasing order: a query is evaluated whenever one of its windows reports."""
    if evaluation.at is not None:
        return sorted(set(evaluation.at))
    windows = sds.all_windows
    if evaluation.policy == "window-close" and not any(closes(each.window) for each in windows):
        raise QueryError("policy window-close: no window of the query ever closes")
    period = _period(windows, evaluation)
    found = {t for each in windows for t in reports(each, evaluation, period, sds.until)}
    return sorted(
        t for t in found
        if (evaluation.first is None or evaluation.first <= t)
        and (evaluation.last is None or t <= evaluation.last)
    )


def reports(
    windowed: WindowedStream, evaluation: Evaluation, period: int, until: int | None
) -> list[int]:
    """Return the instants at which one window reports; `until` is the time of the last item."""
    window, stream = windowed.window, windowed.stream
    match evaluation.policy:
        case "content-change":
            return content_change(window, stream)
        case "window-close":
            return window_close(window, stream, until)
        case "non-empty-content":
            return non_empty_content(window, stream)
        case "periodic":
            return periodic(window, stream, period, evaluation.start, until)


def _period(windows: tuple[WindowedStream, ...], evaluation: Evaluation) -> int:
    steps = [step for each in windows for step in _steps(each.window)]
    if evaluation.period is not None:
        return evaluation.period
    if evaluation.policy == "periodic" and not steps:
        raise QueryError("policy periodic needs a period: no window of the query has a step")
    return min(steps, default=1)


def _steps(window: Window) -> list[int]:
    match window:
        case TimeBased():
            return [window.step]
        case Nested(outer, inner):
            return _steps(outer) + _steps(inner)
    return []
