"""Settings of RSP-QL, and the evaluations that follow from each.

A continuous query over a window [RANGE α STEP β] does not say when its windows begin (t0), whether
their ends belong to them, when the engine evaluates and reports (the report policy), what of each
answer it reports (the stream operator, where the query does not say) and whether it reports empty
answers. A `Setting` is one choice of all that but t0, which `t0` ranges over (RSP-QL, 4; SECRET).
A schedule says when a query is evaluated, and over which contents, under a report policy.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import gcd

from ...semantics.model.errors import UnsupportedError
from ...semantics.model.items import TimestampedGraph
from ...semantics.rsepql.syntax.settings import SETTINGS, EngineSetting
from ...semantics.rsepql.syntax.tree import StreamOperator
from ...semantics.rsepql.window_functions import TimeBased
from .snapshots import Contents, ContinuousQuery, JudgedWindow, Range


class Policy(StrEnum):
    """The evaluation times of a query (SECRET's report conditions)."""

    WINDOW_CLOSE = "window-close"
    NON_EMPTY_CONTENT = "non-empty-content"
    CONTENT_CHANGE = "content-change"
    PERIODIC = "periodic"


class Trigger(StrEnum):
    """The changes of content that trigger a report under the policy content-change."""

    ARRIVAL = "an item arrives"
    CHANGE = "an item arrives or leaves"
    MATCH = "an item arrives that adds a solution of the WHERE clause"
    NEW = "a window closes that holds an item which none before held"


class Extent(StrEnum):
    """The part of the stream that is visible to an evaluation at t."""

    CLOSED = "the window that closed last"
    SLIDING = "the last α up to t"
    CURRENT = "the window that is open at t, as far as it is filled"


class WindowEnds(StrEnum):
    """The bounds a and b that belong to a window."""

    OPEN_CLOSED = "(a,b]"
    CLOSED_OPEN = "[a,b)"
    CLOSED_CLOSED = "[a,b]"
    OPEN_OPEN = "(a,b)"

    @property
    def begin_included(self) -> bool:
        """True if a belongs to the window."""
        return self.value[0] == "["

    @property
    def end_included(self) -> bool:
        """True if b belongs to the window."""
        return self.value[-1] == "]"


class FirstWindow(StrEnum):
    """The time when the first window closes; the same if the slide is the range."""

    FULL = "at t0 + range"
    PARTIAL = "at t0 + slide"


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run a continuous query; the fields that a policy does not need keep defaults.

    `period` is in the stream's unit; `empty_answers` says whether an answer without rows is
    reported too.
    """

    policy: Policy
    operator: StreamOperator
    bounds: WindowEnds
    empty_answers: bool
    extent: Extent = Extent.CLOSED
    first: FirstWindow = FirstWindow.FULL
    trigger: Trigger | None = None
    period: int | None = None

    def is_of(self, engine: EngineSetting) -> bool:
        """Return True if the engine may run a query under this setting, as far as that is known.

        It evaluates as content changes if its windows slide, else as windows close: whether also
        as empty ones close, nobody says.
        """
        if engine.sliding:
            runs = self.policy is Policy.CONTENT_CHANGE and self.extent is not Extent.CLOSED
        else:
            closing = (Policy.WINDOW_CLOSE, Policy.NON_EMPTY_CONTENT)
            runs = self.policy in closing and self.extent is Extent.CLOSED
        return (
            runs and self.operator is engine.operator and self.empty_answers is engine.empty
        )


_ALIASES = {"morph": "sparqlstream", "c-sparql": "csparql"}


def setting_of_file(name: str) -> EngineSetting | None:
    """Return the engine that a file of answers is named after (`cqels-1.json`)."""
    low = name.lower().replace("_", "-")
    for known in sorted((*SETTINGS, *_ALIASES), key=len, reverse=True):
        if known in low:
            return SETTINGS[_ALIASES.get(known, known)]
    return None


# --- schedules ------------------------------------------------------------------------------------
# The window start t0 is unknown. It is a number, so there are infinitely many, but only finitely
# many that differ: between two neighbouring instants at which an item enters or leaves a window,
# moving t0 changes when windows close but not their contents. So `EvaluationTimes` stand for an
# interval of t0s: its evaluations are given for the earliest, and for t0 = earliest + δ they come δ
# later, unless they follow arrivals.

MOST_EVALUATIONS = 100_000
MOST_PER_ARRIVAL = 10
"""A granularity with more instants than this for each arrival is not tried as a period."""


@dataclass(frozen=True, slots=True)
class Starts:
    """The window starts earliest ≤ t0 ≤ latest."""

    earliest: int
    latest: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation at `time` sees these contents."""

    time: int
    contents: Contents


@dataclass(frozen=True, slots=True)
class EvaluationTimes:
    """The evaluations of one policy for an interval of window starts.

    The first `due` of them come while there is something to see; later ones see empty windows, and
    an engine may have been stopped before them. `starts` is None where t0 makes no difference.
    """

    policy: Policy
    bounds: WindowEnds
    extent: Extent
    evaluations: tuple[Evaluation, ...]
    due: int
    starts: Starts | None = None
    first: FirstWindow = FirstWindow.FULL
    trigger: Trigger | None = None
    period: int | None = None

    @property
    def moves(self) -> bool:
        """True if a later window start makes evaluations later."""
        return self.extent is Extent.CLOSED or self.policy is Policy.PERIODIC


class Timeline:
    """The arrivals in the windows' streams, and the ranges of items that intervals hold."""

    def __init__(
        self, windows: Sequence[JudgedWindow], streams: Sequence[Sequence[TimestampedGraph]]
    ) -> None:
        self.windows = tuple(windows)
        self._times = [[item.time for item in stream] for stream in streams]
        self.arrivals = sorted({time for times in self._times for time in times})
        if not self.arrivals:
            raise UnsupportedError("the streams hold no items: there is nothing to judge by")
        self.first, self.last = self.arrivals[0], self.arrivals[-1]
        self.slide = max(window.slide for window in self.windows)
        gaps = [later - earlier for earlier, later in pairwise(self.arrivals)]
        self.granule = gcd(*gaps) if gaps else self.slide

    def held(self, number: int, begin: int, end: int, bounds: WindowEnds) -> Range:
        """Return the items of a window's stream between two instants."""
        times = self._times[number]
        left = bisect_left if bounds.begin_included else bisect_right
        right = bisect_right if bounds.end_included else bisect_left
        start = left(times, begin)
        return start, max(start, right(times, end))


def schedules(
    query: ContinuousQuery,
    streams: Sequence[Sequence[TimestampedGraph]],
    until: int,
    periods: Sequence[int] = (),
) -> Iterator[EvaluationTimes]:
    """Yield every schedule that could have led to answers up to the instant `until`.

    `periods` are those of periodic reports besides the stream's granularity (if items come so often
    that it could be one).
    """
    timeline = Timeline(query.windows, streams)
    yield from _closing(timeline, until)
    yield from _sliding_changes(timeline)
    yield from _current_changes(timeline)
    tried = set(periods)
    if (timeline.last - timeline.first) // timeline.granule <= (
        MOST_PER_ARRIVAL * len(timeline.arrivals)
    ):
        tried.add(timeline.granule)
    for period in sorted(tried):
        yield from _periodic(timeline, period, until)


