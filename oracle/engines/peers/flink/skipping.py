"""Flink's strategies of what is skipped after a match, in the words of its documentation.

No language here has them. So they are judged by what Flink finds without them (noSkip): each match
that it tells discards others by where these started.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

Strategy: TypeAlias = tuple[str, ...]
"""Its name, and that of the element which it looks at, where it looks at one."""

Taken: TypeAlias = Sequence[Sequence[int]]
"""A match: the numbers of the instants that each element takes."""

NO_SKIP: Final[Strategy] = ("noSkip",)


def strategies(names: Sequence[str]) -> list[Strategy]:
    """The strategies for a pattern whose elements have these names."""
    return [
        ("skipToNext",), ("skipPastLastEvent",), ("skipToFirst", names[-1]),
        ("skipToLast", names[0]),
    ]


def are_left(
    told: Sequence[Taken], matches: Sequence[Taken], strategy: Strategy, names: Sequence[str]
) -> bool:
    """Whether these are what a strategy leaves of all matches.

    None of them is discarded by one that begins before it, and each of the others is discarded by
    one of them. Of two that begin together the documentation does not say which one is told first.
    """
    unsaid = [match for match in matches if match not in told]
    return (
        len(told) + len(unsaid) == len(matches)
        and not any(
            _discards(strategy, each, other, names)
            and (_first(each) < _first(other) or _discards(strategy, other, each, names))
            for each in told for other in told if each is not other
        )
        and all(any(_discards(strategy, each, other, names) for each in told) for other in unsaid)
    )


def _discards(strategy: Strategy, told: Taken, other: Taken, names: Sequence[str]) -> bool:
    start = _first(other)
    match strategy:
        case ("skipToNext",):
            # "every partial match that started with the same event"
            return start == _first(told)
        case ("skipPastLastEvent",):
            # "… that started after the match started but before it ended"
            return _first(told) <= start <= _last(told)
        case ("skipToFirst" | "skipToLast", name):
            # "… but before the first (last) event of PatternName occurred"
            taken = told[names.index(name)]
            end = 0 if strategy[0] == "skipToFirst" else -1
            return bool(taken) and _first(told) <= start < taken[end]
    return False


def _first(match: Taken) -> int:
    return min(map(min, filter(None, match)))


def _last(match: Taken) -> int:
    return max(map(max, filter(None, match)))
