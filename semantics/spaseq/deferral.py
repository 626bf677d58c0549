"""Stateful filters: conditions of a GPM body that look at earlier events (errata SPA-10).

Def. 7 evaluates P on one graph, so a FILTER over a variable of another GPM would always be false.
Such a conjunct R is therefore *deferred*: a pair (τ, X) carries it, and the join with what came
before becomes X ⋈_R Y = {μ1 ∪ μ2 | μ1 ∈ X, μ2 ∈ Y, μ1 ~ μ2, R(μ1 ∪ μ2)}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef, Variable

from ..model.mappings import SolutionMapping, Solutions
from ..rdf.expressions.evaluation import holds
from ..rdf.mapping_sets import join
from ..rdf.syntax.tree import Expression, GroupGraphPattern
from .streamset import Instant
from .syntax.scope import needed_variables, split
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


class TimedSolutions(NamedTuple):
    """(τ, X), a pair of ⟦σ⟧."""

    time: Instant
    omega: Solutions


class OwingSolutions(NamedTuple):
    """(τ, X), a pair of ⟦Ψ⟧, with the conditions R that X still owes.

    `bindable` are the variables that the GPM expressions which matched may bind.
    """

    time: Instant
    omega: Solutions
    conditions: Conditions = NO_CONDITIONS
    bindable: frozenset[Variable] = frozenset()


Pairs: TypeAlias = frozenset[TimedSolutions]
OwingPairs: TypeAlias = frozenset[OwingSolutions]

Join: TypeAlias = Callable[[Solutions, Solutions, Conditions], Solutions]
"""⋈_R, or what a reading of Kleene plus puts in its place."""


def join_under(omega1: Solutions, omega2: Solutions, conditions: Conditions) -> Solutions:
    """X ⋈_R Y = {μ1 ∪ μ2 | μ1 ∈ X, μ2 ∈ Y, μ1 ~ μ2, R(μ1 ∪ μ2)}."""
    return satisfying(join(omega1, omega2), conditions)


def satisfying(omega: Solutions, conditions: Conditions) -> Solutions:
    """{μ ∈ Ω | R(μ)}."""
    if not conditions:
        return omega
    return frozenset(mu for mu in omega if all(r.holds(mu) for r in conditions))


def heading(psi: OwingPairs) -> Pairs:
    """The pairs of ⟦Ψ⟧ that may head a sequence.

    There is no past: a condition that asks for a variable which nothing that matched may bind is
    false, and any other is decided now.
    """
    return frozenset(
        TimedSolutions(tau, left)
        for tau, omega, conditions, bindable in psi
        if all(r.variables <= bindable for r in conditions)
        and (left := satisfying(omega, conditions))
    )


def decided(pair: OwingSolutions) -> OwingSolutions:
    """(τ, {μ ∈ X | R(μ) for each R with vars(R) ⊆ dom(μ)}), owing each R that a μ is too small for.

    Nothing that μ is joined with changes R(μ) then, so it does not matter when this is done. What
    is owed stays pending, for a further operand or for the sequence: so & is commutative and
    associative, and distributes over |.
    """
    omega = frozenset(
        mu for mu in pair.omega
        if all(r.holds(mu) for r in pair.conditions if r.variables <= mu.keys())
    )
    left = frozenset(
        r for r in pair.conditions if not all(r.variables <= mu.keys() for mu in omega)
    )
    return pair._replace(omega=omega, conditions=left)


@dataclass(frozen=True, slots=True, eq=False)
class GpmExpression:
    """(u, P): P without its deferred conditions, and those conditions."""

    name: str
    stream: URIRef
    pattern: GroupGraphPattern
    conditions: Conditions


def gpm_expression(definition: Definition, stream: URIRef) -> GpmExpression:
    """A DEFINE clause with its stream's IRI."""
    local, deferred = split(definition.pattern)
    conditions = frozenset(
        Condition(filter_.condition, needed_variables(filter_.condition)) for filter_ in deferred
    )
    return GpmExpression(definition.name, stream, local, conditions)
