"""Sets of solution mappings (SPAseq Def. 5, after Pérez, Arenas and Gutierrez).

Naming: μ is `mu`, Ω is `omega`.
"""

from __future__ import annotations

from collections.abc import Iterable

from rdflib.term import Variable

from ..model.mappings import Solutions


def join(omega1: Solutions, omega2: Solutions) -> Solutions:
    """Def. 5: Ω1 ⋈ Ω2 = {μ1 ∪ μ2 | μ1 ∈ Ω1, μ2 ∈ Ω2, μ1 ~ μ2}."""
    return frozenset(
        mu1.merge(mu2) for mu1 in omega1 for mu2 in omega2 if mu1.compatible(mu2)
    )


def union(omega1: Solutions, omega2: Solutions) -> Solutions:
    """Def. 5: Ω1 ∪ Ω2 = {μ | μ ∈ Ω1 or μ ∈ Ω2}."""
    return omega1 | omega2


def minus(omega1: Solutions, omega2: Solutions) -> Solutions:
    r"""Def. 5: Ω1 \ Ω2 = {μ1 ∈ Ω1 | for all μ2 ∈ Ω2, μ1 and μ2 are not compatible}."""
    return frozenset(
        mu1 for mu1 in omega1 if not any(mu1.compatible(mu2) for mu2 in omega2)
    )


def left_join(omega1: Solutions, omega2: Solutions) -> Solutions:
    r"""Def. 5: Ω1 ⟕ Ω2 = (Ω1 ⋈ Ω2) ∪ (Ω1 \ Ω2)."""
    return union(join(omega1, omega2), minus(omega1, omega2))


def project(omega: Solutions, variables: Iterable[Variable]) -> Solutions:
    """Def. 16: π_V(Ω), each mapping restricted to V, duplicates removed."""
    keep = frozenset(variables)
    return frozenset(mu.project(keep) for mu in omega)
