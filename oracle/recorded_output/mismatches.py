"""Distance of a recording from a setting: missing, unexpected and late rows.

Each relation is counted towards at most one answer, which was due at most the delay before; answers
and relations keep their order. Of all ways to do so, one with most rows in place is taken. A row
that is left over on both sides came late, early, or among the rows of another answer: that counts
once, like a row that is missing or unexpected, and like an empty answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Generic, TypeVar

from .expected_output import Due, Expectation, Reported
from .schedules import Setting
from .snapshots import Bag, RowKey

RowT = TypeVar("RowT")

EMPTY: RowKey = frozenset({("", "empty")})
"""Stands for an empty answer among rows."""


@dataclass(frozen=True, slots=True)
class Timed(Generic[RowT]):
    """A row, and when it was due or came."""

    time: int
    row: RowT


@dataclass(frozen=True, slots=True)
class Misplaced(Generic[RowT]):
    """A row that came at another time than it was due: late, early, or among other rows."""

    due: int
    came: int
    row: RowT


@dataclass(frozen=True, slots=True)
class Mismatch(Generic[RowT]):
    """The differences of a recording from a setting with the window start `start`."""

    setting: Setting
    start: int | None
    missing: tuple[Timed[RowT], ...]
    unexpected: tuple[Timed[RowT], ...]
    misplaced: tuple[Misplaced[RowT], ...]

    @property
    def size(self) -> int:
        """The number of rows and empty answers that differ."""
        return len(self.missing) + len(self.unexpected) + len(self.misplaced)

    @property
    def displacement(self) -> int:
        """By how much, in all, rows came late or early."""
        return sum(abs(row.came - row.due) for row in self.misplaced)


def least_possible(expectation: Expectation, reported: Sequence[Reported], delay: int) -> int:
    """Return a lower bound of the difference, whatever the window start.

    A row is in place only if it was due at most the delay before it came, give or take the width of
    the interval of window starts; how rows are grouped into answers is not looked at.
    """
    starts = expectation.starts
    width = starts.latest - starts.earliest if starts is not None and expectation.moves else 0
    due: dict[RowKey, list[int]] = {}
    required: dict[RowKey, int] = {}
    for number, answer in enumerate(expectation.answers):
        for row, copies in _rows(answer).items():
            due.setdefault(row, []).extend([answer.time] * copies)
            if number < expectation.required:
                required[row] = required.get(row, 0) + copies
    came: dict[RowKey, list[int]] = {}
    for relation in reported:
        for row, copies in _rows(relation).items():
            came.setdefault(row, []).extend([relation.time] * copies)
    bound = 0
    for row, times in came.items():
        of_row = due.get(row)
        number = max(required.pop(row, 0), len(times))
        bound += number if of_row is None else number - _in_place(of_row, times, delay, width)
    return bound + sum(required.values())


def _rows(answer: Due | Reported) -> Counter[RowKey]:
    return answer.rows if answer.size else Counter({EMPTY: 1})


def _in_place(due: Sequence[int], came: Sequence[int], delay: int, width: int) -> int:
    """Return the number of ascending times `due` matched by a time of `came` within the delay."""
    matched = i = 0
    for time in came:
        while i < len(due) and due[i] + width + delay < time:
            i += 1
        if i < len(due) and due[i] <= time:
            matched += 1
            i += 1
    return matched


def difference(
    expectation: Expectation, reported: Sequence[Reported], delay: int
) -> Mismatch[RowKey]:
    """Return the smallest difference that is found among the window starts of an expectation."""
    best: Mismatch[RowKey] | None = None
    for shift in _shifts(expectation, reported, delay):
        found = _difference(expectation, reported, delay, shift)
        if best is None or (found.size, found.displacement) < (best.size, best.displacement):
            best = found
    assert best is not None
    return best


def _shifts(
    expectation: Expectation, reported: Sequence[Reported], delay: int
) -> Iterable[int]:
    """Window starts worth trying, as distances from the earliest: the ends of the interval, and
    where relations come exactly when an answer with the same rows is due, or the delay after."""
    starts = expectation.starts
    if starts is None or not expectation.moves:
        return [0]
    width = starts.latest - starts.earliest
    if not width:
        return [0]
    by_rows: dict[frozenset[RowKey], list[int]] = defaultdict(list)
    for answer in expectation.answers:
        by_rows[frozenset(answer.rows)].append(answer.time)
    counted: Counter[int] = Counter()
    for relation in reported:
        for due in by_rows.get(frozenset(relation.rows), ()):
            for shift in (relation.time - due, relation.time - due - delay):
                if 0 <= shift <= width:
                    counted[shift] += 1
    common = [shift for shift, _ in counted.most_common(3)]
    extremes = [min(counted), max(counted)] if counted else []
    return dict.fromkeys([*common, *extremes, 0, width])


def _difference(
    expectation: Expectation, reported: Sequence[Reported], delay: int, shift: int
) -> Mismatch[RowKey]:
    answers = expectation.answers
    assigned = _assigned(answers, reported, delay, shift)
    missing: list[Timed[RowKey]] = []
    unexpected: list[Timed[RowKey]] = []
    used: dict[int, list[int]] = defaultdict(list)
    for j, i in enumerate(assigned):
        if i is None:
            unexpected += _listed(reported[j].time, _rows(reported[j]))
        else:
            used[i].append(j)
    for i, answer in enumerate(answers):
        due = answer.time + shift
        mine = used.get(i)
        if mine is None:
            if i < expectation.required:
                missing += _listed(due, _rows(answer))
            continue
        if not answer.size:
            continue
        left = Counter(answer.rows)
        for j in mine:
            surplus = reported[j].rows - left
            left -= reported[j].rows
            unexpected += _listed(reported[j].time, surplus)
        missing += _listed(due, left)
    misplaced = _pairs(missing, unexpected)
    start = None if expectation.starts is None else expectation.starts.earliest + shift
    return Mismatch(expectation.setting, start, tuple(missing), tuple(unexpected), misplaced)


def _assigned(
    answers: Sequence[Due], reported: Sequence[Reported], delay: int, shift: int
) -> list[int | None]:
    """Return for each relation the answer that it is counted towards, in order, with most rows in
    place.
    """
    frontier: dict[int, _Choices] = {-1: _Choices(0, None, Counter(), None)}
    first = 0
    for relation in reported:
        while first < len(answers) and answers[first].time + shift + delay < relation.time:
            first += 1
        following = {last: replace(c, answer=None, before=c) for last, c in frontier.items()}
        for i in range(first, len(answers)):
            if answers[i].time + shift > relation.time:
                break
            for choices in _counted(frontier, relation, i, answers[i]):
                if i not in following or choices.value > following[i].value:
                    following[i] = choices
        frontier = _pruned(following)
    return max(frontier.values(), key=lambda choices: choices.value).made()


@dataclass(frozen=True, slots=True)
class _Choices:
    """The answers that the relations so far count towards, and the number of rows in place.

    `left` are the rows of the answer counted towards last that are not in place.
    """

    value: int
    answer: int | None
    left: Bag
    before: _Choices | None

    def made(self) -> list[int | None]:
        """Return the answers chosen, one a relation."""
        made: list[int | None] = []
        choices: _Choices | None = self
        while choices is not None and choices.before is not None:
            made.append(choices.answer)
            choices = choices.before
        return made[::-1]


def _counted(
    frontier: dict[int, _Choices], relation: Reported, i: int, answer: Due
) -> Iterator[_Choices]:
    """Yield the ways to count a relation towards the i-th answer, if that puts rows in place."""
    opened = max(
        (c for last, c in frontier.items() if last < i), key=lambda c: c.value, default=None
    )
    if opened is not None:
        if answer.size and relation.size:
            common = answer.rows & relation.rows
            if common:
                yield _Choices(opened.value + common.total(), i, answer.rows - common, opened)
        elif answer.size == relation.size:
            yield _Choices(opened.value + 1, i, Counter(), opened)
    joined = frontier.get(i)
    if joined is not None:
        common = joined.left & relation.rows
        if common:
            yield _Choices(joined.value + common.total(), i, joined.left - common, joined)


def _pruned(frontier: dict[int, _Choices]) -> dict[int, _Choices]:
    """Return the choices without those no better than a choice that leaves more answers open."""
    kept: dict[int, _Choices] = {}
    highest = -1
    for last in sorted(frontier):
        if frontier[last].value > highest:
            kept[last] = frontier[last]
            highest = frontier[last].value
    return kept


def _pairs(
    missing: list[Timed[RowKey]], unexpected: list[Timed[RowKey]]
) -> tuple[Misplaced[RowKey], ...]:
    """Take from both lists the rows that came at another time than due."""
    due, came = _times(missing), _times(unexpected)
    pairs = [
        Misplaced(one, other, row)
        for row in came
        for one, other in _closest(due.get(row, []), came[row])
    ]
    for pair in pairs:
        missing.remove(Timed(pair.due, pair.row))
        unexpected.remove(Timed(pair.came, pair.row))
    return tuple(pairs)


def _times(rows: Sequence[Timed[RowKey]]) -> dict[RowKey, list[int]]:
    found: dict[RowKey, list[int]] = defaultdict(list)
    for each in sorted(rows, key=attrgetter("time")):
        found[each.row].append(each.time)
    return found


def _closest(due: list[int], came: list[int]) -> list[tuple[int, int]]:
    """Return a maximum of pairs: in order if all are paired, else each with the nearest."""
    if len(due) == len(came):
        return list(zip(due, came, strict=True))
    fewer, more = sorted((due, came), key=len)
    left = list(more)
    pairs = []
    for time in fewer:
        nearest = min(left, key=lambda other: (abs(other - time), other))
        left.remove(nearest)
        pairs.append((time, nearest) if fewer is due else (nearest, time))
    return pairs


def _listed(time: int, rows: Counter[RowKey]) -> list[Timed[RowKey]]:
    return [Timed(time, row) for row, number in rows.items() for _ in range(number)]
