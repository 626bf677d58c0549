"""A table of questions about two ids that have been answered, by hash.

A row is four words: the question's number and one, the two ids, and what is true; the first is 0
where there is none.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...kernels import KERNELS, compiled
from .grouping import mixed
from .program import Integers

_WORDS: Final = 4
_OPEN: Final = 2


def no_answers(count: int) -> Integers:
    """An empty table with room for so many."""
    return np.zeros(_WORDS << (2 * count - 1).bit_length(), np.int64)


def entered(table: Integers, told: Integers, count: int) -> Integers:
    """The table with these answers, each (question, id, id, truth); it holds so many then."""
    KERNELS.charge(len(told))
    if 2 * count * _WORDS > len(table):
        old = table.reshape(-1, _WORDS)
        old = old[old[:, 0] > 0] - (1, 0, 0, 0)
        table = no_answers(2 * count)
        _enter(table, old.reshape(-1))
    _enter(table, told)
    return table


@compiled
def _enter(table: Integers, told: Integers) -> None:
    for number in range(0, len(told), _WORDS):
        question, one, other = told[number], told[number + 1], told[number + 2]
        at = _place(table, question, one, other)
        table[at] = question + 1
        table[at + 1] = one
        table[at + 2] = other
        table[at + 3] = told[number + 3]


@compiled
def answered(table: Integers, question: int, one: int, other: int) -> int:
    """What is true, 0 or 1; 2 where that is not known."""
    at = _place(table, question, one, other)
    if table[at] == 0:
        return _OPEN
    return int(table[at + 3])


@compiled
def _place(table: Integers, question: int, one: int, other: int) -> int:
    """Where the answer stands, or would stand."""
    mask = len(table) // _WORDS - 1
    hashed = mixed(mixed(question + 1, one), other)
    slot = (hashed ^ (hashed >> 17)) & mask
    while table[_WORDS * slot] != 0 and not (
        table[_WORDS * slot] == question + 1
        and table[_WORDS * slot + 1] == one
        and table[_WORDS * slot + 2] == other
    ):
        slot = (slot + 1) & mask
    return int(_WORDS * slot)
