"""The variables of a query's text: who may bind them, which conditions look elsewhere.

Syntax only; stateful_filters.py says what a deferred condition means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rdflib.term import Variable

from ...model.trees import find, outermost
from ...rdf.syntax.tree import Element, Exists, Expression, Filter, GroupGraphPattern
from ...rdf.syntax.variables import conjuncts, possible_variables
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
    """Split every top-level FILTER at its top-level &&.

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


def needed_variables(expression: Expression) -> frozenset[Variable]:
    """Return the variables whose values an expression asks for.

    Those inside EXISTS { … } are not among them: what the body leaves open, the inner pattern may
    bind.
    """
    return frozenset(find(expression, Variable, but=Exists))


def existential_variables(expression: Expression) -> frozenset[Variable]:
    """Return the variables that stand inside EXISTS { … } or NOT EXISTS { … }."""
    return frozenset(find(tuple(outermost(expression, Exists)), Variable))


def atoms(sequence: SequenceExpression) -> tuple[Atom, ...]:
    """Ψ0, Ψ1, Ψ2, … of Ψ0 •1 Ψ1 •2 Ψ2 …"""
    return (sequence.first, *(step.atom for step in sequence.steps))


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
