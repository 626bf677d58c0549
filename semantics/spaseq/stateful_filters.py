"""Stateful filters: conditions of a GPM body that look at earlier events (errata SPA-10).

Def. 7 evaluates P on one graph, so a FILTER over a variable of another GPM would always be false.
Such a conjunct R is therefore *deferred*: the Y of a pair (τ, Y) of ⟦Ψ⟧ owes it, and nothing but
the join changes: X ⋈_R Y = {μ1 ∪ μ2 | μ1 ∈ X, μ2 ∈ Y, μ1 ~ μ2, R(μ1 ∪ μ2)}.
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


class TimedSolutions(NamedTuple):
    """(τ, X), a pair of ⟦σ⟧."""

    time: Instant
    omega: Solutions


class Owing(NamedTuple):
    """Y with the conditions R that it owes; not empty if it has mappings.

    `bindable` are the variables that the GPM expressions which matched may bind.
    """

    mappings: Solutions
    conditions: Conditions = NO_CONDITIONS
    bindable: frozenset[Variable] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.mappings)


class OwingPair(NamedTuple):
    """(τ, Y), a pair of ⟦Ψ⟧."""

    time: Instant
    omega: Owing


Pairs: TypeAlias = frozenset[TimedSolutions]
OwingPairs: TypeAlias = frozenset[OwingPair]

Join: TypeAlias = Callable[[Solutions, Owing], Solutions]
"""⋈_R, or what a reading of Kleene plus puts in its place."""


def join_under(X: Solutions, Y: Owing) -> Solutions:
    """X ⋈_R Y = {μ1 ∪ μ2 | μ1 ∈ X, μ2 ∈ Y, μ1 ~ μ2, R(μ1 ∪ μ2)}."""
    return satisfying(join(X, Y.mappings), Y.conditions)


def satisfying(omega: Solutions, conditions: Conditions) -> Solutions:
    """{μ ∈ Ω | R(μ)}."""
    if not conditions:
        return omega
    return frozenset(mu for mu in omega if all(r.holds(mu) for r in conditions))


def heading(psi: OwingPairs) -> Pairs:
    """The pairs of ⟦Ψ⟧ that may head a sequence."""
    return frozenset(TimedSolutions(tau, X) for tau, Y in psi if (X := without_past(Y)))


def without_past(Y: Owing) -> Solutions:
    """{μ ∈ Y | R(μ)}; none, if R asks for a variable which nothing that matched may bind."""
    if all(r.variables <= Y.bindable for r in Y.conditions):
        return satisfying(Y.mappings, Y.conditions)
    return frozenset()


def join_owing(X: Owing, Y: Owing) -> Owing:
    """X ⋈ Y, owing R and S of either side: each mapping decides those whose variables it binds.

    Nothing that μ is joined with changes R(μ) then, so it does not matter when this is done. An R
    that a μ is too small for stays pending, for a further operand or for the sequence: so & is
    commutative and associative, and distributes over |.
    """
    R_S = X.conditions | Y.conditions
    mappings = frozenset(
        mu for mu in join(X.mappings, Y.mappings)
        if all(r.holds(mu) for r in R_S if r.variables <= mu.keys())
    )
    left = frozenset(r for r in R_S if not all(r.variables <= mu.keys() for mu in mappings))
    return Owing(mappings, left, X.bindable | Y.bindable)


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
