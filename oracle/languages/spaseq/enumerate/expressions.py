"""All sequence expressions with a number of operators, each over GPMs A, B, … of its own.

An operator is one of , ; : + & | ! ?; a conjunction or disjunction of k operands counts k − 1. As
`&` and `|` are n-ary, an operand of one is never the same one again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from string import ascii_uppercase
from typing import TypeAlias

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

_Primary: TypeAlias = Reference | Conjunction | Disjunction


def sequence_expressions(operators: int) -> Iterator[SequenceExpression]:
    """Every sequence expression with exactly so many operators; its GPMs are A, B, … as written."""
    for expression in _sequences(operators):
        yield _named(expression)


def gpm_count(expression: SequenceExpression) -> int:
    """The number of GPMs of an expression made by `sequence_expressions`."""
    return sum(map(_leaves, (expression.first, *(step.atom for step in expression.steps))))


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


def _leaves(atom: Atom) -> int:
    match atom:
        case Reference() | Negation() | OptionalEvent():
            return 1
        case Conjunction(operands) | Disjunction(operands):
            return sum(map(_leaves, operands))
        case KleenePlus(operand):
            return _leaves(operand)


class _Namer:
    """Gives the GPMs of an expression the names A, B, … as they are met."""

    def __init__(self) -> None:
        self.names = iter(ascii_uppercase)

    def reference(self) -> Reference:
        return Reference(next(self.names))

    def atom(self, part: Atom) -> Atom:
        if isinstance(part, KleenePlus):
            return KleenePlus(self.primary(part.operand))
        return self.operand(part)

    def operand(self, part: Operand) -> Operand:
        match part:
            case Negation():
                return Negation(self.reference())
            case OptionalEvent():
                return OptionalEvent(self.reference())
            case _:
                return self.primary(part)

    def primary(self, part: _Primary) -> _Primary:
        match part:
            case Reference():
                return self.reference()
            case Conjunction(operands):
                return Conjunction(tuple(map(self.operand, operands)))
            case Disjunction(operands):
                return Disjunction(tuple(map(self.operand, operands)))


def _named(expression: SequenceExpression) -> SequenceExpression:
    namer = _Namer()
    return SequenceExpression(
        namer.atom(expression.first),
        tuple(Step(step.operator, namer.atom(step.atom)) for step in expression.steps),
    )


__all__ = ["gpm_count", "sequence_expressions"]
