"""Graph pattern matching expressions: (u, P) and (u, P) Graph (v, P_D) (SPAseq Defs. 7 and 15)."""

from __future__ import annotations

from ..rdf.evaluation import solutions
from ..rdf.mappings import Solutions
from ..rdf.terms import Graph
from .context import Context
from .deferral import GpmExpression, Pairs, TimedSolutions


def gpm(expression: GpmExpression, context: Context) -> Pairs:
    """Def. 7: ⟦(u, P)⟧ = {(τ, ⟦P⟧_G) | (τ, G) ∈ Σ(u), τb ≤ τ ≤ τe, ⟦P⟧_G ≠ ∅}.

    With `GRAPH v { P_D }` in P it is Def. 15: {(τ, ⟦P⟧_G ⋈ ⟦P_D⟧_{G_D}) | (τ, G) ∈ Σ(u),
    G_D ∈ Γ(v), τb ≤ τ ≤ τe}, of which only the non-empty pairs are kept (errata SPA-7).
    """
    bindable = context.bindable[expression.name]
    return frozenset(
        TimedSolutions(event.time, omega, expression.conditions, bindable)
        for event in context.sigma(expression.stream)
        if (omega := graph_pattern(expression, event.graph, context))
    )


def graph_pattern(expression: GpmExpression, graph: Graph, context: Context) -> Solutions:
    """Def. 6: ⟦P⟧_G, where GRAPH v { P_D } is evaluated on Γ(v), ∅ for an unknown v."""
    key = expression.name, graph
    if key not in context.matches:
        context.matches[key] = solutions(expression.pattern, graph, context.gamma)
    return context.matches[key]
