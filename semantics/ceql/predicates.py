"""Predicates (CORE section 2.2): t ⊨ P, and T ⊨ P for sets of tuples.

A predicate is a set of tuples. A comparison with a missing attribute or between different types is
false; the types are numbers, strings and truth values. Integers have 64 bits; beside a double an
integer is taken as one. A term has no value where an attribute is missing, where an operand is no
number, where an integer result does not fit, and where something is divided by zero; integers
divide towards zero and the remainder has the sign of the dividend.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..model.errors import Impossible
from ..model.tuples import EventTuple, Value
from .syntax.tree import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Comparison,
    ComparisonOperator,
    Constant,
    In,
    Interval,
    Like,
    Literal,
    Negative,
    Not,
    Or,
    Predicate,
    Range,
    Term,
    regular_expression,
)

_LARGEST = 1 << 63


def satisfies(t: EventTuple, predicate: Predicate) -> bool:
    """t ⊨ P"""
    match predicate:
        case Comparison(operator, left, right):
            return compared(value(t, left), operator, value(t, right))
        case Like(attribute, pattern):
            text = value(t, attribute)
            return isinstance(text, str) and regular_expression(pattern).search(text) is not None
        case In(attribute, values, negated):
            return _is_in(value(t, attribute), values, negated)
        case Range(operand, low, high):
            operand_value = value(t, operand)
            return compared(
                value(t, low), ComparisonOperator.LESS_OR_EQUAL, operand_value
            ) and compared(operand_value, ComparisonOperator.LESS_OR_EQUAL, value(t, high))
        case And(left, right):
            return satisfies(t, left) and satisfies(t, right)
        case Or(left, right):
            return satisfies(t, left) or satisfies(t, right)
        case Not(operand):
            return not satisfies(t, operand)


def all_satisfy(tuples: Iterable[EventTuple], predicate: Predicate) -> bool:
    """T ⊨ P: t ⊨ P for every t ∈ T."""
    return all(satisfies(t, predicate) for t in tuples)


def compared(left: Value | None, operator: ComparisonOperator, right: Value | None) -> bool:
    """v1 ∘ v2; false if one is missing or they are of different types."""
    if left is None or right is None or _kind(left) is not _kind(right):
        return False
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    match operator:
        case ComparisonOperator.EQUAL:
            return left == right
        case ComparisonOperator.NOT_EQUAL:
            return left != right
        case ComparisonOperator.LESS:
            return left < right  # type: ignore[operator]
        case ComparisonOperator.LESS_OR_EQUAL:
            return left <= right  # type: ignore[operator]
        case ComparisonOperator.GREATER:
            return left > right  # type: ignore[operator]
        case ComparisonOperator.GREATER_OR_EQUAL:
            return left >= right  # type: ignore[operator]


def _is_in(
    found: Value | None, values: tuple[Constant, ...] | Interval, negated: bool
) -> bool:
    if isinstance(values, Interval):
        if found is None or _kind(found) is not float:
            return False
        at_most = ComparisonOperator.LESS_OR_EQUAL
        inside = (values.low is None or compared(values.low, at_most, found)) and (
            values.high is None or compared(found, at_most, values.high)
        )
        return inside is not negated
    if found is None or _kind(found) is not _kind(values[0]):
        return False
    inside = any(compared(found, ComparisonOperator.EQUAL, each) for each in values)
    return inside is not negated


def value(t: EventTuple, term: Term) -> Value | None:
    """Return the value of a term for the tuple t; None if it has no value."""
    match term:
        case Attribute(name):
            return t.get(name)
        case Literal(constant):
            return constant
        case Negative(operand):
            number = _number(value(t, operand))
            return None if number is None else _fitting(-number)
        case Arithmetic(operator, left, right):
            first, second = _number(value(t, left)), _number(value(t, right))
            return None if first is None or second is None else _computed(operator, first, second)


def _computed(
    operator: ArithmeticOperator, left: int | float, right: int | float
) -> int | float | None:
    whole = isinstance(left, int) and isinstance(right, int)
    match operator:
        case ArithmeticOperator.ADD:
            return _fitting(left + right)
        case ArithmeticOperator.SUBTRACT:
            return _fitting(left - right)
        case ArithmeticOperator.MULTIPLY:
            return _fitting(left * right)
    if right == 0:
        return None
    if whole:
        quotient = abs(left) // abs(right) * (1 if (left < 0) is (right < 0) else -1)
        if operator is ArithmeticOperator.DIVIDE:
            return _fitting(quotient)
        return left - quotient * right
    left, right = float(left), float(right)
    if operator is ArithmeticOperator.DIVIDE:
        return left / right
    return math.nan if math.isinf(left) else math.fmod(left, right)


def _fitting(result: int | float) -> int | float | None:
    if isinstance(result, int) and not -_LARGEST <= result < _LARGEST:
        return None
    return result


def _number(found: Value | None) -> int | float | None:
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def _kind(found: Value) -> type:
    if isinstance(found, bool):
        return bool
    if isinstance(found, str):
        return str
    if isinstance(found, int | float):
        return float
    raise Impossible(f"not a value: {found!r}")
