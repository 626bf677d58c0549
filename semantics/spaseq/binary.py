"""BOp expressions: conjunction and disjunction (SPAseq Defs. 8, 9), negation and optional (App. B).

A BOp expression matches at one instant; it has neither Kleene plus nor an event selection strategy.
"""

from __future__ import annotations

from ..rdf.mappings import EMPTY_MAPPING, Solutions, join
from .context import Context
from .deferral import Pairs, TimedSolutions, decided
from .gpm import gpm, graph_pattern
from .syntax import Conjunction, Disjunction, Negation, Operand, OptionalEvent, Reference

STAR: Solutions = frozenset({EMPTY_MAPPING})
"""Appendix B's identity element: STAR ⋈ Ω = Ω ⋈ STAR = Ω."""


def bop(psi: Operand, context: Context) -> Pairs:
    """⟦Ψ⟧, by the form of Ψ."""
    match psi:
        case Reference(name):
            return gpm(context.gpms[name], context)
        case Conjunction(operands):
            return conjunction(operands, context)
        case Disjunction(operands):
            return disjunction(operands, context)
        case Negation(operand):
            return negation(operand, context)
        case OptionalEvent(operand):
            return optional(operand, context)


def conjunction(operands: tuple[Operand, ...], context: Context) -> Pairs:
    """Def. 8: ⟦Ψ1 & Ψ2⟧ = {(τ, X ⋈ Y) | (τ, X) ∈ ⟦Ψ1⟧, (τ, Y) ∈ ⟦Ψ2⟧, X ⋈ Y ≠ ∅}.

    Of the conditions that either side owes, each mapping of X ⋈ Y decides those whose variables it
    binds. The others stay pending, for a further operand or for the sequence: so & is commutative
    and associative, and distributes over |.
    """
    first, *others = operands
    joined = bop(first, context)
    for psi in others:
        joined = _conjoined(joined, bop(psi, context))
    return joined


def _conjoined(left: Pairs, right: Pairs) -> Pairs:
    pairs = (
        decided(
            TimedSolutions(
                x.time,
                join(x.omega, y.omega),
                x.conditions | y.conditions,
                x.bindable | y.bindable,
            )
        )
        for x in left
        for y in right
        if x.time == y.time
    )
    return frozenset(pair for pair in pairs if pair.omega)


def disjunction(operands: tuple[Operand, ...], context: Context) -> Pairs:
    """Def. 9: ⟦Ψ1 | Ψ2⟧ = ⟦Ψ1⟧ ∪ ⟦Ψ2⟧; each alternative keeps the conditions that it owes."""
    return frozenset().union(*(bop(psi, context) for psi in operands))


def negation(operand: Reference, context: Context) -> Pairs:
    """App. B under `negation=event`: ⟦(u, P)!⟧ = {(τ, STAR) | (τ, G) ∈ Σ(u), ⟦P⟧_G = ∅}.

    Nothing is joined with P here, so a deferred condition of P is false and P matches no event.
    """
    expression = context.gpms[operand.name]
    return frozenset(
        TimedSolutions(event.time, STAR)
        for event in context.sigma(expression.stream)
        if expression.conditions or not graph_pattern(expression, event.graph, context)
    )


def optional(operand: Reference, context: Context) -> Pairs:
    """App. B: ⟦(u, P)?⟧ = ⟦(u, P)⟧ ∪ ⟦(u, P)!⟧."""
    return gpm(context.gpms[operand.name], context) | negation(operand, context)
