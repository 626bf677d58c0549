"""Verdicts on recorded answers as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .....semantics.model.mappings import SolutionMapping
from ....explanations.plurals import counted
from ..assessing import AnswersVerdict, Nearest
from ..checking import RecordedQuestion
from ..mismatches import Misplaced, Timed
from .listing import common, groups
from .spelling import Spelling, setting_in_words

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
        """How its times and terms are written."""
        return Spelling(self.question.kind, self.question.prefixes, self.verdict.variables)


def verdict_lines(answered: Answered, *, most: int | None = MOST_ROWS) -> Iterator[str]:
    """A verdict: the settings under which the answers are right, or what is wrong."""
    verdict = answered.verdict
    yield f"{'PASS' if verdict.ok else 'FAIL'}  {answered.place}  {headline(answered)}"
    yield from (f"      {line}" for line in detail_lines(answered, most=most))


def headline(answered: Answered) -> str:
    """The verdict in one line."""
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
    """The settings, those that are the engine's own with a star; or the smallest difference."""
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
    """The nearest setting, and the engine's own nearest if that is another, named as such."""
    if verdict.nearest is not None:
        yield verdict.nearest, ""
    if verdict.nearest_own is not None and verdict.engine is not None:
        yield verdict.nearest_own, f" of {verdict.engine.title}'s own"


def place_in_words(nearest: Nearest, words: Spelling) -> str:
    """The setting with its window start."""
    start = "" if nearest.start is None else f", t0 = {words.time(nearest.start)}"
    return f"{setting_in_words(nearest.setting, words)}{start}"


def difference_in_words(nearest: Nearest, answered: Answered) -> str:
    """How many rows are missing, unexpected, and late by how much."""
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
    """Each row that is not as it should be, in the order of times."""
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
    """For each engine with several recordings: under which settings all of them are right."""
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
