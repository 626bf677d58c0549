"""The results of fuzzing and of a sweep as a run result, for every kind of report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..checking.worker_pool import Identity
from .fuzz_summary import meaning, repeated_by
from .run_result import CaseResult, RunResult, Tally

if TYPE_CHECKING:
    from ..fuzzing.fuzz_report import FuzzReport
    from ..sweeps.summary import SweepReport


def of_fuzzing(report: FuzzReport, who: Identity, counted: Tally, engine: str) -> RunResult:
    """Return a run of fuzzing with an ENGINE."""
    judged = []
    for each in report.clusters:
        found = each.witness
        drawn = f"seed {report.seed}, case {found.example}"
        judged.append(CaseResult(
            found.case, found.verdict, drawn if found.path is None else str(found.path),
            command=repeated_by(each, report, engine), like=each.count,
            notes=(
                str(each.cause), *meaning(each),
                *(f"also: {other.witness.case.title}" for other in each.variants),
            ),
        ))
    return RunResult(
        who.name, who.version, who.level, judged, report.seconds, counted,
        f"generated from seed {report.seed}",
    )


def of_sweep(
    report: SweepReport, who: Identity, counted: Tally, repeat: Callable[[Path], str]
) -> RunResult:
    """Return a sweep; `repeat` is the command that repeats a failure from the file of its case."""
    return RunResult(
        who.name, who.version, who.level,
        [
            CaseResult(
                found.case, found.shown, str(found.path),
                command="" if found.path is None else repeat(found.path), like=found.explains,
            )
            for found in report.failures.distinct
        ],
        report.seconds, counted, f"of {report.manifest.corpus}",
    )
