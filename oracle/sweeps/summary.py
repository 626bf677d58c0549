"""The summary of a sweep, as JSON and as text, and a baseline without Spark."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

from ...semantics.streams.files.outputs import write_text
from ..ranks.certificates import FILE as CERTIFICATE
from ..ranks.certificates import Certificate
from .case_sources import CheckSettings, Piece
from .failures import Failure, Failures
from .manifest import Manifest
from .verdict_sum import VerdictSum, digest_text

DEFAULT_SAMPLE = 4_000


@dataclass(frozen=True, slots=True)
class Baseline:
    """The speed of the pool: `seconds` from the first case to the last, its start excluded."""

    processes: int
    cases: int
    seconds: float

    @property
    def cases_per_second(self) -> float:
        return self.cases / self.seconds


def measure(pieces: Sequence[Piece], settings: CheckSettings, processes: int) -> Baseline | None:
    """Check the pieces in a pool; None if one of the pool's processes was killed."""
    # Fresh interpreters: a fork would inherit the threads and the cached parses of this one.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        try:
            # Every process is busy at once, so every one is started and has its engine.
            list(pool.map(_checked, [(pieces[0], settings)] * processes))
            began = perf_counter()
            judged = sum(pool.map(_checked, [(piece, settings) for piece in pieces]))
            return Baseline(processes, judged, perf_counter() - began)
        except BrokenProcessPool:
            return None


def local_processes(master: str) -> int:
    """Return the number of processes of `master` on this machine (all cores unless local[n])."""
    inside = master.removeprefix("local").strip("[]").split(",")[0]
    if master == "local":
        return 1
    return int(inside) if inside.isdigit() else len(os.sched_getaffinity(0))


def _checked(work: tuple[Piece, CheckSettings]) -> int:
    piece, settings = work
    return sum(found.cases for found in piece.sums(settings))


_OUTCOMES = ("pass", "fail", "unsupported", "timeout", "crash")
_SHOWN = 20


@dataclass(slots=True)
class SweepReport:
    """The findings of a sweep.

    `total` speaks of the whole sweep, and has no rows; `checked` and the times speak of this run
    alone: `start_seconds` is how long Spark took to start, `seconds` how long it checked. `removed`
    says which chunks of an earlier run could not be read, so that this one has checked them again.
    """

    manifest: Manifest
    master: str
    total: VerdictSum = field(default_factory=VerdictSum)
    judged: int = 0
    start_seconds: float = 0.0
    seconds: float = 0.0
    baseline: Baseline | None = None
    failures: Failures = field(default_factory=Failures)
    removed: list[str] = field(default_factory=list)
    certificate: Certificate | None = None
    """The certificate, if all cases of an enumeration were checked."""

    @property
    def cases(self) -> int:
        """Return the number of checked cases."""
        return self.total.cases

    @property
    def outcomes(self) -> Counter[str]:
        """The number of cases with each verdict."""
        return self.total.outcomes

    @property
    def ok(self) -> bool:
        """Return whether no verdict is a failure."""
        return not self.total.failures()

    @property
    def any_judged(self) -> bool:
        """True if there is a case that the engine supports."""
        return self.outcomes["unsupported"] < self.cases

    @property
    def cases_per_second(self) -> float | None:
        """Of this run; None if it had nothing left to check."""
        return self.judged / self.seconds if self.judged else None


def write_summary(report: SweepReport, path: Path) -> None:
    """Write the summary as JSON, in one step."""
    text = json.dumps(summary(report), indent=2, ensure_ascii=False)
    write_text(path, text + "\n")


