"""Sequence expressions (SPAseq section 5.3): ⟦Ψ0 •1 Ψ1 •2 Ψ2 …⟧, from left to right."""

from __future__ import annotations

from rdflib.term import Variable

from .absence import Chain, Link, chains, guarded
from .binary import bop
from .context import Context
from .deferral import Pairs, TimedSolutions, join_under
from .kleene import iteration, repeated, standalone
from .scope import variables
from .selection import Join, selected
from .syntax import Atom, KleenePlus, Operator, SequenceExpression


def sequence(expression: SequenceExpression, context: Context) -> Pairs:
    """⟦SeqExp⟧ over Σ within the boundaries."""
    return frozenset().union(*(chain(each, context) for each in chains(expression, context)))


def chain(expression: Chain, context: Context) -> Pairs:
    """⟦σ • Ψ⟧ for the last link, σ being the rest: all operators associate to the left."""
    past, bindable = head(expression.first, context), variables(expression.first, context.bindable)
    for link in expression.links:
        if not past:
            break
        past = followed(past, link, bindable, context)
        bindable |= variables(link.psi, context.bindable)
    return past


def head(first: Atom, context: Context) -> Pairs:
    """⟦Ψ0⟧: a sequence of one, without a past."""
    if isinstance(first, KleenePlus):
        return standalone(first, context)
    return context.heading(bop(first, context))


def followed(past: Pairs, link: Link, bindable: frozenset[Variable], context: Context) -> Pairs:
    """⟦σ • Ψ⟧ (Defs. 10–12) or ⟦σ • P+⟧ (Def. 14), `bindable` being vars(σ).

    Def. 14: ⟦σ • P^1⟧ = ⟦σ • P⟧, ⟦σ • P^(k+1)⟧ = ⟦σ • P^k , P⟧, ⟦σ • P+⟧ = ⋃_k ⟦σ • P^k⟧.
    """
    if not isinstance(link.psi, KleenePlus):
        return _extended(past, link, bop(link.psi, context), join_under, context)
    psi = bop(link.psi.operand, context)
    local = variables(link.psi, context.bindable) - bindable
    joined = iteration(context.readings.kleene, local)
    return repeated(
        _extended(past, link, psi, joined, context),
        lambda each: selected(Operator.STRICT, each, psi, joined, context.sigma),
    )


def _extended(past: Pairs, link: Link, psi: Pairs, joined: Join, context: Context) -> Pairs:
    result: set[TimedSolutions] = set()
    for each in past:
        for pair in selected(link.operator, each, psi, joined, context.sigma):
            if left := guarded(pair, each.time, link.absent, context):
                result.add(left)
    return frozenset(result)
