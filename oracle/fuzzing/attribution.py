"""What explains a failing case: a known difference, a cluster of the run, or something new."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..cases.case import Case
from ..engines.engine import Engine
from ..judging.verdicts import Verdict
from .clusters import Cluster, Counted, Discrepancy, add_cluster, count_one, likeliest, of_cause
from .discrepancies import ShrunkFailure, as_it_is, shrunk_failure
from .failure_causes import cause_of
from .fuzz_report import FuzzReport, Progress
from .known_differences import KnownDifference
from .other_readings import explaining_readings, is_read_so


@dataclass
class Attribution:
    """Counts failing cases in a report, and shrinks those that may be something new."""

    report: FuzzReport
    save: Path | None
    progress: Progress | None
    timeout: float | None
    counted: Counted = field(default_factory=Counted)

    def failed(self, generated: Case, engine: Engine, verdict: Verdict) -> None:
        """Count a failing case.

        What another reading explains is counted as that. Of what a cluster or a known difference
        very likely explains, the 1st, 2nd, 4th, 8th, … is shrunk, which says where it belongs.
        """
        cluster = likeliest(self.report.clusters, cause_of(generated, verdict))
        if self.read_otherwise(generated, engine, verdict, cluster):
            return
        presumed = self.presumed(generated, verdict, cluster)
        if presumed is not None and not self.counted.worth_shrinking(id(presumed)):
            self.count(presumed)
            return
        self.report.shrinking = True
        if self.progress is not None:
            self.progress(self.report)
        try:
            shrunk = shrunk_failure(
                generated, verdict, engine, timeout=self.timeout, tags=("fuzz",)
            )
        except KeyboardInterrupt:  # what failed is told all the same
            if presumed is not None:
                self.count(presumed)
            else:
                self.record(as_it_is(generated, verdict, engine, tags=("fuzz",)), engine)
            raise
        self.report.shrinking = False
        self.record(shrunk, engine, generated)

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
        self, shrunk: ShrunkFailure, engine: Engine, generated: Case | None = None
    ) -> None:
        """Count a shrunk failure where it belongs, which may be a new cluster.

        `generated` is the case that it was shrunk from; None, if it was not shrunk.
        """
        case, verdict = shrunk.case, shrunk.verdict
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
            case, verdict, self.report.examples, self.saved(case), shrunk.flaky, engine.name
        )
        cluster = Cluster(cause, witness, shrunk=int(generated is not None))
        try:
            if generated is not None and not shrunk.flaky:
                cluster.meanings = explaining_readings(case, verdict, engine, timeout=self.timeout)
                cluster.read_so = int(self.is_meant(cluster, generated, engine))
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
