"""Many settings as few lines: those that differ in one choice only stand on one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .....semantics.rsepql.syntax.tree import StreamOperator
from ..assessing import AnswersVerdict, Right
from ..expected.schedules import Starts
from ..expected.settings import Extent, FirstWindow, Policy, Setting, Trigger, WindowEnds
from .spelling import Spelling, empties_in_words, extent_in_words, policy_in_words, trigger_in_words


@dataclass(frozen=True, slots=True)
class Group:
    """All settings that take one of the choices in each field."""

    policies: tuple[Policy, ...]
    operators: tuple[StreamOperator, ...]
    bounds: tuple[WindowEnds, ...]
    empty_answers: tuple[bool, ...]
    extents: tuple[Extent, ...]
    firsts: tuple[FirstWindow, ...]
    triggers: tuple[Trigger | None, ...]
    period: int | None
    own: bool
    starts: tuple[Starts, ...]
    least: int
    most: int

    @property
    def size(self) -> int:
        """How many settings there are in it."""
        fields = (
            self.policies, self.operators, self.bounds, self.empty_answers, self.extents,
            self.firsts, self.triggers,
        )
        number = 1
        for choices in fields:
            number *= len(choices)
        return number

    def written(self, words: Spelling) -> str:
        """The group in one line."""
        return f"{self.setting(words)}: {self.when(words)}"

    def setting(self, words: Spelling) -> str:
        """Its choices."""
        parts = []
        period = None if self.period is None else words.time(self.period)
        parts.append(" or ".join(policy_in_words(p, period) for p in self.policies))
        triggers = [trigger_in_words(t) for t in self.triggers if t is not None]
        if triggers:
            parts.append(" or ".join(triggers))
        parts.append(" or ".join(self.operators))
        parts.append(" or ".join(self.bounds))
        if self.extents != (Extent.CLOSED,):
            parts.append(" or ".join(extent_in_words(e) for e in self.extents))
        if self.firsts == (FirstWindow.PARTIAL,):
            parts.append("first window closes after one slide")
        elif len(self.firsts) > 1:
            parts.append("first window closes after its range or one slide")
        if len(self.empty_answers) == 1:
            parts.append(empties_in_words(self.empty_answers[0]))
        return ", ".join(parts)

    def when(self, words: Spelling) -> str:
        """For which window starts, and how late."""
        return f"{words.starts(self.starts) or 'any t0'}{lateness(self.least, self.most, words)}"


_FIELDS = (
    "empty_answers", "operators", "policies", "triggers", "bounds", "extents", "firsts",
)


def groups(verdict: AnswersVerdict, slide: int) -> list[Group]:
    """The settings under which a recording is right, the engine's own ones first."""
    own = {right.setting for right in verdict.own}
    found = [_group(right, right.setting in own, slide) for right in verdict.right]
    for field in _FIELDS:
        found = _merged(found, field)
    return sorted(found, key=lambda group: not group.own)


def lateness(least: int, most: int, words: Spelling) -> str:
    """How late answers come, if they do."""
    smallest, largest = words.about(least), words.about(most)
    if largest == words.about(0):
        return ""
    if smallest == largest:
        return f", {largest} late"
    return f", {smallest} to {largest} late"


def _group(right: Right, own: bool, slide: int) -> Group:
    setting = right.setting
    return Group(
        (setting.policy,), (setting.operator,), (setting.bounds,), (setting.empty_answers,),
        (setting.extent,), (setting.first,), (setting.trigger,), setting.period, own,
        _distinct(right.starts, slide), right.least, right.most,
    )


def _distinct(starts: Sequence[Starts], slide: int) -> tuple[Starts, ...]:
    """Without those that lie a slide before others: their windows are the same but for the first.

    None at all where any start will do.
    """
    if any(s.latest - s.earliest + 1 >= slide for s in starts):
        return ()
    return tuple(
        s for s in starts
        if not any(
            other.earliest <= s.earliest + slide and s.latest + slide <= other.latest
            for other in starts
        )
    )


def _merged(found: Iterable[Group], field: str) -> list[Group]:
    """The groups with those as one that differ in this field only (and in how late answers are)."""
    by_rest: dict[Group, list[Group]] = {}
    for group in found:
        rest = _with(replace(group, least=0, most=0), field, ())
        by_rest.setdefault(rest, []).append(group)
    merged = []
    for same in by_rest.values():
        choices = tuple(dict.fromkeys(c for group in same for c in getattr(group, field)))
        widest = replace(
            same[0], least=min(g.least for g in same), most=max(g.most for g in same)
        )
        merged.append(_with(widest, field, choices))
    return merged


def _with(group: Group, field: str, choices: tuple[Any, ...]) -> Group:
    changed: dict[str, Any] = {field: choices}
    return replace(group, **changed)


def common(verdicts: Sequence[AnswersVerdict]) -> list[Right]:
    """The settings, whatever t0, under which each of the recordings is right."""
    shared: set[Setting] | None = None
    for verdict in verdicts:
        mine = {right.setting for right in verdict.right}
        shared = mine if shared is None else shared & mine
    return [right for right in verdicts[0].right if right.setting in (shared or ())]
