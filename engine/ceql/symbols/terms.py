"""Terms and predicates over columns (CORE section 2.2), vectorised with NumPy.

A comparison with a missing attribute or between different types is false. Integers have 64 bits
and are computed exactly: where a result might not fit, they are computed one by one as Python's.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ....semantics.ceql.syntax import tree as syntax
from ....semantics.ceql.syntax.tree import ArithmeticOperator, ComparisonOperator
from ....semantics.model.trees import find

Array: TypeAlias = npt.NDArray[Any]
Truths: TypeAlias = npt.NDArray[np.bool_]
Kind: TypeAlias = Literal["number", "boolean", "string", "nothing"]
Leaf: TypeAlias = syntax.Comparison | syntax.Like | syntax.In | syntax.Range

_LEAST, _LARGEST = -(1 << 63), (1 << 63) - 1

_COMPARE: dict[ComparisonOperator, Callable[[Any, Any], Any]] = {
    ComparisonOperator.EQUAL: operator.eq,
    ComparisonOperator.NOT_EQUAL: operator.ne,
    ComparisonOperator.LESS: operator.lt,
    ComparisonOperator.LESS_OR_EQUAL: operator.le,
    ComparisonOperator.GREATER: operator.gt,
    ComparisonOperator.GREATER_OR_EQUAL: operator.ge,
}


class Values(NamedTuple):
    """The values of a term for the rows of a batch: int64, float64, bool or str objects.

    `valid` tells the rows that have one; None: all have.
    """

    kind: Kind
    data: Array
    valid: Truths | None = None

    def rows(self, begin: int, end: int) -> Values:
        valid = None if self.valid is None else self.valid[begin:end]
        return Values(self.kind, self.data[begin:end], valid)

    def taken(self, which: npt.NDArray[np.uint32]) -> Values:
        valid = None if self.valid is None else self.valid[which]
        return Values(self.kind, self.data[which], valid)


NOTHING = Values("nothing", np.zeros((), np.int64))


def attributes_of(node: syntax.Predicate | syntax.Term) -> frozenset[str]:
    """Return the attributes that a predicate or term names."""
    return frozenset(attribute.name for attribute in find(node, syntax.Attribute))


def truths(leaf: Leaf, columns: Mapping[str, Values]) -> Truths:
    """Return t ⊨ P for these columns' rows, or one truth value if the predicate names none."""
    with np.errstate(all="ignore"):
        match leaf:
            case syntax.Comparison(operation, left, right):
                return _compared(evaluated(left, columns), operation, evaluated(right, columns))
            case syntax.Like(attribute, pattern):
                return _like(evaluated(attribute, columns), pattern)
            case syntax.In(attribute, syntax.Interval() as interval, negated):
                return _in_interval(evaluated(attribute, columns), interval, negated)
            case syntax.In(attribute, tuple(values), negated):
                return _in_values(evaluated(attribute, columns), values, negated)
            case syntax.Range(operand, low, high):
                middle = evaluated(operand, columns)
                at_most = ComparisonOperator.LESS_OR_EQUAL
                above = _compared(evaluated(low, columns), at_most, middle)
                return np.asarray(above & _compared(middle, at_most, evaluated(high, columns)))
    raise TypeError(f"no predicate: {leaf!r}")


def evaluated(term: syntax.Term, columns: Mapping[str, Values]) -> Values:
    """Return the values of a term."""
    match term:
        case syntax.Attribute(name):
            return columns.get(name, NOTHING)
        case syntax.Literal(value):
            return _constant(value)
        case syntax.Negative(operand):
            return _negated(evaluated(operand, columns))
        case syntax.Arithmetic(operation, left, right):
            return _computed(operation, evaluated(left, columns), evaluated(right, columns))


def _constant(value: syntax.Constant) -> Values:
    if isinstance(value, bool):
        return Values("boolean", np.array(value))
    if isinstance(value, str):
        return Values("string", np.array(value, dtype=object))
    return Values("number", np.array(value, np.int64 if isinstance(value, int) else np.float64))


# --- predicates -------------------------------------------------------------------------------


def _both_valid(left: Values, right: Values) -> Truths | None:
    if left.valid is None:
        return right.valid
    return left.valid if right.valid is None else left.valid & right.valid


def _where_valid(result: Any, valid: Truths | None) -> Truths:
    result = np.asarray(result, dtype=np.bool_)
    return result if valid is None else np.asarray(result & valid)


def _compared(left: Values, operation: ComparisonOperator, right: Values) -> Truths:
    if left.kind != right.kind or left.kind == "nothing":
        return np.zeros(np.broadcast_shapes(left.data.shape, right.data.shape), np.bool_)
    first, second = left.data, right.data
    if first.dtype != second.dtype and left.kind == "number":
        first, second = first.astype(np.float64), second.astype(np.float64)
    return _where_valid(_COMPARE[operation](first, second), _both_valid(left, right))


