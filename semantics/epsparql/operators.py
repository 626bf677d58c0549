"""The operators of section 4.2, definition by definition.

Bags are lists. A condition F is a function of ⟨μ, tα, tω⟩ and of a second solution, whose interval
getDURATION() and its like read. Primed in the paper (Ψ', t'α) is `other` here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from .intervals import NEVER, Timed
from .syntax.readings import LeftJoinReading, OptionalFilter

Bag: TypeAlias = list[Timed]
Condition: TypeAlias = Callable[[Timed, Timed], bool]
"""F: whether it is true of a solution, read over the interval of another (often the same) one."""
Related: TypeAlias = Callable[[Timed, Timed], bool]
"""What a join demands of its two sides."""


def selected(condition: Condition, omega: Bag) -> Bag:
    """Filter(F, Ψ) = those ⟨μ, tα, tω⟩ ∈ Ψ for which μ(σ_{tα tω}(F)) is true"""
    return [psi for psi in omega if condition(psi, psi)]


def join(omega: Bag, others: Bag) -> Bag:
    """Join(Ψ, Ψ') = ψ ⋈ ψ' for all compatible ψ ∈ Ψ, ψ' ∈ Ψ'"""
    return _joined(omega, others, _always)


def seq_join(omega: Bag, others: Bag) -> Bag:
    """SeqJoin(Ψ, Ψ'): those of the join with tω < t'α"""
    return _joined(omega, others, before)


def eq_join(omega: Bag, others: Bag) -> Bag:
    """EqJoin(Ψ, Ψ'): those of the join with tα = t'α and tω = t'ω"""
    return _joined(omega, others, simultaneous)


def union(omega: Bag, others: Bag) -> Bag:
    """Union(Ψ, Ψ') = Ψ ∪ Ψ', multiplicities added"""
    return omega + others


def minus(omega: Bag, others: Bag) -> Bag:
    """Minus(Ψ, Ψ'), SPARQL's: no ψ' ∈ Ψ', whenever it is, is compatible and shares a variable"""
    return [
        psi
        for psi in omega
        if not any(
            psi.compatible(other) and not psi.mapping.keys().isdisjoint(other.mapping)
            for other in others
        )
    ]


def left_join(
    omega: Bag,
    others: Bag,
    condition: Condition,
    reading: LeftJoinReading,
    optionalfilter: OptionalFilter,
) -> Bag:
    """LeftJoin(Ψ, Ψ', F): SPARQL's, whatever the intervals are; the paper demands t'ω < tω of the
    solution ψ' that joins (`leftjoin=paper`), which `closed` corrects to t'ω ≤ tω

    F reads the interval of ψ', or as the formula writes (`optionalfilter=paper`) that of ψ.
    """
    related: dict[LeftJoinReading, Related] = {
        "default": _always, "paper": ends_before, "closed": ends_by,
    }
    true = _true(condition, related[reading], optionalfilter)
    return union(_joined(omega, others, true), _without(omega, others, true))


def seq_right_join(
    others: Bag, omega: Bag, condition: Condition, optionalfilter: OptionalFilter
) -> Bag:
    """SeqRightJoin(Ψ', Ψ, F) = Filter(F, SeqJoin(Ψ', Ψ)), and every ψ ∈ Ψ for which there is no
    compatible ψ' ∈ Ψ' such that F is true and tα > t'ω"""
    return _sequence_or_alone(omega, others, condition, after, optionalfilter)


def seq_left_join(
    omega: Bag, others: Bag, condition: Condition, optionalfilter: OptionalFilter
) -> Bag:
    """What SEQOPTIONAL of query (7) would be: SeqRightJoin with the sides exchanged"""
    return _sequence_or_alone(omega, others, condition, before, optionalfilter)


def _sequence_or_alone(
    omega: Bag, others: Bag, condition: Condition, related: Related, optionalfilter: OptionalFilter
) -> Bag:
    """As the formula writes (`paper`), F reads the interval of ψ ⋈ ψ' where they are in sequence,
    and that of ψ where it is alone; else that of ψ' in both places."""
    true = _true(condition, related, optionalfilter)
    if optionalfilter == "paper":
        in_sequence = selected(condition, _joined(omega, others, related))
    else:
        in_sequence = _joined(omega, others, true)
    return union(in_sequence, _without(omega, others, true))


def eq_left_join(omega: Bag, others: Bag, condition: Condition) -> Bag:
    """EqLeftJoin(Ψ, Ψ', F) = Filter(F, EqJoin(Ψ, Ψ')), and every ψ ∈ Ψ for which there is no
    compatible ψ' ∈ Ψ' such that F is true, tα = t'α and tω = t'ω"""
    true = _true(condition, simultaneous, "paper")
    return union(selected(condition, eq_join(omega, others)), _without(omega, others, true))


# --- intervals -----------------------------------------------------------------------------------


def _always(psi: Timed, other: Timed) -> bool:
    return True


def before(psi: Timed, other: Timed) -> bool:
    """tω < t'α"""
    return psi.end < other.start


def after(psi: Timed, other: Timed) -> bool:
    """tα > t'ω; but before what has no time there is nothing that has"""
    return psi.start > other.end and (psi.end != NEVER or other.end == NEVER)


def simultaneous(psi: Timed, other: Timed) -> bool:
    """tα = t'α and tω = t'ω"""
    return psi.start == other.start and psi.end == other.end


def ends_before(psi: Timed, other: Timed) -> bool:
    """t'ω < tω"""
    return other.end < psi.end


def ends_by(psi: Timed, other: Timed) -> bool:
    """t'ω ≤ tω"""
    return other.end <= psi.end


# --- joins ---------------------------------------------------------------------------------------


def _joined(omega: Bag, others: Bag, related: Related) -> Bag:
    """ψ ⋈ ψ' for all compatible ψ ∈ Ψ, ψ' ∈ Ψ' that are related"""
    return [
        psi.combined(other)
        for psi in omega
        for other in others
        if psi.compatible(other) and related(psi, other)
    ]


def _without(omega: Bag, others: Bag, related: Related) -> Bag:
    """Every ψ ∈ Ψ for which there is no compatible ψ' ∈ Ψ' that is related"""
    return [
        psi
        for psi in omega
        if not any(psi.compatible(other) and related(psi, other) for other in others)
    ]


def _true(condition: Condition, related: Related, optionalfilter: OptionalFilter) -> Related:
    """Of compatible ψ and ψ': they are related, and F is true of ψ ⋈ ψ', over the interval of ψ'
    or (`paper`) of ψ"""

    def true(psi: Timed, other: Timed) -> bool:
        read = psi if optionalfilter == "paper" else other
        return related(psi, other) and condition(psi.combined(other), read)

    return true
