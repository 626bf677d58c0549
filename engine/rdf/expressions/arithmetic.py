"""Arithmetic (SPARQL 1.1 Query, 17.3; XPath functions and operators, 6.2)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from typing import Any, Final

from .comparison import promoted
from .moments import EXACT
from .values import NUMERIC, ExpressionError, Number, Single, Value, single

QUOTIENT_DIGITS: Final = 18
"""So many digits after the point has a quotient without a finite expansion, halves to even."""

_SHORT: Final = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def numeric(value: Value) -> Number:
    """The value, which must be a number."""
    if type(value) in NUMERIC:
        return value  # type: ignore[return-value]
    raise ExpressionError("not a number")


def _operation(
    exact: Callable[[Any, Any], Any], of_decimals: Callable[[Decimal, Decimal], Decimal]
) -> Callable[[Value, Value], Number]:
    def compute(left: Value, right: Value) -> Number:
        one, other = promoted(numeric(left), numeric(right))
        kind = type(one)
        if kind is Decimal:
            return of_decimals(one, other)
        result = exact(one, other)
        return single(result) if kind is Single else result

    return compute


def divide(left: Value, right: Value) -> Number:
    """left / right; two integers give a decimal."""
    one, other = promoted(numeric(left), numeric(right))
    if type(one) is int:
        one, other = Decimal(one), Decimal(other)
    if type(one) is Decimal:
        if other == 0:
            raise ExpressionError("division by zero")
        return _quotient(one, other)
    result = _divide_doubles(one, other)
    return single(result) if type(one) is Single else result


def _quotient(one: Decimal, other: Decimal) -> Decimal:
    try:
        return _SHORT.divide(one, other)
    except Inexact:
        pass
    exact = Fraction(one) / Fraction(other)
    digits = QUOTIENT_DIGITS
    twos, rest = _multiplicity(exact.denominator, 2)
    fives, rest = _multiplicity(rest, 5)
    if rest == 1:  # a finite expansion, but a long one
        digits = max(twos, fives)
    return Decimal(round(exact * 10**digits)).scaleb(-digits, EXACT)


def _multiplicity(number: int, prime: int) -> tuple[int, int]:
    """How often the prime divides the number, and what is left then."""
    times = 0
    while number % prime == 0:
        number //= prime
        times += 1
    return times, number


def _divide_doubles(left: float, right: float) -> float:
    """IEEE 754 division, which Python refuses for a zero divisor."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, left) * math.copysign(1.0, right))


ARITHMETIC: Final[dict[str, Callable[[Value, Value], Number]]] = {
    "+": _operation(operator.add, EXACT.add),
    "-": _operation(operator.sub, EXACT.subtract),
    "*": _operation(operator.mul, EXACT.multiply),
    "/": divide,
}


def signed(symbol: str, number: Number) -> Number:
    """+number, -number; the result has the number's type."""
    if symbol == "+":
        return number
    if type(number) is Single:
        return Single(-number)
    return EXACT.minus(number) if isinstance(number, Decimal) else -number
