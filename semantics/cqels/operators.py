"""Operators on sets of mappings with intervals (CQELS-CEP section 4.2).

A mapping with interval ⟨μ, [t1, t2]⟩ is an `IntervalSolution`; Ω1, Ω2 and Ω3 are sets of them.
LEFT_JOIN, MINUS and FILTER are SPARQL's (18.5), lifted to intervals as the paper lifts AND to JOIN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..model.interval_solutions import IntervalSolution
from ..model.mappings import SolutionMapping
from .syntax.readings import Inside

Omega: TypeAlias = frozenset[IntervalSolution]
Condition: TypeAlias = Callable[[SolutionMapping], bool]


def join(omega1: Omega, omega2: Omega) -> Omega:
    """JOIN(Ω1, Ω2) = {⟨μ1 ∪ μ2, [max(t1, t3), min(t2, t4)]⟩ | ⟨μ1, [t1, t2]⟩ ∈ Ω1,
    ⟨μ2, [t3, t4]⟩ ∈ Ω2, μ1 ~ μ2, max(t1, t3) ≤ min(t2, t4)}"""
    return frozenset(
        joined(one, other) for one in omega1 for other in omega2 if meets(one, other)
    )


def meets(one: IntervalSolution, other: IntervalSolution) -> bool:
    """μ1 ~ μ2 and max(t1, t3) ≤ min(t2, t4)"""
    together = max(one.start, other.start) <= min(one.end, other.end)
    return together and one.mapping.compatible(other.mapping)


def joined(one: IntervalSolution, other: IntervalSolution) -> IntervalSolution:
    """⟨μ1 ∪ μ2, [max(t1, t3), min(t2, t4)]⟩"""
    start, end = max(one.start, other.start), min(one.end, other.end)
    return IntervalSolution(start, end, one.mapping.merge(other.mapping))


def or_(omega1: Omega, omega2: Omega) -> Omega:
    """OR(Ω1, Ω2) = Ω1 ∪ Ω2."""
    return omega1 | omega2


def seq(omega1: Omega, omega2: Omega) -> Omega:
    """SEQ(Ω1, Ω2) = {⟨μ1 ∪ μ2, [t1, t4]⟩ | ⟨μ1, [t1, t2]⟩ ∈ Ω1, ⟨μ2, [t3, t4]⟩ ∈ Ω2, μ1 ~ μ2,
    t2 < t3}"""
    return frozenset(
        IntervalSolution(first.start, second.end, first.mapping.merge(second.mapping))
        for first in omega1
        for second in omega2
        if first.end < second.start and first.mapping.compatible(second.mapping)
    )


def seq_wo(omega1: Omega, omega2: Omega, omega3: Omega, inside: Inside) -> Omega:
    """SEQ_WO(Ω1, Ω2, Ω3) = {⟨μ1 ∪ μ3, [t1, t6]⟩ | ⟨μ1, [t1, t2]⟩ ∈ Ω1, ⟨μ3, [t5, t6]⟩ ∈ Ω3,
    μ1 ~ μ3, t2 < t5, there is no ⟨μ2, [t3, t4]⟩ ∈ Ω2 with μ2 ~ μ1 ∪ μ3 and [t3, t4] ⊆ [t2, t5]}

    Under `inside=open`, strictly: t2 < t3 and t4 < t5.
    """
    found = set()
    for first in omega1:
        for third in omega3:
            if not (first.end < third.start and first.mapping.compatible(third.mapping)):
                continue
            mu = first.mapping.merge(third.mapping)
            if not any(
                mu.compatible(second.mapping) and lies_between(first, second, third, inside)
                for second in omega2
            ):
                found.add(IntervalSolution(first.start, third.end, mu))
    return frozenset(found)


def lies_between(
    first: IntervalSolution, second: IntervalSolution, third: IntervalSolution, inside: Inside
) -> bool:
    """[t3, t4] ⊆ [t2, t5], or strictly between them."""
    if inside == "open":
        return first.end < second.start and second.end < third.start
    return first.end <= second.start and second.end <= third.start


def no_head(omega1: Omega, omega2: Omega) -> Omega:
    """NO_HEAD(Ω1, Ω2) = {⟨μ2, [t3, t4]⟩ ∈ Ω2 | there is no ⟨μ1, [t1, t2]⟩ ∈ Ω1 with μ1 ~ μ2 and
    t2 < t3}"""
    return frozenset(
        second
        for second in omega2
        if not any(
            first.end < second.start and first.mapping.compatible(second.mapping)
            for first in omega1
        )
    )


def no_tail(omega1: Omega, omega2: Omega, t: int) -> Omega:
    """NO_TAIL(Ω1, Ω2, t) = {⟨μ1, [t1, t2]⟩ ∈ Ω1 | there is no ⟨μ2, [t3, t4]⟩ ∈ Ω2 with μ1 ~ μ2,
    t2 < t3 and t4 ≤ t}"""
    return frozenset(
        first
        for first in omega1
        if not any(
            first.end < second.start
            and second.end <= t
            and first.mapping.compatible(second.mapping)
            for second in omega2
        )
    )


# --- SPARQL's operators over intervals -----------------------------------------------------------


def left_join(omega1: Omega, omega2: Omega, condition: Condition) -> Omega:
    """JOIN(Ω1, Ω2) as far as the condition holds, and what of Ω1 has no part in it."""
    found = set()
    for one in omega1:
        matches = [joined(one, other) for other in omega2 if meets(one, other)]
        found.update([match for match in matches if condition(match.mapping)] or [one])
    return frozenset(found)


def minus(omega1: Omega, omega2: Omega) -> Omega:
    """Return the elements of Ω1 without a compatible ⟨μ2, [t3, t4]⟩ ∈ Ω2 that shares a variable."""
    return frozenset(
        one
        for one in omega1
        if not any(
            meets(one, other) and not one.mapping.keys().isdisjoint(other.mapping)
            for other in omega2
        )
    )


def filtered(omega: Omega, condition: Condition) -> Omega:
    """{⟨μ, [t1, t2]⟩ ∈ Ω | the condition holds for μ}"""
    return frozenset(each for each in omega if condition(each.mapping))
