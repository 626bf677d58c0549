"""What event patterns are evaluated over at t: windows, and what a policy leaves of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rdflib.term import URIRef

from ..model.items import TimestampedGraph
from ..model.mappings import SolutionMapping
from ..model.terms import EMPTY_GRAPH, Dataset, Graph
from ..rdf import translation
from ..rdf.evaluation import Evaluation, evaluate_algebra
from ..rdf.expressions.context import Execution
from ..rdf.syntax.variables import mentioned_variables
from .consumption import Input, consumed, left
from .event_mappings import Part
from .orders import Precedes, order_named
from .syntax.readings import Readings
from .syntax.tree import Event


@dataclass(frozen=True, slots=True)
class Scene:
    """W_j(S_ℓ, t) by name, the dataset for GRAPH, and the input structure that 𝒫 returns.

    `input` is None under 𝒫^u. `known` remembers ⟦μ(P)⟧_G for as long as one t is evaluated.
    """

    t: int
    contents: Mapping[URIRef, Sequence[TimestampedGraph]]
    dataset: Dataset
    readings: Readings
    input: Input | None = None
    known: dict[tuple[Event, Graph, SolutionMapping], list[tuple[SolutionMapping, Graph]]] = field(
        default_factory=dict
    )

    @property
    def precedes(self) -> Precedes:
        """≺"""
        return order_named(self.readings.order)

    def solutions(
        self, e: Event, item: TimestampedGraph, mu: SolutionMapping
    ) -> Iterator[tuple[SolutionMapping, frozenset[Part]]]:
        """⟦μ(P)⟧_{G_k}, each solution with what would be consumed of the window.

        (12): under a consumption policy G_k is what the policy leaves of it.
        """
        graph = item.graph
        if self.input is not None:
            graph = left(item, self.input[e.window], self.readings.consumption)
        for nu, triples in self._substituted(e, graph, mu.project(mentioned_variables(e.pattern))):
            yield nu, frozenset((e.window, triple, item.time) for triple in triples)

    def _substituted(
        self, e: Event, graph: Graph, mu: SolutionMapping
    ) -> list[tuple[SolutionMapping, Graph]]:
        """⟦μ(P)⟧_G, each solution with the triples of G that a consumption policy would consume.

        The variables of μ are replaced as EXISTS replaces them (SPARQL 1.1 Query, 18.6), so that
        the filters of P may ask for what μ binds.
        """
        key = e, graph, mu
        if key not in self.known:
            execution = Execution(substitutes=self.readings.exists == "substituted")
            substituted = Evaluation(self.dataset, graph, execution, outer=mu)
            found = evaluate_algebra(translation.translate(e.pattern), substituted)
            consuming = self.input is not None
            self.known[key] = [
                (nu, consumed(e.pattern, graph, mu.merge(nu)) if consuming else EMPTY_GRAPH)
                for nu in found if nu.compatible(mu)
            ]
        return self.known[key]
