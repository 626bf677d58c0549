"""Formulas by number, with and without FILTER."""

from __future__ import annotations

from collections.abc import Sequence as Numbers
from functools import cache
from typing import Any

from .....semantics.ceql.syntax.tree import (
    Attribute,
    Comparison,
    ComparisonOperator,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    Literal,
    Name,
    NotFormula,
    Sequence,
    VariableCondition,
)
from .....semantics.model.trees import changed, find
from ....ranks.grammars import Grammar

ATTRIBUTE = "x"

_LEAF = EventType("")
_CONDITION = VariableCondition(
    Name(""), Comparison(ComparisonOperator.EQUAL, Attribute(ATTRIBUTE), Literal(1))
)


def _filtered(formula: Formula) -> Filter:
    return Filter(formula, _CONDITION)


FORMULAS: Grammar[Formula] = Grammar(
    _LEAF, _LEAF, unary=(Iteration, ContiguousIteration),
    binary=(Sequence, Contiguous, Disjunction), more=(NotFormula(_LEAF),),
)
_WITH_FILTERS: Grammar[Formula] = Grammar(
    _LEAF, _LEAF, unary=(Iteration, ContiguousIteration, _filtered), once=(_filtered,),
    binary=FORMULAS.binary, more=(*FORMULAS.more, NotFormula(_filtered(_LEAF))),
)


def shapes(operators: int, leaves: int, *, filtered: bool) -> Numbers[int]:
    """The numbers of the formulas without a FILTER, or of those that have one with a meaning."""
    return _filtered_shapes(operators, leaves) if filtered else range(
        FORMULAS.count(operators, leaves)
    )


def formula(operators: int, leaves: int, number: int, word: str, *, filtered: bool) -> Formula:
    """The formula of this number, over the event types that are the letters of a word."""
    grammar = _WITH_FILTERS if filtered else FORMULAS
    written = grammar.written(operators, leaves, number, word, EventType)
    return changed(written, _named) if filtered else written


@cache
def _filtered_shapes(operators: int, leaves: int) -> list[int]:
    """Those in which every FILTER is about a type that is bound; held: 5,000 of 4 operators."""
    return [
        number
        for number in range(_WITH_FILTERS.count(operators, leaves))
        for filters in (list(find(_WITH_FILTERS.tree(operators, leaves, number), Filter)),)
        if filters and all(_bound(each.formula) for each in filters)
    ]


def _named(part: Any) -> Any:
    """A FILTER with the last type that its formula binds."""
    if isinstance(part, Filter):
        name = Name(_bound(part.formula)[-1].name)
        return Filter(part.formula, VariableCondition(name, _CONDITION.predicate))
    return part


def _bound(formula: Formula) -> list[EventType]:
    """The event types that a formula binds, as they are written; NOT binds none."""
    match formula:
        case EventType():
            return [formula]
        case Filter(inner, _) | Iteration(inner) | ContiguousIteration(inner):
            return _bound(inner)
        case Sequence(left, right) | Contiguous(left, right) | Disjunction(left, right):
            return _bound(left) + _bound(right)
        case _:
            return []
