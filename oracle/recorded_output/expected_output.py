"""The answers that an engine should have reported, and whether a recording is exactly these.

Answers become streams here: RSTREAM, ISTREAM and DSTREAM of the answers at successive evaluations
(RSP-QL), as bags, with empty answers or without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from ...semantics.model.mappings import SolutionMapping
from ...semantics.rsepql.syntax.tree import StreamOperator
from .schedules import EvaluationTimes, Setting, Starts, Trigger
from .snapshots import Bag, Contents, RowKey, Snapshots, row_key
from .values import Comparer

_LATEST = 256


@dataclass(frozen=True, slots=True)
class Due:
    """A bag of rows, perhaps empty, that is to be reported at `time`; `size` is how many rows."""

    time: int
    rows: Bag
    size: int


@dataclass(frozen=True, slots=True)
class Expectation:
    """The answers expected under a setting; the first `required` must be there.

    Times are those of the earliest of the window starts; `moves` says whether they move with it.
    """

    setting: Setting
    starts: Starts | None
    moves: bool
    answers: tuple[Due, ...]
    required: int

    @property
    def fingerprint(self) -> tuple[Hashable, ...]:
        """Return a value that is equal for expectations of the same answers."""
        # Bags are shared between expectations, so their identity is enough.
        answers = tuple((answer.time, id(answer.rows)) for answer in self.answers)
        return self.starts if self.moves else None, self.required, answers

    @property
    def rows(self) -> int:
        """The number of required rows."""
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
        """Return a row that the definitions give, by its key."""
        return self._written.get(key)

    def expectations(self, schedule: EvaluationTimes) -> Iterator[Expectation]:
        """Yield one for each stream operator, with and without empty answers."""
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
        """Return the answers, and how many are required.

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
        """Return the actual evaluations: under a trigger MATCH only some of the schedule's."""
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
        r"""Return Ω_left \ Ω_right; before the first evaluation there is no answer, not even an
        empty one.
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


# --- matching -------------------------------------------------------------------------------------
# The recorded answers are taken in order. An answer that is due is one relation, or, for engines
# that report each row on its own, several; a relation never mixes answers that are due at different
# times. So it is determined which relation belongs to which answer, and it remains to see whether
# there is a window start for which every relation comes when its answer is due, or at most the
# delay later.


@dataclass(frozen=True, slots=True)
class Reported:
    """A relation of the recording, its rows as they are compared."""

    time: int
    rows: Bag
    size: int


@dataclass(frozen=True, slots=True)
class Fit:
    """The recording is right for these window starts (None: for any).

    Its answers come between `least` and `most` after they are due, if the windows start as late as
    they may.
    """

    starts: Starts | None
    least: int
    most: int


def fit(expectation: Expectation, reported: Sequence[Reported], delay: int) -> Fit | None:
    """Return the match of the recording, or None; answers are at most `delay` late."""
    pairs = _paired(expectation, reported)
    if pairs is None:
        return None
    lateness = [came - due for due, came in pairs]
    if not lateness:
        return Fit(expectation.starts, 0, 0)
    least, most = min(lateness), max(lateness)
    if expectation.starts is None or not expectation.moves:
        return Fit(expectation.starts, least, most) if least >= 0 and most <= delay else None
    earliest, latest = expectation.starts.earliest, expectation.starts.latest
    low, high = max(0, most - delay), min(latest - earliest, least)
    if low > high:
        return None
    return Fit(Starts(earliest + low, earliest + high), least - high, most - high)


def _paired(
    expectation: Expectation, reported: Sequence[Reported]
) -> list[tuple[int, int]] | None:
    """Return the times (due, came) of what belongs together; None where something does not."""
    pairs: list[tuple[int, int]] = []
    j, n = 0, len(reported)
    for i, answer in enumerate(expectation.answers):
        if j == n:
            return pairs if i >= expectation.required else None
        if not answer.size:
            if reported[j].size:
                return None
            pairs.append((answer.time, reported[j].time))
            j += 1
            continue
        open_rows: Bag = answer.rows
        left = answer.size
        while left:
            if j == n or not reported[j].size or not reported[j].rows <= open_rows:
                return None
            pairs.append((answer.time, reported[j].time))
            left -= reported[j].size
            if left:
                open_rows = Counter(open_rows)
                open_rows.subtract(reported[j].rows)
            j += 1
    return pairs if j == n else None
