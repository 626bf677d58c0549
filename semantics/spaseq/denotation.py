"""The semantics of a SPAseq query: section 5 of the paper, one function a definition, in its order.

Which function is which definition, also in the files beside, is listed in semantics/README.md.

Two judgements go by the form of their expression: `sequence` is ⟦σ⟧ and `bop` is ⟦Ψ⟧. What the
paper writes around them, Σ, D and [τb, τe], is the `Context`. τ is `tau`; where a definition has
τ' < τ'' < τ, they are `before`, `between` and `tau`. X, Y and Z are sets of mappings.

Not the paper's, and elsewhere: filters that look at earlier events, which the mappings of ⟦Ψ⟧ owe,
so that ⋈ evaluates them (stateful_filters.py).

Not the paper's, and here: the readings `kleene=join`, `last` and `collect` of what iterations of P+
share. Defs. 13 and 14 join one iteration with the next, so that all of them agree on every
variable; the paper's own example needs them to differ (errata SPA-5). Appendix B's own negation
matches an event on which P fails (`negation`). Under the reading `negation=absence` a negation
matches nothing: it stands guard between its neighbours, as SEQ_WO does in CQELS-CEP.
docs/semantics/spaseq.md says what we rule where the paper is silent, and which case proves it.
Nothing here is indexed, compiled or incremental.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce

from rdflib.term import URIRef, Variable

from ..model.errors import Impossible
from ..model.items import TimestampedGraph
from ..model.mappings import SolutionMapping, Solutions, Value
from ..model.terms import Graph
from ..rdf.mapping_sets import project
from .context import Context, contexts
from .decomposition import Chain, Following, chain_variables, chains
from .stateful_filters import NO_PAST, STAR, Join, Pairs, TimedSolutions, heading, join
from .streamset import Instant, Streamset
from .syntax.readings import Kleene, Readings
from .syntax.results import Pair
from .syntax.scoping import variables
from .syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
)


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


Local = frozenset[Variable]
"""L = vars(P) minus vars(σ): the iteration-local variables."""


def iteration(reading: Kleene, local: Local) -> Join:
    """Return the join between one iteration and the next, and between σ and the first.

    σ binds no iteration-local variable, so for the first iteration `last` and `join` are ⋈.
    """
    match reading:
        case "join":
            return join
        case "last":
            return partial(join_last, local=local)
        case "collect":
            return partial(join_collecting, local=local)


def join_last(X: Solutions, Y: Solutions, *, local: Local) -> Solutions:
    """π_¬L(X) ⋈ Y: the last iteration's values replace the earlier ones (errata SPA-5)."""
    return join(frozenset(mu.without(local) for mu in X), Y)


