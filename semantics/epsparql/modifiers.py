"""SPARQL 1.1's assignments, aggregates and order, on solutions over intervals.

Each solution is read over its own interval (`intervals.reading`) and keeps it; a group spans all
that it holds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.items import TimeKind
from ..model.mappings import SolutionMapping, Value
from ..model.terms import Term, literal
from ..rdf.aggregates import aggregation, solution_of_group
from ..rdf.expressions.context import Context
from ..rdf.expressions.evaluation import ExpressionError
from ..rdf.expressions.evaluation import evaluate as evaluate_expression
from ..rdf.expressions.ordering import sort
from ..rdf.syntax import tree as s
from ..rdf.syntax.variables import map_operands
from .intervals import EMPTY, NEVER, Timed, interval_term, ordered, reading
from .operators import Bag
from .syntax.tree import DURATION, END_TIME, INTERVAL_FUNCTIONS, START_TIME


class Scope(Protocol):
    """The scope of expressions."""

    @property
    def kind(self) -> TimeKind:
        """The kind of the timestamps."""

    def context(self) -> Context:
        """Return the context of expressions, for one solution."""

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, with what is bound outside of it."""


def extended(
    psi: Timed, assignments: tuple[tuple[Variable, s.Expression], ...], scope: Scope
) -> Timed:
    """Extend: BIND, and SELECT (expression AS ?v); an error leaves the variable unbound."""
    context = scope.context()
    for variable, expression in assignments:
        try:
            term = evaluate_expression(
                reading(expression, psi, scope.kind), scope.seen(psi.mapping), context
            )
        except ExpressionError:
            continue
        psi = psi.with_mapping(SolutionMapping({**psi.mapping, variable: term}))
    return psi


def aggregate_join(
    keys: tuple[tuple[Variable | None, s.Expression], ...],
    aggregates: tuple[tuple[Variable, s.Aggregate], ...],
    omega: Bag,
    scope: Scope,
) -> Bag:
    """18.5.1: one solution a group; it spans all solutions of the group"""
    groups: dict[tuple[Term | None, ...], Bag] = {} if keys else {(): []}
    for psi in omega:
        context = scope.context()
        key = tuple(_value(expression, psi, scope, context) for _, expression in keys)
        groups.setdefault(key, []).append(psi)
    return [
        Timed(
            solution_of_group(
                keys, key, aggregates, partial(aggregated, group=group, scope=scope)
            ),
            min((psi.start for psi in group), default=EMPTY.start),
            max((psi.end for psi in group), default=EMPTY.end),
        )
        for key, group in groups.items()
    ]


_INTERVAL_VARIABLES = {name: Variable(f"the value of {name}") for name in INTERVAL_FUNCTIONS}


def aggregated(aggregate: s.Aggregate, group: Bag, scope: Scope) -> Term:
    """Return the value of an aggregate over a group; each solution is read over its own interval"""
    if aggregate.operand is None:
        return aggregation(aggregate, [psi.mapping for psi in group], scope.context)

    def named(expression: s.Expression) -> s.Expression:
        if isinstance(expression, s.BuiltIn) and expression.name in _INTERVAL_VARIABLES:
            return _INTERVAL_VARIABLES[expression.name]
        return map_operands(expression, named)

    whole = named(aggregate.operand)
    over = replace(aggregate, operand=whole)
    # A duration that is aggregated is one that has an order.
    direct = whole == _INTERVAL_VARIABLES[DURATION]
    return aggregation(
        over, [_with_interval(psi, scope, direct) for psi in group], scope.context
    )


def _with_interval(psi: Timed, scope: Scope, has_order: bool) -> SolutionMapping:
    """μ, with what the functions of the interval yield as the values of variables"""
    values = dict(scope.seen(psi.mapping))
    if psi.end != NEVER:
        for name in (DURATION, START_TIME, END_TIME):
            term = interval_term(name, psi, scope.kind)
            known = ordered(term) if has_order else term
            assert isinstance(known, URIRef | BNode | Literal)
            values[_INTERVAL_VARIABLES[name]] = known
    return SolutionMapping(values)


def _value(
    expression: s.Expression, psi: Timed, scope: Scope, context: Context
) -> Term | None:
    try:
        return evaluate_expression(
            reading(expression, psi, scope.kind), scope.seen(psi.mapping), context
        )
    except ExpressionError:
        return None


# --- order ---------------------------------------------------------------------------------------


def in_sequence(omega: Bag) -> Bag:
    """Return the default order of solutions: by end, by start, then by value."""
    return sorted(omega, key=lambda psi: (psi.end, psi.start, _written(psi.mapping)))


def _written(mu: SolutionMapping) -> list[tuple[str, str]]:
    return sorted((str(v), term_key(t)) for v, t in mu.items())


def term_key(term: Value) -> str:
    """Return a term as text: of one kind after the other, a literal by its parts."""
    if isinstance(term, URIRef):
        return f"1 {term}"
    if isinstance(term, BNode):
        return f"0 {term}"
    assert not isinstance(term, tuple)
    return f"2 {term} {term.datatype or ''} {term.language or ''}"


_INDEX = Variable("the index of a solution")


def order_by(omega: Bag, conditions: tuple[s.OrderCondition, ...], scope: Scope) -> Bag:
    """OrderBy: where the conditions say nothing, the order stays."""
    result = list(omega)
    # The sorts are stable: by the last condition first.
    for condition in reversed(conditions):
        keyed = [
            SolutionMapping({_INDEX: literal(str(i)), **_key(psi, condition.expression, scope)})
            for i, psi in enumerate(result)
        ]
        by_key = (s.OrderCondition(_KEY, condition.descending),)
        result = [
            result[int(str(mu[_INDEX]))] for mu in sort(keyed, by_key, scope.context)
        ]
    return result


_KEY = Variable("the key of a solution")


def _key(psi: Timed, expression: s.Expression, scope: Scope) -> dict[Variable, Value]:
    term = _value(expression, psi, scope, scope.context())
    if isinstance(expression, s.BuiltIn) and expression.name == DURATION and term is not None:
        known = ordered(term)
        assert isinstance(known, Literal)
        return {_KEY: known}
    return {} if term is None else {_KEY: term}
