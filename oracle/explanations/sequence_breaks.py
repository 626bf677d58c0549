"""The longest beginning of a query's sequence that has matches, and why it has no continuation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...semantics.model.errors import DenotaError
from ..languages.base import Beginning
from ..languages.registry import Language, Query, has, part_of

MAX_EVENTS = 2_000
"""The number of items on which beginnings are evaluated; longer input is not looked at."""


def sequence_break(
    language: Language, query: Query, streams: Mapping[Any, tuple[Any, ...]],
    kb: Mapping[Any, Any], readings: Any, evaluation: Mapping[str, Any],
) -> str:
    """Return where a sequence breaks off, by the production engine; "" if it does not.

    It is "" as well for a language without `beginnings`, and for more than 2,000 items.
    """
    if not has(language.name, "beginnings") or sum(map(len, streams.values())) > MAX_EVENTS:
        return ""

    def matches(own: Query, own_readings: Any) -> bool:
        found = language.run(
            own, streams=streams, kb=kb, readings=own_readings, evaluation=evaluation
        )
        return next(iter(found), None) is not None

    beginnings: list[Beginning] = part_of(language.name, "beginnings").beginnings(query, readings)
    try:
        for each in beginnings:
            if not matches(each.query, readings):
                reason = next(
                    (but for but, own, its in each.relaxed if matches(own, its)), ""
                )
                return _told(each, reason)
    except DenotaError:  # a part of a query may be none
        return ""
    return ""


def _told(beginning: Beginning, reason: str) -> str:
    before, last = beginning.before, beginning.last
    if not before:
        return f"{last} never matches" if not reason else f"{last} matches, but {reason}"
    follows = f"{last} follows, but {reason}" if reason else f"no {last} follows"
    return f"the sequence breaks off after {before}: {follows}"
