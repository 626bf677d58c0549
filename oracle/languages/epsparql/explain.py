"""What is said of solutions of EP-SPARQL, and of those that are missed."""

from __future__ import annotations

from collections.abc import Iterator

from ...cases.reading import Case
from ...cases.tasks import Task
from ...explanations.interval_solutions import IntervalTeller
from ...explanations.telling import told
from .explanation import Explanation


def explained(case: Case, match: int | None, missing: str | None) -> Iterator[str]:
    """Lines that say why solutions are there, or why one is not."""
    return told(_teller, case, match, missing)


def _teller(task: Task) -> IntervalTeller:
    return IntervalTeller(task, Explanation)
