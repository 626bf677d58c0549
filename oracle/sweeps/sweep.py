"""A sweep: every case of a source is checked once, on Spark, across interruptions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from ... import __version__
from ...semantics.model.errors import Impossible, UnsupportedError
from ..checking.worker_pool import identity_of
from ..engines.engine import DEFAULT_TIMEOUT
from ..languages.enumeration import Bounds
from ..ranks.certificates import Certificate, Versions, write_certificate
from .case_sources import CaseSource, CheckSettings, Chunk, Frames, SweepPlan
from .failures import DEFAULT_MOST_SHRUNK, distinct_failures, write_failures
from .manifest import SPARK_LOG, Manifest, begin, forget, locked, write_manifest
from .spark.session import cause_of, check_installed, spark_session
from .summary import DEFAULT_SAMPLE, SweepReport, local_processes, measure, write_summary
from .verdict_files import VerdictFiles
from .verdict_sum import VerdictSum, digest_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# While one chunk is in its last tasks, the next one's keep the other cores busy.
_AT_ONCE = 2


class SparkChecker:
    """Checks chunks on one Spark session; `frames` says what is to be checked in a chunk."""

    def __init__(self, session: SparkSession, frames: Frames) -> None:
        self.session = session
        self.frames = frames

    def judged(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, VerdictSum]]:
        """Yield each chunk with its verdicts, in the order in which they are done."""
        waiting = iter(chunks)
        running: dict[Future[VerdictSum], Chunk] = {}
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="chunk") as threads:
            try:
                while True:
                    while len(running) < _AT_ONCE and (chunk := next(waiting, None)) is not None:
                        running[threads.submit(self._chunk, chunk)] = chunk
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield running.pop(future), future.result()
            except BaseException:
                self.session.sparkContext.cancelAllJobs()
                raise

    def _chunk(self, chunk: Chunk) -> VerdictSum:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            return VerdictSum.total(self.frames(chunk).toArrow())
        except (PySparkException, Py4JError) as error:
            cause = cause_of(error)
            raise UnsupportedError(f"Spark failed in chunk {chunk.index}: {cause}") from error


def own_paths() -> tuple[str, ...]:
    """Return the entries of sys.path besides the interpreter's own: engines may live there."""
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    paths = [Path(entry or os.curdir).resolve() for entry in ("", *sys.path)]
    own = [p for p in paths if p.is_dir() and not any(p.is_relative_to(i) for i in installed)]
    return tuple(dict.fromkeys(map(str, own)))


DEFAULT_MASTER = "local[*]"

SUMMARY = "summary.json"


class Observer(Protocol):
    """An observer of a sweep's progress."""

    def doing(self, what: str) -> None:
        """Begin a new phase."""

    def judged(self, done: int, total: int, against: int) -> None:
        """Report that `done` cases of `total` are committed, `against` of them failures."""


class NullObserver:
    """An observer that says nothing."""

    def doing(self, what: str) -> None:
        pass

    def judged(self, done: int, total: int, against: int) -> None:
        pass


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """The options of a sweep.

    `chunk` cases are committed at a time, `verdicts` says which of their verdicts have rows (None:
    as is usual for the source); each chunk is cut into `partitions` tasks (None: four a core).
    `timeout` is in seconds, for one case. `baseline` cases are checked by a plain pool too, for
    comparison; `most_shrunk` failing cases are shrunk at most.
    """

    source: CaseSource
    directory: Path
    engine: str = "production"
    master: str = DEFAULT_MASTER
    resume: bool = False
    limit: int | None = None
    chunk: int | None = None
    partitions: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    baseline: int = DEFAULT_SAMPLE
    most_shrunk: int = DEFAULT_MOST_SHRUNK
    verdicts: str | None = None


def sweep(
    options: SweepOptions, *, observer: Observer | None = None, spark: SparkSession | None = None
) -> SweepReport:
    """Check the engine on the cases; verdicts, summary and failures go to the directory.

    A session in `spark` is used and left running, else one is started. Raises SweepError if the
    directory is in use or its sweep is another one, CaseError for a file that is no corpus (and
    BoundsError for bounds that a language does not have),
    EngineError if there is no such engine, UnsupportedError if Spark cannot be had.
    """
    return _Sweep(options, observer or NullObserver(), spark).whole()


