"""Sequence expressions as the definitions take them apart: σ • Ψ, the last operator first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import Variable

from .syntax.readings import NegationReading
from .syntax.scoping import variables
from .syntax.tree import (
    Atom,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)


@dataclass(frozen=True, slots=True)
class Following:
    """σ • Ψ.

    Under `negation=absence` it may be σ • (u1, P1)! … (un, Pn)! • Ψ, where • is Ψ's own operator
    and `absent` are the negations in between.
    """

    sigma: Chain
    operator: Operator
    psi: Atom
    absent: tuple[Reference, ...] = ()


Chain: TypeAlias = Atom | Following
"""σ: what a sequence begins with, or a sequence and what follows it."""


def chains(expression: SequenceExpression, negation: NegationReading) -> Iterator[Chain]:
    """Yield the sequences whose evaluations together are ⟦SeqExp⟧.

    Under `negation=event` that is the expression itself: a negation is an element like any other.
    Under `negation=absence`, σ • P? • Ψ = (σ • P • Ψ) ∪ (σ • P! • Ψ).
    """
    if negation == "absence":
        yield from _guarded(expression.first, expression.steps, ())
        return
    sigma: Chain = expression.first
    for step in expression.steps:
        sigma = Following(sigma, step.operator, step.atom)
    yield sigma


def _guarded(
    sigma: Chain, steps: tuple[Step, ...], absent: tuple[Reference, ...]
) -> Iterator[Chain]:
    if not steps:
        yield sigma
        return
    step, others = steps[0], steps[1:]
    match step.atom:
        case Negation(operand):
            yield from _guarded(sigma, others, (*absent, operand))
        case OptionalEvent(operand):
            yield from _guarded(Following(sigma, step.operator, operand, absent), others, ())
            yield from _guarded(sigma, others, (*absent, operand))
        case psi:
            yield from _guarded(Following(sigma, step.operator, psi, absent), others, ())


def chain_variables(
    sigma: Chain, bindable: Mapping[str, frozenset[Variable]]
) -> frozenset[Variable]:
    """vars(σ): those that a match of σ may bind, given those of each GPM."""
    if isinstance(sigma, Following):
        return chain_variables(sigma.sigma, bindable) | variables(sigma.psi, bindable)
    return variables(sigma, bindable)
