"""Effective boolean value, equality and order of values (SPARQL 1.1 Query, 17.2.2, 17.3, 17.4.1.7).

Numbers of different types are promoted before they are compared (XPath 2.0, B.1): an integer meets
a double as a double. A comparison without an answer is a type error, also when it is negated.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from ....semantics.model.terms import BNode, URIRef
from .moments import Duration, Moment
from .values import (
    NUMERIC,
    NUMERIC_DATATYPES,
    XSD,
    ExpressionError,
    LangString,
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
    """The number as an xsd:double."""
    return float(value) if isinstance(value, float) else nearest_double(value)


def to_single(value: Number) -> Single:
    """The number as an xsd:float."""
    return single(value) if isinstance(value, float) else nearest_single(value)


def promoted(left: Number, right: Number) -> tuple[Any, Any]:
    """Both numbers in the type that XPath's promotion rules give them."""
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
