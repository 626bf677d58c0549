"""The operators of section 4.2, definition by definition.

Bags are lists. Primed in the paper (Ψ', t'α) is `other` here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from .intervals import NEVER, Timed

Bag: TypeAlias = list[Timed]
Condition: TypeAlias = Callable[[Timed, Timed], bool]
"""(μ ⋈ μ')(σ(F)) = true, of ψ and ψ'; of ψ alone where ψ' is ψ"""
Related: TypeAlias = Callable[[Timed, Timed], bool]
"""The condition that a join places on the intervals of its two sides."""


def selected(F: Condition, omega: Bag) -> Bag:
    """Filter(F, Ψ) = those ⟨μ, tα, tω⟩ ∈ Ψ for which μ(σ_{tα tω}(F)) is true."""
    return [psi for psi in omega if F(psi, psi)]


def join(omega: Bag, others: Bag) -> Bag:
    """Join(Ψ, Ψ') = ψ ⋈ ψ' for all compatible ψ ∈ Ψ, ψ' ∈ Ψ'"""
    return [psi.combined(other) for psi in omega for other in others if psi.compatible(other)]


def seq_join(omega: Bag, others: Bag) -> Bag:
    """SeqJoin(Ψ, Ψ'): those of the join with tω < t'α."""
    return [
        psi.combined(other) for psi in omega for other in others
        if psi.compatible(other) and psi.end < other.start
    ]


def eq_join(omega: Bag, others: Bag) -> Bag:
    """EqJoin(Ψ, Ψ'): those of the join with tα = t'α and tω = t'ω."""
    return [
        psi.combined(other) for psi in omega for other in others
        if psi.compatible(other) and psi.start == other.start and psi.end == other.end
    ]


def union(omega: Bag, others: Bag) -> Bag:
    """Union(Ψ, Ψ') = Ψ ∪ Ψ', multiplicities added."""
    return omega + others


def minus(omega: Bag, others: Bag) -> Bag:
    """Minus(Ψ, Ψ'), SPARQL's: no ψ' ∈ Ψ', whenever it is, is compatible and shares a variable."""
    return [
        psi
        for psi in omega
        if not any(
            psi.compatible(other) and not psi.mapping.keys().isdisjoint(other.mapping)
            for other in others
        )
    ]


def left_join(omega: Bag, others: Bag, F: Condition) -> Bag:
    """LeftJoin(Ψ, Ψ', F) as in SPARQL (`leftjoin=default`): every ψ ⋈ ψ' for compatible ψ ∈ Ψ and
    ψ' ∈ Ψ' of which F is true, and every ψ ∈ Ψ for which there is no such ψ'"""
    return [
        each for psi in omega for each in [
            psi.combined(other) for other in others
            if psi.compatible(other) and F(psi, other)
        ] or [psi]
    ]


def left_join_paper(omega: Bag, others: Bag, F: Condition) -> Bag:
    """LeftJoin(Ψ, Ψ', F) as printed (`leftjoin=paper`): with t'ω < tω in both places."""
    return [
        each for psi in omega for each in [
            psi.combined(other) for other in others
            if psi.compatible(other) and other.end < psi.end and F(psi, other)
        ] or [psi]
    ]


def left_join_closed(omega: Bag, others: Bag, F: Condition) -> Bag:
    """LeftJoin(Ψ, Ψ', F) with t'ω ≤ tω instead (`leftjoin=closed`)."""
    return [
        each for psi in omega for each in [
            psi.combined(other) for other in others
            if psi.compatible(other) and other.end <= psi.end and F(psi, other)
        ] or [psi]
    ]


def eq_left_join(omega: Bag, others: Bag, F: Condition) -> Bag:
    """EqLeftJoin(Ψ, Ψ', F) = Filter(F, EqJoin(Ψ, Ψ')), and every ψ ∈ Ψ for which there is no
    compatible ψ' ∈ Ψ' such that F is true, tα = t'α and tω = t'ω"""
    return [
        each for psi in omega for each in [
            psi.combined(other) for other in others
            if psi.compatible(other) and psi.start == other.start and psi.end == other.end
            and F(psi, other)
        ] or [psi]
    ]


def seq_right_join(others: Bag, omega: Bag, F: Condition, related: Related) -> Bag:
    """SeqRightJoin(Ψ', Ψ, F), where `related` is tα > t'ω: every ψ ⋈ ψ' for related ψ ∈ Ψ and
    ψ' ∈ Ψ' of which F is true, and every ψ ∈ Ψ for which there is no such ψ'"""
    return [
        each for psi in omega for each in [
            psi.combined(other) for other in others
            if psi.compatible(other) and related(psi, other) and F(psi, other)
        ] or [psi]
    ]


def seq_right_join_paper(others: Bag, omega: Bag, F: Condition, related: Related) -> Bag:
    """SeqRightJoin(Ψ', Ψ, F) as printed (`optionalfilter=paper`): Filter(F, SeqJoin(Ψ', Ψ)), and
    every ψ ∈ Ψ for which there is no compatible ψ' ∈ Ψ' such that F is true and tα > t'ω

    F reads the interval of ψ ⋈ ψ' in the first place, and that of ψ in the second.
    """
    return selected(F, [
        psi.combined(other) for psi in omega for other in others
        if psi.compatible(other) and related(psi, other)
    ]) + [
        psi for psi in omega if not any(
            psi.compatible(other) and related(psi, other) and F(psi, other) for other in others
        )
    ]


def before(psi: Timed, other: Timed) -> bool:
    """tω < t'α"""
    return psi.end < other.start


def after(psi: Timed, other: Timed) -> bool:
    """tα > t'ω; but before what has no time there is nothing that has"""
    return psi.start > other.end and (psi.end != NEVER or other.end == NEVER)
