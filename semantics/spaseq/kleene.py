"""Kleene plus (SPAseq Defs. 13 and 14), under the three readings of what iterations share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rdflib.term import Variable

from ..errors import Impossible
from ..rdf.mappings import EMPTY_MAPPING, SolutionMapping, Solutions, Value, join
from .binary import bop
from .context import Context
from .deferral import NO_CONDITIONS, Conditions, Pairs, TimedSolutions, join_under, satisfying
from .readings import Kleene
from .scope import variables
from .selection import Join, selected
from .syntax import KleenePlus, Operator

Local = frozenset[Variable]
"""L = vars(P) minus vars(σ): the iteration-local variables."""


def standalone(plus: KleenePlus, context: Context) -> Pairs:
    """Def. 13: ⟦P^1⟧ = ⟦P⟧, ⟦P^(k+1)⟧ = ⟦P^k ; P⟧, ⟦P+⟧ = ⋃_k ⟦P^k⟧."""
    psi = bop(plus.operand, context)
    joined = iteration(context.readings.kleene, variables(plus.operand, context.bindable))
    nothing = frozenset({EMPTY_MAPPING})
    first = frozenset(
        TimedSolutions(each.time, joined(nothing, each.omega, NO_CONDITIONS))
        for each in context.heading(psi)
    )
    return repeated(first, lambda past: selected(Operator.NEXT, past, psi, joined, context.sigma))


def repeated(first: Pairs, again: Callable[[TimedSolutions], Pairs]) -> Pairs:
    """⋃_k of the k-th iterations. Time only grows, so the iterations come to an end."""
    union, latest = first, first
    while latest:
        latest = frozenset().union(*map(again, latest)) - union
        union |= latest
    return union


def iteration(reading: Kleene, local: Local) -> Join:
    """What stands for ⋈_R between one iteration and the next, and between σ and the first.

    σ binds no iteration-local variable, so for the first iteration `last` and `join` are ⋈_R.
    """
    match reading:
        case "join":
            return join_under
        case "last":
            return partial(join_last, local=local)
        case "collect":
            return partial(join_collecting, local=local)


def join_last(x: Solutions, y: Solutions, conditions: Conditions, *, local: Local) -> Solutions:
    """π_¬L(X) ⋈_R Y: the last iteration's values replace the earlier ones (errata SPA-5)."""
    return join_under(frozenset(mu.without(local) for mu in x), y, conditions)


def join_collecting(
    x: Solutions, y: Solutions, conditions: Conditions, *, local: Local
) -> Solutions:
    """As `join_last`, but a variable of L keeps the tuple of all its values.

    R sees the values of this iteration alone.
    """
    return frozenset(
        collected(mu, nu, local)
        for mu in x
        for nu in y
        if satisfying(join(frozenset({mu.without(local)}), frozenset({nu})), conditions)
    )


def collected(mu: SolutionMapping, nu: SolutionMapping, local: Local) -> SolutionMapping:
    """π_¬L(μ) ∪ π_¬L(ν), and each l ∈ L bound to μ's tuple with ν's value, if any, at its end."""
    bindings: dict[Variable, Value] = {**mu, **nu.without(local)}
    for variable in local & nu.keys():
        earlier, value = mu.get(variable, ()), nu[variable]
        if not isinstance(earlier, tuple) or isinstance(value, tuple):
            raise Impossible(f"?{variable} is not iteration-local: {mu}, {nu}")
        bindings[variable] = (*earlier, value)
    return SolutionMapping(bindings)
