"""ET, the instants at which a query is evaluated: listed, or found by a report policy (Def. 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

PolicyName: TypeAlias = Literal[
    "content-change", "window-close", "non-empty-content", "periodic"
]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """ET: the times `at`, in increasing order; where there are none, those that `policy` finds.

    `period` and `start` are the periodic policy's: start + k·period (by default the smallest step
    of the query's windows, and 0). `first` and `last` bound what a policy finds. All in the
    streams' own unit.
    """

    at: tuple[int, ...] | None = None
    policy: PolicyName = "content-change"
    period: int | None = None
    start: int = 0
    first: int | None = None
    last: int | None = None
