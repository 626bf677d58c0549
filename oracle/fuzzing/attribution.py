"""The attribution of a failing case: a known difference, a cluster of the run, or a new cause."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ..cases.case import Case
from ..checking.verdicts import Verdict
from ..engines.engine import Engine
from .clusters import (
    Cause,
    Cluster,
    Counted,
    Discrepancy,
    add_cluster,
    cause_of,
    count_one,
    likeliest,
    message_of,
    of_cause,
)
from .discrepancies import ShrunkFailure, as_it_is, is_cured_alike, shrunk_failure
from .fuzz_report import FuzzReport, Progress
from .known_differences import KnownDifference
from .reading_search import explaining_readings, is_read_so
from .repairs import after_repair, cure_of, repairs_of

_SHARE = 3  # of what is shrunk together, a third may be in the same words
_CONFIRMED = 16  # failures of one cause
_WAITED = 200  # cases after which a failure is shrunk, however few wait with it


@dataclass(frozen=True, slots=True)
class FailingCase:
    """A generated case that failed, the `example` with this number of the run.

    `repair` names the rewriting that cures it.
    """

    case: Case
    verdict: Verdict
    engine: Engine
    example: int
    repair: str = ""

    @property
    def cause(self) -> Cause:
        """The causes among which its cause is, before it is shrunk."""
        return cause_of(self.case, self.verdict, repair=self.repair)


Attempt: TypeAlias = KnownDifference | Cause
"""A possible cause of a failure: a known difference, or a cluster's cause with a repair."""


class Remainder(NamedTuple):
    """The rest of a failure after repairs.

    It is the known difference `found`, or it is cured by the rewriting `repair`, or nothing
    cures it.
    """

    case: Case
    verdict: Verdict
    repair: str = ""
    found: KnownDifference | None = None


def remainder(
    case: Case, verdict: Verdict, attempts: Sequence[Attempt], engine: Engine, *,
    timeout: float | None,
) -> Remainder:
    """Return the rest of a failure after the repairs of the attempts, and then of its language.

    Each is tried on what the ones before have left. One after which the case fails still has
    removed what is not the cause, or not all of it.
    """
    tried: set[int] = set()
    everything = (*attempts, *repairs_of(case.language_name))

    def after(attempt: Attempt | str) -> tuple[Case, Verdict] | None:
        if isinstance(attempt, KnownDifference):
            return attempt.after(case, verdict, engine, timeout=timeout)
        name = attempt if isinstance(attempt, str) else attempt.repair
        if isinstance(attempt, Cause) and not attempt.is_same(
            cause_of(case, verdict, repair=name)
        ):
            return None
        return after_repair(case, verdict, name, engine, timeout=timeout)

    while True:
        for place, attempt in enumerate(everything):
            left = None if place in tried else after(attempt)
            if left is None:
                continue
            if not left[1].ok:
                tried.add(place)
                case, verdict = left
                break
            if isinstance(attempt, KnownDifference):
                return Remainder(case, verdict, found=attempt)
            name = attempt if isinstance(attempt, str) else attempt.repair
            return Remainder(case, verdict, name)
        else:
            return Remainder(case, verdict)


Shrink: TypeAlias = Callable[[Sequence[FailingCase]], Iterable[ShrunkFailure]]
"""Shrinks several failures, in their order."""