def join_collecting(X: Solutions, Y: Solutions, *, local: Local) -> Solutions:
    """As `join_last`, but a variable of L keeps the tuple of all its values.

    Conditions see the values of this iteration alone.
    """
    return frozenset(
        collected(mu, nu, local)
        for mu in X
        for nu in Y
        if join_last(frozenset({mu}), frozenset({nu}), local=local)
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


# --- 5.1, 5.5: graph pattern matching expressions ------------------------------------------------


def gpm(name: str, context: Context) -> Pairs:
    """Def. 7: ⟦(u, P)⟧ = {(τ, ⟦P⟧_G) | (τ, G) ∈ Σ(u), τb ≤ τ ≤ τe, ⟦P⟧_G ≠ ∅}.

    With `GRAPH v { P_D }` in P it is Def. 15: {(τ, ⟦P⟧_G ⋈ ⟦P_D⟧_{G_D}) | (τ, G) ∈ Σ(u),
    G_D ∈ Γ(v), τb ≤ τ ≤ τe}, of which only the non-empty pairs are kept (errata SPA-7).
    """
    expression = context.gpms[name]
    return frozenset(
        TimedSolutions(tau, omega)
        for tau, graph, _ in context.streamset(expression.stream)
        if (omega := context.gpm_solutions(name, graph))
    )


# --- 5.2: binary operators; Appendix B: negation and optional ------------------------------------


def bop(psi: Operand, context: Context) -> Pairs:
    """⟦Ψ⟧: what matches at one instant."""
    match psi:
        case Reference(name):
            return gpm(name, context)
        case Conjunction(operands):
            return reduce(conjunction, (bop(operand, context) for operand in operands))
        case Disjunction(operands):
            return reduce(disjunction, (bop(operand, context) for operand in operands))
        case Negation(operand):
            return negation(operand.name, context)
        case OptionalEvent(operand):
            return optional(operand.name, context)


def conjunction(psi1: Pairs, psi2: Pairs) -> Pairs:
    """Def. 8: ⟦Ψ1 & Ψ2⟧ = {(τ, X ⋈ Y) | (τ, X) ∈ ⟦Ψ1⟧, (τ, Y) ∈ ⟦Ψ2⟧, X ⋈ Y ≠ ∅}."""
    return frozenset(
        TimedSolutions(tau, X_Y)
        for tau, X in psi1
        for tau2, Y in psi2
        if tau == tau2 and (X_Y := join(X, Y))
    )


def disjunction(psi1: Pairs, psi2: Pairs) -> Pairs:
    """Def. 9: ⟦Ψ1 | Ψ2⟧ = ⟦Ψ1⟧ ∪ ⟦Ψ2⟧."""
    return psi1 | psi2


def negation(name: str, context: Context) -> Pairs:
    """App. B under `negation=event`: ⟦(u, P)!⟧ = {(τ, STAR) | (τ, G) ∈ Σ(u), ⟦P⟧_G = ∅}.

    Nothing is joined with P here, so a deferred condition of P is false and P matches no event.
    """
    expression = context.gpms[name]
    return frozenset(
        TimedSolutions(tau, STAR)
        for tau, graph, _ in context.streamset(expression.stream)
        if expression.conditions or not context.graph_pattern(expression.pattern, graph)
    )


def optional(name: str, context: Context) -> Pairs:
    """App. B: ⟦(u, P)?⟧ = ⟦(u, P)⟧ ∪ ⟦(u, P)!⟧."""
    return gpm(name, context) | negation(name, context)


# --- 5.3: event selection operators --------------------------------------------------------------


def sequence(chain: Chain, context: Context) -> Pairs:
    """⟦σ⟧: a sequence expression, whose operators associate to the left."""
    match chain:
        case Following(sigma, _, psi):
            past = sequence(sigma, context)
            match psi:
                case KleenePlus(operand):
                    return kleene_plus_after(past, chain, operand, context)
                case psi:
                    return followed(past, chain, bop(psi, context), join, context)
        case KleenePlus(operand):
            return kleene_plus(operand, context)
        case psi:
            return heading(bop(psi, context))


def followed(
    sigma: Pairs, chain: Following, psi: Pairs, joined: Join, context: Context
) -> Pairs:
    """⟦σ • Ψ⟧, given ⟦σ⟧ and ⟦Ψ⟧; under `negation=absence`, ⟦σ • (u, P)! • Ψ⟧."""
    return guarded(
        sigma,
        chain.absent,
        lambda past: selected(chain.operator, past, psi, joined, context.streamset),
        context,
    )


def selected(
    operator: Operator, sigma: Pairs, psi: Pairs, joined: Join, streamset: Streamset
) -> Pairs:
    """⟦σ • Ψ⟧, by the operator. `joined` is ⋈, or what a reading of P+ puts in its place."""
    match operator:
        case Operator.ANY:
            return skip_till_any(sigma, psi, joined)
        case Operator.NEXT:
            return skip_till_next(sigma, psi, joined)
        case Operator.STRICT:
            return strict_contiguity(sigma, psi, joined, streamset)


def skip_till_any(sigma: Pairs, psi: Pairs, joined: Join) -> Pairs:
    """Def. 10: ⟦σ : Ψ⟧ = {(τ, X ⋈ Y) | (τ', X) ∈ ⟦σ⟧, (τ, Y) ∈ ⟦Ψ⟧, τ' < τ, X ⋈ Y ≠ ∅}."""
    return frozenset(
        TimedSolutions(tau, X_Y)
        for before, X in sigma
        for tau, Y in psi
        if before < tau and (X_Y := joined(X, Y))
    )


def skip_till_next(sigma: Pairs, psi: Pairs, joined: Join) -> Pairs:
    """Def. 11: ⟦σ ; Ψ⟧ = {(τ, X ⋈ Y) | (τ', X) ∈ ⟦σ⟧, (τ, Y) ∈ ⟦Ψ⟧, τ' < τ, X ⋈ Y ≠ ∅,
    and no (τ'', Z) ∈ ⟦Ψ⟧ has τ' < τ'' < τ and X ⋈ Z ≠ ∅}.
    """
    return frozenset(
        TimedSolutions(tau, X_Y)
        for before, X in sigma
        for tau, Y in psi
        if before < tau
        and (X_Y := joined(X, Y))
        and not any(before < between < tau and joined(X, Z) for between, Z in psi)
    )


def strict_contiguity(
    sigma: Pairs, psi: Pairs, joined: Join, streamset: Streamset
) -> Pairs:
    """Def. 12: ⟦σ , Ψ⟧ = {(τ, X ⋈ Y) | (τ', X) ∈ ⟦σ⟧, (τ, Y) ∈ ⟦Ψ⟧, τ' < τ, X ⋈ Y ≠ ∅,
    and no (τ'', G) ∈ Σ(u) of any u has τ' < τ'' < τ}.

    u ranges over all streams of Σ, also over those that the query does not name.
    """
    return frozenset(
        TimedSolutions(tau, X_Y)
        for before, X in sigma
        for tau, Y in psi
        if before < tau
        and (X_Y := joined(X, Y))
        and not any(
            before < between < tau for u in streamset.names for between, _, _ in streamset(u)
        )
    )


# --- 5.4: Kleene plus ----------------------------------------------------------------------------


def kleene_plus(operand: Operand, context: Context) -> Pairs:
    """Def. 13: ⟦P^1⟧ = ⟦P⟧, ⟦P^(k+1)⟧ = ⟦P^k ; P⟧, ⟦P+⟧ = ⋃_k ⟦P^k⟧."""
    psi = bop(operand, context)
    joined = iteration(context.readings.kleene, variables(operand, context.bindable))
    first = frozenset(TimedSolutions(tau, joined(NO_PAST, X)) for tau, X in heading(psi))
    return union_of_powers(first, lambda power: skip_till_next(power, psi, joined))


def kleene_plus_after(
    sigma: Pairs, chain: Following, operand: Operand, context: Context
) -> Pairs:
    """Def. 14: ⟦σ • P^1⟧ = ⟦σ • P⟧, ⟦σ • P^(k+1)⟧ = ⟦σ • P^k , P⟧, ⟦σ • P+⟧ = ⋃_k ⟦σ • P^k⟧."""
    psi = bop(operand, context)
    past = chain_variables(chain.sigma, context.bindable)
    joined = iteration(context.readings.kleene, variables(operand, context.bindable) - past)
    first = followed(sigma, chain, psi, joined, context)
    return union_of_powers(
        first, lambda power: strict_contiguity(power, psi, joined, context.streamset)
    )


def union_of_powers(first: Pairs, next_power: Callable[[Pairs], Pairs]) -> Pairs:
    """⋃_k ⟦P^k⟧, given ⟦P^1⟧. Each power is later than the one before, so that they run out."""
    union = power = first
    while power := next_power(power):
        union |= power
    return union


# --- 5.6: queries --------------------------------------------------------------------------------


def evaluate(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> frozenset[Pair]:
    """Def. 16: ⟦Q⟧^t = ⋃_k {(τ, π_V(Ω)) | (τ, Ω) ∈ ⟦SeqExp⟧ over [t + k·ω, t + (k+1)·ω]}.

    `streams` is Σ, `kb` the background graphs by name, `start` is t, in the streams' own unit (by
    default the earliest timestamp of Σ). Raises `ReadingError` if a reading does not suit the
    query, `StreamError` if a stream is not one by Def. 2, `QueryError` if ω and the timestamps
    are of different kinds.
    """
    return answers(query, contexts(query, streams, kb, readings, start))


def answers(
    query: SpaseqQuery, windows: Iterable[tuple[tuple[int, int] | None, Context]]
) -> frozenset[Pair]:
    """⟦Q⟧ over windows, each given as its boundaries and what it holds.

    A pair is one of its window, unless `answers=union` has Def. 16 as it is printed.
    """
    return frozenset(
        Pair(
            window if context.readings.answers == "windows" else None,
            time, omega if query.select is None else project(omega, query.select), rank,
        )
        for window, context in windows
        for sigma in chains(query.sequence, context.readings.negation)
        for (time, rank), omega in sequence(sigma, context)
    )
