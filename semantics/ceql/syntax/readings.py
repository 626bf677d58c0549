"""The readings of CEQL: where the paper and its engines differ, a choice with a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...model.readings import NamedChoices
from .tree import CeqlQuery

WithinReading = Literal["paper", "core"]
StrategyReading = Literal["before-within", "after-within"]
Output = Literal["complex-event", "valuation"]
LimitReading = Literal["event", "query"]
PartitionReading = Literal["paper", "core"]


@dataclass(frozen=True, slots=True)
class Readings(NamedChoices):
    """One value for each named choice; the defaults are the definitions' own.

    `within`: V(end) − V(start) ≤ ε in every measure (`paper`), or ≤ n − 1 for `n [attribute]`
    alone (`core`, the engine of today).
    `strategy`: a selection strategy chooses among all matches of an end position, and WITHIN
    filters what it chose (`before-within`, the paper's order of clauses), or it chooses among the
    matches inside the window (`after-within`).
    `output`: complex events, which forget the variables (`complex-event`), or valuations
    (`valuation`).
    `limit`: LIMIT k bounds what one event may trigger (`event`, the engine's), or the whole output
    (`query`).
    `partition`: the tuples of a partition agree on every attribute of every list (`paper`), or on
    one of each list, the first that a tuple has (`core`, the engine of today).
    """

    language: ClassVar[str] = "CEQL"

    within: WithinReading = "paper"
    strategy: StrategyReading = "before-within"
    output: Output = "complex-event"
    limit: LimitReading = "event"
    partition: PartitionReading = "paper"

    def applied_to(self, query: CeqlQuery) -> Readings:
        """These readings where they suit this query: all of them always do."""
        return self
