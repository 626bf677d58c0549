"""The evaluation context of event patterns at t: windows, as restricted by a consumption policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rdflib.term import BNode, URIRef

from ..model.items import TimestampedGraph
from ..model.terms import Graph
from ..rdf.pattern_cache import GraphPatterns
from .consumption import InputStructure
from .event_mappings import Precedes, order_named
from .syntax.readings import Readings


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """W_j(S_ℓ, t) by name, the graphs for GRAPH, the input structure that 𝒫 returns (None under
    𝒫^u, which leaves everything), and ⟦μ(P)⟧_G."""

    t: int
    contents: Mapping[URIRef, Sequence[TimestampedGraph]]
    named: Mapping[URIRef | BNode, Graph]
    readings: Readings
    input: InputStructure | None = None
    graph_pattern: GraphPatterns = field(init=False)

    def __post_init__(self) -> None:
        substitutes = self.readings.exists == "substituted"
        patterns = GraphPatterns.lately(dict(self.named), substitutes=substitutes)
        object.__setattr__(self, "graph_pattern", patterns)

    @property
    def precedes(self) -> Precedes:
        """≺"""
        return order_named(self.readings.order)