@dataclass
class Attribution:
    """Counts failing cases in a report, and shrinks those that may be something new.

    `shrink` is given `together` of them, fewer only at the end; they wait in `chosen`.
    """

    report: FuzzReport
    save: Path | None
    progress: Progress | None
    timeout: float | None
    shrink: Shrink | None = None
    together: int = 1
    chosen: deque[tuple[FailingCase, Cluster | None]] = field(
        default_factory=deque
    )
    waiting: list[FailingCase] = field(default_factory=list)
    counted: Counted = field(default_factory=Counted)

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The possible causes of a failure, in the order in which they are tried."""
        causes = (each.cause for each in self.report.clusters if each.cause.repair)
        return *self.report.known, *causes

    def confirmed(self, language: str) -> Iterable[str]:
        """Return the repairs of a language whose causes were met sixteen times."""
        met: list[tuple[Attempt, int]] = [
            *((each, self.report.known_met[each.name]) for each in self.report.known),
            *((each.cause, each.count) for each in self.report.clusters),
        ]
        return dict.fromkeys(
            cause.repair for cause, count in met
            if cause.repair and cause.language == language and count >= _CONFIRMED
        )

    def failed(self, failure: FailingCase, left: Remainder) -> str:
        """Count a failing case; return the name of the known difference that it is, or ''.

        What is `left` of it after repairs goes on. What another reading explains is counted as
        that. Of what a cluster very likely explains, the 1st, 2nd, 4th, 8th, … is shrunk, which
        says where it belongs.
        """
        if isinstance(left.found, KnownDifference):
            self.count(left.found)
            return left.found.name
        self.goes_on(replace(failure, case=left.case, verdict=left.verdict, repair=left.repair))
        return ""

    def goes_on(self, failure: FailingCase) -> None:
        """Count a failure, shrink it, or have it wait.

        It waits if others of its cause, or in the same words, are to be shrunk.
        """
        cause = failure.cause
        if failure.repair and (cluster := of_cause(self.report.clusters, cause)) is not None:
            self.count(cluster)
            return
        said = _said(failure.verdict)
        alike = sum(said == _said(each.verdict) for each, _ in self.chosen) if said else 0
        if (alike and alike >= self.together // _SHARE) or (
            failure.repair and any(cause.is_same(each.cause) for each, _ in self.chosen)
        ):
            self.waiting.append(failure)
            return
        cluster = likeliest(self.report.clusters, cause)
        if cluster is not None:
            if self.is_meant(cluster, failure.case, failure.engine):
                cluster.read_so += 1
                self.count(cluster)
                return
            if not self.counted.worth_shrinking(id(cluster)):
                self.count(cluster)
                return
        self.chosen.append((failure, cluster))
        if len(self.chosen) >= self.together:
            self.shrink_chosen()

    def checked(self, examples: int) -> None:
        """Shrink the failures that wait if the first has waited long: so many cases are checked.

        Past what is known, failures are rare, and a run without an end would never show them.
        """
        if self.chosen and examples - self.chosen[0][0].example >= _WAITED:
            self.shrink_chosen()

    def finish(self) -> None:
        """Shrink all failures that wait for it."""
        while self.chosen:
            self.shrink_chosen()

    def shrink_chosen(self) -> None:
        """Shrink the failures that were chosen for it."""
        self.report.shrinking = True
        if self.progress is not None:
            self.progress(self.report)
        for shrunk in (self.shrink or self.shrunk)([each for each, _ in self.chosen]):
            failure, _ = self.chosen.popleft()
            self.record(shrunk, failure)
        self.report.shrinking = False
        waiting, self.waiting = self.waiting, []
        for failure in waiting:
            self.goes_on(failure)

    def count_chosen(self) -> None:
        """Count the failures that wait, without shrinking them: the run is interrupted."""
        self.chosen += ((failure, None) for failure in self.waiting)
        self.waiting.clear()
        while self.chosen:
            failure, presumed = self.chosen.popleft()
            if presumed is not None:
                self.count(presumed)
                continue
            told = as_it_is(failure.case, failure.verdict, failure.engine, tags=("fuzz",))
            self.record(told, failure, is_shrunk=False)

    def shrunk(self, failures: Sequence[FailingCase]) -> Iterator[ShrunkFailure]:
        for each in failures:
            yield shrunk_failure(
                each.case, each.verdict, each.engine, timeout=self.timeout, tags=("fuzz",),
                has_cause=partial(is_cured_alike, each.repair, self.report.known),
            )

    def is_meant(self, cluster: Cluster, case: Case, engine: Engine) -> bool:
        """Return True if the engine answers a case as under one of a cluster's other readings."""
        return any(
            is_read_so(case, meaning, engine, timeout=self.timeout) for meaning in cluster.meanings
        )

    def count(self, explained: Cluster | KnownDifference) -> None:
        if isinstance(explained, Cluster):
            count_one(self.report.clusters, explained)
        else:
            self.report.known_met[explained.name] += 1

    def record(
        self, shrunk: ShrunkFailure, failure: FailingCase, *, is_shrunk: bool = True
    ) -> None:
        """Count a shrunk failure where it belongs, which may be a new cluster."""
        case, verdict, engine = shrunk.case, shrunk.verdict, failure.engine
        repair = failure.repair
        if repair and is_shrunk and not shrunk.flaky:
            repair = cure_of(case, verdict, engine, timeout=self.timeout)
        cause = cause_of(case, verdict, flaky=shrunk.flaky, repair=repair)
        cluster = of_cause(self.report.clusters, cause)
        if cluster is not None:
            self.count(cluster)
            cluster.shrunk += 1
            return
        witness = Discrepancy(
            case, verdict, failure.example, self.saved(case), shrunk.flaky, engine.name
        )
        cluster = Cluster(cause, witness, shrunk=int(is_shrunk))
        try:
            if is_shrunk and not shrunk.flaky:
                cluster.meanings = explaining_readings(case, verdict, engine, timeout=self.timeout)
                cluster.read_so = int(self.is_meant(cluster, failure.case, engine))
        finally:  # also if the run is interrupted meanwhile
            add_cluster(self.report.clusters, cluster)

    def saved(self, case: Case) -> Path | None:
        """Save a witness and return its path; None if it is not to be saved."""
        if self.save is None or case.path is None:
            return None
        from ..cases.case_writer import write_case

        path = self.save / case.path
        write_case(case, path)
        return path


def _said(verdict: Verdict) -> str:
    said = message_of(verdict)
    return f"{verdict.outcome}: {said}" if said else ""
