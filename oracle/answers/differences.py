"""How far a recording is from a setting: what is missing, what is unexpected, what came late.

Each relation is counted towards at most one answer, one that was due at most the delay before, and
answers and relations keep their order; of all ways to do so, one with most rows in place is taken.
A row that is left over on both sides came late, early, or among the rows of another answer; that
counts once, as a row does that is missing or unexpected, and so does an empty answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .expectations import Due, Expectation
from .matching import Reported
from .snapshots import RowKey

EMPTY: RowKey = frozenset({("", "empty")})
"""Stands for an empty answer among rows."""


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A row that was due at one time and came at another."""

    due: int
    came: int
    row: RowKey


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong with a recording under a setting, for the window start `start`."""

    expectation: Expectation
    start: int | None
    missing: tuple[tuple[int, RowKey], ...]
    unexpected: tuple[tuple[int, RowKey], ...]
    misplaced: tuple[Misplaced, ...]

    @property
    def size(self) -> int:
        """How many rows (and empty answers) are not as they should be."""
        return len(self.missing) + len(self.unexpected) + len(self.misplaced)

    @property
    def displacement(self) -> int:
        """By how much, in all, rows came late or early."""
        return sum(abs(row.came - row.due) for row in self.misplaced)


def least_possible(expectation: Expectation, reported: Sequence[Reported]) -> int:
    """A lower bound of the difference, whatever the window start: bags without their times."""
    required: Counter[RowKey] = Counter()
    possible: Counter[RowKey] = Counter()
    for number, answer in enumerate(expectation.answers):
        rows = answer.rows if answer.size else {EMPTY: 1}
        possible.update(rows)
        if number < expectation.required:
            required.update(rows)
    came = _all_rows(reported)
    # Of a row, what is missing and what is unexpected cannot both be.
    return (required - came).total() + (came - possible).total()


def difference(
    expectation: Expectation, reported: Sequence[Reported], delay: int
) -> Difference:
    """The smallest difference that is found among the window starts of an expectation."""
    best: Difference | None = None
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
) -> Difference:
    answers = expectation.answers
    assigned = _assigned(answers, reported, delay, shift)
    missing: list[tuple[int, RowKey]] = []
    unexpected: list[tuple[int, RowKey]] = []
    used: dict[int, list[int]] = defaultdict(list)
    for j, i in enumerate(assigned):
        if i is None:
            rows = reported[j].rows if reported[j].size else {EMPTY: 1}
            unexpected += _listed(reported[j].time, rows)
        else:
            used[i].append(j)
    for i, answer in enumerate(answers):
        due = answer.time + shift
        mine = used.get(i)
        if mine is None:
            if i < expectation.required:
                missing += _listed(due, answer.rows if answer.size else {EMPTY: 1})
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
    return Difference(expectation, start, tuple(missing), tuple(unexpected), misplaced)


def _assigned(
    answers: Sequence[Due], reported: Sequence[Reported], delay: int, shift: int
) -> list[int | None]:
    """For each relation the answer that it is counted towards, in order, with most rows in place.
    """
    reachable: list[list[tuple[int, int]]] = []
    first = 0
    for relation in reported:
        while first < len(answers) and answers[first].time + shift + delay < relation.time:
            first += 1
        options = []
        i = first
        while i < len(answers) and answers[i].time + shift <= relation.time:
            gain = _gain(answers[i], relation)
            if gain:
                options.append((i, gain))
            i += 1
        reachable.append(options)
    frontier: dict[int, _Choices] = {-1: _Choices(0, None, None)}
    for relation, options in zip(reported, reachable, strict=True):
        following = {last: _Choices(c.value, None, c) for last, c in frontier.items()}
        for i, gain in options:
            # An empty answer is one relation; rows may join those that came before them.
            joins = bool(answers[i].size and relation.size)
            before = [c for last, c in frontier.items() if last < i or (joins and last == i)]
            if not before:
                continue
            best = max(before, key=lambda choices: choices.value)
            if i not in following or best.value + gain > following[i].value:
                following[i] = _Choices(best.value + gain, i, best)
        frontier = _pruned(following)
    return max(frontier.values(), key=lambda choices: choices.value).made()


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the relations so far were counted towards, and how many rows are in place thereby."""

    value: int
    last: int | None
    before: _Choices | None

    def made(self) -> list[int | None]:
        """The answers chosen, one a relation."""
        made: list[int | None] = []
        choices: _Choices | None = self
        while choices is not None and choices.before is not None:
            made.append(choices.last)
            choices = choices.before
        return made[::-1]


def _pruned(frontier: dict[int, _Choices]) -> dict[int, _Choices]:
    """Without what is no better than a choice that leaves more answers open."""
    kept: dict[int, _Choices] = {}
    highest = -1
    for last in sorted(frontier):
        if frontier[last].value > highest:
            kept[last] = frontier[last]
            highest = frontier[last].value
    return kept


def _gain(answer: Due, relation: Reported) -> int:
    if not answer.size or not relation.size:
        return 1 if answer.size == relation.size else 0
    return (answer.rows & relation.rows).total()


def _pairs(
    missing: list[tuple[int, RowKey]], unexpected: list[tuple[int, RowKey]]
) -> tuple[Misplaced, ...]:
    """Takes from both lists the rows that came at another time than they were due."""
    pairs = []
    for came, row in sorted(unexpected, key=lambda entry: entry[0]):
        candidates = [due for due, other in missing if other == row]
        if row == EMPTY or not candidates:
            continue
        due = min(candidates, key=lambda time: (abs(came - time), time))
        missing.remove((due, row))
        unexpected.remove((came, row))
        pairs.append(Misplaced(due, came, row))
    return tuple(pairs)


def _listed(time: int, rows: Counter[RowKey] | dict[RowKey, int]) -> list[tuple[int, RowKey]]:
    return [(time, row) for row, number in rows.items() for _ in range(number)]


def _all_rows(reported: Sequence[Reported]) -> Counter[RowKey]:
    rows: Counter[RowKey] = Counter()
    for relation in reported:
        rows.update(relation.rows if relation.size else {EMPTY: 1})
    return rows
