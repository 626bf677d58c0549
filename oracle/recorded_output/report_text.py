"""Verdicts on recorded answers as lines of text: settings, window starts and rows in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

from rdflib.term import Variable

from ...semantics.model.items import TimeKind
from ...semantics.model.mappings import SolutionMapping
from ..cases.rdf_text import shortened
from ..explanations.plurals import counted
from .check_recorded import RecordedQuestion
from .mismatches import Misplaced, Timed
from .schedules import Extent, FirstWindow, Policy, Setting, Starts, Trigger
from .setting_search import AnswersVerdict, Nearest, Right


@dataclass(frozen=True, slots=True)
class Spelling:
    """The notation of the instants and terms of one result.

    Times of dateTime kind are seconds here: what is checked counts from the stream's beginning.
    """

    kind: TimeKind
    prefixes: Mapping[str, str]
    variables: Sequence[Variable] = ()

    def time(self, time: int) -> str:
        """Return an instant or a length of time.

        >>> Spelling(TimeKind.DATETIME, {}).time(12_047_000)
        '12.047 s'
        """
        if self.kind is TimeKind.INTEGER:
            return str(time)
        return f"{_decimal(time)} s"

    def about(self, time: int) -> str:
        """Return a length of time to the millisecond.

        >>> Spelling(TimeKind.DATETIME, {}).about(15_001)
        '0.015 s'
        """
        return self.time(time if self.kind is TimeKind.INTEGER else (time + 500) // 1_000 * 1_000)

    def starts(self, starts: Iterable[Starts]) -> str:
        """Return intervals of window starts: `t0 = 0 s`, `1 s ≤ t0 < 2 s`."""
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
        """Return a row as `sensor=… obs=…`, or that the answer is empty."""
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
    """Return the report policy, with its period."""
    return f"{policy} every {period}" if period else str(policy)


def trigger_in_words(trigger: Trigger) -> str:
    """Return the text of a trigger: the changes that count."""
    return {
        Trigger.ARRIVAL: "at each arrival",
        Trigger.CHANGE: "at each arrival and departure",
        Trigger.MATCH: "at arrivals that add a match",
        Trigger.NEW: "as windows close that hold something new",
    }[trigger]


def extent_in_words(extent: Extent) -> str:
    """Return the text of an extent: the visible part of the stream."""
    return {
        Extent.CLOSED: "closed window",
        Extent.SLIDING: "window up to now",
        Extent.CURRENT: "open window",
    }[extent]


def empties_in_words(reported: bool) -> str:
    """Return the text of a setting for empty answers."""
    return "empty answers reported" if reported else "no empty answers"


def setting_in_words(setting: Setting, words: Spelling) -> str:
    """Return a setting in one line.

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


# --- listings -------------------------------------------------------------------------------------
# Settings that differ in one choice only stand on one line.

_FIELDS = ("empty_answers", "operator", "policy", "trigger", "bounds", "extent", "first")
"""The fields of a setting in which those on one line may differ, one after the other."""


@dataclass(frozen=True, slots=True)
class Group:
    """All settings that take one of the `choices` in each of the fields."""

    choices: tuple[tuple[Any, ...], ...]
    period: int | None
    own: bool
    starts: tuple[Starts, ...]
    least: int
    most: int

    @property
    def size(self) -> int:
        """The number of settings."""
        return prod(map(len, self.choices))

    def written(self, words: Spelling) -> str:
        """Return the group in one line."""
        return f"{self.setting(words)}: {self.when(words)}"

    def setting(self, words: Spelling) -> str:
        """Return its choices."""
        empties, operators, policies, triggers, bounds, extents, firsts = self.choices
        period = None if self.period is None else words.time(self.period)
        parts = [" or ".join(policy_in_words(policy, period) for policy in policies)]
        told = [trigger_in_words(trigger) for trigger in triggers if trigger is not None]
        if told:
            parts.append(" or ".join(told))
        parts.append(" or ".join(operators))
        parts.append(" or ".join(bounds))
        if extents != (Extent.CLOSED,):
            parts.append(" or ".join(map(extent_in_words, extents)))
        if firsts == (FirstWindow.PARTIAL,):
            parts.append("first window closes after one slide")
        elif len(firsts) > 1:
            parts.append("first window closes after its range or one slide")
        if len(empties) == 1:
            parts.append(empties_in_words(empties[0]))
        return ", ".join(parts)

    def when(self, words: Spelling) -> str:
        """Return the window starts and the delay in words."""
        return f"{words.starts(self.starts) or 'any t0'}{lateness(self.least, self.most, words)}"


