"""Solutions that hold over an interval, ⟨μ, tα, tω⟩ (EP-SPARQL 4.2, CQELS-CEP 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..rdf.mappings import SolutionMapping

Interval: TypeAlias = tuple[int, int]
"""[t1, t2], both ends included."""


@dataclass(frozen=True, slots=True)
class IntervalSolution:
    """⟨μ, start, end⟩: a solution mapping and the interval, ends included, that it spans."""

    start: int
    end: int
    mapping: SolutionMapping

    @property
    def interval(self) -> Interval:
        """[start, end]."""
        return self.start, self.end