# --- window close, non-empty content -------------------------------------------------------------


def _closing(timeline: Timeline, until: int) -> Iterator[EvaluationTimes]:
    kinds = [FirstWindow.FULL]
    if any(window.width != window.slide for window in timeline.windows):
        kinds.append(FirstWindow.PARTIAL)
    for starts in _starts(timeline):
        for first in kinds:
            for bounds in WindowEnds:
                evaluations, due = _closes(timeline, starts.earliest, first, bounds, until)
                yield EvaluationTimes(
                    Policy.WINDOW_CLOSE, bounds, Extent.CLOSED, evaluations, due, starts, first
                )
                seeing = tuple(e for e in evaluations if _holds_items(e))
                yield EvaluationTimes(
                    Policy.NON_EMPTY_CONTENT, bounds, Extent.CLOSED, seeing, len(seeing), starts,
                    first,
                )
                changed = tuple(_changed(evaluations))
                yield EvaluationTimes(
                    Policy.CONTENT_CHANGE, bounds, Extent.CLOSED, changed, len(changed), starts,
                    first, Trigger.NEW,
                )


def _changed(evaluations: Iterable[Evaluation]) -> Iterator[Evaluation]:
    """Yield those that see an item which none before has seen (RSEP-QL's content change)."""
    latest: dict[int, int] = {}
    for evaluation in evaluations:
        new = False
        for number, (begin, end) in enumerate(evaluation.contents):
            if begin < end and end > latest.get(number, 0):
                latest[number] = end
                new = True
        if new:
            yield evaluation


