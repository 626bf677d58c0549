"""Constructor functions (SPARQL 1.1 Query, 17.5, after XQuery 1.0 Functions and Operators, 17)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

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
    date_time_text,
    decimal_text,
    duration_text,
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
            return literal(date_time_text(value))
        case DayTimeDuration():
            return literal(duration_text(value))
    return literal(str(term))


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


def _to_number(
    datatype: str,
    convert: Callable[[Number], Number | None],
    parse: Callable[[str], Number | None],
) -> Callable[[Term], Literal]:
    """The cast to a numeric type: of a truth value, a number, or the lexical form of one."""

    def cast(term: Term) -> Literal:
        value = _simple_value(term)
        found: Number | None = None
        if isinstance(value, bool):
            found = convert(int(value))
        elif is_number(value):
            found = convert(value)
        elif isinstance(value, str):
            found = parse(_stripped(value))
        if found is None:
            raise _no_cast(term, datatype)
        return number(found)

    return cast


def _exact(value: Number) -> int | Decimal | None:
    """The very number (F&O 17.1.3.3: our decimals have no end); infinities and NaN are none."""
    if isinstance(value, Float):
        value = value.value
    if isinstance(value, float):
        return Decimal(value) if math.isfinite(value) else None
    return value


def _whole(value: Number) -> int | None:
    """F&O 17.1.3.4: a fraction is cut off."""
    exact = _exact(value)
    return None if exact is None else int(exact)


def _decimal(value: Number) -> Decimal | None:
    exact = _exact(value)
    return None if exact is None else Decimal(exact)


to_integer = _to_number(XSD_INTEGER, _whole, parse_integer)
to_decimal = _to_number(XSD_DECIMAL, _decimal, parse_decimal)


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
    XSD_FLOAT: _to_number(XSD_FLOAT, to_float, parse_float),
    XSD_DOUBLE: _to_number(XSD_DOUBLE, to_double, parse_double),
    XSD_DATE_TIME: to_date_time,
}