class _Sweep:
    def __init__(
        self, options: SweepOptions, observer: Observer, spark: SparkSession | None
    ) -> None:
        self.options = options
        self.observer = observer
        self.spark = spark
        self.verdicts = VerdictFiles(options.directory / "verdicts")
        self.settings = CheckSettings(
            options.engine, options.timeout, options.verdicts or options.source.usual_rows
        )

    def whole(self) -> SweepReport:
        options = self.options
        self.judged = identity_of(options.engine)  # there is one of this name
        if self.spark is None:
            check_installed()
        self.observer.doing("counting the cases")
        chunk = options.chunk or options.source.usual_chunk
        planned = options.source.plan(chunk, options.limit)
        with locked(options.directory):
            manifest = self.manifest(planned, chunk)
            earlier = begin(options.directory, resume=options.resume)
            if earlier is not None:
                manifest.check_resumable(earlier, options.directory)
                manifest = earlier
                planned = options.source.plan(earlier.chunk, options.limit)
            write_manifest(manifest, options.directory)
            self.verdicts.prepare()
            report = SweepReport(manifest, options.master)
            try:
                self.judge(planned, report)
            except UnsupportedError:
                if earlier is None and not self.verdicts.finished()[0]:
                    forget(options.directory)
                    self.verdicts.directory.rmdir()
                raise
            self.conclude(planned, report)
        return report

    def manifest(self, planned: SweepPlan, chunk: int) -> Manifest:
        options = self.options
        return Manifest(
            **options.source.identity(),
            rows=planned.rows,
            engine=options.engine,
            timeout=options.timeout,
            limit=options.limit,
            chunk=chunk,
            version=__version__,
            name=self.judged.name,
            revision=self.judged.version,
            verdicts=self.settings.rows,
        )

    # --- checking ---

    def judge(self, planned: SweepPlan, report: SweepReport) -> None:
        finished, report.removed = self.verdicts.finished()
        left = [chunk for chunk in planned.chunks if finished.get(chunk.index) != chunk.rows]
        if not left:
            return
        self.measure_baseline(report)
        done = planned.rows - sum(chunk.rows for chunk in left)
        self.observer.doing(f"starting Spark on {self.options.master}")
        began = perf_counter()
        with self.session() as session:
            frames = self.options.source.frames(
                session, self.settings, partitions=self.options.partitions, planned=planned,
                search_path=own_paths(),
            )
            judge = SparkChecker(session, frames)
            report.start_seconds = perf_counter() - began
            self.observer.doing("testing")
            self.observer.judged(done, planned.rows, 0)
            began, against = perf_counter(), 0
            for chunk, verdicts in judge.judged(left):
                self.commit(chunk, verdicts)
                against += verdicts.failures()
                report.judged += chunk.rows
                report.seconds = perf_counter() - began
                self.observer.judged(done + report.judged, planned.rows, against)

    def measure_baseline(self, report: SweepReport) -> None:
        options = self.options
        if options.baseline > 0:
            self.observer.doing("measuring a plain process pool")
            pieces = options.source.sample(options.baseline, options.limit)
            report.baseline = measure(pieces, self.settings, local_processes(options.master))

    @contextmanager
    def session(self) -> Iterator[SparkSession]:
        if self.spark is not None:
            yield self.spark
            return
        log = self.options.directory / SPARK_LOG
        with spark_session(self.options.master, log) as session:
            yield session

    def commit(self, chunk: Chunk, verdicts: VerdictSum) -> None:
        if not verdicts.cases == verdicts.outcomes.total() == chunk.rows:
            raise Impossible(f"chunk {chunk.index}: {chunk.rows} cases, {verdicts.cases} verdicts")
        self.verdicts.commit(chunk.index, verdicts)

    # --- its outcome ---

    def conclude(self, planned: SweepPlan, report: SweepReport) -> None:
        options = self.options
        for chunk in self.verdicts.read():
            report.total.add(chunk.without_rows())
        if report.cases != planned.rows:
            raise Impossible(f"{planned.rows} cases, {report.cases} verdicts")
        if not report.ok:
            self.observer.doing("shrinking failures")
            report.failures = distinct_failures(
                options.source,
                self.verdicts,
                options.engine,
                options.timeout,
                most_shrunk=options.most_shrunk,
                progress=lambda found: self.observer.doing(
                    f"shrinking failures: {len(found.distinct)} distinct so far"
                ),
            )
        write_failures(report.failures, options.directory / "failures")
        write_summary(report, options.directory / SUMMARY)
        report.certificate = _certificate(report)
        if report.certificate is not None:
            write_certificate(report.certificate, options.directory)


def _certificate(report: SweepReport) -> Certificate | None:
    """Return the certificate of a sweep over all cases of its bounds; None for another sweep."""
    manifest = report.manifest
    if manifest.bounds is None or manifest.limit is not None:
        return None
    return Certificate(
        manifest.language, Bounds(**manifest.bounds), manifest.engine, manifest.judged[0],
        manifest.timeout, Versions.here(manifest.revision), report.cases, dict(report.outcomes),
        digest_text(report.total.digest),
    )
