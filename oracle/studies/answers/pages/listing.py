"""Many settings as few lines: those that differ in one choice only stand on one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ..assessing import AnswersVerdict, Right
from ..expected.schedules import Starts
from ..expected.settings import Extent, FirstWindow, Setting
from .spelling import Spelling, empties_in_words, extent_in_words, policy_in_words, trigger_in_words

_FIELDS = ("empty_answers", "operator", "policy", "trigger", "bounds", "extent", "first")
"""The fields of a setting in which those on one line may differ, one after the other."""


@dataclass(frozen=True, slots=True)
class Group:
    """All settings that take one of the `choices` in each of the fields."""

    choices: tuple[tuple[Any, ...], ...]
    period: int | None
    own: bool
    starts: tuple[Starts, ...]
    least: int
    most: int

    @property
    def size(self) -> int:
        """How many settings there are in it."""
        return prod(map(len, self.choices))

    def written(self, words: Spelling) -> str:
        """The group in one line."""
        return f"{self.setting(words)}: {self.when(words)}"

    def setting(self, words: Spelling) -> str:
        """Its choices."""
        empties, operators, policies, triggers, bounds, extents, firsts = self.choices
        period = None if self.period is None else words.time(self.period)
        parts = [" or ".join(policy_in_words(policy, period) for policy in policies)]
        told = [trigger_in_words(trigger) for trigger in triggers if trigger is not None]
        if told:
            parts.append(" or ".join(told))
        parts.append(" or ".join(operators))
        parts.append(" or ".join(bounds))
        if extents != (Extent.CLOSED,):
            parts.append(" or ".join(map(extent_in_words, extents)))
        if firsts == (FirstWindow.PARTIAL,):
            parts.append("first window closes after one slide")
        elif len(firsts) > 1:
            parts.append("first window closes after its range or one slide")
        if len(empties) == 1:
            parts.append(empties_in_words(empties[0]))
        return ", ".join(parts)

    def when(self, words: Spelling) -> str:
        """For which window starts, and how late."""
        return f"{words.starts(self.starts) or 'any t0'}{lateness(self.least, self.most, words)}"


def groups(verdict: AnswersVerdict, slide: int) -> list[Group]:
    """The settings under which a recording is right, the engine's own ones first."""
    own = {right.setting for right in verdict.own}
    found = [_group(right, right.setting in own, slide) for right in verdict.right]
    for place in range(len(_FIELDS)):
        found = _merged(found, place)
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
    choices = tuple((getattr(setting, field),) for field in _FIELDS)
    starts = _distinct(right.starts, slide)
    return Group(choices, setting.period, own, starts, right.least, right.most)


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


def _merged(found: Iterable[Group], place: int) -> list[Group]:
    """The groups with those as one that differ in this field only (and in how late answers are)."""
    by_rest: dict[Group, list[Group]] = {}
    for group in found:
        rest = replace(_with(group, place, ()), least=0, most=0)
        by_rest.setdefault(rest, []).append(group)
    return [
        replace(
            _with(same[0], place, dict.fromkeys(c for group in same for c in group.choices[place])),
            least=min(group.least for group in same), most=max(group.most for group in same),
        )
        for same in by_rest.values()
    ]


def _with(group: Group, place: int, choices: Iterable[Any]) -> Group:
    before, after = group.choices[:place], group.choices[place + 1:]
    return replace(group, choices=(*before, tuple(choices), *after))


def common(verdicts: Sequence[AnswersVerdict]) -> list[Right]:
    """The settings, whatever t0, under which each of the recordings is right."""
    shared: set[Setting] | None = None
    for verdict in verdicts:
        mine = {right.setting for right in verdict.right}
        shared = mine if shared is None else shared & mine
    return [right for right in verdicts[0].right if right.setting in (shared or ())]
