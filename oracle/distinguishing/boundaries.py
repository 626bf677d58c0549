"""Values at, between and beside the constants of two queries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

T = TypeVar("T")


def near_points(constants: Iterable[T], unit: Any) -> list[T]:
    """Return the constants, their neighbours at a distance of `unit`, and all midpoints.

    Points are numbers of one type, or times with a `timedelta` as their unit. With its midpoints
    the list has a point in each interval that a comparison with two of the constants tells apart.
    """
    given: list[Any] = list(dict.fromkeys(constants))
    points = dict.fromkeys(place + shift for shift in (0 * unit, unit, -unit) for place in given)
    return [*points, *(low + (high - low) / 2 for low, high in pairwise(sorted(points)))]


def near_texts(constants: Iterable[str]) -> list[str]:
    """Return the constants, longer texts, their prefixes, other capitals and the empty text.

    In lexical order `!` comes before all letters and digits, and `z` after most, so that there is
    a text between two constants.
    """
    given = list(dict.fromkeys(constants))
    changed = (
        text for constant in given
        for text in (
            constant + "z", "z" + constant, constant[:-1], constant + "!", constant.swapcase(),
        )
    )
    return list(dict.fromkeys((*given, *changed, "")))


def first_of_each(candidates: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    """Return the first candidate for each key: the others cannot be told from it."""
    found: dict[Hashable, T] = {}
    for candidate in candidates:
        found.setdefault(key(candidate), candidate)
    return list(found.values())
