"""What is said of solutions of CQELS-CEP, and of those that are missed."""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.model.errors import UnsupportedError
from ...cases.reading import Case
from ...cases.tasks import Task
from ...explanations.interval_solutions import IntervalTeller
from ...explanations.telling import told
from .explanation import Explanation


def explained(case: Case, match: int | None, missing: str | None) -> Iterator[str]:
    """Lines that say why solutions are there, or why one is not."""
    return told(_teller, case, match, missing)


def _teller(task: Task) -> IntervalTeller:
    if task.tree.template is not None or task.tree.operator is not None:
        raise UnsupportedError(
            "of CQELS-CEP, solutions of SELECT without a stream operator are explained"
        )
    return IntervalTeller(task, Explanation)
