"""Replacing parts of trees: operands of expressions, and what a language embeds in groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from .syntax import tree as s

Replace: TypeAlias = Callable[[s.EmbeddedPattern], s.Element]

Q = TypeVar("Q", bound=s.SparqlQuery)


def in_query(query: Q, change: Replace) -> Q:
    """The query with every embedded element changed, also in EXISTS and in sub-selects.

    What an element holds itself is for `change` to go into.
    """
    def expression(e: s.Expression) -> s.Expression:
        return in_expression(e, change)

    modifier = query.modifier
    changed = replace(
        query,
        where=None if query.where is None else (  # type: ignore[arg-type]  # of DESCRIBE only
            in_group(query.where, change)
        ),
        modifier=replace(
            modifier,
            group_by=tuple(
                _in_projection(each, change) if isinstance(each, s.Projection)
                else expression(each)
                for each in modifier.group_by
            ),
            having=tuple(map(expression, modifier.having)),
            order_by=tuple(
                s.OrderCondition(expression(each.expression), each.descending)
                for each in modifier.order_by
            ),
        ),
    )
    if not isinstance(changed, s.SelectQuery) or changed.projection is None:
        return changed
    projection = tuple(_in_projection(each, change) for each in changed.projection)
    return replace(changed, projection=projection)


def in_group(group: s.GroupGraphPattern, change: Replace) -> s.GroupGraphPattern:
    """The group with every embedded element changed."""
    return s.GroupGraphPattern(tuple(_in_element(each, change) for each in group.elements))


def _in_element(element: s.Element, change: Replace) -> s.Element:
    match element:
        case s.EmbeddedPattern():
            return change(element)
        case s.OptionalPattern(pattern):
            return s.OptionalPattern(in_group(pattern, change))
        case s.MinusPattern(pattern):
            return s.MinusPattern(in_group(pattern, change))
        case s.UnionPattern(alternatives):
            return s.UnionPattern(tuple(in_group(each, change) for each in alternatives))
        case s.NamedGraphPattern(name, pattern, position):
            return s.NamedGraphPattern(name, in_group(pattern, change), position)
        case s.Filter(condition, position):
            return s.Filter(in_expression(condition, change), position)
        case s.Bind(expression, variable, position):
            return s.Bind(in_expression(expression, change), variable, position)
        case s.SubSelect(query):
            return s.SubSelect(in_query(query, change))
    return element


def in_expression(expression: s.Expression, change: Replace) -> s.Expression:
    """The expression with every embedded element of its EXISTS changed."""
    if isinstance(expression, s.Exists):
        return s.Exists(in_group(expression.pattern, change), expression.negated)
    if isinstance(expression, s.Aggregate) and expression.operand is not None:
        return replace(expression, operand=in_expression(expression.operand, change))
    return map_operands(expression, lambda operand: in_expression(operand, change))


def _in_projection(item: s.Projection, change: Replace) -> s.Projection:
    if item.expression is None:
        return item
    return s.Projection(item.variable, in_expression(item.expression, change))


def map_operands(
    expression: s.Expression, change: Callable[[s.Expression], s.Expression]
) -> s.Expression:
    """The same expression with its direct operands changed."""
    match expression:
        case s.Or(operands):
            return s.Or(tuple(map(change, operands)))
        case s.And(operands):
            return s.And(tuple(map(change, operands)))
        case s.Not(operand):
            return s.Not(change(operand))
        case s.Comparison(operator, left, right):
            return s.Comparison(operator, change(left), change(right))
        case s.In(operand, choices, negated):
            return s.In(change(operand), tuple(map(change, choices)), negated)
        case s.Arithmetic(operator, left, right):
            return s.Arithmetic(operator, change(left), change(right))
        case s.Sign(operator, operand):
            return s.Sign(operator, change(operand))
        case s.BuiltIn(name, arguments):
            return s.BuiltIn(name, tuple(map(change, arguments)))
        case s.FunctionCall(function, arguments, distinct):
            return s.FunctionCall(function, tuple(map(change, arguments)), distinct)
    return expression
