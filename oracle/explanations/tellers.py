"""What is said of the results of a task, and of rows that are missed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ...semantics.model.mappings import SolutionMapping
from ..cases.tasks import Task
from .asked import AskedRow, Row, covers


class Teller(ABC):
    """Explains one task; `noun` is what its results are called, `results` are in their order."""

    noun: str

    def __init__(self, task: Task) -> None:
        self.task = task
        self.results = self.found()

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the results."""
        return [
            row for number, result in enumerate(self.results, start=1)
            for row in self.rows_of(number, result)
        ]

    @abstractmethod
    def rows_of(self, number: int, result: Any) -> Iterable[Row]:
        """The rows of the result of this number."""

    def found(self) -> list[Any]:
        """The results of the definitions, in the order in which they are printed."""
        task = self.task
        return sorted(
            task.language.evaluate(
                task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
                evaluation=task.evaluation,
            ),
            key=task.language.order,
        )

    @abstractmethod
    def result(self, number: int) -> str:
        """A result in short."""

    @abstractmethod
    def presence(self, number: int) -> Iterable[str]:
        """What makes it a result."""

    @abstractmethod
    def row(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        """A row in short, as far as it is given."""

    @abstractmethod
    def absence(self, asked: AskedRow) -> Iterable[str]:
        """What keeps a row away, by the definitions."""

    def why_not(self, asked: AskedRow) -> Iterable[str]:
        """What keeps a row away that is not there."""
        columns = self.task.language.columns(self.task.tree)
        unknown = [f"?{v}" for v in asked.mu if v not in columns]
        if unknown:
            yield f"The query does not return {' and '.join(unknown)}."
            return
        others = [row for row in self.rows if covers(asked.mu, row.mu)]
        if others:
            held = dict.fromkeys(self.row(SolutionMapping(), self.when(row)) for row in others)
            yield f"It holds {', '.join(list(held)[:3])} instead."
        yield from self.absence(asked)

    def when(self, row: Row) -> Mapping[str, Any]:
        """What of a row's times there is to say."""
        return row.when


__all__ = ["Teller"]
