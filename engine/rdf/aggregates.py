"""Aggregates over the rows of a group (SPARQL 1.1 Query, 11 and 18.5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from ...semantics.errors import QueryError
from ...semantics.rdf.syntax import (
    Aggregate,
    And,
    Arithmetic,
    BuiltIn,
    Comparison,
    Expression,
    FunctionCall,
    In,
    Not,
    Or,
    Sign,
)
from ...semantics.rdf.terms import Literal
from .arithmetic import ARITHMETIC
from .dictionary import Dictionary
from .expressions import ExpressionCompiler
from .layout import Rows
from .ordering import ascending
from .terms import literal_of
from .values import ExpressionError, Value

AggregateOf: TypeAlias = Callable[[Rows], int]
"""The id of the aggregate of a group's rows; an ExpressionError if it has none."""


def compile_aggregate(
    aggregate: Aggregate, compiler: ExpressionCompiler, width: int
) -> AggregateOf:
    """The aggregate as a function of a group's rows, whose first `width` columns are solutions."""
    dictionary = compiler.dictionary
    if aggregate.operand is None:
        distinct = aggregate.distinct
        return lambda rows: _integer(
            dictionary, len({row[:width] for row in rows}) if distinct else len(rows)
        )
    members = _members(aggregate.operand, aggregate.distinct, compiler)
    match aggregate.name:
        case "COUNT":
            return lambda rows: _integer(dictionary, _known(members(rows)))
        case "SAMPLE":
            return lambda rows: _sample(members(rows))
        case "SUM":
            return lambda rows: _encoded(dictionary, _sum(_values(dictionary, members(rows))))
        case "AVG":
            return lambda rows: _encoded(dictionary, _average(_values(dictionary, members(rows))))
        case "MIN":
            return lambda rows: min(_certain(members(rows)), key=_key(dictionary))
        case "MAX":
            return lambda rows: max(_certain(members(rows)), key=_key(dictionary))
        case "GROUP_CONCAT":
            separator = " " if aggregate.separator is None else aggregate.separator
            return lambda rows: dictionary.encode(
                literal_of(separator.join(_texts(dictionary, members(rows))))
            )
    raise QueryError(f"unknown aggregate {aggregate.name}")


Members: TypeAlias = list[int | None]
"""Ids of the operand's terms, None where it is in error."""


def _members(
    operand: Expression, distinct: bool, compiler: ExpressionCompiler
) -> Callable[[Rows], Members]:
    term = compiler.term(operand)

    def members(rows: Rows) -> Members:
        found: Members = []
        for row in rows:
            try:
                found.append(term(row))
            except ExpressionError:
                found.append(None)
        return list(dict.fromkeys(found)) if distinct else found

    return members


def _known(members: Members) -> int:
    return sum(each is not None for each in members)


def _certain(members: Members) -> list[int]:
    """The members, which must exist and be without error."""
    known = [each for each in members if each is not None]
    if not known or len(known) < len(members):
        raise ExpressionError("an aggregate of nothing, or of an error")
    return known


def _sample(members: Members) -> int:
    for each in members:
        if each is not None:
            return each
    raise ExpressionError("a sample of nothing")


def _values(dictionary: Dictionary, members: Members) -> list[Value]:
    values = dictionary.values
    if None in members:
        raise ExpressionError("an aggregate of an error")
    return [values[each] for each in members if each is not None]


def _sum(values: Iterable[Value]) -> Value:
    total: Value = 0
    add = ARITHMETIC["+"]
    for value in values:
        total = add(total, value)
    return total


def _average(values: list[Value]) -> Value:
    return ARITHMETIC["/"](_sum(values), len(values)) if values else 0


def _texts(dictionary: Dictionary, members: Members) -> list[str]:
    terms = [dictionary.decode(each) for each in members if each is not None]
    if len(terms) < len(members) or not all(isinstance(term, Literal) for term in terms):
        raise ExpressionError("a concatenation of an error, or of no literals")
    return [str(term) for term in terms]


def _key(dictionary: Dictionary) -> Callable[[int], Any]:
    values = dictionary.values
    return lambda number: ascending(values[number])


def _encoded(dictionary: Dictionary, value: Value) -> int:
    return dictionary.encode(literal_of(value))


def _integer(dictionary: Dictionary, count: int) -> int:
    return _encoded(dictionary, count)


def without_aggregates(
    expression: Expression, stand_in: Callable[[Aggregate], Expression]
) -> Expression:
    """The expression with every aggregate replaced by its stand-in (18.2.4.1)."""

    def inside(part: Expression) -> Expression:
        return without_aggregates(part, stand_in)

    match expression:
        case Aggregate():
            return stand_in(expression)
        case Or(operands) | And(operands):
            return replace(expression, operands=tuple(map(inside, operands)))
        case Not(operand) | Sign(_, operand):
            return replace(expression, operand=inside(operand))
        case Comparison(_, left, right) | Arithmetic(_, left, right):
            return replace(expression, left=inside(left), right=inside(right))
        case In(operand, choices):
            return replace(
                expression, operand=inside(operand), choices=tuple(map(inside, choices))
            )
        case BuiltIn(_, arguments) | FunctionCall(_, arguments):
            return replace(expression, arguments=tuple(map(inside, arguments)))
        case _:
            return expression
