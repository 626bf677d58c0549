"""Graph patterns on the graphs of events (SPAseq Def. 6), each evaluated once."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib.term import URIRef

from ..model.mappings import Solutions
from ..model.terms import Graph
from ..rdf.evaluation import solutions
from .deferral import GpmExpression


class GraphPatterns:
    """⟦P⟧_G for the GPM expressions of a query, where GRAPH v { P_D } is evaluated on Γ(v).

    An event lies in many windows and is asked about in each of them. What P says of its graph is
    the same in all, and is remembered here so that no definition has to.
    """

    def __init__(self, gamma: Mapping[URIRef, Graph]) -> None:
        self._gamma = gamma
        self._evaluated: dict[tuple[GpmExpression, Graph], Solutions] = {}

    def __call__(self, expression: GpmExpression, graph: Graph) -> Solutions:
        """⟦P⟧_G; an unknown v is the empty graph."""
        asked = expression, graph
        if asked not in self._evaluated:
            self._evaluated[asked] = solutions(expression.pattern, graph, self._gamma)
        return self._evaluated[asked]
