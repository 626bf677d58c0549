"""What explains a failing case: a known difference, a cluster of the run, or something new."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..cases.case import Case
from ..engines.engine import Engine
from ..judging.verdicts import Verdict
from .clusters import Cluster, Counted, Discrepancy, add_cluster, count_one, likeliest, of_cause
from .discrepancies import ShrunkFailure, as_it_is, shrunk_failure
from .failure_causes import cause_of, message_of
from .fuzz_report import FuzzReport, Progress
from .known_differences import KnownDifference
from .other_readings import explaining_readings, is_read_so

_SHARE = 3  # of what is shrunk together, a third may be in the same words


@dataclass(frozen=True, slots=True)
class FailingCase:
    """A generated case that failed, the `example` with this number of the run."""

    case: Case
    verdict: Verdict
    engine: Engine
    example: int


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
    chosen: deque[tuple[FailingCase, Cluster | KnownDifference | None]] = field(
        default_factory=deque
    )
    waiting: list[FailingCase] = field(default_factory=list)
    counted: Counted = field(default_factory=Counted)

    def failed(self, failure: FailingCase) -> None:
        """Count a failing case.

        What another reading explains is counted as that. Of what a cluster or a known difference
        very likely explains, the 1st, 2nd, 4th, 8th, … is shrunk, which says where it belongs.
        An error or crash waits if others in the same words are to be shrunk, which may explain it.
        """
        case, verdict, engine = failure.case, failure.verdict, failure.engine
        said = _said(verdict)
        alike = sum(said == _said(each.verdict) for each, _ in self.chosen) if said else 0
        if alike and alike >= self.together // _SHARE:
            self.waiting.append(failure)
            return
        cluster = likeliest(self.report.clusters, cause_of(case, verdict))
        if self.read_otherwise(case, engine, verdict, cluster):
            return
        presumed = self.presumed(case, verdict, cluster)
        if presumed is not None and not self.counted.worth_shrinking(id(presumed)):
            self.count(presumed)
            return
        self.chosen.append((failure, presumed))
        if len(self.chosen) >= self.together:
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
            self.failed(failure)

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
                each.case, each.verdict, each.engine, timeout=self.timeout, tags=("fuzz",)
            )

    def read_otherwise(
        self, generated: Case, engine: Engine, verdict: Verdict, cluster: Cluster | None
    ) -> bool:
        """Whether the engine answers as under a reading that explained failures before.

        `cluster` is the likeliest one.
        """
        for known in self.report.known:
            if known.is_read(generated, verdict, engine, timeout=self.timeout):
                self.count(known)
                return True
        if cluster is None or not self.is_meant(cluster, generated, engine):
            return False
        cluster.read_so += 1
        self.count(cluster)
        return True

    def is_meant(self, cluster: Cluster, case: Case, engine: Engine) -> bool:
        """Whether the engine answers a case as under one of a cluster's other readings."""
        return any(
            is_read_so(case, meaning, engine, timeout=self.timeout) for meaning in cluster.meanings
        )

    def presumed(
        self, generated: Case, verdict: Verdict, cluster: Cluster | None
    ) -> Cluster | KnownDifference | None:
        """What very likely explains a failure: of what fits, what says most of it."""
        known = [each for each in self.report.known if each.may_explain(generated, verdict)]
        return max(known, key=lambda each: len(each.features), default=cluster)

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
        for known in self.report.known:
            if known.explains(case, verdict, engine, timeout=self.timeout):
                self.count(known)
                return
        cause = cause_of(case, verdict, flaky=shrunk.flaky)
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
        """Where a witness was written, if it was to be."""
        if self.save is None or case.path is None:
            return None
        from ..cases.writing import write_case

        path = self.save / case.path
        write_case(case, path)
        return path


def _said(verdict: Verdict) -> str:
    said = message_of(verdict)
    return f"{verdict.outcome}: {said}" if said else ""
