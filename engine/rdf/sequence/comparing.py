"""Conditions between columns, as far as numbers and the identity of terms decide them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import BNode, URIRef
from ...kernels.compiled import compiled
from ..data.dictionary import Dictionary
from ..expressions.comparison import to_double
from ..expressions.values import Value
from .program import (
    C_CONSTANT,
    C_CONSTANT2,
    C_LEFT,
    C_LEFT2,
    C_RIGHT,
    C_RIGHT2,
    C_SYMBOL,
    CONDITION,
    DIFFERENT,
    EQUAL,
    LESS,
    Integers,
)

UNKNOWN, EXACT, DOUBLE, NODE, STRING, OTHER = range(6)
_SCALE: Final = 1_000_000
"""Exact numbers are compared as so many parts of one: prices and readings have few digits."""
_LARGEST: Final = 1 << 62


class Values(NamedTuple):
    """By id: what kind of a value it is, an exact number's parts, a number as a double."""

    kinds: Integers
    parts: Integers
    doubles: NDArray[np.float64]


class KnownValues:
    """The values of the ids that conditions look at, found out once until the next sweep."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._sweeps = dictionary.sweeps
        self.values = _no_values(1)

    def find(self, ids: Integers, ordered: bool) -> bool:
        """Look up the ids; whether kernels can compare them all, also by order if `ordered`."""
        most = int(ids.max(initial=0))
        if self._sweeps != self._dictionary.sweeps:
            self._sweeps = self._dictionary.sweeps
            self.values = _no_values(len(self.values.kinds))
        if most >= len(self.values.kinds):
            self._grow(most + 1)
        values = self.values
        kinds = values.kinds[ids]
        new = ids[kinds == UNKNOWN]
        if new.size:
            known = self._dictionary.values
            for number in np.unique(new).tolist():
                if number:
                    kind, parts, double = _value(known[number])
                    values.kinds[number] = kind
                    values.parts[number], values.doubles[number] = parts, double
            kinds = values.kinds[ids]
        return not bool((kinds >= (STRING if ordered else OTHER)).any())

    def _grow(self, size: int) -> None:
        grown = _no_values(max(size, 2 * len(self.values.kinds)))
        for new, old in zip(grown, self.values, strict=True):
            new[: len(old)] = old
        self.values = grown


def _no_values(size: int) -> Values:
    return Values(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size))


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
def compared(symbol: int, one: int, other: int, values: Values) -> bool:
    """Whether the comparison of two ids is true; an error is false."""
    if one <= 0 or other <= 0:
        return False
    kind, other_kind = values.kinds[one], values.kinds[other]
    if kind > DOUBLE or other_kind > DOUBLE:
        if kind != other_kind and kind != NODE and other_kind != NODE:
            return False  # a string and a number
        if symbol == EQUAL:
            return one == other
        return symbol == DIFFERENT and one != other
    if kind == EXACT and other_kind == EXACT:
        left, right = values.parts[one], values.parts[other]
        if symbol == EQUAL:
            return bool(left == right)
        if symbol == DIFFERENT:
            return bool(left != right)
        if symbol == LESS:
            return bool(left < right)
        return bool(left <= right)
    first, second = values.doubles[one], values.doubles[other]
    if symbol == EQUAL:
        return bool(first == second)
    if symbol == DIFFERENT:
        return bool(first != second)
    if symbol == LESS:
        return bool(first < second)
    return bool(first <= second)


@compiled
def merged(
    left: int, right: int,
    rows: Integers, at: int, words: Integers, begin: int,
) -> int:  # fmt: skip
    """The value of a column of two rows joined: `rows` from `at`, `words` from `begin`."""
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
) -> bool:  # fmt: skip
    """Whether all conditions of a source hold on two rows joined."""
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
        if not compared(conditions[test + C_SYMBOL], one, other, values):
            return False
    return True
