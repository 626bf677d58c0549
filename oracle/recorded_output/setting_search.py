"""The verdict on a recording: every setting under which it is right, or the nearest one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import TypeAlias

from rdflib.term import Variable

from ...semantics.model.mappings import SolutionMapping
from ...semantics.rsepql.syntax.settings import EngineSetting
from ...semantics.rsepql.syntax.tree import StreamOperator
from .expected_output import Expectation, Expecting, Fit, Reported, fit
from .mismatches import EMPTY, Mismatch, Misplaced, Timed, difference, least_possible
from .recordings import Recording
from .schedules import Setting, Starts, schedules, setting_of_file
from .snapshots import Bag, ContinuousQuery, RowKey, Snapshots, row_key, variables_of
from .values import TOLERANCE, Comparer

MOST_MEASURED = 1_500
"""Settings that are measured in full, at most, for the nearest one."""


@dataclass(frozen=True, slots=True)
class Right:
    """A setting under which a recording is right, for the window starts `starts`.

    Answers come between `least` and `most` after they are due, for the latest of the starts.
    """

    setting: Setting
    starts: tuple[Starts, ...]
    least: int
    most: int


Nearest: TypeAlias = Mismatch[SolutionMapping | None]
"""The setting from which a recording differs least, and in what; an empty answer has no row."""


@dataclass(frozen=True, slots=True)
class AnswersVerdict:
    """The verdict on a recording.

    `right` are the settings under which it is right; if there are none (that count), `nearest` is
    the setting with the smallest difference, and `nearest_own` the engine's own one with that, if
    it is another. `engine` is the named setting that it was checked for (`required`) or that it is
    named after. `note` says what a reader would wonder about.
    """

    recording: Recording
    right: tuple[Right, ...]
    nearest: Nearest | None
    nearest_own: Nearest | None
    engine: EngineSetting | None
    required: bool
    delay: int
    variables: tuple[Variable, ...]
    note: str = ""

    @property
    def ok(self) -> bool:
        """True if the recording is correct under a setting."""
        return bool(self.right)

    @property
    def own(self) -> tuple[Right, ...]:
        """Those that are the engine's own way to run queries."""
        if self.engine is None:
            return ()
        return tuple(right for right in self.right if right.setting.is_of(self.engine))


