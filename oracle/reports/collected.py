"""What fuzzing and a sweep have found, as a judgement that every report can be made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..judging.pool import Identity
from .fuzz_summary import meaning
from .judged import Judged, Judgement
from .tally import Tally

if TYPE_CHECKING:
    from ..fuzzing.clusters import Discrepancy
    from ..fuzzing.fuzz_report import FuzzReport
    from ..sweeps.summary import SweepReport


def of_fuzzing(
    report: FuzzReport, who: Identity, counted: Tally, repeat: Callable[[Discrepancy], str]
) -> Judgement:
    """A run of fuzzing; `repeat` is the command that repeats what was found."""

    def place(found: Discrepancy) -> str:
        drawn = f"seed {report.seed}, case {found.example}"
        return drawn if found.path is None else str(found.path)

    return Judgement(
        who.name, who.version, who.level,
        [
            Judged(
                each.witness.case, each.witness.verdict, place(each.witness),
                command=repeat(each.witness), like=each.count,
                notes=(str(each.cause), *meaning(each)),
            )
            for each in report.clusters
        ],
        report.seconds, counted, f"generated from seed {report.seed}",
    )


def of_sweep(
    report: SweepReport, who: Identity, counted: Tally, repeat: Callable[[Path], str]
) -> Judgement:
    """A sweep; `repeat` is the command that repeats a failure, of which a file has the case."""
    return Judgement(
        who.name, who.version, who.level,
        [
            Judged(
                found.case, found.shown, str(found.path),
                command="" if found.path is None else repeat(found.path), like=found.explains,
            )
            for found in report.failures.distinct
        ],
        report.seconds, counted, f"of {report.manifest.corpus}",
    )
