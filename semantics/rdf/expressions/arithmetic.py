"""The numeric operators (SPARQL 1.1 Query, 17.3; XQuery 1.0 Functions and Operators, 6.2 and 6.4).

Operands are promoted to the more general of their types: integer, decimal, float, double.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import TypeGuard

from .values import EXACT, QUOTIENT_DIGITS, Float, Number, decimal_text, parse_float


class NoValue(ArithmeticError):
    """The operation has no result: division of integers or decimals by zero."""


def is_number(value: object) -> TypeGuard[Number]:
    """Return True if the value has one of the numeric types."""
    return isinstance(value, int | Decimal | Float | float) and not isinstance(value, bool)


def is_nan(value: Number) -> bool:
    """Return True if the value is NaN."""
    return isinstance(value, float | Float) and math.isnan(to_double(value))


def to_double(value: Number) -> float:
    """Promotion to xsd:double; what lies beyond its range is infinite."""
    if isinstance(value, Float):
        return value.value
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def to_float(value: Number) -> Float:
    """Promotion to xsd:float, rounding once."""
    if isinstance(value, Float):
        return value
    if isinstance(value, float):
        return Float.nearest(value)
    single = Float.nearest(to_double(value))
    if not math.isfinite(single.value) or Fraction(single.value) == Fraction(value):
        return single
    rounded = parse_float(decimal_text(Decimal(value)))
    assert rounded is not None  # a decimal's text is a float's text
    return rounded


def promoted(a: Number, b: Number) -> tuple[Number, Number]:
    """Both operands in the more general of the two types (F&O 6.2)."""
    if isinstance(a, float) or isinstance(b, float):
        return to_double(a), to_double(b)
    if isinstance(a, Float) or isinstance(b, Float):
        return to_float(a), to_float(b)
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return Decimal(a), Decimal(b)
    return a, b


def add(a: Number, b: Number) -> Number:
    """op:numeric-add"""
    return _apply(a, b, lambda x, y: x + y, EXACT.add, lambda x, y: x + y)


def subtract(a: Number, b: Number) -> Number:
    """op:numeric-subtract"""
    return _apply(a, b, lambda x, y: x - y, EXACT.subtract, lambda x, y: x - y)


def multiply(a: Number, b: Number) -> Number:
    """op:numeric-multiply"""
    return _apply(a, b, lambda x, y: x * y, EXACT.multiply, lambda x, y: x * y)


def divide(a: Number, b: Number) -> Number:
    """op:numeric-divide; the quotient of two integers is a decimal.

    A quotient without a finite decimal expansion is rounded half to even, to 18 digits after the
    point (F&O 6.2.4 leaves the precision open). Raises NoValue for a zero integer or decimal
    divisor.
    """
    if isinstance(a, int) and isinstance(b, int):
        return _quotient(Decimal(a), Decimal(b))
    return _apply(a, b, _never, _quotient, _double_quotient)


def _apply(
    a: Number,
    b: Number,
    integers: Callable[[int, int], Number],
    decimals: Callable[[Decimal, Decimal], Decimal],
    doubles: Callable[[float, float], float],
) -> Number:
    x, y = promoted(a, b)
    if isinstance(x, int) and isinstance(y, int):
        return integers(x, y)
    if isinstance(x, Decimal) and isinstance(y, Decimal):
        return decimals(x, y)
    if isinstance(x, Float) and isinstance(y, Float):
        # Rounding a double result to single is exact enough: 53 > 2 * 24 + 1 bits.
        return Float.nearest(doubles(x.value, y.value))
    return doubles(to_double(x), to_double(y))


def _never(a: int, b: int) -> Number:
    raise AssertionError("integers are divided as decimals")


def _quotient(a: Decimal, b: Decimal) -> Decimal:
    if b == 0:
        raise NoValue("division by zero")
    exact = Fraction(a) / Fraction(b)
    twos = fives = 0
    denominator = exact.denominator
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    digits = max(twos, fives) if denominator == 1 else QUOTIENT_DIGITS
    return EXACT.scaleb(Decimal(round(exact * 10**digits)), -digits)


def _double_quotient(a: float, b: float) -> float:
    """IEEE 754 division, which Python refuses for a zero divisor."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def negate(a: Number) -> Number:
    """op:numeric-unary-minus"""
    if isinstance(a, Float):
        return Float(-a.value)
    return EXACT.minus(a) if isinstance(a, Decimal) else -a


def equal(a: Number, b: Number) -> bool:
    """op:numeric-equal; NaN equals nothing"""
    x, y = promoted(a, b)
    if isinstance(x, Float) and isinstance(y, Float):
        return x.value == y.value
    return x == y


def less(a: Number, b: Number) -> bool:
    """op:numeric-less-than; NaN is neither less nor greater"""
    x, y = promoted(a, b)
    if isinstance(x, Float) and isinstance(y, Float):
        return x.value < y.value
    return x < y  # type: ignore[operator]


def absolute(a: Number) -> Number:
    """fn:abs"""
    if isinstance(a, Float):
        return Float(abs(a.value))
    return a.copy_abs() if isinstance(a, Decimal) else abs(a)


def ceiling(a: Number) -> Number:
    """fn:ceiling"""
    return _whole(a, ROUND_CEILING, math.ceil)


def floor(a: Number) -> Number:
    """fn:floor"""
    return _whole(a, ROUND_FLOOR, math.floor)


def round_half_up(a: Number) -> Number:
    """fn:round: the nearest whole number, of two the one closer to positive infinity"""
    if isinstance(a, Decimal):
        return floor(EXACT.add(a, Decimal("0.5")))
    if isinstance(a, Float | float):
        return _whole(a, ROUND_FLOOR, lambda x: math.floor(Fraction(x) + Fraction(1, 2)))
    return a


def _whole(a: Number, decimals: str, doubles: Callable[[float], int]) -> Number:
    """Return a number made whole in its own type; a zero keeps the sign of what it came from."""
    if isinstance(a, Decimal):
        return a.to_integral_value(rounding=decimals, context=EXACT)
    if isinstance(a, Float):
        whole = _whole(a.value, decimals, doubles)
        assert isinstance(whole, float)
        return Float(whole)
    if isinstance(a, float):
        if not math.isfinite(a):
            return a
        return math.copysign(float(doubles(a)), a) if doubles(a) == 0 else float(doubles(a))
    return a
