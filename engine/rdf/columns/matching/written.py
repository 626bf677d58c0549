"""Numbers read from the bytes of terms, without a Python object for each.

The usual ones, of up to 15 digits: then the digits and the power of ten are doubles themselves, and
one product or quotient of theirs is the nearest double (W. D. Clinger, How to Read Floating Point
Numbers Accurately, 1990). Whatever else there is stays UNKNOWN.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ....kernels import KERNELS, compiled
from ...data.interning import InternedTerms
from ...data.words import Bytes
from ..batch import Column
from .kinds import DOUBLE, EXACT, INTEGRAL, NODE, STRING, UNKNOWN, Doubles, Kinds

_SUFFIXES: Final = tuple(
    f'"^^<http://www.w3.org/2001/XMLSchema#{name}>'.encode()
    for name in ("integer", "decimal", "double")
)
_ENDS: Final = np.frombuffer(b"".join(_SUFFIXES), np.uint8)
_BOUNDS: Final = np.cumsum([0, *map(len, _SUFFIXES)])
_POWERS: Final[Doubles] = np.array([float(10**power) for power in range(23)])

_QUOTE: Final = ord('"')
_ZERO: Final = ord("0")
_NINE: Final = ord("9")
_PLUS: Final = ord("+")
_MINUS: Final = ord("-")
_POINT: Final = ord(".")
_SMALL_E: Final = ord("e")
_LARGE_E: Final = ord("E")
_DIGITS: Final = 15
_POWER: Final = 22
_AN_INTEGER: Final = 0
_A_DOUBLE: Final = 2


@compiled
def kind_of_literal(text: Bytes, start: int, end: int, ends: Bytes, bounds: Column) -> int:
    """Which of the suffixes ends the token; -1 if none does."""
    for kind in range(bounds.size - 1):
        length = bounds[kind + 1] - bounds[kind]
        if end - start > length:
            at = 0
            while at < length and text[end - length + at] == ends[bounds[kind] + at]:
                at += 1
            if at == length:
                return kind
    return -1


@compiled
def read_number(
    text: Bytes, start: int, end: int, kind: int, powers: Doubles, double: Doubles
) -> int:
    """The kind of the number that stands there, and in `double` which it is."""
    at = start
    negative = 0
    if at < end and (text[at] == _PLUS or text[at] == _MINUS):
        negative = 1 if text[at] == _MINUS else 0
        at += 1
    value = 0
    digits = 0
    after = 0
    point = 0
    while at < end and ((_ZERO <= text[at] <= _NINE) or (text[at] == _POINT and point == 0)):
        if text[at] == _POINT:
            point = 1
        else:
            value = value * 10 + int(text[at]) - _ZERO
            digits += 1
            after += point
            if digits > _DIGITS:
                return UNKNOWN
        at += 1
    if digits == 0 or (kind == _AN_INTEGER and point == 1):
        return UNKNOWN
    power = 0
    if kind == _A_DOUBLE and at < end and (text[at] == _SMALL_E or text[at] == _LARGE_E):
        at += 1
        sign = 1
        if at < end and (text[at] == _PLUS or text[at] == _MINUS):
            sign = -1 if text[at] == _MINUS else 1
            at += 1
        if at == end:
            return UNKNOWN
        while at < end and _ZERO <= text[at] <= _NINE and power <= _POWER:
            power = power * 10 + int(text[at]) - _ZERO
            at += 1
        power *= sign
    power -= after
    if at < end or power > _POWER or power < -_POWER:
        return UNKNOWN
    number = float(value)
    number = number * powers[power] if power >= 0 else number / powers[-power]
    if kind == _A_DOUBLE:
        double[0] = -number if negative == 1 else number
        return DOUBLE
    double[0] = 0.0 - number if negative == 1 else number
    return INTEGRAL if number == np.floor(number) else EXACT


@compiled
def read_tokens(
    text: Bytes,
    token_bounds: Column,
    tokens: Column,
    ends: Bytes,
    bounds: Column,
    powers: Doubles,
    doubles: Doubles,
    kinds: Kinds,
    double: Doubles,
) -> None:
    """What tokens are; those with a negative number stay UNKNOWN."""
    for i in range(tokens.size):
        if tokens[i] < 0:
            continue
        start, end = token_bounds[tokens[i]], token_bounds[tokens[i] + 1]
        if text[start] != _QUOTE:
            kinds[i] = NODE
        elif text[end - 1] == _QUOTE:
            kinds[i] = STRING
        else:
            kind = kind_of_literal(text, start, end, ends, bounds)
            if kind >= 0:
                end -= bounds[kind + 1] - bounds[kind]
                double[0] = 0.0
                kinds[i] = read_number(text, start + 1, end, kind, powers, double)
                doubles[i] = double[0]


def as_written(ids: Column, interned: InternedTerms) -> tuple[Doubles, Kinds]:
    """Doubles and kinds of ids, UNKNOWN where their bytes do not say it."""
    tokens = interned.numbers_of(ids)
    doubles, kinds = np.zeros(len(ids)), np.full(len(ids), UNKNOWN, np.uint8)
    table = interned.tokens.arrays
    known = tokens[tokens >= 0]
    KERNELS.charge(len(ids) + int((table.bounds[known + 1] - table.bounds[known]).sum()))
    read_tokens(
        table.text, table.bounds, tokens, _ENDS, _BOUNDS, _POWERS, doubles, kinds, np.zeros(1)
    )
    return doubles, kinds
