"""Groups and set functions (SPARQL 1.1 Query, 18.5.1).

Naming: M is `multiset`, a list of terms in which an error is None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key, partial

from rdflib.term import BNode, Variable

from ..model.mappings import SolutionMapping, Value
from ..model.terms import Term, literal
from .expressions import arithmetic
from .expressions.arithmetic import NoValue
from .expressions.context import Context
from .expressions.evaluation import evaluate
from .expressions.operators import ExpressionError, numeric
from .expressions.ordering import compare_terms, spelling
from .expressions.values import Number, number
from .syntax import tree as s


def aggregate_join(
    keys: tuple[tuple[Variable | None, s.Expression], ...],
    aggregates: tuple[tuple[Variable, s.Aggregate], ...],
    omega: list[SolutionMapping],
    context: Callable[[], Context],
) -> list[SolutionMapping]:
    """AggregateJoin(Aggregation(…), …): one solution a group, its keys and aggregates bound.

    An aggregate in error leaves its variable unbound.
    """
    return [
        solution_of_group(
            keys, key_values, aggregates, partial(aggregation, group=group, context=context)
        )
        for key_values, group in groups(keys, omega, context)
    ]


def solution_of_group(
    keys: tuple[tuple[Variable | None, s.Expression], ...],
    key_values: tuple[Term | None, ...],
    aggregates: tuple[tuple[Variable, s.Aggregate], ...],
    value: Callable[[s.Aggregate], Term],
) -> SolutionMapping:
    """Return a group's keys and the values of its aggregates, without those in error."""
    bindings: dict[Variable, Value] = {
        variable: key
        for (variable, _), key in zip(keys, key_values, strict=True)
        if variable is not None and key is not None
    }
    for variable, aggregate in aggregates:
        try:
            bindings[variable] = value(aggregate)
        except ExpressionError:
            continue
    return SolutionMapping(bindings)


def groups(
    keys: tuple[tuple[Variable | None, s.Expression], ...],
    omega: list[SolutionMapping],
    context: Callable[[], Context],
) -> list[tuple[tuple[Term | None, ...], list[SolutionMapping]]]:
    """Group(exprlist, Ω). Without keys there is one group, also over no solutions at all."""
    found: dict[tuple[Term | None, ...], list[SolutionMapping]] = {} if keys else {(): []}
    for mu in omega:
        here = context()
        key = tuple(_value_or_error(expression, mu, here) for _, expression in keys)
        found.setdefault(key, []).append(mu)
    return list(found.items())


def _value_or_error(
    expression: s.Expression, mu: SolutionMapping, context: Context
) -> Term | None:
    try:
        return evaluate(expression, mu, context)
    except ExpressionError:
        return None


def aggregation(
    aggregate: s.Aggregate, group: list[SolutionMapping], context: Callable[[], Context]
) -> Term:
    """Aggregation(exprlist, func, scalarvals, group). Raises ExpressionError."""
    if aggregate.operand is None:
        return number(len(set(group)) if aggregate.distinct else len(group))
    multiset = [_value_or_error(aggregate.operand, mu, context()) for mu in group]
    if aggregate.distinct:
        multiset = list(dict.fromkeys(multiset))
    match aggregate.name:
        case "COUNT":
            return count(multiset)
        case "SUM":
            return number(total(multiset))
        case "AVG":
            return average(multiset)
        case "MIN":
            return extreme(multiset, least=True)
        case "MAX":
            return extreme(multiset, least=False)
        case "SAMPLE":
            return sample(multiset)
        case "GROUP_CONCAT":
            return group_concat(multiset, aggregate.separator)
    raise AssertionError(f"no such aggregate: {aggregate.name}")


def count(multiset: list[Term | None]) -> Term:
    """Count(M): errors are not counted."""
    return number(sum(value is not None for value in multiset))


def total(multiset: list[Term | None]) -> Number:
    """Sum(M), 0 for none; an error or a term that is no number makes it an error."""
    result: Number = 0
    for value in multiset:
        result = arithmetic.add(result, numeric(_no_error(value)))
    return result


def average(multiset: list[Term | None]) -> Term:
    """Avg(M) = Sum(M) / Count(M), 0 for none."""
    if not multiset:
        return number(0)
    try:
        return number(arithmetic.divide(total(multiset), len(multiset)))
    except NoValue as error:
        raise ExpressionError(str(error)) from None


def extreme(multiset: list[Term | None], *, least: bool) -> Term:
    """Min(M) and Max(M), in the order of ORDER BY; none is an error

    Of terms that stand together there, such as 1 and 1.0, the one that is written first or last.
    """
    values = [_no_error(value) for value in multiset]
    if not values:
        raise ExpressionError("MIN and MAX of nothing")
    ordered = sorted(sorted(values, key=spelling), key=cmp_to_key(compare_terms))
    return ordered[0] if least else ordered[-1]


def sample(multiset: list[Term | None]) -> Term:
    """Sample(M): any value; none is an error."""
    for value in multiset:
        if value is not None:
            return value
    raise ExpressionError("SAMPLE of nothing")


def group_concat(multiset: list[Term | None], separator: str | None) -> Term:
    """GroupConcat(M, sep): the strings of the values, joined; sep is a space unless given."""
    strings = []
    for value in multiset:
        if isinstance(value, BNode):
            raise ExpressionError("a blank node has no string")
        strings.append(str(_no_error(value)))
    return literal((" " if separator is None else separator).join(strings))


def _no_error(value: Term | None) -> Term:
    if value is None:
        raise ExpressionError("a value of the group is in error")
    return value
