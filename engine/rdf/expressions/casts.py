"""Constructor functions (SPARQL 1.1 Query, 17.5) and the literals of computed values.

Canonical forms: an integer without leading zeros, a decimal without trailing ones, a float or
double in the shortest form that reads back as itself.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from ....semantics.model.terms import BNode, Literal, Term, URIRef, literal
from .operators import to_double, to_single
from .values import (
    NUMERIC,
    XSD,
    Duration,
    ExpressionError,
    LangString,
    Moment,
    Number,
    Opaque,
    Single,
    Value,
    parse_boolean,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
    parse_moment,
)

_INTEGER: Final = XSD + "integer"
_DECIMAL: Final = XSD + "decimal"
_DOUBLE: Final = XSD + "double"
_FLOAT: Final = XSD + "float"
_BOOLEAN: Final = XSD + "boolean"
_LONG: Final = 10**4000


def term_of(value: Value) -> Term:
    """Return the term that a value is written as."""
    if isinstance(value, (URIRef, BNode)):
        return value
    return literal_of(value)


def literal_of(value: Value) -> Literal:
    """Return the literal that a value is written as."""
    kind = type(value)
    if kind is bool:
        return literal("true" if value else "false", _BOOLEAN)
    if kind is int:
        return literal(integer_text(value), _INTEGER)  # type: ignore[arg-type]
    if isinstance(value, str):
        return literal(str(value))
    if isinstance(value, Decimal):
        return literal(decimal_text(value), _DECIMAL)
    if isinstance(value, Single):
        return literal(single_text(value), _FLOAT)
    if isinstance(value, float):
        return literal(double_text(value), _DOUBLE)
    if isinstance(value, LangString):
        return literal(value.text, None, value.language)
    if isinstance(value, Opaque):
        return literal(value.lexical, value.datatype)
    if isinstance(value, Duration):
        return literal(value.lexical, XSD + "dayTimeDuration")
    assert isinstance(value, Moment)
    return literal(value.lexical, XSD + ("date" if value.dated_only else "dateTime"))


def integer_text(value: int) -> str:
    """Return the canonical form of an xsd:integer of any length."""
    if -_LONG < value < _LONG:
        return str(value)
    # str() refuses integers of more than some 4,300 digits; as a Decimal it writes them.
    return format(Decimal(value), "f")


def decimal_text(value: Decimal) -> str:
    """Return the canonical form of an xsd:decimal: 1.5, 2, -0.25."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "", "-") else text


def double_text(value: float) -> str:
    """Return the canonical form of an xsd:double: 1.5E0, INF, NaN."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return _scientific(repr(float(value)))


def single_text(value: Single) -> str:
    """Return the text as `double_text`, the shortest one that reads back as the same float32."""
    if math.isnan(value) or math.isinf(value):
        return double_text(value)
    for digits in range(1, 10):
        text = format(float(value), f".{digits - 1}e")
        try:
            if struct.pack("f", float(text)) == struct.pack("f", value):
                return _scientific(text)
        except OverflowError:  # rounded up, beyond the largest float
            continue
    return _scientific(repr(float(value)))


def _scientific(text: str) -> str:
    """Python's notation of a number as mantissa E exponent, mantissa with one digit before '.'."""
    number = Decimal(text)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    figures = "".join(map(str, digits)).lstrip("0")
    if not figures:
        return "-0.0E0" if sign else "0.0E0"
    power = exponent + len(figures) - 1
    figures = figures.rstrip("0")
    return f"{'-' if sign else ''}{figures[0]}.{figures[1:] or '0'}E{power}"


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