def summary(report: SweepReport) -> dict[str, Any]:
    """Return the summary as a JSON object; rates are cases a second."""
    manifest, failures = report.manifest, report.failures
    return {
        "corpus": manifest.corpus,
        "language": manifest.language or None,
        "bounds": manifest.bounds,
        "engine": manifest.engine,
        "master": report.master,
        "version": manifest.version,
        "ok": report.ok,
        "cases": report.cases,
        "outcomes": {name: report.outcomes[name] for name in _OUTCOMES},
        "digest": digest_text(report.total.digest),
        "this_run": {
            "cases": report.judged,
            "start_seconds": round(report.start_seconds, 3),
            "seconds": round(report.seconds, 3),
            "cases_per_second": _rounded(report.cases_per_second),
        },
        "process_pool": None if report.baseline is None else {
            "processes": report.baseline.processes,
            "cases": report.baseline.cases,
            "seconds": round(report.baseline.seconds, 3),
            "cases_per_second": _rounded(report.baseline.cases_per_second),
        },
        "failing": failures.failing,
        "shrunk": failures.shrunk,
        "unexplained": failures.left,
        "failures": [_failure(failure) for failure in failures.distinct],
        "unsupported": dict(report.total.unsupported.most_common(_SHOWN)),
        "one_by_one": {
            "cases": dict(report.total.alone.most_common(_SHOWN)),
            "first": [
                {"first": first, "end": end, "why": why}
                for first, end, why in report.total.ranges[:_SHOWN]
            ],
        },
        "restarted_tasks": report.total.restarts,
        "renewed_processes": report.total.renewed,
        "unreadable_chunks": report.removed,
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "file": None if failure.path is None else f"failures/{failure.path.name}",
        "title": failure.case.title,
        "outcome": failure.verdict.outcome,
        "missing": failure.verdict.missing,
        "unexpected": failure.verdict.unexpected,
        "repeated": failure.verdict.repeated,
        "detail": failure.verdict.detail,
        "first": failure.first,
        "cases": failure.explains,
        "signature": sorted(failure.signature),
    }


def summary_text(report: SweepReport, directory: Path) -> str:
    """Return the summary as text."""
    manifest = report.manifest
    lines = [
        f"{manifest.engine} vs. oracle on {manifest.corpus}: "
        + ("all cases passed" if report.outcomes["pass"] == report.cases else _counts(report)),
        f"  {_cases(report.cases)}, verdicts in {directory / 'verdicts'}",
        f"  digest of the verdicts: {digest_text(report.total.digest)}",
        *(f"  unsupported, {_cases(count)}: {reason}"
          for reason, count in report.total.unsupported.most_common(3)),
        *_incidents(report),
        *_failures(report),
        *_certified(report, directory),
        *_rates(report),
    ]
    return "\n".join(lines)


def _incidents(report: SweepReport) -> list[str]:
    """Return the incidents that cost no verdict."""
    total = report.total
    return [
        *(f"  re-run: {reason}" for reason in report.removed[:3]),
        *(f"  re-run individually, {_cases(count)}: {reason}"
          for reason, count in total.alone.most_common(3)),
        *([f"  tasks retried after a worker was lost: {total.restarts:,}"]
          if total.restarts else []),
        *([f"  workers restarted at the memory limit: {total.renewed:,}"]
          if total.renewed else []),
    ]


def _counts(report: SweepReport) -> str:
    return ", ".join(
        f"{report.outcomes[name]:,} {name}" for name in _OUTCOMES if report.outcomes[name]
    )


def _rates(report: SweepReport) -> list[str]:
    rate = report.cases_per_second
    if rate is None:
        return ["  all chunks are already complete"]
    before = report.cases - report.judged
    resumed = f" (of {report.cases:,}; the others were complete)" if before else ""
    lines = [
        f"  Spark on {report.master}: {_cases(report.judged)}{resumed} in {report.seconds:.1f} s, "
        f"{rate:,.0f} cases/s (and {report.start_seconds:.1f} s to start)"
    ]
    if report.baseline is not None:
        lines.append(_pool(report.baseline, rate))
    return lines


def _pool(baseline: Baseline, rate: float) -> str:
    of_pool = baseline.cases_per_second
    many = "process" if baseline.processes == 1 else "processes"
    return (
        f"  a plain pool of {baseline.processes} {many}: {_cases(baseline.cases)} in "
        f"{baseline.seconds:.1f} s, {of_pool:,.0f} cases/s; Spark has {rate / of_pool:.0%} of that"
    )


def _certified(report: SweepReport, directory: Path) -> list[str]:
    if report.certificate is None:
        return []
    return [f"  certified in {directory / CERTIFICATE}:", f"  {report.certificate.statement}"]


def _failures(report: SweepReport) -> list[str]:
    failures = report.failures
    if not failures.failing:
        return []
    lines = [f"  {len(failures.distinct)} distinct "
             f"{'failure' if len(failures.distinct) == 1 else 'failures'}, shrunk:"]
    for number, failure in enumerate(failures.distinct, start=1):
        lines.append(f"  {number}. {failure.case.title}, {_cases(failure.explains)} like it")
        if failure.verdict.detail:
            lines.append(f"     {failure.verdict.detail}")
        lines.append(f"     {failure.path}")
    if failures.left:
        lines.append(f"  {_cases(failures.left)} more failed in other ways and were not shrunk "
                     "(--shrink N shrinks more)")
    return lines


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count:,} cases"


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 1)
