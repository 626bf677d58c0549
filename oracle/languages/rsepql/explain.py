"""What is said of answers of RSEP-QL, and of rows that are missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....semantics.model.errors import UnsupportedError
from ....semantics.model.mappings import SolutionMapping
from ....semantics.rdf.syntax.tree import SelectQuery
from ...cases.reading import Case
from ...cases.tasks import Task
from ...explanations.asked import AskedRow, Row
from ...explanations.tellers import Teller
from ...explanations.telling import told
from ...explanations.wording import Words
from .explanation import Explanation


class RsepqlTeller(Teller):
    """Answers of RSEP-QL to SELECT: rows are the results."""

    noun = "answer"

    def __init__(self, task: Task) -> None:
        if not isinstance(task.tree.form, SelectQuery):
            raise UnsupportedError(
                "of RSEP-QL, answers to SELECT are explained, not to other forms"
            )
        super().__init__(task)
        self.explanation, self.words = Explanation(task), Words(task)

    def found(self) -> list[Any]:
        task = self.task
        answers = task.language.evaluate(
            task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
            evaluation=task.evaluation,
        )
        return [
            (answer.time, mu) for answer in answers
            for _, mu in task.language.flat_rows(answer, task.tree, task.readings)
        ]

    def rows_of(self, number: int, result: Any) -> Iterable[Row]:
        at, mu = result
        return [Row(number, mu, {"at": at, "time": at})]

    def result(self, number: int) -> str:
        at, mu = self.results[number - 1]
        return f"at {self.task.shown_instant(at)}, {self.words.mapping(mu)}"

    def presence(self, number: int) -> Iterable[str]:
        at, mu = self.results[number - 1]
        return self.explanation.answer(at, mu, self.results[: number - 1].count((at, mu)))

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        at = when.get("at", when.get("time"))
        said = [] if at is None else [f"at {self.task.shown_instant(at)}"]
        if mu:
            said.append(self.words.mapping(mu))
        return ", ".join(said) or "anything"

    def absence(self, asked: AskedRow) -> Iterable[str]:
        return self.explanation.absence(asked.when.get("at", asked.when.get("time")), asked.mu)


def explained(case: Case, match: int | None, missing: str | None) -> Iterator[str]:
    """Lines that say why answers are there, or why one is not."""
    return told(RsepqlTeller, case, match, missing)