def groups(verdict: AnswersVerdict, slide: int) -> list[Group]:
    """Return the settings under which a recording is right, the engine's own ones first."""
    own = {right.setting for right in verdict.own}
    found = [_group(right, right.setting in own, slide) for right in verdict.right]
    for place in range(len(_FIELDS)):
        found = _merged(found, place)
    return sorted(found, key=lambda group: not group.own)


def lateness(least: int, most: int, words: Spelling) -> str:
    """Return the text of the delays, if there are any."""
    smallest, largest = words.about(least), words.about(most)
    if largest == words.about(0):
        return ""
    if smallest == largest:
        return f", {largest} late"
    return f", {smallest} to {largest} late"


def _group(right: Right, own: bool, slide: int) -> Group:
    setting = right.setting
    choices = tuple((getattr(setting, field),) for field in _FIELDS)
    starts = _distinct(right.starts, slide)
    return Group(choices, setting.period, own, starts, right.least, right.most)


def _distinct(starts: Sequence[Starts], slide: int) -> tuple[Starts, ...]:
    """Return the starts but those a slide before others, whose windows differ in the first only.

    None at all where any start will do.
    """
    if any(s.latest - s.earliest + 1 >= slide for s in starts):
        return ()
    return tuple(
        s for s in starts
        if not any(
            other.earliest <= s.earliest + slide and s.latest + slide <= other.latest
            for other in starts
        )
    )


def _merged(found: Iterable[Group], place: int) -> list[Group]:
    """Return the groups, merging those that differ only in this field (and in delays)."""
    by_rest: dict[Group, list[Group]] = {}
    for group in found:
        rest = replace(_with(group, place, ()), least=0, most=0)
        by_rest.setdefault(rest, []).append(group)
    return [
        replace(
            _with(same[0], place, dict.fromkeys(c for group in same for c in group.choices[place])),
            least=min(group.least for group in same), most=max(group.most for group in same),
        )
        for same in by_rest.values()
    ]


def _with(group: Group, place: int, choices: Iterable[Any]) -> Group:
    before, after = group.choices[:place], group.choices[place + 1:]
    return replace(group, choices=(*before, tuple(choices), *after))


def common(verdicts: Sequence[AnswersVerdict]) -> list[Right]:
    """Return the settings, whatever t0, under which each of the recordings is right."""
    shared: set[Setting] | None = None
    for verdict in verdicts:
        mine = {right.setting for right in verdict.right}
        shared = mine if shared is None else shared & mine
    return [right for right in verdicts[0].right if right.setting in (shared or ())]


# --- verdicts -------------------------------------------------------------------------------------

MOST_ROWS = 12

Row: TypeAlias = SolutionMapping | None
"""A row; None stands for an empty answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A verdict with what it is about: the file of answers, the query's name, the question."""

    place: str
    query: str
    verdict: AnswersVerdict
    question: RecordedQuestion
    seconds: float = 0.0

    @property
    def words(self) -> Spelling:
        """The notation of its times and terms."""
        return Spelling(self.question.kind, self.question.prefixes, self.verdict.variables)


def verdict_lines(answered: Answered, *, most: int | None = MOST_ROWS) -> Iterator[str]:
    """Yield the lines of a verdict: the settings under which answers are right, or the errors."""
    verdict = answered.verdict
    yield f"{'PASS' if verdict.ok else 'FAIL'}  {answered.place}  {headline(answered)}"
    yield from (f"      {line}" for line in detail_lines(answered, most=most))


def headline(answered: Answered) -> str:
    """Return the verdict in one line."""
    verdict = answered.verdict
    if verdict.ok:
        number = len(verdict.right)
        said = f"under {counted(number, 'setting')}"
        if verdict.engine is not None and not verdict.required:
            own = len(verdict.own)
            title = verdict.engine.title
            said += f", {own} of them {title}'s own" if own else f", none of them {title}'s own"
        elif verdict.engine is not None:
            said += f" of {verdict.engine.title}"
    else:
        whose = f" of {verdict.engine.title}" if verdict.engine and verdict.required else ""
        said = f"under every setting{whose}"
    return f"{said} ({verdict.note})" if verdict.note else said


def detail_lines(answered: Answered, *, most: int | None = MOST_ROWS) -> Iterator[str]:
    """Yield the settings, the engine's own with a star; or the smallest difference."""
    verdict, words = answered.verdict, answered.words
    for group in groups(verdict, answered.question.slide):
        yield f"{'*' if group.own else ' '} {group.written(words)}"
    for nearest, whose in nearest_ones(verdict):
        yield f"nearest{whose}: {place_in_words(nearest, words)}"
        yield f"differs in {difference_in_words(nearest, answered)}"
        lines = list(difference_lines(nearest, answered))
        yield from (f"  {line}" for line in lines[:most])
        if most is not None and len(lines) > most:
            yield f"  … and {len(lines) - most} more"


