"""What is said of ET: a list of instants, or a report policy (RSEP-QL Def. 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from ..errors import QueryError

PolicyName: TypeAlias = Literal[
    "content-change", "window-close", "non-empty-content", "periodic"
]

POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """ET: the times `at`, in any order; where there are none, those that `policy` finds.

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

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> Evaluation:
        """What a case's `evaluate` says; raises QueryError for what cannot be.

        >>> Evaluation.of({"at": [8, 10]}).at
        (8, 10)
        """
        at, policy = named.get("at"), named.get("policy")
        if at is not None:
            others = [key for key in named if key != "at"]
            if others:
                raise QueryError(f"evaluation times are given by 'at' or by '{others[0]}'")
            return cls(at=tuple(at) if isinstance(at, list | tuple) else (at,))
        if policy is not None and policy not in POLICIES:
            known = ", ".join(POLICIES)
            raise QueryError(f"there is no report policy '{policy}' (there are: {known})")
        period = named.get("period")
        if period is not None and period <= 0:
            raise QueryError("a period must be longer than 0")
        chosen = policy or ("periodic" if period is not None else POLICIES[0])
        if chosen != "periodic" and (period is not None or "start" in named):
            raise QueryError(f"'period' and 'start' are for policy: periodic, not {chosen}")
        return cls(
            None, chosen, period, named.get("start", 0), named.get("first"), named.get("last")
        )

    def named(self) -> dict[str, Any]:
        """What a case's `evaluate` says of it; `of` reads it back."""
        if self.at is not None:
            return {"at": list(self.at)}
        named: dict[str, Any] = {}
        default = type(self)()
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value != getattr(default, field.name):
                named[field.name] = value
        return named
