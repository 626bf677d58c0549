"""Negation as absence: σ • (u, P)! • Ψ is about what does *not* happen between σ and Ψ.

Appendix B's own negation matches an event on which P fails (`denotation.negation`). Under the
reading `negation=absence` a negation matches nothing: it stands guard between its neighbours, as
SEQ_WO does in CQELS-CEP.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model.mappings import SolutionMapping
from .context import Context
from .stateful_filters import Pairs, TimedSolutions
from .streamset import Instant
from .syntax.tree import Reference


def guarded(
    sigma: Pairs, absent: tuple[Reference, ...], follow: Callable[[Pairs], Pairs], context: Context
) -> Pairs:
    """⟦σ • (u1, P1)! … (un, Pn)! • Ψ⟧, where `follow` is ⟦· • Ψ⟧.

    For each (τ', X) ∈ ⟦σ⟧: {(τ, Ω') | (τ, Ω) ∈ ⟦{(τ', X)} • Ψ⟧, Ω' ≠ ∅}, Ω' being the μ ∈ Ω for
    which each (ui, Pi) is absent between τ' and τ.
    """
    if not absent:
        return follow(sigma)
    return frozenset(
        TimedSolutions(tau, left)
        for past in sigma
        for tau, omega in follow(frozenset({past}))
        if (left := frozenset(
            mu for mu in omega
            if all(is_absent(operand, mu, past.time, tau, context) for operand in absent)
        ))
    )


def is_absent(
    operand: Reference, mu: SolutionMapping, before: Instant, tau: Instant, context: Context
) -> bool:
    """No (τ'', G) ∈ Σ(u) with τ' < τ'' < τ has a ν ∈ ⟦P⟧_G with ν ~ μ and R_P(μ ∪ ν)."""
    expression = context.gpms[operand.name]
    return not any(
        nu.compatible(mu) and all(r.holds(mu.merge(nu)) for r in expression.conditions)
        for between, graph, _ in context.streamset(expression.stream)
        if before < between < tau
        for nu in context.graph_pattern(expression.pattern, graph)
    )
