"""Stateful filters: conditions of a GPM body that look at earlier events (errata SPA-10).

Def. 7 evaluates P on one graph, so a FILTER over a variable of another GPM would always be false.
Such a conjunct R is therefore *deferred*: the mappings of ⟦Ψ⟧ owe it, and nothing but ⋈ changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef, Variable

from ..model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ..rdf.expressions.evaluation import holds
from ..rdf.syntax.tree import Expression, GroupGraphPattern
from .streamset import Instant
from .syntax.scoping import needed_variables, split
from .syntax.tree import Definition


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """R, a deferred conjunct."""

    expression: Expression
    variables: frozenset[Variable]

    def holds(self, mu: SolutionMapping) -> bool:
        """R(μ) is true; an error, such as an unbound variable, is not true (SPARQL 1.1, 17.2)."""
        return holds(self.expression, mu)


Conditions: TypeAlias = frozenset[Condition]

NO_CONDITIONS: Conditions = frozenset()


class Owing(SolutionMapping):
    """μ of ⟦Ψ⟧, with the conditions R that it owes: it is too small for them.

    `bindable` are the variables that the GPM expressions which matched may bind.
    """

    __slots__ = ("bindable", "conditions", "mapping")

    def __init__(
        self, mapping: SolutionMapping, conditions: Conditions = NO_CONDITIONS,
        bindable: frozenset[Variable] = frozenset(),
    ) -> None:
        self._bindings = mapping._bindings
        self.mapping, self.conditions, self.bindable = mapping, conditions, bindable

    def __hash__(self) -> int:
        return hash(self.mapping)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and (not isinstance(other, Owing) or (
            self.conditions == other.conditions and self.bindable == other.bindable
        ))


class TimedSolutions(NamedTuple):
    """(τ, Ω), a pair of ⟦σ⟧, or of ⟦Ψ⟧: then the mappings are `Owing`."""

    time: Instant
    omega: Solutions


Pairs: TypeAlias = frozenset[TimedSolutions]

Join: TypeAlias = Callable[[Solutions, Solutions], Solutions]
"""⋈, or what a reading of Kleene plus puts in its place."""

STAR: Solutions = frozenset({Owing(EMPTY_MAPPING)})
"""Appendix B's identity element: STAR ⋈ Ω = Ω ⋈ STAR = Ω."""

NO_PAST: Solutions = frozenset({EMPTY_MAPPING})
"""X before the first element of a sequence."""


def join(X: Solutions, Y: Solutions) -> Solutions:
    """X ⋈ Y = {μ1 ∪ μ2 | μ1 ∈ X, μ2 ∈ Y, μ1 ~ μ2, and R(μ1 ∪ μ2) for each R that is due}."""
    return frozenset(
        mu
        for mu1 in X for mu2 in Y
        if mu1.compatible(mu2) and (mu := union(mu1, mu2)) is not None
    )


def union(mu1: SolutionMapping, mu2: SolutionMapping) -> SolutionMapping | None:
    """μ1 ∪ μ2, owing what both owe and is not due; None if an R that is due is not true.

    If μ1 is of ⟦σ⟧, all are due. If both are of ⟦Ψ⟧, those are whose variables are bound: nothing
    that μ1 ∪ μ2 is joined with changes R(μ1 ∪ μ2) then, so it does not matter when this is done.
    The others wait for a further operand or for the sequence: so & is commutative and associative,
    and distributes over |.
    """
    if not isinstance(mu2, Owing):
        return mu1.merge(mu2)
    if not isinstance(mu1, Owing):
        both = mu1.merge(mu2.mapping)
        return both if all(r.holds(both) for r in mu2.conditions) else None
    both, owed = mu1.mapping.merge(mu2.mapping), mu1.conditions | mu2.conditions
    left = frozenset(r for r in owed if not r.variables <= both.keys())
    if not all(r.holds(both) for r in owed - left):
        return None
    return Owing(both, left, mu1.bindable | mu2.bindable)


def owed_by(omega: Iterable[SolutionMapping]) -> Conditions:
    """Return every R that a mapping owes."""
    return NO_CONDITIONS.union(*(mu.conditions for mu in omega if isinstance(mu, Owing)))


def heading(psi: Pairs) -> Pairs:
    """Return the pairs of ⟦Ψ⟧ that may head a sequence."""
    return frozenset(TimedSolutions(tau, X) for tau, Y in psi if (X := without_past(Y)))


def without_past(Y: Solutions) -> Solutions:
    """NO_PAST ⋈ Y, without what owes an R over a variable that nothing which matched may bind."""
    return join(NO_PAST, frozenset(
        mu for mu in Y
        if not isinstance(mu, Owing) or all(r.variables <= mu.bindable for r in mu.conditions)
    ))


@dataclass(frozen=True, slots=True, eq=False)
class GpmExpression:
    """(u, P): P without its deferred conditions, and those conditions."""

    name: str
    stream: URIRef
    pattern: GroupGraphPattern
    conditions: Conditions


def gpm_expression(definition: Definition, stream: URIRef) -> GpmExpression:
    """Return a DEFINE clause with its stream's IRI."""
    local, deferred = split(definition.pattern)
    conditions = frozenset(
        Condition(filter_.condition, needed_variables(filter_.condition)) for filter_ in deferred
    )
    return GpmExpression(definition.name, stream, local, conditions)
