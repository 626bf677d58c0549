"""The results of an RSEP-QL query: an answer for each evaluation time (RSEP-QL Def. 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ...model.mappings import SolutionMapping
from ...model.terms import Graph

Solutions: TypeAlias = tuple[SolutionMapping, ...]
"""A bag of solution mappings; in the order of ORDER BY, if the query has one."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """The answer at the evaluation time `time`.

    Of SELECT the bag of solutions, never an empty one; of ASK whether there are any; of CONSTRUCT
    and DESCRIBE the graph, never an empty one.
    """

    time: int
    content: Solutions | bool | Graph
