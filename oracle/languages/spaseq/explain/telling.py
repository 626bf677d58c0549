"""What is said of matches of SPAseq, and of rows that are missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .....semantics.model.mappings import SolutionMapping
from ....cases.tasks import Task
from ....explanations.asked import AskedRow, Row
from ....explanations.tellers import Teller
from ....explanations.wording import Words
from .absences import Asked, explain_absence
from .matches import explain_match


class SpaseqTeller(Teller):
    """Matches of SPAseq."""

    noun = "match"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.words = Words(task)

    def rows_of(self, number: int, result: Any) -> Iterable[Row]:
        when = {"time": result.time, "rank": result.rank, "window": result.window}
        return [Row(number, mu, when) for mu in result.solutions]

    def result(self, number: int) -> str:
        pair = self.results[number - 1]
        at = self.words.instant((pair.time, pair.rank))
        return f"at {at}, {self.words.bindings(pair.solutions)}"

    def presence(self, number: int) -> Iterable[str]:
        return explain_match(self.task, self.results[number - 1])

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        said = []
        if when.get("time") is not None:
            said.append(f"at {self.words.instant((when['time'], when.get('rank') or 0))}")
        if when.get("window") is not None:
            said.append(f"in [{', '.join(map(self.task.shown_instant, when['window']))}]")
        if mu:
            said.append(self.words.mapping(mu))
        return ", ".join(said) or "anything"

    def when(self, row: Row) -> Mapping[str, Any]:
        return {**row.when, "rank": row.when["rank"] or None}

    def absence(self, asked: AskedRow) -> Iterable[str]:
        when = asked.when
        return explain_absence(
            self.task, Asked(when.get("time"), asked.mu, when.get("window"), when.get("rank"))
        )
