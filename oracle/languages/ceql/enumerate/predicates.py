"""Predicates and conditions by how many operators they have.

Arithmetic and a term's sign are operators, as AND, OR and NOT are; comparisons, IN, LIKE and ranges
are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

from .....semantics.ceql.syntax.tree import (
    And,
    AndCondition,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Comparison,
    ComparisonOperator,
    Condition,
    In,
    Interval,
    Like,
    Literal,
    Name,
    Negative,
    Not,
    NotCondition,
    Or,
    OrCondition,
    Predicate,
    Range,
    Term,
    VariableCondition,
)
from .....semantics.model.trees import find
from .....semantics.model.tuples import Value
from ....ranks.chosen_letters import Letter

TreeT = TypeVar("TreeT")

_N, _D, _S = map(Attribute, "nds")
_ONE, _TWO = Literal(1), Literal(2)
_C = ComparisonOperator

_FEW: Sequence[Predicate] = (
    Comparison(_C.EQUAL, _N, _ONE), Comparison(_C.LESS_OR_EQUAL, _N, _ONE),
    In(_N, Interval(0, 1), negated=True), Comparison(_C.GREATER, _D, _ONE),
    Like(_S, "q"), In(_S, ("p",), negated=True),
)

_PLAIN: Sequence[Predicate] = (
    *_FEW,
    *(Comparison(each, _N, _ONE) for each in (_C.NOT_EQUAL, _C.LESS, _C.GREATER)),
    Comparison(_C.GREATER_OR_EQUAL, _N, _ONE), Comparison(_C.EQUAL, _D, _ONE),
    Comparison(_C.LESS_OR_EQUAL, _D, _ONE), Comparison(_C.GREATER_OR_EQUAL, _N, Literal(1.5)),
    Comparison(_C.EQUAL, _S, Literal("p")), Comparison(_C.LESS, _S, Literal("pq")),
    Comparison(_C.GREATER_OR_EQUAL, _S, Literal("pq")), Comparison(_C.NOT_EQUAL, _S, Literal("p")),
    Comparison(_C.EQUAL, _N, _D), Comparison(_C.LESS, _N, _D), Comparison(_C.EQUAL, _N, _S),
    Like(_S, "^p$"), Like(_S, "p"),
    In(_N, (1,)), In(_N, (1, 2), negated=True), In(_D, (1, 1.5)), In(_S, ("p",)),
    In(_N, Interval(0, 1)), In(_N, Interval(1, None)), In(_N, Interval(None, 0)),
    In(_D, Interval(1, 1.5)), In(_D, Interval(1.5, None), negated=True),
    Range(_N, Literal(0), _ONE), Range(_ONE, _N, _D), Range(_D, _ONE, Literal(1.5)),
)


def _terms() -> Iterator[Term]:
    """Those of one operator; an integer beyond 64 bits is among their values."""
    for operator in ArithmeticOperator:
        yield Arithmetic(operator, _N, _TWO)
        yield Arithmetic(operator, _TWO, _N)
        yield Arithmetic(operator, _N, _D)
    yield Arithmetic(ArithmeticOperator.MULTIPLY, _N, Literal(1 << 62))
    yield Arithmetic(ArithmeticOperator.DIVIDE, _D, _TWO)
    yield from map(Negative, (_N, _D))


_COMPUTED: Sequence[Predicate] = tuple(
    each for term in _terms() for each in (
        Comparison(_C.EQUAL, term, _ONE), Comparison(_C.EQUAL, term, Negative(_ONE)),
        Comparison(_C.LESS_OR_EQUAL, term, Literal(0)),
    )
)


@dataclass(frozen=True)
class Predicates:
    """Predicates over attributes that have these values where they are not missing.

    `plain` have no operator, `computed` one; AND and OR join the `few`.
    """

    values: Mapping[str, Sequence[Value]]
    few: Sequence[Predicate]
    plain: Sequence[Predicate]
    computed: Sequence[Predicate] = ()
    missing: bool = True

    def of(self, operators: int) -> Sequence[Letter[Predicate]]:
        """Those with so many operators, and the attributes that they ask for; for -1 the few."""
        found = list(self.few) if operators < 0 else self._of(operators)
        return tuple((each, self._asked(each)) for each in found)

    def _of(self, operators: int) -> list[Predicate]:
        if not operators:
            return list(self.plain)
        found = list(self.computed) if operators == 1 else []
        found += map(Not, self._of(operators - 1))
        return found + joined(operators, self.few, And, Or, Not)

    def _asked(self, predicate: Predicate) -> int:
        names = {part.name for part in find(predicate, Attribute)}
        return sum(1 << place for place, name in enumerate(self.values) if name in names)


def joined(
    operators: int, few: Sequence[TreeT], both: Callable[[Any, Any], TreeT],
    either: Callable[[Any, Any], TreeT], not_: Callable[[Any], TreeT],
) -> list[TreeT]:
    """AND or OR of two parts, in which a few are negated and joined, with so many operators."""
    def parts(inner: int) -> list[TreeT]:
        if not inner:
            return list(few)
        return [*map(not_, parts(inner - 1)), *joined(inner, few, both, either, not_)]

    return [
        join(left, right)
        for on_left in range(operators)
        for left, right in product(parts(on_left), parts(operators - 1 - on_left))
        for join in (both, either)
    ]


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a predicate with so many operators stands; -1: one of those that are joined."""

    operators: int


def conditions(operators: int, variables: str) -> list[Condition]:
    """Those with so many operators, with gaps for predicates."""
    found: list[Condition] = [_gap(each, operators) for each in variables]
    if operators:
        found += map(NotCondition, conditions(operators - 1, variables))
        few = [_gap(each, -1) for each in variables]
        found += joined(operators, few, AndCondition, OrCondition, NotCondition)
    return found


def _gap(variable: str, operators: int) -> Condition:
    gap: Any = Gap(operators)
    return VariableCondition(Name(variable), gap)


OF_ALL_KINDS = Predicates(
    {"n": (-3, 0, 1, 2), "d": (1.0, 1.5), "s": ("p", "pq")}, _FEW, _PLAIN, _COMPUTED
)
_EQUAL = tuple(Comparison(_C.EQUAL, Attribute(name), _ONE) for name in "xy")
OF_TWO_ATTRIBUTES = Predicates({"x": (1, 2), "y": (1, 2)}, _EQUAL, _EQUAL, missing=False)