def nearest_ones(verdict: AnswersVerdict) -> Iterator[tuple[Nearest, str]]:
    """Yield the nearest setting, and the engine's own nearest if that is another, named as such."""
    if verdict.nearest is not None:
        yield verdict.nearest, ""
    if verdict.nearest_own is not None and verdict.engine is not None:
        yield verdict.nearest_own, f" of {verdict.engine.title}'s own"


def place_in_words(nearest: Nearest, words: Spelling) -> str:
    """Return the setting with its window start."""
    start = "" if nearest.start is None else f", t0 = {words.time(nearest.start)}"
    return f"{setting_in_words(nearest.setting, words)}{start}"


def difference_in_words(nearest: Nearest, answered: Answered) -> str:
    """Return the numbers of missing and unexpected rows, and the delays."""
    words = answered.words
    parts = []
    if nearest.missing:
        parts.append(f"{_rows(nearest.missing)} missing")
    if nearest.unexpected:
        parts.append(f"{_rows(nearest.unexpected)} unexpected")
    parts += _displaced(nearest.misplaced, answered)
    if not parts:
        return "no row, but in how they are distributed over answers"
    return ", ".join(parts) + f" (allowed: {words.time(answered.verdict.delay)} late)"


def difference_lines(nearest: Nearest, answered: Answered) -> Iterator[str]:
    """Yield each row that is not as it should be, in the order of times."""
    words = answered.words
    lines: list[tuple[int, str]] = []
    for entry in nearest.missing:
        lines.append(
            (entry.time, f"missing     due at {words.time(entry.time)}: {words.row(entry.row)}")
        )
    for entry in nearest.unexpected:
        lines.append(
            (entry.time, f"unexpected  came at {words.time(entry.time)}: {words.row(entry.row)}")
        )
    for row in nearest.misplaced:
        lines.append((
            row.due,
            f"{_distance(row, answered):11} due at {words.time(row.due)}, came at "
            f"{words.time(row.came)}: {words.row(row.row)}",
        ))
    yield from (line for _, line in sorted(lines, key=lambda entry: entry[0]))


def engine_lines(answered: Sequence[Answered]) -> Iterator[str]:
    """Yield for each engine with several recordings: under which settings all of them are right."""
    by_engine: dict[str, list[Answered]] = {}
    for entry in answered:
        if entry.verdict.engine is not None:
            by_engine.setdefault(entry.verdict.engine.title, []).append(entry)
    for title, entries in by_engine.items():
        if len(entries) < 2:
            continue
        right = [entry for entry in entries if entry.verdict.ok]
        yield f"{title}: {len(right)} of {len(entries)} recordings are right"
        if len(right) < 2:
            continue
        shared = common([entry.verdict for entry in right])
        which = "they" if len(right) == len(entries) else f"these {len(right)}"
        if not shared:
            yield f"  no setting makes {which.replace('they', 'them')} right at once"
            continue
        words = right[0].words
        yield f"  {which} are right at once, each with a t0 of its own, under"
        own = {r.setting for r in right[0].verdict.own}
        for each in shared:
            star = "*" if each.setting in own else " "
            yield f"  {star} {setting_in_words(each.setting, words)}"


def _rows(entries: Sequence[Timed[Row]]) -> str:
    empty = sum(entry.row is None for entry in entries)
    rows = len(entries) - empty
    parts = [counted(rows, "row")] if rows else []
    if empty:
        parts.append(counted(empty, "empty answer"))
    return " and ".join(parts)


def _displaced(rows: Sequence[Misplaced[Row]], answered: Answered) -> Iterator[str]:
    words = answered.words
    distances = [row.came - row.due for row in rows]
    late = [distance for distance in distances if distance > answered.verdict.delay]
    early = [-distance for distance in distances if distance < 0]
    for found, how in ((late, "late"), (early, "early")):
        if found:
            least, most = words.time(min(found)), words.time(max(found))
            by = least if least == most else f"{least} to {most}"
            yield f"{counted(len(found), 'row')} {how} by {by}"
    among = len(distances) - len(late) - len(early)
    if among:
        yield f"{counted(among, 'row')} among those of another answer"


def _distance(row: Misplaced[Row], answered: Answered) -> str:
    words, distance = answered.words, row.came - row.due
    if distance < 0:
        return f"early by {words.time(-distance)}"
    if distance <= answered.verdict.delay:
        return "among others"
    return f"late by {words.time(distance)}"
