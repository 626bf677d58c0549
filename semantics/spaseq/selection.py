"""Event selection strategies: how Ψ may follow a sequence σ (SPAseq Defs. 10–12).

Each definition ranges over the pairs (τ', X) of ⟦σ⟧ one by one, so each function here takes one of
them and ⟦σ • Ψ⟧ is the union of what it returns. `joined` is ⋈_R, or what a reading of Kleene plus
puts in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..rdf.mappings import Solutions
from .deferral import Conditions, Pairs, TimedSolutions
from .streamset import Streamset
from .syntax import Operator

Join: TypeAlias = Callable[[Solutions, Solutions, Conditions], Solutions]


def skip_till_any(past: TimedSolutions, psi: Pairs, joined: Join) -> Pairs:
    """Def. 10: ⟦σ : Ψ⟧ = {(τ, X ⋈_R Y) | (τ', X) ∈ ⟦σ⟧, (τ, Y) ∈ ⟦Ψ⟧, τ' < τ, X ⋈_R Y ≠ ∅}."""
    return frozenset(
        TimedSolutions(pair.time, omega)
        for pair in psi
        if past.time < pair.time
        and (omega := joined(past.omega, pair.omega, pair.conditions))
    )


def skip_till_next(past: TimedSolutions, psi: Pairs, joined: Join) -> Pairs:
    """Def. 11: ⟦σ ; Ψ⟧, as Def. 10, and no (τ'', Z) ∈ ⟦Ψ⟧ has τ' < τ'' < τ and X ⋈_R Z ≠ ∅.

    Such a (τ'', X ⋈_R Z) is itself a pair of ⟦σ : Ψ⟧: only the earliest of these have none before.
    """
    matches = skip_till_any(past, psi, joined)
    earliest = min((match.time for match in matches), default=None)
    return frozenset(match for match in matches if match.time == earliest)


def strict_contiguity(
    past: TimedSolutions, psi: Pairs, joined: Join, sigma: Streamset
) -> Pairs:
    """Def. 12: ⟦σ , Ψ⟧, as Def. 10, and no event (τ'', G) of any Σ(u) has τ' < τ'' < τ.

    u ranges over all streams of Σ, also over those that the query does not name.
    """
    contiguous = frozenset(
        pair for pair in psi if past.time < pair.time and sigma.contiguous(past.time, pair.time)
    )
    return skip_till_any(past, contiguous, joined)


def selected(
    operator: Operator, past: TimedSolutions, psi: Pairs, joined: Join, sigma: Streamset
) -> Pairs:
    """The pairs of Ψ that may follow (τ', X) under this operator, joined with X."""
    match operator:
        case Operator.ANY:
            return skip_till_any(past, psi, joined)
        case Operator.NEXT:
            return skip_till_next(past, psi, joined)
        case Operator.STRICT:
            return strict_contiguity(past, psi, joined, sigma)