def _closes(
    timeline: Timeline, t0: int, first: FirstWindow, bounds: WindowEnds, until: int
) -> tuple[tuple[Evaluation, ...], int]:
    """Return the evaluations at which windows close, and how many of them are due."""
    instants: set[int] = set()
    clocks = []
    # A window that closes before it could hold the first item does not matter.
    earliest = timeline.first + (0 if bounds.end_included else 1)
    for window in timeline.windows:
        close = t0 + (window.width if first is FirstWindow.FULL else window.slide)
        clocks.append(TimeBased(window.width, window.slide, close))
        begin = max(close, clocks[-1].next_step(earliest))
        stop = max(timeline.last + window.width, until) + window.slide
        instants.update(_limited(range(begin, stop + 1, window.slide)))
    found = [Evaluation(t, _closed_at(timeline, t, t0, clocks, bounds)) for t in sorted(instants)]
    due = max((n for n, e in enumerate(found, start=1) if _holds_items(e)), default=0)
    return tuple(found), due


def _closed_at(
    timeline: Timeline, t: int, t0: int, clocks: Sequence[TimeBased], bounds: WindowEnds
) -> Contents:
    """Return for each window the contents of the one that closed last at t."""
    contents = []
    for number, clock in enumerate(clocks):
        end = clock.last_step(t)
        contents.append(timeline.held(number, max(end - clock.width, t0), end, bounds))
    return tuple(contents)


