"""Simpler sequence expressions: fewer steps, fewer operators, fewer GPMs (SPAseq Def. 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...semantics.spaseq.syntax import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)

SIMPLEST_FIRST = (Operator.ANY, Operator.NEXT, Operator.STRICT)


def simpler_sequences(sequence: SequenceExpression) -> Iterator[SequenceExpression]:
    """Every expression that is one step simpler, large cuts first."""
    atoms = [sequence.first, *(step.atom for step in sequence.steps)]
    operators = [step.operator for step in sequence.steps]
    for atom in atoms:
        if len(atoms) > 1:
            yield SequenceExpression(atom)
    for k in range(len(atoms)):
        if len(atoms) > 2:
            rest = atoms[:k] + atoms[k + 1 :]
            # Either neighbouring operator may be the one that matters.
            for gone in {max(k - 1, 0), min(k, len(operators) - 1)}:
                yield _sequence(rest, operators[:gone] + operators[gone + 1 :])
    for k, atom in enumerate(atoms):
        for simpler in simpler_atoms(atom):
            yield _sequence([*atoms[:k], simpler, *atoms[k + 1 :]], operators)
    for k, operator in enumerate(operators):
        for simpler_operator in SIMPLEST_FIRST[: SIMPLEST_FIRST.index(operator)]:
            yield _sequence(atoms, [*operators[:k], simpler_operator, *operators[k + 1 :]])


def _sequence(atoms: list[Atom], operators: list[Operator]) -> SequenceExpression:
    steps = tuple(Step(op, atom) for op, atom in zip(operators, atoms[1:], strict=True))
    return SequenceExpression(atoms[0], steps)


def simpler_atoms(atom: Atom) -> Iterator[Atom]:
    """Every atom that is one step simpler."""
    match atom:
        case KleenePlus(operand):
            yield operand
            for simpler in simpler_atoms(operand):
                if isinstance(simpler, Reference | Conjunction | Disjunction):
                    yield KleenePlus(simpler)
        case Negation(operand):
            yield operand
        case OptionalEvent(operand):
            yield operand
            yield Negation(operand)
        case Conjunction(operands) | Disjunction(operands):
            yield from operands
            for k, part in enumerate(operands):
                before, after = operands[:k], operands[k + 1 :]
                if len(operands) > 2:
                    yield type(atom)((*before, *after))
                for simpler in simpler_atoms(part):
                    if not isinstance(simpler, KleenePlus):
                        yield type(atom)((*before, simpler, *after))
        case _:
            pass


def operator_count(tree: Any) -> int:
    """How many of , ; : + & | ! ? an expression has; n operands of & or | are n − 1 operators."""
    match tree:
        case SequenceExpression(first, steps):
            return operator_count(first) + sum(1 + operator_count(s.atom) for s in steps)
        case KleenePlus(operand) | Negation(operand) | OptionalEvent(operand):
            return 1 + operator_count(operand)
        case Conjunction(operands) | Disjunction(operands):
            return len(operands) - 1 + sum(map(operator_count, operands))
        case _:
            return 0


def operators(sequence: SequenceExpression) -> list[Operator]:
    """•1, •2, …"""
    return [step.operator for step in sequence.steps]


def renamed(tree: Any, names: dict[str, str]) -> Any:
    """The expression with GPMs renamed."""
    match tree:
        case SequenceExpression(first, steps):
            return SequenceExpression(
                renamed(first, names),
                tuple(Step(s.operator, renamed(s.atom, names)) for s in steps),
            )
        case Reference(name):
            return Reference(names.get(name, name))
        case Conjunction(operands) | Disjunction(operands):
            return type(tree)(tuple(renamed(operand, names) for operand in operands))
        case _:
            return type(tree)(renamed(tree.operand, names))
