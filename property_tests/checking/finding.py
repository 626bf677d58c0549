"""Fuzzing for a planted bug, whatever the cases that one seed draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from denota.oracle.fuzzing.clusters import Discrepancy
from denota.oracle.fuzzing.differential import fuzz

SEEDS = range(1, 6)


def first_found(engine: Any, language: str, examples: int, save: Path) -> Discrepancy:
    """Return the first discrepancy within so many cases under any of the seeds; fail without one.

    Args:
        save: the folder to which the shrunk case is written.
    """
    for seed in SEEDS:
        report = fuzz(engine, [language], examples=examples, seed=seed, save=save, stop_after=1)
        if report.discrepancies:
            return report.discrepancies[0]
    raise AssertionError(f"not found in {examples} cases under any of {len(SEEDS)} seeds")
