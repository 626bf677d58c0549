"""The literals that computed values are written as (XPath functions and operators, 17.1.2).

Canonical forms: an integer without leading zeros, a decimal without trailing ones, a float or
double in the shortest form that reads back as itself.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Final

from ....semantics.model.terms import BNode, Literal, Term, URIRef, literal
from .moments import Duration, Moment
from .values import XSD, LangString, Opaque, Single, Value

_INTEGER: Final = XSD + "integer"
_DECIMAL: Final = XSD + "decimal"
_DOUBLE: Final = XSD + "double"
_FLOAT: Final = XSD + "float"
_BOOLEAN: Final = XSD + "boolean"
_LONG: Final = 10**4000


def term_of(value: Value) -> Term:
    """The term that a value is written as."""
    if isinstance(value, (URIRef, BNode)):
        return value
    return literal_of(value)


def literal_of(value: Value) -> Literal:
    """The literal that a value is written as."""
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
    """The canonical form of an xsd:integer of any length."""
    if -_LONG < value < _LONG:
        return str(value)
    # str() refuses integers of more than some 4,300 digits; as a Decimal it writes them.
    return format(Decimal(value), "f")


def decimal_text(value: Decimal) -> str:
    """The canonical form of an xsd:decimal: 1.5, 2, -0.25."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "", "-") else text


def double_text(value: float) -> str:
    """The canonical form of an xsd:double: 1.5E0, INF, NaN."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return _scientific(repr(float(value)))


def single_text(value: Single) -> str:
    """As `double_text`, in the shortest form that reads back as the same 32-bit float."""
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
