"""The readings of CEQL: where the paper and its engines differ, a choice with a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from ..errors import ReadingError
from .syntax import CeqlQuery

WithinReading = Literal["paper", "core"]
StrategyReading = Literal["before-within", "after-within"]
Output = Literal["complex-event", "valuation"]
LimitReading = Literal["event", "query"]
PartitionReading = Literal["paper", "core"]


@dataclass(frozen=True, slots=True)
class Readings:
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

    within: WithinReading = "paper"
    strategy: StrategyReading = "before-within"
    output: Output = "complex-event"
    limit: LimitReading = "event"
    partition: PartitionReading = "paper"

    @classmethod
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Every reading's name with its values, the default first."""
        hints = get_type_hints(cls)
        return {f.name: get_args(hints[f.name]) for f in fields(cls)}

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Readings:
        """The readings with these names and values; an unknown one is a clear error.

        >>> Readings.of({"within": "core"}).within
        'core'
        """
        choices = cls.choices()
        for name, value in named.items():
            if name not in choices:
                raise ReadingError(f"CEQL has no reading '{name}' (it has: {', '.join(choices)})")
            if value not in choices[name]:
                raise ReadingError(
                    f"reading '{name}' has no value '{value}' (it has: {', '.join(choices[name])})"
                )
        return cls(**named)  # type: ignore[arg-type]

    def applied_to(self, query: CeqlQuery) -> Readings:
        """These readings where they suit this query: all of them always do."""
        return self
