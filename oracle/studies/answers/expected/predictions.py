"""What an engine should have reported under a schedule and a stream operator, with empty answers
or without.

This is where answers become streams: RSTREAM, ISTREAM and DSTREAM of the answers at successive
evaluations (RSP-QL), as bags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from .....semantics.model.mappings import SolutionMapping
from .....semantics.rsepql.syntax.tree import StreamOperator
from ..recorded.values import Comparer
from .schedules import EvaluationTimes, Starts
from .settings import Setting, Trigger
from .snapshots import Bag, Contents, RowKey, Snapshots, row_key

_LATEST = 256


@dataclass(frozen=True, slots=True)
class Due:
    """A bag of rows, perhaps empty, that is to be reported at `time`; `size` is how many rows."""

    time: int
    rows: Bag
    size: int


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is to be reported under a setting, the first `required` answers in any case.

    Times are those of the earliest of the window starts; `moves` says whether they move with it.
    """

    setting: Setting
    starts: Starts | None
    moves: bool
    answers: tuple[Due, ...]
    required: int

    @property
    def fingerprint(self) -> tuple[Hashable, ...]:
        """What two expectations have in common if they ask for the same answers."""
        # Bags are shared between expectations, so their identity is enough.
        answers = tuple((answer.time, id(answer.rows)) for answer in self.answers)
        return self.starts if self.moves else None, self.required, answers

    @property
    def rows(self) -> int:
        """How many rows are required."""
        return sum(answer.size for answer in self.answers[: self.required])


class Expecting:
    """Expectations of schedules, with rows in the form in which they are compared."""

    def __init__(self, snapshots: Snapshots, comparer: Comparer) -> None:
        self._snapshots = snapshots
        self._comparer = comparer
        self._bags: dict[tuple[Contents, bool], Bag] = {}
        self._written: dict[RowKey, SolutionMapping] = {}
        self._differences: dict[tuple[Contents, Contents | None], Bag] = {}
        self._latest: dict[object, tuple[tuple[Due, ...], int]] = {}

    def row(self, key: RowKey) -> SolutionMapping | None:
        """A row that the definitions give, by its key."""
        return self._written.get(key)

    def expectations(self, schedule: EvaluationTimes) -> Iterator[Expectation]:
        """One for each stream operator, with and without empty answers."""
        instants, due = self._reported(schedule)
        for operator in StreamOperator:
            for empty_answers in (False, True):
                kept, required = self._asked_for(instants, due, operator, empty_answers)
                setting = Setting(
                    schedule.policy, operator, schedule.bounds, empty_answers, schedule.extent,
                    schedule.first, schedule.trigger, schedule.period,
                )
                yield Expectation(setting, schedule.starts, schedule.moves, kept, required)

    def _asked_for(
        self,
        instants: tuple[tuple[int, Contents], ...],
        due: int,
        operator: StreamOperator,
        empty_answers: bool,
    ) -> tuple[tuple[Due, ...], int]:
        """The answers, and how many are required.

        Where no item is at the end of a window, all conventions for the ends ask for the same.
        """
        key = instants, due, operator, empty_answers
        known = self._latest.get(key)
        if known is None:
            if len(self._latest) >= _LATEST:
                self._latest.clear()
            answers = self._streamed(instants, operator)
            kept = tuple(a for a in answers if empty_answers or a.size)
            required = sum(1 for a in answers[:due] if empty_answers or a.size)
            known = self._latest[key] = kept, required
        return known

    def _reported(self, schedule: EvaluationTimes) -> tuple[tuple[tuple[int, Contents], ...], int]:
        """The evaluations that take place: under a trigger MATCH only some of the schedule's."""
        found = tuple((e.time, e.contents) for e in schedule.evaluations)
        if schedule.trigger is not Trigger.MATCH:
            return found, schedule.due
        kept = []
        before: Bag = Counter()
        for time, contents in found:
            now = self._bag(contents, matched=True)
            if now - before:
                kept.append((time, contents))
            before = now
        return tuple(kept), len(kept)

    def _streamed(
        self, instants: tuple[tuple[int, Contents], ...], operator: StreamOperator
    ) -> list[Due]:
        answers = []
        before: Contents | None = None
        for time, contents in instants:
            match operator:
                case StreamOperator.RSTREAM:
                    rows = self._bag(contents)
                case StreamOperator.ISTREAM:
                    rows = self._difference(contents, before)
                case StreamOperator.DSTREAM:
                    rows = self._difference(before, contents)
            answers.append(Due(time, rows, rows.total()))
            before = contents
        return answers

    def _difference(self, left: Contents | None, right: Contents | None) -> Bag:
        r"""Ω_left \ Ω_right; before the first evaluation there is no answer, not even an empty one.
        """
        if left is None:
            return Counter()
        key = left, right
        known = self._differences.get(key)
        if known is None:
            minuend = self._bag(left)
            known = minuend - self._bag(right) if right is not None else minuend
            self._differences[key] = known
        return known

    def _bag(self, contents: Contents, *, matched: bool = False) -> Bag:
        known = self._bags.get((contents, matched))
        if known is None:
            found = self._snapshots.matches if matched else self._snapshots.answer
            known = Counter()
            for mu in found(contents):
                key = row_key(mu, self._comparer)
                self._written.setdefault(key, mu)
                known[key] += 1
            self._bags[contents, matched] = known
        return known
