"""Join conditions between columns, and a hash table of the comparisons that have been made.

A row is four words: the question's number and one, the two ids, and what is true; the first is 0
where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import BNode, URIRef
from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from ..data.dictionary import Dictionary
from ..expressions.operators import to_double
from ..expressions.values import Value
from .partial_matches import mixed
from .program import (
    ASKED,
    C_CONSTANT,
    C_CONSTANT2,
    C_LEFT,
    C_LEFT2,
    C_QUESTION,
    C_RIGHT,
    C_RIGHT2,
    C_SYMBOL,
    CONDITION,
    DIFFERENT,
    EQUAL,
    LESS,
    Integers,
)

_WORDS: Final = 4
_OPEN: Final = 2


def no_answers(count: int) -> Integers:
    """Return an empty table with that capacity."""
    return np.zeros(_WORDS << (2 * count - 1).bit_length(), np.int64)


def entered(table: Integers, told: Integers, count: int) -> Integers:
    """Return the table with these answers (question, id, id, truth) added; it fits `count`."""
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
    """Return the cached truth value, 0 or 1; 2 if it is not known."""
    at = _place(table, question, one, other)
    if table[at] == 0:
        return _OPEN
    return int(table[at + 3])


@compiled
def _place(table: Integers, question: int, one: int, other: int) -> int:
    """Return the index of the cached value, or of its empty slot."""
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


UNKNOWN, EXACT, DOUBLE, NODE, STRING, OTHER = range(6)
_SCALE: Final = 1_000_000
"""Exact numbers are compared as so many parts of one: prices and readings have few digits."""
_LARGEST: Final = 1 << 62
_ASKED: Final = 3


FALSE, TRUE, OPEN = range(3)
"""The values of a condition; OPEN: the complete evaluation has to decide first."""

Question: TypeAlias = Callable[[tuple[int, ...]], bool]
"""A condition on two ids, 0 for unbound, as the complete evaluation says it"""


class Values(NamedTuple):
    """By id: what kind of a value it is, an exact number's parts, a number as a double."""

    kinds: Integers
    parts: Integers
    doubles: NDArray[np.float64]
    truths: Integers
    """what questions have been answered, by hash; see `answers`"""
    asked: Integers
    """how many are to be asked; then of each its number and the two ids"""


class KnownValues:
    """The operands of conditions, cached until the next sweep.

    Kernels compare numbers, and tell terms apart; whatever else a condition says of two ids is
    asked of the complete evaluation, once.
    """

    def __init__(self, dictionary: Dictionary, questions: Sequence[Question] = ()) -> None:
        self._dictionary = dictionary
        self._questions = questions
        self._sweeps = dictionary.sweeps
        self.values = _no_values(1)
        self._forget_answers()

    def _forget_answers(self) -> None:
        self._answered = 0
        self.values = self.values._replace(truths=no_answers(1))

    def refresh(self) -> None:
        """Evict uncertain or excess answers between two batches."""
        if self._sweeps != self._dictionary.sweeps:
            self._sweeps = self._dictionary.sweeps
            self.values = _no_values(len(self.values.kinds))
            self._forget_answers()
        if self._answered > IN_USE.answered:
            self._forget_answers()

    def find(self, ids: Integers) -> None:
        """Look up the ids, which are compared."""
        most = int(ids.max(initial=0))
        if most >= len(self.values.kinds):
            self._grow(most + 1)
        values = self.values
        new = ids[values.kinds[ids] == UNKNOWN]
        if new.size:
            known = self._dictionary.values
            for number in np.unique(new).tolist():
                if number:
                    kind, parts, double = _value(known[number])
                    values.kinds[number] = kind
                    values.parts[number], values.doubles[number] = parts, double

    def answer(self) -> None:
        """Answer what kernels have asked."""
        asked = self.values.asked
        words = asked[1 : 1 + _ASKED * int(asked[0])].tolist()
        asked[0] = 0
        told: list[int] = []
        wanted = zip(words[::_ASKED], words[1::_ASKED], words[2::_ASKED], strict=True)
        for number, one, other in set(wanted):
            told += number, one, other, self._questions[number]((one, other))
            self._answered += 1
        truths = entered(self.values.truths, np.array(told, np.int64), self._answered)
        if truths is not self.values.truths:
            self.values = self.values._replace(truths=truths)

    def _grow(self, size: int) -> None:
        grown = _no_values(max(size, 2 * len(self.values.kinds)))
        for new, old in zip(grown[:3], self.values[:3], strict=True):
            new[: len(old)] = old
        self.values = grown._replace(truths=self.values.truths)


