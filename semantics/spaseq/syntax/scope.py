"""What a query's text says of its variables: who may bind them, which conditions look elsewhere.

Syntax only; deferral.py says what a deferred condition means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rdflib.term import Variable

from ...rdf.syntax.tree import And, Element, Exists, Expression, Filter, GroupGraphPattern
from ...rdf.syntax.variables import expression_variables, possible_variables, subexpressions
from .tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SequenceExpression,
)


class Split(NamedTuple):
    """A GPM body without its deferred conditions, and these, one conjunct a filter."""

    local: GroupGraphPattern
    deferred: tuple[Filter, ...]


def split(pattern: GroupGraphPattern) -> Split:
    """Every top-level FILTER is taken apart at its top-level &&.

    A conjunct is local iff the body may bind every variable that it needs, else deferred.
    """
    bindable = possible_variables(pattern)
    local: list[Element] = []
    deferred: list[Filter] = []
    for element in pattern.elements:
        if not isinstance(element, Filter):
            local.append(element)
            continue
        for conjunct in conjuncts(element.condition):
            kept = local if needed_variables(conjunct) <= bindable else deferred
            kept.append(Filter(conjunct, element.position))
    return Split(GroupGraphPattern(tuple(local)), tuple(deferred))


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """R1, R2, … of R1 && R2 && …"""
    if isinstance(condition, And):
        for operand in condition.operands:
            yield from conjuncts(operand)
    else:
        yield condition


def needed_variables(expression: Expression) -> frozenset[Variable]:
    """The variables whose values an expression asks for.

    Those inside EXISTS { … } are not among them: what the body leaves open, the inner pattern may
    bind.
    """
    return frozenset(part for part in subexpressions(expression) if isinstance(part, Variable))


def existential_variables(expression: Expression) -> frozenset[Variable]:
    """The variables that stand inside EXISTS { … } or NOT EXISTS { … }."""
    inner = (part for part in subexpressions(expression) if isinstance(part, Exists))
    return frozenset().union(*(expression_variables(part) for part in inner))


def references(sequence: SequenceExpression) -> Iterator[Reference]:
    """The GPM names of a sequence, from left to right."""
    for atom in atoms(sequence):
        yield from _references(atom)


def atoms(sequence: SequenceExpression) -> tuple[Atom, ...]:
    """Ψ0, Ψ1, Ψ2, … of Ψ0 •1 Ψ1 •2 Ψ2 …"""
    return (sequence.first, *(step.atom for step in sequence.steps))


def _references(atom: Atom) -> Iterator[Reference]:
    match atom:
        case Reference():
            yield atom
        case Conjunction(operands) | Disjunction(operands):
            for operand in operands:
                yield from _references(operand)
        case Negation(operand) | OptionalEvent(operand) | KleenePlus(operand):
            yield from _references(operand)


def variables(psi: Atom, gpms: Mapping[str, frozenset[Variable]]) -> frozenset[Variable]:
    """vars(Ψ): those that a match of Ψ may bind, given those of each GPM; a negation binds none."""
    match psi:
        case Reference(name):
            return gpms[name]
        case Conjunction(operands) | Disjunction(operands):
            return frozenset().union(*(variables(operand, gpms) for operand in operands))
        case OptionalEvent(operand) | KleenePlus(operand):
            return variables(operand, gpms)
        case Negation():
            return frozenset()
