"""The operators of expressions (SPARQL 1.1 Query, 17.2.2 and the table of 17.3)."""

from __future__ import annotations

import math
from fractions import Fraction

from rdflib.term import Literal, Variable

from ...model.terms import Term
from ..syntax.printing import to_text
from . import arithmetic
from .arithmetic import is_number
from .values import (
    ILL_TYPED,
    NUMERIC_DATATYPES,
    XSD_BOOLEAN,
    DateTime,
    DayTimeDuration,
    Float,
    LanguageString,
    Number,
    value_of,
)


class ExpressionError(Exception):
    """An expression without a value: a type error, an unbound variable, a domain error.

    The message names the terms by `{}`. It is put together when it is asked for, since most errors
    only make a filter false.
    """

    def __init__(self, message: str, *terms: Term | Variable) -> None:
        super().__init__(message, *terms)

    def __str__(self) -> str:
        message, *terms = self.args
        return str(message).format(*map(to_text, terms)) if terms else str(message)


def effective_boolean_value(term: Term) -> bool:
    """17.2.2: EBV. Raises ExpressionError for terms that have none."""
    if not isinstance(term, Literal):
        raise ExpressionError("{} has no effective boolean value", term)
    value = value_of(term)
    match value:
        case bool():
            return value
        case str():
            return value != ""
        case LanguageString(text):
            return text != ""
        case float():
            return not (value == 0 or math.isnan(value))
        case Float(single):
            return not (single == 0 or math.isnan(single))
        case _ if is_number(value):
            return value != 0
        case _ if value is ILL_TYPED and str(term.datatype) in _EBV_FALSE_IF_ILL_TYPED:
            return False
    raise ExpressionError("{} has no effective boolean value", term)


_EBV_FALSE_IF_ILL_TYPED = NUMERIC_DATATYPES | {XSD_BOOLEAN}


def numeric(term: Term) -> Number:
    """Return the number that a literal denotes; a type error otherwise."""
    value = value_of(term) if isinstance(term, Literal) else None
    if not is_number(value):
        raise ExpressionError("{} is not a number", term)
    return value


def equals(a: Term, b: Term) -> bool:
    """A = B: by value where the operator table has a row, else RDFterm-equal (17.4.1.7).

    Two literals that are not the same term, and for which the table has no row, may or may not
    denote the same thing: that is a type error, not false. Only where they surely differ is it
    false: a string with a language tag is nothing else, a date is no dateTime.
    """
    if not (isinstance(a, Literal) and isinstance(b, Literal)):
        return a == b
    x, y = value_of(a), value_of(b)
    if is_number(x) and is_number(y):
        return arithmetic.equal(x, y)
    match x, y:
        case (str(), str()) | (bool(), bool()):
            return x == y
        case (DateTime(), DateTime()):
            return x.is_date == y.is_date and _order(x, y) == 0
        case (DayTimeDuration(), DayTimeDuration()):
            return x == y
        case (LanguageString(), _) | (_, LanguageString()):
            return a == b
    if a == b:
        return True
    raise ExpressionError("{} and {} are not comparable", a, b)


def less(a: Term, b: Term) -> bool:
    """A < B: numbers, strings (by code point), booleans and dateTimes; else a type error."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        x, y = value_of(a), value_of(b)
        if is_number(x) and is_number(y):
            return arithmetic.less(x, y)
        match x, y:
            case (str(first), str(second)):
                return first < second
            case (bool(), bool()):
                return y is True and x is False
            case (DateTime(), DateTime()) if x.is_date == y.is_date:
                return _order(x, y) < 0
            case (DayTimeDuration(seconds), DayTimeDuration(others)):
                return seconds < others
    raise ExpressionError("{} and {} have no order", a, b)


def compare(operator: str, a: Term, b: Term) -> bool:
    """A OP B (17.3): every comparison in terms of = and <.

    A <= B is A < B or A = B, so that it is false for NaN.
    """
    match operator:
        case "=":
            return equals(a, b)
        case "!=":
            return not equals(a, b)
        case "<":
            return less(a, b)
        case ">":
            return less(b, a)
        case "<=":
            return less(a, b) or equals(a, b)
        case ">=":
            return less(b, a) or equals(a, b)
    raise AssertionError(f"no such operator: {operator}")


_WIDEST = 14 * 60


def _order(a: DateTime, b: DateTime) -> int:
    """XSD 1.1, D.2.1: -1, 0 or 1. Without a timezone a moment is known to within ±14 hours, so
    that two moments, one of them without, may be neither equal nor in order: a type error."""
    if (a.offset is None) == (b.offset is None):
        return _sign(a.on_timeline() - b.on_timeline())
    earliest = _sign(a.on_timeline(_WIDEST) - b.on_timeline(-_WIDEST))
    latest = _sign(a.on_timeline(-_WIDEST) - b.on_timeline(_WIDEST))
    if earliest == latest != 0:
        return earliest
    raise ExpressionError("one of two moments has no timezone, and they are too close to compare")


def _sign(difference: Fraction) -> int:
    return (difference > 0) - (difference < 0)
