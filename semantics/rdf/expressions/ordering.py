"""ORDER BY, and the order that MIN and MAX share with it (SPARQL 1.1 Query, 15.1 and 18.5.1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key

from rdflib.term import BNode, Literal, URIRef

from ...model.mappings import SolutionMapping
from ...model.terms import Term
from ..syntax import tree as s
from .arithmetic import is_nan, is_number
from .context import Context
from .evaluation import ExpressionError, evaluate
from .operators import less
from .values import DateTime, DayTimeDuration, Float, LanguageString, Number, value_of


def sort(
    omega: list[SolutionMapping],
    conditions: tuple[s.OrderCondition, ...],
    context: Callable[[], Context],
) -> list[SolutionMapping]:
    """OrderBy(Ω, conditions); equal solutions stay in the order that they had."""

    def keys(mu: SolutionMapping) -> list[Term | None]:
        return [_value(condition.expression, mu, context()) for condition in conditions]

    def in_order(first: list[Term | None], second: list[Term | None]) -> int:
        for a, b, condition in zip(first, second, conditions, strict=True):
            order = compare_terms(a, b)
            if order:
                return -order if condition.descending else order
        return 0

    by_keys = cmp_to_key(in_order)
    return sorted(omega, key=lambda mu: by_keys(keys(mu)))


def _value(expression: s.Expression, mu: SolutionMapping, context: Context) -> Term | None:
    try:
        return evaluate(expression, mu, context)
    except ExpressionError:
        return None


def compare_terms(a: Term | None, b: Term | None) -> int:
    """15.1: no value, then blank nodes, IRIs, literals; -1, 0 or 1.

    Literals that < compares are in its order; the recommendation leaves the others open. Here
    literals stand kind by kind, numbers by what they are exactly (which < rounds), NaN first, a
    moment without a timezone is taken as UTC, and what is left stands by lexical form, so that the
    order is total.
    """
    kinds = _kind(a) - _kind(b)
    if kinds:
        return 1 if kinds > 0 else -1
    if isinstance(a, Literal) and isinstance(b, Literal):
        return _compare_literals(a, b)
    if a is None or b is None or isinstance(a, BNode):
        return 0
    return (str(a) > str(b)) - (str(a) < str(b))


def _compare_literals(a: Literal, b: Literal) -> int:
    kinds = _literal_kind(a) - _literal_kind(b)
    if kinds:
        return 1 if kinds > 0 else -1
    x, y = value_of(a), value_of(b)
    if is_number(x) and is_number(y):
        if is_nan(x) or is_nan(y):
            return is_nan(y) - is_nan(x)
        first, second = _exact(x), _exact(y)
        return (first > second) - (first < second)
    if isinstance(x, DateTime) and isinstance(y, DateTime):
        return (x.on_timeline() > y.on_timeline()) - (x.on_timeline() < y.on_timeline())
    try:
        return less(b, a) - less(a, b)
    except ExpressionError:
        return (spelling(a) > spelling(b)) - (spelling(a) < spelling(b))


def _exact(number: Number) -> Fraction | float:
    """Return the number itself, which Python compares exactly with any other."""
    value = number.value if isinstance(number, Float) else number
    return value if isinstance(value, float) else Fraction(value)


def spelling(term: Term) -> tuple[str, str, str]:
    """Return the spelling of a term as a sort key, for terms of the same rank."""
    if isinstance(term, Literal):
        return str(term), term.language or "", str(term.datatype or "")
    return str(term), "", ""


def _kind(term: Term | None) -> int:
    match term:
        case None:
            return 0
        case BNode():
            return 1
        case URIRef():
            return 2
    return 3


def _literal_kind(term: Literal) -> int:
    value = value_of(term)
    match value:
        case str():
            return 0
        case LanguageString():
            return 1
        case bool():
            return 2
        case DateTime():
            return 5 if value.is_date else 4
        case DayTimeDuration():
            return 6
    return 3 if is_number(value) else 7
