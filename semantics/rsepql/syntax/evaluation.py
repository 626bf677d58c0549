"""The evaluation times ET: a list of instants, or a report policy (RSEP-QL Def. 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ...model.errors import QueryError
from ...model.trees import changed
from .settings import POLICIES, PolicyName, engine_setting
from .tree import RsepqlQuery, StreamOperator, TimeBasedWindow

_SHORT = {"non-empty": "non-empty-content", "nonempty-content": "non-empty-content"}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """ET: the times `at`, in any order; where there are none, those that `policy` finds.

    `period` and `start` are the periodic policy's: start + k·period (by default the smallest step
    of the query's windows, and 0). `first` and `last` bound what a policy finds. All in the
    streams' own unit.

    The rest is what engines do besides (see `settings`): `operator` overrides the query's stream
    operator; with `empty` an answer without solutions is reported, too; with `sliding` time-based
    windows end at the evaluation, whatever their step is.
    """

    at: tuple[int, ...] | None = None
    policy: PolicyName = "content-change"
    period: int | None = None
    start: int = 0
    first: int | None = None
    last: int | None = None
    operator: StreamOperator | None = None
    empty: bool = False
    sliding: bool = False

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> Evaluation:
        """Return the evaluation in a case's `evaluate`. Raises QueryError for an invalid one.

        A policy is known in any spelling (`Window close`); `every` is another word for `period`.

        `setting` names an engine's, which says what else is left open.

        >>> Evaluation.of({"at": [8, 10]}).at
        (8, 10)
        """
        if "setting" in named:
            return _under_setting(named)
        named = dict(named)
        if "every" in named:
            named.setdefault("period", named.pop("every"))
        at, policy = named.get("at"), named.get("policy")
        if isinstance(policy, str):
            policy = "-".join(re.findall(r"[a-z]+", policy.lower()))
            policy = _SHORT.get(policy, policy)
        left_open = _left_open(named)
        if at is not None:
            others = [key for key in named if key != "at" and key not in LEFT_OPEN]
            if others:
                raise QueryError(f"evaluation times are given by 'at' or by '{others[0]}'")
            return cls(at=tuple(at) if isinstance(at, list | tuple) else (at,), **left_open)
        if policy is not None and policy not in POLICIES:
            known, written = ", ".join(POLICIES), named["policy"]
            raise QueryError(f"there is no report policy '{written}' (there are: {known})")
        period = named.get("period")
        if period is not None and period <= 0:
            raise QueryError("a period must be longer than 0")
        chosen = policy or ("periodic" if period is not None else POLICIES[0])
        if chosen != "periodic" and (period is not None or "start" in named):
            raise QueryError(f"'period' and 'start' are for policy: periodic, not {chosen}")
        return cls(
            None, chosen, period, named.get("start", 0), named.get("first"), named.get("last"),
            **left_open,
        )

    def applied_to(self, query: RsepqlQuery) -> RsepqlQuery:
        """Return the query with an engine's own stream operator and windows."""
        if self.operator is not None:
            query = replace(query, operator=self.operator)
        if self.sliding:
            query = replace(query, windows=changed(query.windows, _sliding))
        return query

    def named(self) -> dict[str, Any]:
        """Return the evaluation as a case's `evaluate`, which `of` reads."""
        named: dict[str, Any] = {}
        default = type(self)()
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(default, field.name):
                named[field.name] = value
        if self.at is not None:
            named["at"] = list(self.at)
        if self.operator is not None:
            named["operator"] = str(self.operator)
        return named


LEFT_OPEN = ("operator", "empty", "sliding")
"""The options of engines besides the choice of evaluation times."""


def _left_open(named: Mapping[str, Any]) -> dict[str, Any]:
    switches = ("empty", "sliding")
    left_open: dict[str, Any] = {key: bool(named[key]) for key in switches if key in named}
    written = named.get("operator")
    if written is not None:
        try:
            left_open["operator"] = StreamOperator(str(written).upper())
        except ValueError:
            known = ", ".join(StreamOperator)
            raise QueryError(
                f"there is no stream operator '{written}' (there are: {known})"
            ) from None
    return left_open


def _under_setting(named: Mapping[str, Any]) -> Evaluation:
    setting = engine_setting(str(named["setting"]))
    chosen = Evaluation(
        policy=setting.policy, operator=setting.operator, empty=setting.empty,
        sliding=setting.sliding,
    )
    written = {key: value for key, value in named.items() if key != "setting"}
    given = Evaluation.of(written)
    stated = {key: getattr(given, key) for key in written}
    if "period" in written:
        stated["policy"] = given.policy
    return replace(chosen, **stated)


def _sliding(part: Any) -> Any:
    return replace(part, step=None, start=None) if isinstance(part, TimeBasedWindow) else part
