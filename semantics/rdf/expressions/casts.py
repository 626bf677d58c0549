"""Constructor functions (SPARQL 1.1 Query, 17.5, after XQuery 1.0 Functions and Operators, 17)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from rdflib.term import Literal, URIRef

from ...model.terms import Term, literal
from .arithmetic import is_number, to_double, to_float
from .operators import ExpressionError
from .values import (
    XSD_BOOLEAN,
    XSD_DATE_TIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
    DateTime,
    DayTimeDuration,
    Float,
    LanguageString,
    Number,
    Value,
    boolean,
    decimal_text,
    integer_text,
    number,
    parse_boolean,
    parse_date_time,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
    value_of,
)


def to_string(term: Term) -> Literal:
    """xsd:string of an IRI or a literal."""
    if isinstance(term, URIRef):
        return literal(str(term))
    value = _simple_value(term)
    if is_number(value):
        return literal(_number_text(value))
    match value:
        case bool():
            return literal("true" if value else "false")
        case DateTime():
            return literal(_moment_text(value))
        case DayTimeDuration():
            return literal(_duration_text(value))
    return literal(str(term))


def _moment_text(value: DateTime) -> str:
    """F&O 17.1.5: the local components; midnight is 00:00:00, UTC is Z."""
    day = f"{'-' * (value.year < 0)}{abs(value.year):04}-{value.month:02}-{value.day:02}"
    second = decimal_text(value.second)
    clock = f"T{value.hour:02}:{value.minute:02}:{'0' * (value.second < 10)}{second}"
    return day + ("" if value.is_date else clock) + _zone_text(value.offset)


def _zone_text(offset: int | None) -> str:
    if not offset:
        return "" if offset is None else "Z"
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"


def _duration_text(value: DayTimeDuration) -> str:
    """XSD 1.1, 3.4.27: the canonical form, such as P1DT2H3M4.5S; of nothing PT0S"""
    minutes, seconds = divmod(Fraction(abs(value.seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes)
    if seconds:
        whole = Fraction(abs(value.seconds)) - seconds
        clock += f"{decimal_text(abs(value.seconds) - Decimal(int(whole)))}S"
    text = f"P{f'{days}D' * bool(days)}{f'T{clock}' * bool(clock)}"
    return "-" * (value.seconds < 0) + (text if text != "P" else "PT0S")


def _number_text(value: Number) -> str:
    """F&O 17.1.2: doubles from 1e-6 up to 1e6 are written without an exponent."""
    if isinstance(value, int):
        return integer_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    double = to_double(value)
    lexical = str(number(value))
    if double == 0:
        return "-0" if lexical.startswith("-") else "0"
    if 1e-6 <= abs(double) < 1e6:
        return decimal_text(Decimal(lexical))
    return lexical


def to_boolean(term: Term) -> Literal:
    """xsd:boolean"""
    value = _simple_value(term)
    if isinstance(value, bool):
        return boolean(value)
    if is_number(value):
        double = to_double(value)
        return boolean(not (double == 0 or math.isnan(double)) if _is_double(value) else value != 0)
    if isinstance(value, str):
        parsed = parse_boolean(_stripped(value))
        if parsed is not None:
            return boolean(parsed)
    raise _no_cast(term, XSD_BOOLEAN)


def to_integer(term: Term) -> Literal:
    """xsd:integer: a fraction is cut off"""
    value = _simple_value(term)
    match value:
        case bool():
            return number(int(value))
        case int():
            return number(value)
        case Decimal():
            return number(int(value))
        case Float(double) | (float() as double) if math.isfinite(double):
            return number(int(double))
        case str():
            parsed = parse_integer(_stripped(value))
            if parsed is not None:
                return number(parsed)
    raise _no_cast(term, XSD_INTEGER)


def to_decimal(term: Term) -> Literal:
    """xsd:decimal: of a double, the very same number (F&O 17.1.3.3, our decimals have no end)"""
    value = _simple_value(term)
    match value:
        case bool() | int():
            return number(Decimal(value))
        case Decimal():
            return number(value)
        case Float(double) | (float() as double) if math.isfinite(double):
            return number(Decimal(double))
        case str():
            parsed = parse_decimal(_stripped(value))
            if parsed is not None:
                return number(parsed)
    raise _no_cast(term, XSD_DECIMAL)


def to_xsd_float(term: Term) -> Literal:
    """xsd:float"""
    value = _simple_value(term)
    if isinstance(value, bool):
        return number(Float(float(value)))
    if is_number(value):
        return number(to_float(value))
    if isinstance(value, str):
        parsed = parse_float(_stripped(value))
        if parsed is not None:
            return number(parsed)
    raise _no_cast(term, XSD_FLOAT)


def to_xsd_double(term: Term) -> Literal:
    """xsd:double"""
    value = _simple_value(term)
    if isinstance(value, bool):
        return number(float(value))
    if is_number(value):
        return number(to_double(value))
    if isinstance(value, str):
        parsed = parse_double(_stripped(value))
        if parsed is not None:
            return number(parsed)
    raise _no_cast(term, XSD_DOUBLE)


def to_date_time(term: Term) -> Literal:
    """xsd:dateTime"""
    value = _simple_value(term)
    if isinstance(value, DateTime) and not value.is_date:
        return literal(_stripped(str(term)), XSD_DATE_TIME)
    if isinstance(value, str) and parse_date_time(_stripped(value)) is not None:
        return literal(_stripped(value), XSD_DATE_TIME)
    raise _no_cast(term, XSD_DATE_TIME)


def _simple_value(term: Term) -> Value:
    """The value, if any, of a literal without a language tag."""
    if not isinstance(term, Literal):
        raise ExpressionError("{} is no literal, it cannot be cast", term)
    value = value_of(term)
    if isinstance(value, LanguageString):
        raise ExpressionError("{} has a language tag, it cannot be cast", term)
    return value


def _is_double(value: object) -> bool:
    return isinstance(value, Float | float)


def _stripped(text: str) -> str:
    return text.strip(" \t\n\r")


def _no_cast(term: Term, datatype: str) -> ExpressionError:
    return ExpressionError("{} cannot be cast to {}", term, URIRef(datatype))


CASTS: dict[str, Callable[[Term], Literal]] = {
    XSD_STRING: to_string,
    XSD_BOOLEAN: to_boolean,
    XSD_INTEGER: to_integer,
    XSD_DECIMAL: to_decimal,
    XSD_FLOAT: to_xsd_float,
    XSD_DOUBLE: to_xsd_double,
    XSD_DATE_TIME: to_date_time,
}
