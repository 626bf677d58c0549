"""Negation as absence: σ • (u, P)! • Ψ is about what does *not* happen between σ and Ψ.

Appendix B's own negation matches an event on which P fails (binary.py). Under `negation=absence` a
negation matches nothing: it stands guard between its neighbours, as SEQ_WO does in CQELS-CEP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..rdf.mappings import SolutionMapping
from .context import Context
from .deferral import TimedSolutions
from .gpm import graph_pattern
from .streamset import Instant
from .syntax import Atom, Negation, Operator, OptionalEvent, Reference, SequenceExpression, Step


@dataclass(frozen=True, slots=True)
class Link:
    """(u1, P1)! … (un, Pn)! • Ψ: how the next positive element follows; • is its own operator."""

    operator: Operator
    psi: Atom
    absent: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """A sequence expression as its first element and the links to the others."""

    first: Atom
    links: tuple[Link, ...]


def chains(sequence: SequenceExpression, context: Context) -> Iterator[Chain]:
    """The sequence expressions whose evaluations make up ⟦SeqExp⟧, the negations out of the way.

    Under `negation=event` that is the expression itself: a negation is an element like any other.
    Under `negation=absence`, σ • P? • Ψ = (σ • P • Ψ) ∪ (σ • P! • Ψ).
    """
    if context.readings.negation == "event":
        links = tuple(Link(step.operator, step.atom) for step in sequence.steps)
        yield Chain(sequence.first, links)
    else:
        for links in _links(sequence.steps, ()):
            yield Chain(sequence.first, links)


def _links(steps: tuple[Step, ...], absent: tuple[Reference, ...]) -> Iterator[tuple[Link, ...]]:
    if not steps:
        yield ()
        return
    step, others = steps[0], steps[1:]
    match step.atom:
        case Negation(operand):
            yield from _links(others, (*absent, operand))
        case OptionalEvent(operand):
            yield from _links((Step(step.operator, operand), *others), absent)
            yield from _links((Step(step.operator, Negation(operand)), *others), absent)
        case psi:
            for links in _links(others, ()):
                yield (Link(step.operator, psi, absent), *links)


def guarded(
    pair: TimedSolutions, begin: Instant, absent: tuple[Reference, ...], context: Context
) -> TimedSolutions | None:
    """What is left of (τ, X ⋈ Y) after each absence since τ'; None if nothing is."""
    omega = frozenset(
        mu for mu in pair.omega
        if all(is_absent(operand, mu, begin, pair.time, context) for operand in absent)
    )
    return TimedSolutions(pair.time, omega) if omega else None


def is_absent(
    operand: Reference, mu: SolutionMapping, begin: Instant, end: Instant, context: Context
) -> bool:
    """No (τ'', G) ∈ Σ(u) with τ' < τ'' < τ has a ν ∈ ⟦P⟧_G with ν ~ μ and R_P(μ ∪ ν)."""
    expression = context.gpms[operand.name]
    return not any(
        nu.compatible(mu) and all(r.holds(mu.merge(nu)) for r in expression.conditions)
        for event in context.sigma.between(expression.stream, begin, end)
        for nu in graph_pattern(expression, event.graph, context)
    )
