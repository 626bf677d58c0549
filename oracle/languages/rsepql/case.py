"""An RSEP-QL case as data: what strategies generate and shrinking makes smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rdflib.term import URIRef

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.terms import Graph
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ...cases.shown import ShownAsCase
from ..graph_cases import conformance_case, inputs_of

if TYPE_CHECKING:
    from ...cases.reading import Case


@dataclass(frozen=True, repr=False)
class RsepqlCase(ShownAsCase):
    """What an RSEP-QL query is asked on: its streams and graphs, and when (ET)."""

    query: RsepqlQuery
    streams: Mapping[URIRef, tuple[TimestampedGraph, ...]]
    kb: Mapping[URIRef, Graph] = field(default_factory=dict)
    readings: Readings = Readings()
    evaluation: Evaluation = Evaluation()

    def denotation(self) -> list[TimedAnswer]:
        """What the definitions say."""
        from ....semantics.rsepql.denotation import evaluate

        return list(evaluate(self.query, self.streams, self.kb, self.readings, self.evaluation))

    def matches(self) -> Iterator[TimedAnswer]:
        """What the production engine emits, in its order."""
        from ....engine.rsepql import run

        return run(self.query, self.streams, self.kb, self.readings, self.evaluation)

    def case(self) -> Case:
        """The same as a conformance case, without an expectation."""
        return conformance_case("rsepql", self, self.evaluation.named())

    @classmethod
    def of(cls, case: Case) -> RsepqlCase:
        """The data of an RSEP-QL conformance case; raises what is wrong with its texts."""
        task = case.task()
        return cls(
            **inputs_of(task),
            readings=Readings.of(case.readings),
            evaluation=Evaluation.of(task.evaluation),
        )
