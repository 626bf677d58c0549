"""Solutions that hold over an interval, ⟨μ, tα, tω⟩ (EP-SPARQL 4.2, CQELS-CEP 4.2), and what else
queries return that have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .items import IntervalGraph
from .mappings import SolutionMapping

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


@dataclass(frozen=True, slots=True)
class Reported:
    """⟨e, t⟩: an element of an output stream, reported at the evaluation time t (CQL's R2S)"""

    time: int
    element: IntervalSolution | IntervalGraph


IntervalResult: TypeAlias = IntervalSolution | IntervalGraph | Reported | bool
"""Of SELECT and DESCRIBE; of CONSTRUCT; of either under a stream operator; of ASK."""
