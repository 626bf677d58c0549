"""An EP-SPARQL case as data: what strategies generate and shrinking makes smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rdflib.term import URIRef

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.items import Item
from ....semantics.model.terms import Graph
from ...cases.shown import ShownAsCase
from ..graph_cases import conformance_case, inputs_of

if TYPE_CHECKING:
    from ...cases.reading import Case


@dataclass(frozen=True, repr=False)
class EpsparqlCase(ShownAsCase):
    """What an EP-SPARQL query is asked on: streams and background graphs, under some readings."""

    query: EpsparqlQuery
    streams: Mapping[URIRef, tuple[Item, ...]]
    kb: Mapping[URIRef, Graph] = field(default_factory=dict)
    readings: Readings = Readings()

    def denotation(self) -> list[IntervalSolution] | list[bool]:
        """What the definitions say."""
        from ....semantics.epsparql.denotation import evaluate

        return evaluate(self.query, self.streams, self.kb, self.readings)

    def matches(self) -> Iterator[IntervalSolution | bool]:
        """What the production engine emits, in its order."""
        from ....engine.epsparql import run

        return run(self.query, self.streams, self.kb, self.readings)

    def case(self) -> Case:
        """The same as a conformance case, without an expectation."""
        return conformance_case("epsparql", self, {})

    @classmethod
    def of(cls, case: Case) -> EpsparqlCase:
        """The data of an EP-SPARQL conformance case; raises what is wrong with its texts."""
        task = case.task()
        return cls(
            **inputs_of(task),
            readings=Readings.of(case.readings),
        )
