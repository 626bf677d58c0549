"""What event patterns are evaluated over at t: windows, and what a policy leaves of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rdflib.term import URIRef

from ..model.items import TimestampedGraph
from ..model.mappings import SolutionMapping
from ..model.terms import Dataset
from ..rdf.remembered import GraphPatterns
from .consumption import InputStructure, consumed, left
from .event_mappings import Part
from .orders import Precedes, order_named
from .syntax.readings import Readings
from .syntax.tree import Event


@dataclass(frozen=True, slots=True)
class Scene:
    """W_j(S_ℓ, t) by name, the dataset for GRAPH, the input structure that 𝒫 returns (None under
    𝒫^u, which leaves everything), and ⟦μ(P)⟧_G."""

    t: int
    contents: Mapping[URIRef, Sequence[TimestampedGraph]]
    dataset: Dataset
    readings: Readings
    input: InputStructure | None = None
    graph_pattern: GraphPatterns = field(init=False)

    def __post_init__(self) -> None:
        substitutes = self.readings.exists == "substituted"
        patterns = GraphPatterns.lately(dict(self.dataset.named), substitutes=substitutes)
        object.__setattr__(self, "graph_pattern", patterns)

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
        if self.input is None:
            for nu in self.graph_pattern(e.pattern, item.graph, mu):
                yield nu, frozenset()
            return
        graph = left(item, self.input[e.window], self.readings.consumption)
        for nu in self.graph_pattern(e.pattern, graph, mu):
            triples = consumed(e.pattern, graph, mu.merge(nu))
            yield nu, frozenset((e.window, triple, item.time) for triple in triples)
