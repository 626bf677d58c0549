"""Settings, window starts and rows in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rdflib.term import Variable

from .....semantics.model.items import TimeKind
from .....semantics.model.mappings import SolutionMapping
from ....cases.turtle_terms import shortened
from ..expected.schedules import Starts
from ..expected.settings import Extent, FirstWindow, Policy, Setting, Trigger


@dataclass(frozen=True, slots=True)
class Spelling:
    """How instants and terms of one judgement are written.

    Times of dateTime kind are seconds here: what is judged counts from the stream's beginning.
    """

    kind: TimeKind
    prefixes: Mapping[str, str]
    variables: Sequence[Variable] = ()

    def time(self, time: int) -> str:
        """An instant or a length of time.

        >>> Spelling(TimeKind.DATETIME, {}).time(12_047_000)
        '12.047 s'
        """
        if self.kind is TimeKind.INTEGER:
            return str(time)
        return f"{_decimal(time)} s"

    def about(self, time: int) -> str:
        """A length of time to the millisecond.

        >>> Spelling(TimeKind.DATETIME, {}).about(15_001)
        '0.015 s'
        """
        return self.time(time if self.kind is TimeKind.INTEGER else (time + 500) // 1_000 * 1_000)

    def starts(self, starts: Iterable[Starts]) -> str:
        """Intervals of window starts: `t0 = 0 s`, `1 s ≤ t0 < 2 s`."""
        return " or ".join(map(self._interval, starts))

    def _interval(self, starts: Starts) -> str:
        if starts.earliest == starts.latest:
            return f"t0 = {self.time(starts.earliest)}"
        low, below = starts.earliest, "≤"
        high, above = starts.latest, "≤"
        if self.kind is TimeKind.DATETIME:
            # The next number of microseconds is how "just after" is counted.
            if low % 1_000 == 1:
                low, below = low - 1, "<"
            if high % 1_000 == 999:
                high, above = high + 1, "<"
            if low == high:
                return f"t0 just {'after' if below == '<' else 'before'} {self.time(low)}"
        return f"{self.time(low)} {below} t0 {above} {self.time(high)}"

    def row(self, row: SolutionMapping | None) -> str:
        """A row as `sensor=… obs=…`, or that the answer is empty."""
        if row is None:
            return "(an empty answer)"
        first = [v for v in self.variables if v in row]
        rest = sorted(v for v in row if v not in first)
        shown = []
        for variable in (*first, *rest):
            value = row[variable]
            text = (
                " ".join(shortened(term, self.prefixes) for term in value)
                if isinstance(value, tuple)
                else shortened(value, self.prefixes)
            )
            shown.append(f"{variable}={text}")
        return " ".join(shown) or "(a row that binds nothing)"


def policy_in_words(policy: Policy, period: str | None = None) -> str:
    """The report policy, with its period."""
    return f"{policy} every {period}" if period else str(policy)


def trigger_in_words(trigger: Trigger) -> str:
    """What counts as a change."""
    return {
        Trigger.ARRIVAL: "at each arrival",
        Trigger.CHANGE: "at each arrival and departure",
        Trigger.MATCH: "at arrivals that add a match",
        Trigger.NEW: "as windows close that hold something new",
    }[trigger]


def extent_in_words(extent: Extent) -> str:
    """Which part of the stream is seen."""
    return {
        Extent.CLOSED: "closed window",
        Extent.SLIDING: "window up to now",
        Extent.CURRENT: "open window",
    }[extent]


def empties_in_words(reported: bool) -> str:
    """Whether empty answers are reported."""
    return "empty answers reported" if reported else "no empty answers"


def setting_in_words(setting: Setting, words: Spelling) -> str:
    """A setting in one line.

    The first window is spoken of only where it closes early.
    """
    period = None if setting.period is None else words.time(setting.period)
    parts = [policy_in_words(setting.policy, period)]
    if setting.trigger is not None:
        parts.append(trigger_in_words(setting.trigger))
    parts += [setting.operator.value, setting.bounds.value]
    if setting.extent is not Extent.CLOSED:
        parts.append(extent_in_words(setting.extent))
    if setting.first is FirstWindow.PARTIAL:
        parts.append("first window closes after one slide")
    parts.append(empties_in_words(setting.empty_answers))
    return ", ".join(parts)


def _decimal(microseconds: int) -> str:
    sign = "-" if microseconds < 0 else ""
    whole, rest = divmod(abs(microseconds), 1_000_000)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"{sign}{whole}{fraction}"
