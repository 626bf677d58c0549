"""Where rules stop that would construct without end.

A rule may construct, at one instant, what lets it construct again: with new blank nodes, or with
computed values, for ever. Definition and engine stop at the same bound.
"""

from __future__ import annotations

from typing import Final

from ...model.errors import QueryError
from ...model.items import TimeKind
from ...model.time import format_time
from .tree import Rule

MOST_ROUNDS: Final = 100
"""How often rules may be applied, at one instant, to what they have constructed at it."""

MOST_CONSTRUCTED: Final = 20_000
"""How many occurrences rules may construct at one instant."""


def beyond(rounds: int, constructed: int) -> bool:
    """Whether rules have been applied too often, or have constructed too much."""
    return rounds > MOST_ROUNDS or constructed > MOST_CONSTRUCTED


def unbounded(rule: Rule, t: float, kind: TimeKind) -> QueryError:
    """The error for rules that reach a bound at the instant t (−∞: at none, from background
    knowledge or over the whole stream)."""
    where = "" if t == float("-inf") else f" at {format_time(int(t), kind)}"
    return QueryError(
        f"the closure under the CONSTRUCT rules grows without bound{where}: stopped after"
        f" {MOST_ROUNDS} rounds or {MOST_CONSTRUCTED} occurrences of one instant",
        line=rule.position.line,
        column=rule.position.column,
    )
