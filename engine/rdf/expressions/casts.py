"""Constructor functions (SPARQL 1.1 Query, 17.5; XPath functions and operators, 17)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from ....semantics.model.terms import URIRef
from .comparison import to_double, to_single
from .moments import Duration, Moment, parse_moment
from .terms import decimal_text, double_text, integer_text, single_text
from .values import (
    NUMERIC,
    XSD,
    ExpressionError,
    Number,
    Opaque,
    Single,
    Value,
    parse_boolean,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
)

_WHITESPACE: Final = " \t\r\n"


def _parsed(parse: Callable[[str], Value | None], value: str) -> Value:
    # Casting a string collapses white space first; lexical forms of literals have none.
    result = parse(value.strip(_WHITESPACE))
    if result is None:
        raise ExpressionError("the string is not a lexical form of the type")
    return result


def to_string(value: Value) -> Value:
    """xsd:string, also of a literal without a value that we know: its lexical form."""
    if type(value) is str:
        return value
    if isinstance(value, URIRef):
        return str(value)
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return integer_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, (Moment, Duration)):
        return value.canonical()
    if isinstance(value, Opaque):
        return value.lexical
    raise ExpressionError("not castable to xsd:string")


def _float_text(value: float) -> str:
    """XPath functions and operators, 17.1.2: without an exponent between 1e-6 and 1e6."""
    canonical = single_text(value) if isinstance(value, Single) else double_text(value)
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e6:
        return decimal_text(Decimal(canonical))
    return canonical


def to_boolean(value: Value) -> Value:
    """xsd:boolean"""
    if type(value) is bool:
        return value
    if type(value) is str:
        return _parsed(parse_boolean, value)
    if type(value) in NUMERIC:
        return value == value and value != 0
    raise ExpressionError("not castable to xsd:boolean")


def _number(value: Value) -> Number:
    if type(value) is bool:
        return int(value)
    if type(value) in NUMERIC:
        return value  # type: ignore[return-value]
    raise ExpressionError("not castable to a number")


def to_double_value(value: Value) -> Value:
    """xsd:double"""
    if type(value) is str:
        return _parsed(parse_double, value)
    return to_double(_number(value))


def to_float(value: Value) -> Value:
    """xsd:float"""
    if type(value) is str:
        return _parsed(parse_float, value)
    return to_single(_number(value))


def to_decimal(value: Value) -> Value:
    """xsd:decimal"""
    if type(value) is str:
        return _parsed(parse_decimal, value)
    return Decimal(_finite(_number(value)))


def to_integer(value: Value) -> Value:
    """xsd:integer; a fraction is cut off."""
    if type(value) is str:
        return _parsed(parse_integer, value)
    return int(_finite(_number(value)))


def _finite(number: Number) -> Number:
    if isinstance(number, float) and not math.isfinite(number):
        raise ExpressionError("NaN and the infinities are no decimals")
    return number


def to_date_time(value: Value) -> Value:
    """xsd:dateTime"""
    if isinstance(value, Moment) and not value.dated_only:
        return value
    if type(value) is str:
        return _parsed(lambda lexical: parse_moment(lexical, dated_only=False), value)
    raise ExpressionError("not castable to xsd:dateTime")


CASTS: Final[dict[str, Callable[[Value], Value]]] = {
    XSD + "string": to_string,
    XSD + "boolean": to_boolean,
    XSD + "double": to_double_value,
    XSD + "float": to_float,
    XSD + "decimal": to_decimal,
    XSD + "integer": to_integer,
    XSD + "dateTime": to_date_time,
}
