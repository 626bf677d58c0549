"""Sets of solution mappings (SPAseq Defs. 5 and 16, after Pérez, Arenas and Gutierrez): ⋈ and π_V.

Union, difference and left join are needed inside of graph patterns only (`evaluation`). Naming: μ
is `mu`, Ω is `omega`.
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


def project(omega: Solutions, variables: Iterable[Variable]) -> Solutions:
    """Def. 16: π_V(Ω), each mapping restricted to V, duplicates removed."""
    keep = frozenset(variables)
    return frozenset(mu.project(keep) for mu in omega)
