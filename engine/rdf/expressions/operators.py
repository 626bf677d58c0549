"""SPARQL's operators: arithmetic, comparison, order (SPARQL 1.1 Query, 15.1, 17.2.2, 17.3).

Numbers of different types are promoted before they are compared (XPath 2.0, B.1): an integer meets
a double as a double. A comparison without an answer is a type error, also when it is negated.

Unbound comes first, then blank nodes, IRIs, literals. Literals that `<` does not compare are
ordered by their kind, so that the order is total and sorting is well-defined.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, Final

from ....semantics.model.terms import BNode, URIRef
from .values import (
    EXACT,
    NUMERIC,
    NUMERIC_DATATYPES,
    XSD,
    Duration,
    ExpressionError,
    LangString,
    Moment,
    Number,
    Opaque,
    Single,
    Value,
    nearest_double,
    nearest_single,
    single,
)

_RANK: Final[dict[type, int]] = {int: 0, Decimal: 1, Single: 2, float: 3}
_ORDERED: Final = frozenset({str, bool, Duration})
_ILL_TYPED_IS_FALSE: Final = NUMERIC_DATATYPES | {XSD + "boolean"}


def truth(value: Value) -> bool:
    """EBV(value), 17.2.2."""
    kind = type(value)
    if kind is bool:
        return value  # type: ignore[return-value]
    if kind is str:
        return value != ""
    if kind in NUMERIC:
        # NaN is the one number that differs from itself.
        return value == value and value != 0
    if isinstance(value, LangString):
        return value.text != ""
    if isinstance(value, Opaque) and str(value.datatype) in _ILL_TYPED_IS_FALSE:
        return False
    raise ExpressionError("no effective boolean value")


def to_double(value: Number) -> float:
    """Return the number as an xsd:double."""
    return float(value) if isinstance(value, float) else nearest_double(value)


def to_single(value: Number) -> Single:
    """Return the number as an xsd:float."""
    return single(value) if isinstance(value, float) else nearest_single(value)


def promoted(left: Number, right: Number) -> tuple[Any, Any]:
    """Return both numbers in the type that XPath's promotion rules give them."""
    highest = max(_RANK[type(left)], _RANK[type(right)])
    if highest == 3:
        return to_double(left), to_double(right)
    if highest == 2:
        return to_single(left), to_single(right)
    if highest == 1:
        return Decimal(left), Decimal(right)
    return left, right


def equal(left: Value, right: Value) -> bool:
    """left = right; an error for two different literals that no operator compares."""
    kind = type(left)
    other = type(right)
    if kind is other and kind is not Moment and kind is not Opaque and kind is not LangString:
        # Also NaN, which is not even equal to itself.
        return left == right
    if kind in NUMERIC and other in NUMERIC:
        left, right = promoted(left, right)  # type: ignore[arg-type]
        return left == right
    if isinstance(left, Moment) and isinstance(right, Moment):
        order = left.compare(right)
        if order is not None:
            return order == 0
    return _same_term(left, right)


def _same_term(left: Value, right: Value) -> bool:
    """RDFterm-equal, 17.4.1.7."""
    if type(left) is type(right) and left == right:
        return True
    if isinstance(left, (URIRef, BNode)) or isinstance(right, (URIRef, BNode)):
        return False
    # Values that are known to differ, whatever the other is (so the W3C's open-eq and date tests).
    if isinstance(left, LangString) or isinstance(right, LangString):
        return False
    if (
        isinstance(left, Moment)
        and isinstance(right, Moment)
        and left.dated_only != right.dated_only
    ):
        return False
    raise ExpressionError("literals that cannot be compared")


def less(left: Value, right: Value) -> bool:
    """left < right; an error unless both are numbers, strings, booleans, moments or durations."""
    kind = type(left)
    other = type(right)
    if kind is other and (kind in NUMERIC or kind in _ORDERED):
        return left < right  # type: ignore[operator]
    if kind in NUMERIC and other in NUMERIC:
        left, right = promoted(left, right)  # type: ignore[arg-type]
        return left < right  # type: ignore[operator]
    if isinstance(left, Moment) and isinstance(right, Moment):
        order = left.compare(right)
        if order is not None:
            return order < 0
    raise ExpressionError("values without an order")


def less_or_equal(left: Value, right: Value) -> bool:
    """left <= right: less or equal, which for NaN is neither."""
    return less(left, right) or equal(left, right)


QUOTIENT_DIGITS: Final = 18
"""The number of digits after the point in a quotient without a finite expansion, halves to even."""

_SHORT: Final = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def numeric(value: Value) -> Number:
    """Return the value, which must be a number."""
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
    """Return the exponent of the prime in the number, and the remaining factor."""
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


_BLANK, _IRI, _STRING, _TAGGED, _BOOLEAN, _NUMBER, _MOMENT, _DURATION, _OTHER = range(1, 10)


def compare(left: Value | None, right: Value | None) -> int:
    """Negative, 0 or positive as the left comes before, with or after the right; None is unbound.

    >>> compare(None, URIRef("urn:a")) < 0
    True
    """
    kind, other = _kind(left), _kind(right)
    if kind != other:
        return kind - other
    one, two = _comparable(left), _comparable(right)
    if one < two:
        return -1
    return 1 if two < one else 0


def _kind(value: Value | None) -> int:
    if value is None:
        return 0
    if isinstance(value, BNode):
        return _BLANK
    if isinstance(value, URIRef):
        return _IRI
    if type(value) in NUMERIC:
        return _NUMBER
    if isinstance(value, bool):
        return _BOOLEAN
    if isinstance(value, LangString):
        return _TAGGED
    if isinstance(value, Moment):
        return _MOMENT
    if isinstance(value, Duration):
        return _DURATION
    return _OTHER if isinstance(value, Opaque) else _STRING


def _comparable(value: Value | None) -> Any:
    if value is None or isinstance(value, BNode):
        return 0
    if isinstance(value, URIRef):
        return str(value)
    if isinstance(value, Moment):
        return (value.dated_only, value.seconds)
    if isinstance(value, Opaque):
        return (value.lexical, str(value.datatype))
    if isinstance(value, float):
        # NaN is below all numbers; tuples make it comparable. Others are compared exactly.
        return (0, 0) if math.isnan(value) else (1, float(value))
    if type(value) is int or isinstance(value, Decimal):
        return (1, value)
    return value


ascending: Final[Callable[[Value | None], Any]] = cmp_to_key(compare)
"""Sort key of the order."""