class AnswersJudge:
    """Checks recordings of one query over given streams, and keeps what it has evaluated."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._query = snapshots.query

    def judge(
        self,
        recording: Recording,
        *,
        delay: int,
        engine: EngineSetting | None = None,
        periods: Sequence[int] = (),
        tolerance: Fraction = TOLERANCE,
        allow_empty: bool = False,
    ) -> AnswersVerdict:
        """Return the verdict, for answers that come at most `delay` after they are due.

        With `engine` only its own settings count. A recording without a row is not right, even
        where a setting asks for none; with `allow_empty` it is if no setting asks for any row.
        """
        heard = self._heard(recording, engine, periods, tolerance)
        considered, reported = heard.considered, heard.reported
        own = engine or setting_of_file(recording.name)
        fits = _fits(considered, reported, delay)
        silent = not recording.rows
        # Silence is right only where no setting asks for a row.
        nothing = not any(expectation.rows for expectation in considered)
        right = fits if not silent or (allow_empty and nothing) else []
        nearest = nearest_own = None
        if not right:
            rows = _Rows(heard.expecting, recording, heard.comparer)
            origin = min(stream[0].time for stream in self._snapshots.items if stream)
            nearest = _nearest(considered, reported, delay, own, rows, origin)
            if own is not None and nearest is not None and not nearest.setting.is_of(own):
                mine = [e for e in considered if e.setting.is_of(own)]
                nearest_own = _nearest(mine, reported, delay, own, rows, origin)
        return AnswersVerdict(
            recording, _gathered(right), nearest, nearest_own, own, engine is not None, delay,
            variables_of(self._query),
            _note(recording, nothing, allow_empty) or _strangers(recording, self._query),
        )

    def right(self, recording: Recording, *, delay: int) -> frozenset[Setting]:
        """Return the settings under which a recording is right, without measuring the others."""
        if not recording.rows:
            return frozenset()
        heard = self._heard(recording, None, (), TOLERANCE)
        return frozenset(
            expectation.setting
            for expectation, _ in _fits(heard.considered, heard.reported, delay)
        )

    def _heard(
        self,
        recording: Recording,
        engine: EngineSetting | None,
        periods: Sequence[int],
        tolerance: Fraction,
    ) -> _Heard:
        comparer = Comparer(recording.terms(), tolerance)
        expecting = Expecting(self._snapshots, comparer)
        reported = [
            Reported(relation.time, _bag(relation.rows, comparer), len(relation.rows))
            for relation in recording.relations
        ]
        until = max((relation.time for relation in reported), default=0)
        considered = [
            expectation
            for schedule in schedules(self._query, self._snapshots.items, until, periods)
            for expectation in expecting.expectations(schedule)
            if engine is None or expectation.setting.is_of(engine)
        ]
        return _Heard(comparer, expecting, reported, considered)


@dataclass(frozen=True, slots=True)
class _Heard:
    """A recording, and what each setting that counts asks for up to its end."""

    comparer: Comparer
    expecting: Expecting
    reported: list[Reported]
    considered: list[Expectation]


def _fits(
    considered: Sequence[Expectation], reported: Sequence[Reported], delay: int
) -> list[tuple[Expectation, Fit]]:
    """Return the expectations that the recording fits, and how."""
    came = sum(relation.size for relation in reported)
    fits = []
    for expectation in considered:
        if expectation.rows <= came:
            found = fit(expectation, reported, delay)
            if found is not None:
                fits.append((expectation, found))
    return fits


def _nearest(
    considered: Sequence[Expectation],
    reported: Sequence[Reported],
    delay: int,
    own: EngineSetting | None,
    rows: _Rows,
    origin: int,
) -> Nearest | None:
    """Return the smallest difference; of equals the engine's own setting, then the one that loses
    the fewest rows, the least late one, and the one whose windows start closest to the first item,
    `origin`.

    A setting that asks for nothing is not considered: it would make silence the smallest fault.
    """
    asking = [expectation for expectation in considered if expectation.rows]

    def preference(expectation: Expectation) -> tuple[bool, bool]:
        setting = expectation.setting
        foreign = own is None or not setting.is_of(own)
        return foreign, setting.operator is StreamOperator.DSTREAM

    # Of those that ask for the same the preferred one stands for all.
    distinct: dict[tuple[Hashable, ...], Expectation] = {}
    for expectation in sorted(asking, key=preference):
        distinct.setdefault(expectation.fingerprint, expectation)
    bounded = sorted(
        ((least_possible(e, reported, delay), preference(e), n) for n, e in
         enumerate(distinct.values()))
    )
    candidates = list(distinct.values())
    best: tuple[tuple[int, tuple[bool, bool], tuple[int, ...]], Mismatch[RowKey]] | None = None
    for bound, preferred, number in bounded[:MOST_MEASURED]:
        if best is not None and (bound, preferred) > best[0][:2]:
            break
        found = difference(candidates[number], reported, delay)
        lost = len(found.missing) + len(found.unexpected)
        rank = found.size, preferred, (lost, found.displacement, *_oddity(found, origin))
        if best is None or rank < best[0]:
            best = rank, found
    return rows.written(best[1]) if best is not None else None


def _oddity(found: Mismatch[RowKey], origin: int) -> tuple[int, int]:
    """Return a rank of window starts: whole milliseconds and starts near the first item first."""
    if found.start is None:
        return 0, 0
    return int(found.start % 1_000 != 0), abs(found.start - origin)


class _Rows:
    """Rows as they were written, for their keys."""

    def __init__(self, expecting: Expecting, recording: Recording, comparer: Comparer) -> None:
        self._expecting = expecting
        self._recorded = {
            row_key(row, comparer): row
            for relation in recording.relations
            for row in relation.rows
        }

    def written(self, found: Mismatch[RowKey]) -> Nearest:
        return Mismatch(
            found.setting,
            found.start,
            self._timed(found.missing, of_definition=True),
            self._timed(found.unexpected, of_definition=False),
            tuple(
                Misplaced(m.due, m.came, self._row(m.row, of_definition=False))
                for m in sorted(found.misplaced, key=attrgetter("due"))
            ),
        )

    def _timed(
        self, rows: Sequence[Timed[RowKey]], *, of_definition: bool
    ) -> tuple[Timed[SolutionMapping | None], ...]:
        return tuple(
            Timed(each.time, self._row(each.row, of_definition=of_definition))
            for each in sorted(rows, key=attrgetter("time"))
        )

    def _row(self, key: RowKey, *, of_definition: bool) -> SolutionMapping | None:
        if key == EMPTY:
            return None
        if of_definition:
            return self._expecting.row(key) or self._recorded.get(key)
        return self._recorded.get(key) or self._expecting.row(key)


def _bag(rows: Sequence[SolutionMapping], comparer: Comparer) -> Bag:
    return Counter(row_key(row, comparer) for row in rows)


def _gathered(fits: Sequence[tuple[Expectation, Fit]]) -> tuple[Right, ...]:
    """Return one entry a setting, with all its window starts."""
    by_setting: dict[Setting, list[Fit]] = {}
    for expectation, found in fits:
        by_setting.setdefault(expectation.setting, []).append(found)
    return tuple(
        Right(
            setting,
            tuple(_united(f.starts for f in found if f.starts is not None)),
            min(f.least for f in found),
            min(f.most for f in found),
        )
        for setting, found in by_setting.items()
    )


def _united(starts: Iterable[Starts]) -> list[Starts]:
    """Return neighbouring intervals as one."""
    united: list[Starts] = []
    for each in sorted(starts, key=lambda s: (s.earliest, s.latest)):
        if united and each.earliest <= united[-1].latest + 1:
            last = united.pop()
            each = Starts(last.earliest, max(last.latest, each.latest))
        united.append(each)
    return united


def _note(recording: Recording, nothing: bool, allow_empty: bool) -> str:
    if recording.rows:
        return ""
    said = "every recorded answer is empty" if recording.relations else "nothing was recorded"
    if not nothing:
        return said
    if allow_empty:
        return f"{said}, and there is nothing to answer"
    return f"{said}, and there is nothing to answer, which is no proof of anything: allow it if so"


def _strangers(recording: Recording, query: ContinuousQuery) -> str:
    """Return a message if the answers bind variables that the query does not select."""
    selected = variables_of(query)
    bound = {v for relation in recording.relations for row in relation.rows for v in row}
    strange = sorted(bound.difference(selected))
    if not strange:
        return ""
    shown = ", ".join(f"?{variable}" for variable in strange)
    return f"the answers bind {shown}, which the query does not select"
