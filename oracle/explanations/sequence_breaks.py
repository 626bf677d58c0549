"""The longest prefix of a query's sequence that has matches, and why it has no continuation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from ...semantics.model.errors import DenotaError
from ..languages.base import Beginning
from ..languages.registry import Language, Query, has, part_of

MAX_EVENTS = 2_000
"""The number of items on which prefixes are evaluated; longer input is skipped."""
MAX_MATCHES = 1_000
"""The number of matches of a prefix that are counted."""


def sequence_break(
    language: Language, query: Query, streams: Mapping[Any, tuple[Any, ...]],
    kb: Mapping[Any, Any], readings: Any, evaluation: Mapping[str, Any],
) -> str:
    """Return where a sequence breaks off, by the production engine; "" if it does not.

    Also return "" for a language without `beginnings`, and for more than 2,000 items.
    """
    if not has(language.name, "beginnings") or sum(map(len, streams.values())) > MAX_EVENTS:
        return ""

    listed = {"at": evaluation["at"]} if "at" in evaluation else {}

    def found(
        own: Query, own_readings: Any, most: int = 1, *, at: Mapping[str, Any] = evaluation
    ) -> int:
        results = language.run(
            own, streams=streams, kb=kb, readings=own_readings, evaluation=at
        )
        rows = (row for each in results for row in language.flat_rows(each, own, own_readings))
        return sum(1 for _ in islice(rows, most))

    def broken(beginnings: Sequence[Beginning]) -> str:
        each = next((each for each in beginnings if not found(each.query, readings)), None)
        if each is None:
            return ""
        parts = [(one,) for one in each.operands] if each.inside else [each.operands]
        if inside := "; ".join(filter(None, map(broken, parts))):
            return f"{each.inside}: {inside}" if each.inside else inside
        number = 0  # the matches of a single pattern are counted elsewhere
        if each.before and each.operands and each.operands[0].operands:
            number = found(each.operands[0].query, readings, MAX_MATCHES)
        reason = next((
            but for but, own, its, anytime in each.relaxed
            if found(own, its, at=listed if anytime else evaluation)
        ), "")
        if not reason and listed and found(each.query, readings, at={}):
            reason = "not at the given times of evaluation"
        return _break_text(each, number, reason)

    try:
        return broken(part_of(language.name, "beginnings").beginnings(query, readings))
    except DenotaError:  # a part of a query may be invalid alone
        return ""


def _break_text(beginning: Beginning, number: int, reason: str) -> str:
    """Return a sentence on a prefix with `number` matches, 0 if unknown."""
    before, last = beginning.before, beginning.last
    if not before:
        return f"{last} never matches" if not reason else f"{last} matches, but {reason}"
    if number:
        times = f"{number:,} match{'es' * (number != 1)}"
        before += f" ({'at least ' * (number == MAX_MATCHES)}{times})"
    if beginning.apart:
        return f"{before} and {last} match, but {reason or beginning.apart}"
    follows = f"{last} follows, but {reason}" if reason else f"no {last} follows"
    return f"the sequence breaks off after {before}: {follows}"
