"""What an expression is evaluated over: ⟦·⟧ with its subscript (Σ, D) and superscript [τb, τe].

Naming, here and in the definitions: Σ is `sigma`, Γ is `gamma`, what a sequence σ has matched is
`past`, Ψ is `psi`, μ is `mu`, sets of mappings Ω are `omega`, τ is `time`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rdflib.term import URIRef, Variable

from ..rdf.mappings import Solutions
from ..rdf.terms import Graph
from .deferral import GpmExpression, Pairs, TimedSolutions, satisfying
from .readings import Readings
from .streamset import Streamset


@dataclass(frozen=True, slots=True)
class Context:
    """Σ within [τb, τe], the background graphs Γ, each GPM and its vars(P) by name, and readings.

    Every definition looks at events within the boundaries only, so Σ is given restricted to them.
    `beginning` is where a match must begin, None for anywhere. `matches` remembers ⟦P⟧_G by GPM
    name and graph for as long as one query is evaluated.
    """

    sigma: Streamset
    gamma: Mapping[URIRef, Graph]
    gpms: Mapping[str, GpmExpression]
    bindable: Mapping[str, frozenset[Variable]]
    readings: Readings
    beginning: int | None = None
    matches: dict[tuple[str, Graph], Solutions] = field(default_factory=dict)

    def heading(self, pairs: Pairs) -> Pairs:
        """The pairs that may head a sequence.

        There is no past: a deferred condition that asks for a variable which nothing that matched
        may bind is false, and any other is decided now.
        """
        return frozenset(
            TimedSolutions(pair.time, omega)
            for pair in pairs
            if self.beginning in (None, pair.time[0])
            and all(r.variables <= pair.bindable for r in pair.conditions)
            and (omega := satisfying(pair.omega, pair.conditions))
        )
