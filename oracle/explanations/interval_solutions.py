"""What is said of solutions that hold over intervals, and of those that are missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ...semantics.model.errors import UnsupportedError
from ...semantics.model.interval_solutions import Interval, IntervalSolution
from ...semantics.model.mappings import SolutionMapping
from ..cases.tasks import Task
from .asked import AskedRow, Row
from .tellers import Teller


class IntervalExplanation(Protocol):
    """What a language says of its solutions."""

    def interval(self, interval: Interval) -> str: ...

    def mapping(self, mu: SolutionMapping) -> str: ...

    def presence(self, solution: IntervalSolution) -> Iterable[str]: ...

    def absence(self, interval: Any, asked: SolutionMapping) -> Iterable[str]: ...


class IntervalTeller(Teller):
    """Solutions of languages whose solutions hold over intervals."""

    noun = "solution"

    def __init__(self, task: Task, explanation: Callable[[Task], IntervalExplanation]) -> None:
        super().__init__(task)
        if not all(isinstance(result, IntervalSolution) for result in self.results):
            raise UnsupportedError(
                f"of {task.language.title}, solutions are explained, not answers to ASK"
            )
        self.explanation = explanation(task)

    def rows_of(self, number: int, result: Any) -> Iterable[Row]:
        return [Row(number, result.mapping, {"interval": result.interval})]

    def result(self, number: int) -> str:
        found = self.results[number - 1]
        return self.row(found.mapping, {"interval": found.interval})

    def presence(self, number: int) -> Iterable[str]:
        return self.explanation.presence(self.results[number - 1])

    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        said = [self.explanation.mapping(mu)] if mu else []
        if "interval" in when:
            said.append(f"over {self.explanation.interval(when['interval'])}")
        return " ".join(said) or "anything"

    def absence(self, asked: AskedRow) -> Iterable[str]:
        return self.explanation.absence(asked.when.get("interval"), asked.mu)
