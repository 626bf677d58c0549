"""All sequence expressions with a number of operators, each over GPMs A, B, … of its own.

An operator is one of , ; : + & | ! ?; a conjunction or disjunction of k operands counts k − 1. As
`&` and `|` are n-ary, an operand of one is never the same one again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from string import ascii_uppercase
from typing import Any

from .....semantics.model.trees import changed, find
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)

_GPM = Reference("")
_OPERATORS = (Operator.STRICT, Operator.NEXT, Operator.ANY)
_BINARY: tuple[type[Conjunction] | type[Disjunction], ...] = (Conjunction, Disjunction)


def sequence_expressions(operators: int) -> Iterator[SequenceExpression]:
    """Every sequence expression with exactly so many operators; its GPMs are A, B, … as written."""
    for expression in _sequences(operators):
        names = iter(ascii_uppercase)

        def named(part: Any, names: Iterator[str] = names) -> Any:
            return Reference(next(names)) if part == _GPM else part

        yield changed(expression, named)


def gpm_count(expression: SequenceExpression) -> int:
    """The number of GPMs of an expression made by `sequence_expressions`."""
    return sum(1 for _ in find(expression, Reference))


def _sequences(operators: int) -> Iterator[SequenceExpression]:
    for atom in _atoms(operators):
        yield SequenceExpression(atom)
    # The last step's operator is one, its atom has `inside`, the rest is in front of it.
    for inside in range(operators):
        for front in _sequences(operators - 1 - inside):
            for operator in _OPERATORS:
                for atom in _atoms(inside):
                    yield SequenceExpression(front.first, (*front.steps, Step(operator, atom)))


@cache
def _atoms(operators: int) -> tuple[Atom, ...]:
    repeated: list[Atom] = []
    if operators == 1:
        repeated.append(KleenePlus(_GPM))
    if operators > 1:
        repeated += map(KleenePlus, _binary_expressions(operators - 1))
    return (*_operands(operators), *repeated)


@cache
def _operands(operators: int) -> tuple[Operand, ...]:
    match operators:
        case 0:
            return (_GPM,)
        case 1:
            return (Negation(_GPM), OptionalEvent(_GPM), *_binary_expressions(1))
        case _:
            return _binary_expressions(operators)


@cache
def _binary_expressions(operators: int) -> tuple[Conjunction | Disjunction, ...]:
    return tuple(
        kind(operands)
        for kind in _BINARY
        for width in range(2, operators + 2)
        for operands in _operand_lists(width, operators - (width - 1), kind)
    )


def _operand_lists(
    width: int, operators: int, outside: type[Conjunction] | type[Disjunction]
) -> Iterator[tuple[Operand, ...]]:
    if width == 0:
        if operators == 0:
            yield ()
        return
    for inside in range(operators + 1):
        for first in _operands(inside):
            if not isinstance(first, outside):
                for rest in _operand_lists(width - 1, operators - inside, outside):
                    yield (first, *rest)
