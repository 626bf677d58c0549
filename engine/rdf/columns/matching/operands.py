"""Numeric operands over columns: doubles and the bounds of their errors.

Of a number of up to 15 digits, the digits and the power of ten are doubles themselves, and one
product or quotient of theirs is the nearest double (W. D. Clinger, How to Read Floating Point
Numbers Accurately, 1990). All others stay UNKNOWN.

Integers and decimals are computed exactly (SPARQL 1.1 Query, 17.3), so that a double only tells
where about a result lies; `slack` bounds the distance. What cannot be told so is of kind OTHER, and
is told by the complete evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .....semantics.model.terms import BNode, Literal, URIRef, Variable
from .....semantics.rdf.syntax.tree import Arithmetic, Expression, Sign
from ....kernels import KERNELS, compiled
from ...data.dictionary import Dictionary
from ...data.tokens import Bytes, InternedTerms
from ...expressions.operators import to_double
from ...expressions.values import NUMERIC, Number, Single, Value, value_of
from ..batch import Column
from .tables import Table

Doubles = NDArray[np.float64]
Kinds = NDArray[np.uint8]

UNKNOWN: Final = 0
INTEGRAL: Final = 1
"""An exact number (xsd:integer, xsd:decimal) that is the double."""
EXACT: Final = 2
"""Another exact number: the double is the nearest one."""
DOUBLE: Final = 3
"""An xsd:double."""
STRING: Final = 4
NODE: Final = 5
"""An IRI or blank node."""
OTHER: Final = 6
UNBOUND: Final = 7


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
    """Return the number of the suffix that ends the token; -1 if none does."""
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
    """Return the kind of the number in the bytes; write its value to `double`."""
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
    """Write the kinds and values of tokens; those with a negative number stay UNKNOWN."""
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
    """Return the doubles and kinds of ids, UNKNOWN where their bytes do not determine it."""
    tokens = interned.numbers_of(ids)
    doubles, kinds = np.zeros(len(ids)), np.full(len(ids), UNKNOWN, np.uint8)
    table = interned.tokens.arrays
    known = tokens[tokens >= 0]
    KERNELS.charge(len(ids) + int((table.bounds[known + 1] - table.bounds[known]).sum()))
    read_tokens(
        table.text, table.bounds, tokens, _ENDS, _BOUNDS, _POWERS, doubles, kinds, np.zeros(1)
    )
    return doubles, kinds


LARGEST: Final = 2.0**53
"""Whatever integer becomes a double below this is that double."""


def kind_of(value: Value) -> tuple[float, int]:
    """Return the double that stands for a value, and what it is to it."""
    kind = type(value)
    if kind is Single:  # rounds what it meets
        return 0.0, OTHER
    if kind in NUMERIC:
        number: Number = value  # type: ignore[assignment]
        double = to_double(number)
        if kind is float:
            return double, DOUBLE
        integral = abs(double) < LARGEST and number == int(number)
        return double, INTEGRAL if integral else EXACT
    if kind is str:
        return 0.0, STRING
    return 0.0, NODE if kind is URIRef or kind is BNode else OTHER


class Numbers:
    """Of each id of a dictionary that somebody has asked for: its double and its kind."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._values = dictionary.values
        self._doubles: Doubles = np.zeros(1)
        self._kinds: Kinds = np.full(1, UNBOUND, np.uint8)

    def of(self, ids: Column) -> tuple[Doubles, Kinds]:
        """Return the doubles and kinds of ids."""
        most = int(ids.max(initial=0))
        if most >= len(self._kinds):
            self._grow(max(most + 1, 2 * len(self._kinds)))
        kinds = self._kinds[ids]
        unknown = ids[kinds == UNKNOWN]
        if unknown.size:
            self._find(unknown)
            kinds = self._kinds[ids]
        return self._doubles[ids], kinds

    def _grow(self, size: int) -> None:
        more = size - len(self._kinds)
        self._doubles = np.concatenate((self._doubles, np.zeros(more)))
        self._kinds = np.concatenate((self._kinds, np.zeros(more, np.uint8)))

    def _find(self, ids: Column) -> None:
        which = np.unique(ids)
        interned = self._values.interned
        if isinstance(interned, InternedTerms):
            self._doubles[which], self._kinds[which] = as_written(which, interned)
            which = which[self._kinds[which] == UNKNOWN]
        values = self._values
        found = [kind_of(values[number]) for number in which.tolist()]
        self._doubles[which] = [double for double, _ in found]
        self._kinds[which] = [kind for _, kind in found]


_KNOWN: Final[WeakKeyDictionary[Dictionary, tuple[int, Numbers]]] = WeakKeyDictionary()


def numbers_of(dictionary: Dictionary) -> Numbers:
    """Return the numbers of the dictionary's ids, cached since its latest sweep."""
    known = _KNOWN.get(dictionary)
    if known is None or known[0] != dictionary.sweeps:
        known = _KNOWN[dictionary] = dictionary.sweeps, Numbers(dictionary)
    return known[1]


