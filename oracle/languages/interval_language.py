"""What EP-SPARQL and CQELS-CEP have in common: streams of intervals, and interval solutions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from rdflib.term import Variable

from ...semantics.model.interval_solutions import IntervalResult
from ...semantics.model.mappings import SolutionMapping
from ..judging.levels import Answer, Level
from ..results.json_objects import JsonObject
from . import interval_solutions
from .base import QueryT, ReadingsT
from .graphs import RdfLanguage


class IntervalLanguage(RdfLanguage[QueryT, ReadingsT], ABC):
    """A language whose results are interval solutions."""

    title: str

    items = "intervals"
    levels: tuple[Level, ...] = interval_solutions.LEVELS
    sets: tuple[Level, ...]
    open_fields: tuple[str, ...] = ()
    result_fields: frozenset[str]

    @abstractmethod
    def columns(self, query: QueryT) -> tuple[Variable, ...]:
        """The variables that results bind, in the order of the SELECT clause."""

    def to_json(self, result: IntervalResult, query: QueryT, readings: ReadingsT) -> JsonObject:
        return interval_solutions.result_to_json(result, self.columns(query))

    def from_json(self, written: JsonObject) -> IntervalResult:
        return interval_solutions.result_from_json(written, self.title, self.result_fields)

    def answers(
        self,
        results: Iterable[IntervalResult | Mapping[str, Any]],
        level: Level,
        *,
        partial: bool,
    ) -> list[Answer]:
        return interval_solutions.answers(
            results, title=self.title, known=self.result_fields
        )

    def instants(self, query: QueryT) -> frozenset[str]:
        return frozenset({"at", "interval"}) & self.result_fields

    def order(self, result: IntervalResult) -> Any:
        return interval_solutions.order(result)

    def flat_fields(self, query: QueryT, readings: ReadingsT) -> tuple[str, ...]:
        return interval_solutions.FLAT_FIELDS

    def flat_rows(
        self, result: IntervalResult, query: QueryT, readings: ReadingsT
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        return interval_solutions.flat_rows(result)

    def result_of(self, answer: Answer) -> IntervalResult:
        return interval_solutions.result_of(answer)
