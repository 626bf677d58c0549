"""Aggregates over the rows of a group (SPARQL 1.1 Query, 11 and 18.5.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ...semantics.model.errors import QueryError
from ...semantics.model.terms import BNode, Literal, Variable
from ...semantics.rdf.syntax.tree import (
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
    OrderCondition,
    Projection,
    SelectQuery,
    Sign,
)
from .data.dictionary import Dictionary
from .data.layout import Rows
from .expressions.casts import literal_of
from .expressions.compile import ExpressionCompiler
from .expressions.operators import ARITHMETIC, ascending
from .expressions.values import ExpressionError, Value
from .variables import has_aggregate, projected

AggregateOf: TypeAlias = Callable[[Rows], int]
"""The id of the aggregate of a group's rows; an ExpressionError if it has none."""


def compile_aggregate(
    aggregate: Aggregate, compiler: ExpressionCompiler, width: int
) -> AggregateOf:
    """Return the aggregate as a function of a group's rows (first `width` columns: solutions)."""
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
            compiler.labels.clear()
            try:
                found.append(term(row))
            except ExpressionError:
                found.append(None)
        return list(dict.fromkeys(found)) if distinct else found

    return members


def _known(members: Members) -> int:
    return sum(each is not None for each in members)


def _certain(members: Members) -> list[int]:
    """Return the members, which must exist and be without error."""
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
    if len(terms) < len(members) or any(isinstance(term, BNode) for term in terms):
        raise ExpressionError("a concatenation of an error, or of what has no string")
    return [str(term) for term in terms]


def _key(dictionary: Dictionary) -> Callable[[int], Any]:
    """Return the key of ORDER BY; terms that are equal there, by their text."""
    values, decode = dictionary.values, dictionary.decode

    def key(number: int) -> Any:
        term = decode(number)
        more: tuple[str, ...] = ()
        if isinstance(term, Literal):
            more = (term.language or "", str(term.datatype or ""))
        return ascending(values[number]), (str(term), *more)

    return key


def _encoded(dictionary: Dictionary, value: Value) -> int:
    return dictionary.encode(literal_of(value))


def _integer(dictionary: Dictionary, count: int) -> int:
    return _encoded(dictionary, count)


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses SELECT, HAVING and ORDER BY, with variables in place of aggregates."""

    items: tuple[Projection, ...]
    having: tuple[Expression, ...]
    order: tuple[OrderCondition, ...]
    aggregates: dict[Aggregate, Variable]


def is_grouped(query: SelectQuery) -> bool:
    """Return True if there is a GROUP BY, or an aggregate that makes one group of all."""
    expressions = [
        *(item.expression for item in query.projection or () if item.expression is not None),
        *query.modifier.having,
        *(each.expression for each in query.modifier.order_by),
    ]
    return bool(query.modifier.group_by) or any(map(has_aggregate, expressions))


def visible(query: SelectQuery) -> frozenset[Variable]:
    """Return the projected variables of the pattern, or of groups their keys (18.2.4.4)."""
    if not is_grouped(query):
        return frozenset(projected(query))
    keys = {
        key.variable if isinstance(key, Projection) else key for key in query.modifier.group_by
    }
    return frozenset(each for each in projected(query) if each in keys)


def plain_clauses(query: SelectQuery) -> Clauses:
    """Return the clauses of a query without groups, as they are."""
    modifier = query.modifier
    return Clauses(tuple(query.projection or ()), modifier.having, modifier.order_by, {})


def grouped_clauses(query: SelectQuery, keys: Collection[Variable]) -> Clauses:
    """18.2.4.1: a variable for every aggregate; a variable that is no key is one of its values.

    What SELECT names is known to what follows it there and to ORDER BY, not to HAVING.
    """
    aggregates: dict[Aggregate, Variable] = {}

    def stand_in(aggregate: Aggregate) -> Variable:
        return aggregates.setdefault(aggregate, Variable(f".aggregate{len(aggregates)}"))

    known = set(keys)
    having = tuple(without_aggregates(each, stand_in, known) for each in query.modifier.having)
    items = []
    for item in query.projection or ():
        if item.expression is None:
            items.append(item)
            continue
        items.append(
            Projection(item.variable, without_aggregates(item.expression, stand_in, known))
        )
        known.add(item.variable)
    order = tuple(
        OrderCondition(without_aggregates(each.expression, stand_in, known), each.descending)
        for each in query.modifier.order_by
    )
    return Clauses(tuple(items), having, order, aggregates)


def without_aggregates(
    expression: Expression,
    stand_in: Callable[[Aggregate], Expression],
    known: Collection[Variable],
) -> Expression:
    """Return the expression with a stand-in for every aggregate and sampled variable."""

    def inside(part: Expression) -> Expression:
        return without_aggregates(part, stand_in, known)

    match expression:
        case Aggregate():
            return stand_in(expression)
        case Variable() if expression not in known:
            return stand_in(Aggregate("SAMPLE", expression))
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