MARGIN = 1 + 1e-6
"""For the rounding of slacks themselves."""
_QUOTIENT = 1e-18  # a decimal quotient has so many digits after the point, see `arithmetic`


class Operand(NamedTuple):
    """The values of an expression in some rows.

    Where the kind is INTEGRAL or DOUBLE, the value is the double; where it is EXACT, it is an exact
    number at most `slack` away from it. `ids` are those of terms as they stand in the data or the
    query, 0 for what is computed.
    """

    doubles: Doubles
    slack: Doubles
    kinds: Kinds
    ids: Column


Operands = Callable[[Table], Operand]


def compile_operand(expression: Expression, dictionary: Dictionary) -> Operands | None:
    """Return the operand for an expression; None for any other expression."""
    match expression:
        case Variable():
            return lambda table: _terms(table.column(expression), dictionary)
        case Literal() | URIRef() | BNode():
            return _constant(expression, dictionary)
        case Arithmetic(symbol, left, right):
            one, other = compile_operand(left, dictionary), compile_operand(right, dictionary)
            if one is None or other is None:
                return None
            first, second = one, other
            return lambda table: _computed(symbol, first(table), second(table))
        case Sign(symbol, operand):
            inner = compile_operand(operand, dictionary)
            if inner is None:
                return None
            only = inner
            return lambda table: _signed(symbol, only(table))
    return None


def _terms(ids: Column, dictionary: Dictionary) -> Operand:
    doubles, kinds = numbers_of(dictionary).of(ids)
    with np.errstate(invalid="ignore"):  # infinities have no neighbours
        slack = np.where(kinds == EXACT, np.spacing(np.abs(doubles)), 0.0)
    return Operand(doubles, slack, kinds, ids)


def _constant(term: Literal | URIRef | BNode, dictionary: Dictionary) -> Operands:
    number = dictionary.encode(term, permanent=True)
    double, kind = kind_of(value_of(term))
    with np.errstate(invalid="ignore"):
        slack = float(np.spacing(abs(double))) if kind == EXACT else 0.0

    def constant(table: Table) -> Operand:
        size = len(table)
        return Operand(
            np.full(size, double), np.full(size, slack), np.full(size, kind, np.uint8),
            np.full(size, number, np.int64),
        )

    return constant


def _signed(symbol: str, operand: Operand) -> Operand:
    doubles, slack, kinds, _ = operand
    if symbol == "-":
        # Only a double has a negative zero.
        doubles = np.where(kinds == DOUBLE, -doubles, 0.0 - doubles)
    return Operand(
        doubles, slack, np.where(kinds <= DOUBLE, kinds, OTHER).astype(np.uint8),
        np.zeros(len(kinds), np.int64),
    )


def _computed(symbol: str, left: Operand, right: Operand) -> Operand:
    a, b = left.doubles, right.doubles
    with np.errstate(all="ignore"):
        match symbol:
            case "+":
                result = a + b
                slack = left.slack + right.slack
            case "-":
                result = a - b
                slack = left.slack + right.slack
            case "*":
                result = a * b
                slack = np.abs(a) * right.slack + np.abs(b) * left.slack
                slack += left.slack * right.slack
            case _:
                result = a / b
                least = np.abs(b) - right.slack
                slack = (left.slack + np.abs(result) * right.slack) / least + _QUOTIENT
                slack = np.where(least > 0, slack, np.nan)
        slack = (slack + np.spacing(np.abs(result))) * MARGIN
        kinds = _kinds(symbol, left, right, result, slack)
        exact = kinds <= EXACT
        return Operand(
            # An exact zero has no sign.
            np.where(exact, result + 0.0, result), np.where(kinds == EXACT, slack, 0.0), kinds,
            np.zeros(len(kinds), np.int64),
        )


def _kinds(
    symbol: str, left: Operand, right: Operand, result: Doubles, slack: Doubles
) -> Kinds:
    one, other = left.kinds, right.kinds
    kinds = np.full(len(result), OTHER, np.uint8)
    numbers = (one <= DOUBLE) & (other <= DOUBLE)
    double = numbers & ((one == DOUBLE) | (other == DOUBLE))
    # As a double, an exact number that has been computed is not known.
    kinds[double & _rounds(left) & _rounds(right)] = DOUBLE
    exact = numbers & ~double
    kinds[exact & np.isfinite(slack)] = EXACT
    if symbol != "/":
        integral = (one == INTEGRAL) & (other == INTEGRAL) & (np.abs(result) < LARGEST)
        kinds[integral] = INTEGRAL
    return kinds


def _rounds(operand: Operand) -> NDArray[np.bool_]:
    """Return a mask of the operands whose double is their value as an xsd:double."""
    rounds: NDArray[np.bool_] = (operand.kinds != EXACT) | (operand.ids != 0)
    return rounds