def _like(found: Values, pattern: str) -> Truths:
    if found.kind != "string":
        return np.zeros(found.data.shape, np.bool_)
    search = _searcher(pattern)
    result = [isinstance(text, str) and search(text) is not None for text in found.data.flat]
    return _where_valid(np.reshape(np.array(result, np.bool_), found.data.shape), found.valid)


@lru_cache(maxsize=256)
def _searcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern).search


def _in_interval(found: Values, interval: syntax.Interval, negated: bool) -> Truths:
    if found.kind != "number":
        return np.zeros(found.data.shape, np.bool_)
    inside = np.ones(found.data.shape, np.bool_)
    everywhere = Values(found.kind, found.data)
    at_most = ComparisonOperator.LESS_OR_EQUAL
    if interval.low is not None:
        inside &= _compared(_constant(interval.low), at_most, everywhere)
    if interval.high is not None:
        inside &= _compared(everywhere, at_most, _constant(interval.high))
    return _where_valid(~inside if negated else inside, found.valid)


def _in_values(found: Values, values: tuple[syntax.Constant, ...], negated: bool) -> Truths:
    constants = [_constant(value) for value in values]
    if found.kind != constants[0].kind:
        return np.zeros(found.data.shape, np.bool_)
    inside = np.zeros(found.data.shape, np.bool_)
    everywhere = Values(found.kind, found.data)
    for constant in constants:
        inside |= _compared(everywhere, ComparisonOperator.EQUAL, constant)
    return _where_valid(~inside if negated else inside, found.valid)


# --- arithmetic -------------------------------------------------------------------------------


def _is_whole(values: Values) -> bool:
    return values.data.dtype == np.int64


def _negated(found: Values) -> Values:
    if found.kind != "number":
        return NOTHING
    if not _is_whole(found):
        return Values("number", -found.data, found.valid)
    return _exactly(operator.neg, (found,), found.valid)


def _computed(operation: ArithmeticOperator, left: Values, right: Values) -> Values:
    if left.kind != "number" or right.kind != "number":
        return NOTHING
    valid = _both_valid(left, right)
    if operation in (ArithmeticOperator.DIVIDE, ArithmeticOperator.MODULO):
        divisible = right.data != 0
        valid = divisible if valid is None else valid & divisible
        right = Values("number", np.where(divisible, right.data, 1), right.valid)
    if _is_whole(left) and _is_whole(right):
        return _exactly(_WHOLE[operation], (left, right), valid)
    first, second = left.data.astype(np.float64), right.data.astype(np.float64)
    match operation:
        case ArithmeticOperator.ADD:
            result = first + second
        case ArithmeticOperator.SUBTRACT:
            result = first - second
        case ArithmeticOperator.MULTIPLY:
            result = first * second
        case ArithmeticOperator.DIVIDE:
            result = first / second
        case ArithmeticOperator.MODULO:
            result = np.fmod(first, second)
    return Values("number", np.asarray(result), valid)


def _quotient(left: Any, right: Any) -> Any:
    """Return the quotient, rounded towards zero."""
    size = abs(left) // abs(right)
    return size * (1 - 2 * ((left < 0) ^ (right < 0)))


def _remainder(left: Any, right: Any) -> Any:
    return left - _quotient(left, right) * right


_WHOLE: dict[ArithmeticOperator, Callable[[Any, Any], Any]] = {
    ArithmeticOperator.ADD: operator.add,
    ArithmeticOperator.SUBTRACT: operator.sub,
    ArithmeticOperator.MULTIPLY: operator.mul,
    ArithmeticOperator.DIVIDE: _quotient,
    ArithmeticOperator.MODULO: _remainder,
}


def _exactly(
    function: Callable[..., Any], operands: tuple[Values, ...], valid: Truths | None
) -> Values:
    """Return the function of integers; a result of more than 64 bits is no value."""
    sizes = [_size(each.data) for each in operands]
    product = sizes[0] * sizes[-1]
    if max(product, sum(sizes)) <= _LARGEST:
        return Values("number", np.asarray(function(*(each.data for each in operands))), valid)
    shape = np.broadcast_shapes(*(each.data.shape for each in operands))
    columns = [np.broadcast_to(each.data, shape).reshape(-1).tolist() for each in operands]
    results = [function(*row) for row in zip(*columns, strict=True)]
    fits = np.array([_LEAST <= each <= _LARGEST for each in results], np.bool_).reshape(shape)
    data = np.array([each if _LEAST <= each <= _LARGEST else 0 for each in results], np.int64)
    return Values("number", data.reshape(shape), fits if valid is None else valid & fits)


def _size(data: Array) -> int:
    """Return the largest absolute value, at least 1."""
    return max(1, -int(data.min()), int(data.max())) if data.size else 1
