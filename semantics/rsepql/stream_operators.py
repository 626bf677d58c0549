"""From answers to streams: what of the answer at t_i is new, given that at t_{i−1} (RSP-QL, R2S).

Answers are bags, here sequences; of what an operator leaves out, the later copies go first, so that
the order of an answer is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

A = TypeVar("A", bound=Hashable)


def rstream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    """RSTREAM: Ω_i"""
    return tuple(now)


def istream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    r"""ISTREAM: Ω_i \ Ω_{i−1}, with multiplicities

    >>> istream(["a", "b", "b"], ["b"])
    ('a', 'b')
    """
    return difference(now, before)


def dstream(now: Sequence[A], before: Sequence[A]) -> tuple[A, ...]:
    r"""DSTREAM: Ω_{i−1} \ Ω_i, with multiplicities"""
    return difference(before, now)


def difference(left: Sequence[A], right: Sequence[A]) -> tuple[A, ...]:
    """The difference of two bags: card(a) = max(0, card_left(a) − card_right(a))."""
    kept = Counter(left) - Counter(right)
    result = []
    for element in left:
        if kept[element] > 0:
            kept[element] -= 1
            result.append(element)
    return tuple(result)