def _starts(timeline: Timeline) -> Iterator[Starts]:
    """Yield the intervals of window starts within a slide before and a slide after the first item.

    A start later than the first item means that the engine has missed what came before.
    """
    low, high = timeline.first - timeline.slide, timeline.first + timeline.slide - 1
    critical = {low, timeline.first, timeline.first + 1}
    for window in timeline.windows:
        for time in timeline.arrivals:
            for moment in (time, time - window.width, time + window.width):
                for lap in range(-(-(low - moment) // window.slide),
                                 (high - moment) // window.slide + 1):
                    start = moment + lap * window.slide
                    critical.update((start, start + 1))
    ordered = sorted(c for c in critical if low <= c <= high)
    for earliest, after in pairwise([*ordered, high + 1]):
        yield Starts(earliest, after - 1)


# --- content change ------------------------------------------------------------------------------


def _sliding_changes(timeline: Timeline) -> Iterator[EvaluationTimes]:
    """Yield windows that end at the evaluation; without its end, none would hold the arrival."""
    for bounds in (WindowEnds.OPEN_CLOSED, WindowEnds.CLOSED_CLOSED):
        arrivals = tuple(
            Evaluation(t, _sliding_at(timeline, t, bounds)) for t in timeline.arrivals
        )
        for trigger in (Trigger.ARRIVAL, Trigger.MATCH):
            yield EvaluationTimes(
                Policy.CONTENT_CHANGE, bounds, Extent.SLIDING, arrivals, len(arrivals),
                trigger=trigger,
            )
        # At t = arrival + α an item is still in [t − α, t], and no longer in (t − α, t].
        late = 1 if bounds.begin_included else 0
        non_default = {
            time + window.width + late
            for window in timeline.windows for time in timeline.arrivals
        }
        instants = sorted({*timeline.arrivals, *non_default})
        found = tuple(Evaluation(t, _sliding_at(timeline, t, bounds)) for t in instants)
        due = bisect_right(instants, timeline.last)
        yield EvaluationTimes(
            Policy.CONTENT_CHANGE, bounds, Extent.SLIDING, found, due, trigger=Trigger.CHANGE
        )


def _sliding_at(timeline: Timeline, t: int, bounds: WindowEnds) -> Contents:
    return tuple(
        timeline.held(number, t - window.width, t, bounds)
        for number, window in enumerate(timeline.windows)
    )


def _current_changes(timeline: Timeline) -> Iterator[EvaluationTimes]:
    """Yield RSP-QL's active window: of those open at t the one that closes first."""
    for starts in _starts(timeline):
        for bounds in (WindowEnds.OPEN_CLOSED, WindowEnds.CLOSED_OPEN):
            found = tuple(
                Evaluation(t, _current_at(timeline, t, starts.earliest, bounds))
                for t in timeline.arrivals
                if t > starts.earliest or (bounds.begin_included and t == starts.earliest)
            )
            for trigger in (Trigger.ARRIVAL, Trigger.MATCH):
                yield EvaluationTimes(
                    Policy.CONTENT_CHANGE, bounds, Extent.CURRENT, found, len(found), starts,
                    trigger=trigger,
                )


def _current_at(timeline: Timeline, t: int, t0: int, bounds: WindowEnds) -> Contents:
    contents = []
    seen = WindowEnds.CLOSED_CLOSED if bounds.begin_included else WindowEnds.OPEN_CLOSED
    for number, window in enumerate(timeline.windows):
        clock = TimeBased(window.width, window.slide, t0)
        # The first opening o with t ∈ [o, o + α), or with t ∈ (o, o + α].
        opening = clock.next_step(t - window.width + (1 if bounds.begin_included else 0))
        contents.append(timeline.held(number, max(opening, t0), t, seen))
    return tuple(contents)


# --- periodic ------------------------------------------------------------------------------------


def _periodic(timeline: Timeline, period: int, until: int) -> Iterator[EvaluationTimes]:
    if all(window.slide == period for window in timeline.windows):
        return  # the same as at the close of windows
    widest = max(window.width for window in timeline.windows)
    stop = max(timeline.last + widest, until) + period
    for phase in _phases(timeline, period):
        instants = _limited(range(phase.earliest, stop + 1, period))
        for bounds in WindowEnds:
            found = tuple(Evaluation(t, _sliding_at(timeline, t, bounds)) for t in instants)
            due = max((n for n, e in enumerate(found, start=1) if _holds_items(e)), default=0)
            yield EvaluationTimes(
                Policy.PERIODIC, bounds, Extent.SLIDING, found, due, phase, period=period
            )


def _phases(timeline: Timeline, period: int) -> Iterator[Starts]:
    low, high = timeline.first, timeline.first + period - 1
    critical = {low}
    for time in timeline.arrivals:
        for moment in (time, *(time + window.width for window in timeline.windows)):
            phase = low + (moment - low) % period
            critical.update((phase, phase + 1))
    ordered = sorted(c for c in critical if low <= c <= high)
    for earliest, after in pairwise([*ordered, high + 1]):
        yield Starts(earliest, after - 1)


def _holds_items(evaluation: Evaluation) -> bool:
    return any(begin < end for begin, end in evaluation.contents)


def _limited(instants: range) -> range:
    if len(instants) > MOST_EVALUATIONS:
        raise UnsupportedError(
            f"the windows ask for {len(instants)} evaluations (at most {MOST_EVALUATIONS} are"
            " judged)"
        )
    return instants
