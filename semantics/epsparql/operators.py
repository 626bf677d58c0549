"""The operators of section 4.2, definition by definition.

Bags are lists. A condition F is a function of ⟨μ, tα, tω⟩ and of a second solution, whose interval
getDURATION() and its like read; None is true. Primed in the paper (Ψ', t'α) is `other` here.
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
"""What a join demands of the intervals of its two sides."""


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
    condition: Condition | None,
    reading: LeftJoinReading,
    optionalfilter: OptionalFilter,
) -> Bag:
    """LeftJoin(Ψ, Ψ', F): SPARQL's, whatever the intervals are; the paper demands t'ω < tω of the
    solution ψ' that joins (`leftjoin=paper`), which `closed` corrects to t'ω ≤ tω"""
    related: dict[LeftJoinReading, Related] = {
        "default": _always, "paper": ends_before, "closed": ends_by,
    }
    return _outer(
        omega, others, condition, related[reading],
        joined_reads=_mandatory if optionalfilter == "paper" else _optional,
        absent_reads=_mandatory if optionalfilter == "paper" else _optional,
    )


def seq_right_join(
    others: Bag, omega: Bag, condition: Condition | None, optionalfilter: OptionalFilter
) -> Bag:
    """SeqRightJoin(Ψ', Ψ, F): Filter(F, SeqJoin(Ψ', Ψ)), and every ψ ∈ Ψ for which there is no
    compatible ψ' ∈ Ψ' such that F is true and tα > t'ω"""
    return _outer(
        omega, others, condition, after,
        joined_reads=_both if optionalfilter == "paper" else _optional,
        absent_reads=_mandatory if optionalfilter == "paper" else _optional,
    )


def seq_left_join(
    omega: Bag, others: Bag, condition: Condition | None, optionalfilter: OptionalFilter
) -> Bag:
    """What SEQOPTIONAL of query (7) would be: SeqRightJoin with the sides exchanged"""
    return _outer(
        omega, others, condition, before,
        joined_reads=_both if optionalfilter == "paper" else _optional,
        absent_reads=_mandatory if optionalfilter == "paper" else _optional,
    )


def eq_left_join(omega: Bag, others: Bag, condition: Condition | None) -> Bag:
    """EqLeftJoin(Ψ, Ψ', F): Filter(F, EqJoin(Ψ, Ψ')), and every ψ ∈ Ψ for which there is no
    compatible ψ' ∈ Ψ' such that F is true, tα = t'α and tω = t'ω"""
    return _outer(
        omega, others, condition, simultaneous, joined_reads=_mandatory, absent_reads=_mandatory
    )


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
    return [
        psi.combined(other)
        for psi in omega
        for other in others
        if related(psi, other) and psi.compatible(other)
    ]


Reads: TypeAlias = Callable[[Timed, Timed], Timed]
"""Of a mandatory and an optional solution, the one whose interval F reads."""


def _mandatory(psi: Timed, other: Timed) -> Timed:
    return psi


def _optional(psi: Timed, other: Timed) -> Timed:
    return other


def _both(psi: Timed, other: Timed) -> Timed:
    return psi.combined(other)


def _outer(
    omega: Bag,
    others: Bag,
    condition: Condition | None,
    related: Related,
    *,
    joined_reads: Reads,
    absent_reads: Reads,
) -> Bag:
    """The mandatory solutions joined with what is related to them, and those without such.

    The paper's formulas let F read one interval where solutions are joined and another where the
    absence of one is stated.
    """

    def joins(psi: Timed, other: Timed, read: Reads) -> bool:
        return (
            related(psi, other)
            and psi.compatible(other)
            and (condition is None or condition(psi.combined(other), read(psi, other)))
        )

    return [
        psi.combined(other)
        for psi in omega
        for other in others
        if joins(psi, other, joined_reads)
    ] + [psi for psi in omega if not any(joins(psi, other, absent_reads) for other in others)]
