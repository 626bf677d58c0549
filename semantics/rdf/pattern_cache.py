"""⟦P⟧_G, evaluated once: the one place where the oracle remembers what a pattern means.

An item lies in many windows, and every one of them asks what P says of its graph. The answer is a
function of P and the graphs alone, so that no definition has to remember it; that remembering
changes nothing is a law (property_tests/semantics/rdf/test_remembered.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rdflib.term import BNode, URIRef

from ..model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ..model.terms import Graph
from ..model.trees import remembering
from .evaluation import solutions
from .syntax.tree import GroupGraphPattern
from .syntax.variables import mentioned_variables

_mentioned = remembering(mentioned_variables)


class GraphPatterns:
    """⟦μ(P)⟧_G of a query's patterns, where GRAPH v { P_D } is evaluated on `named` graphs."""

    def __init__(
        self,
        named: Mapping[URIRef, Graph] | Mapping[URIRef | BNode, Graph] | None = None,
        *,
        substitutes: bool = False,
    ) -> None:
        self._named = named
        self._substitutes = substitutes
        # A pattern is told by its address, and kept so that the address stays its own.
        self._known: dict[
            tuple[int, Graph, SolutionMapping], tuple[GroupGraphPattern, Solutions]
        ] = {}

    @property
    def named(self) -> Mapping[Any, Graph]:
        """The graphs of GRAPH v { P_D }."""
        return {} if self._named is None else self._named

    def __call__(
        self, pattern: GroupGraphPattern, graph: Graph, mu: SolutionMapping = EMPTY_MAPPING
    ) -> Solutions:
        """⟦μ(P)⟧_G. Of μ only what P mentions is replaced; GRAPH of an unknown name is ∅."""
        mu = mu.project(_mentioned(pattern)) if mu else mu
        asked = id(pattern), graph, mu
        known = self._known.get(asked)
        if known is None:
            found = solutions(pattern, graph, self._named, mu, substitutes=self._substitutes)
            known = self._known[asked] = pattern, found
        return known[1]

    @classmethod
    def lately(
        cls,
        named: Mapping[URIRef, Graph] | Mapping[URIRef | BNode, Graph] | None = None,
        *,
        substitutes: bool = False,
    ) -> GraphPatterns:
        """Return the latest cache if it is for these graphs and not large, else a new one.

        Whoever looks for a case with an answer asks of several that share items and patterns.
        """
        if _last and _last[0]._is_for(named, substitutes) and len(_last[0]._known) < _MUCH:
            return _last[0]
        _last[:] = [cls(named, substitutes=substitutes)]
        return _last[0]

    def _is_for(self, named: object, substitutes: bool) -> bool:
        return self._substitutes == substitutes and self._named == named


_MUCH = 1 << 12
_last: list[GraphPatterns] = []