def _no_values(size: int) -> Values:
    return Values(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size), no_answers(1),
        np.zeros(1 + _ASKED * max(1, IN_USE.pasts), np.int64),
    )


def _value(value: Value) -> tuple[int, int, float]:
    kind = type(value)
    if kind is float:
        return DOUBLE, 0, value  # type: ignore[return-value]
    if kind is int or kind is Decimal:
        parts: Any = value * _SCALE  # type: ignore[operator]
        # A decimal may have been rounded: then it is not what it was when it is divided again.
        if abs(parts) < _LARGEST and (kind is int or _whole(parts, value)):  # type: ignore[arg-type]
            return EXACT, int(parts), to_double(value)  # type: ignore[arg-type]
        return OTHER, 0, 0.0
    if kind is str:
        return STRING, 0, 0.0
    return (NODE if kind is URIRef or kind is BNode else OTHER), 0, 0.0


def _whole(parts: Decimal, value: Decimal) -> bool:
    return parts == int(parts) and parts / _SCALE == value


@compiled
def compared(symbol: int, one: int, other: int, values: Values) -> int:
    """Return the truth value of a comparison of two ids; an error is false."""
    if one <= 0 or other <= 0:
        return FALSE
    kind, other_kind = UNKNOWN, UNKNOWN
    if one < len(values.kinds):
        kind = values.kinds[one]
    if other < len(values.kinds):
        other_kind = values.kinds[other]
    if kind in (UNKNOWN, OTHER) or other_kind in (UNKNOWN, OTHER):
        return OPEN
    if kind > DOUBLE or other_kind > DOUBLE:
        if kind != other_kind and kind != NODE and other_kind != NODE:
            return FALSE  # a string and a number
        if symbol == EQUAL:
            return int(one == other)
        if symbol == DIFFERENT:
            return int(one != other)
        return OPEN if kind == STRING and other_kind == STRING else FALSE
    if kind == EXACT and other_kind == EXACT:
        left, right = values.parts[one], values.parts[other]
        if symbol == EQUAL:
            return int(left == right)
        if symbol == DIFFERENT:
            return int(left != right)
        if symbol == LESS:
            return int(left < right)
        return int(left <= right)
    first, second = values.doubles[one], values.doubles[other]
    if symbol == EQUAL:
        return int(first == second)
    if symbol == DIFFERENT:
        return int(first != second)
    if symbol == LESS:
        return int(first < second)
    return int(first <= second)


@compiled
def merged(
    left: int, right: int,
    rows: Integers, at: int, words: Integers, begin: int,
) -> int:  # fmt: skip
    """Return the value of a column of two rows joined: `rows` from `at`, `words` from `begin`."""
    value = 0
    if left >= 0:
        value = rows[at + left]
    if value == 0 and right >= 0:
        value = words[begin + right]
    return value


@compiled
def tested(
    conditions: Integers, begin: int, end: int, rows: Integers, at: int, words: Integers, row: int,
    values: Values,
) -> int:  # fmt: skip
    """Return the truth value of all conditions of a source for two joined rows.

    If it is OPEN, the open conditions have been noted.
    """
    for number in range(begin, end):
        test = number * CONDITION
        one = conditions[test + C_CONSTANT]
        if one == 0:
            one = merged(
                conditions[test + C_LEFT], conditions[test + C_RIGHT], rows, at, words, row
            )
        other = conditions[test + C_CONSTANT2]
        if other == 0:
            other = merged(
                conditions[test + C_LEFT2], conditions[test + C_RIGHT2], rows, at, words, row
            )
        told = OPEN
        if conditions[test + C_SYMBOL] != ASKED:
            told = compared(conditions[test + C_SYMBOL], one, other, values)
        if told == OPEN:
            question = conditions[test + C_QUESTION]
            told = answered(values.truths, question, one, other)
            if told == OPEN:
                _ask(values.asked, question, one, other)
        if told != TRUE:
            return told
    return TRUE


@compiled
def _ask(asked: Integers, question: int, one: int, other: int) -> None:
    """Note the question, if there is room: without, it comes again."""
    at = 1 + _ASKED * asked[0]
    if at < len(asked):
        asked[at] = question
        asked[at + 1] = one
        asked[at + 2] = other
        asked[0] += 1
