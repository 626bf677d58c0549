"""A CQELS-CEP case as data: what strategies generate and shrinking makes smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rdflib.term import URIRef

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import CqelsQuery
from ....semantics.model.interval_solutions import IntervalResult
from ....semantics.model.items import Item
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ...cases.shown import ShownAsCase
from ..graph_cases import conformance_case, inputs_of

if TYPE_CHECKING:
    from ...cases.reading import Case


@dataclass(frozen=True, repr=False)
class CqelsCase(ShownAsCase):
    """What a CQELS-CEP query is asked on: its streams and background, and when.

    `at` are the evaluation times, None for whenever an item arrives.
    """

    query: CqelsQuery
    streams: Mapping[URIRef, tuple[Item, ...]]
    kb: Mapping[URIRef, Graph | TemporalGraph] = field(default_factory=dict)
    readings: Readings = Readings()
    at: tuple[int, ...] | None = None

    def denotation(self) -> frozenset[IntervalResult]:
        """What the definitions say."""
        from ....semantics.cqels.denotation import evaluate

        return evaluate(self.query, self.streams, self.kb, self.readings, self.at)

    def matches(self) -> Iterator[IntervalResult]:
        """What the production engine emits, in its order."""
        from ....engine.cqels import run

        return run(self.query, self.streams, self.kb, self.readings, self.at)

    def case(self) -> Case:
        """The same as a conformance case, without an expectation."""
        return conformance_case("cqels", self, {} if self.at is None else {"at": list(self.at)})

    @classmethod
    def of(cls, case: Case) -> CqelsCase:
        """The data of a CQELS-CEP conformance case; raises what is wrong with its texts."""
        from .language import evaluation_times

        task = case.task()
        return cls(
            **inputs_of(task),
            readings=Readings.of(case.readings),
            at=evaluation_times(task.evaluation),
        )
