"""The operators of the SPARQL algebra (SPARQL 1.1 Query, 18.2), by the recommendation's names.

Expressions stay as they are in the syntax tree; an aggregate in one is replaced by a variable that
its group binds (18.2.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ..model.mappings import SolutionMapping
from ..model.terms import Term
from .syntax import tree as s

TermOrVariable: TypeAlias = Term | Variable


@dataclass(frozen=True, slots=True)
class TriplePath:
    """Path(X, path, Y), or a triple pattern where the path is a link or a variable.

    Blank nodes have become variables.
    """

    subject: TermOrVariable
    path: s.Path | Variable
    object: TermOrVariable


@dataclass(frozen=True, slots=True)
class BGP:
    """BGP(t1, …, tn), the paths of a triples block among them.

    `blank` are the variables that stand for blank nodes: they are matched but not bound.
    """

    triples: tuple[TriplePath, ...]
    blank: frozenset[Variable] = frozenset()


@dataclass(frozen=True, slots=True)
class Join:
    """Join(P1, P2)."""

    left: Algebra
    right: Algebra


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """LeftJoin(P1, P2, F); F is None for true."""

    left: Algebra
    right: Algebra
    condition: s.Expression | None


@dataclass(frozen=True, slots=True)
class Filter:
    """Filter(F, P)."""

    condition: s.Expression
    pattern: Algebra


@dataclass(frozen=True, slots=True)
class Union:
    """Union(P1, P2)."""

    left: Algebra
    right: Algebra


@dataclass(frozen=True, slots=True)
class Graph:
    """Graph(name, P)."""

    name: URIRef | Variable
    pattern: Algebra


@dataclass(frozen=True, slots=True)
class Extend:
    """Extend(P, var, expr), several of them at once: they share BNODE's labels (17.4.2.9)."""

    pattern: Algebra
    assignments: tuple[tuple[Variable, s.Expression], ...]


@dataclass(frozen=True, slots=True)
class Minus:
    """Minus(P1, P2)."""

    left: Algebra
    right: Algebra


@dataclass(frozen=True, slots=True)
class Table:
    """ToMultiset of inline data (18.2.2.7)."""

    rows: tuple[SolutionMapping, ...]


@dataclass(frozen=True, slots=True)
class AggregateJoin:
    """AggregateJoin(Aggregation(…), …) over Group(keys, P): each aggregate with its variable.

    A key that is an expression without AS has no variable.
    """

    keys: tuple[tuple[Variable | None, s.Expression], ...]
    aggregates: tuple[tuple[Variable, s.Aggregate], ...]
    pattern: Algebra


@dataclass(frozen=True, slots=True)
class OrderBy:
    """OrderBy(P, conditions)."""

    pattern: Algebra
    conditions: tuple[s.OrderCondition, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """Project(P, variables)

    `visible` are those that are the pattern's own: beside groups, only keys are (18.2.4.4).
    """

    pattern: Algebra
    variables: frozenset[Variable]
    visible: frozenset[Variable]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Distinct(P)."""

    pattern: Algebra


@dataclass(frozen=True, slots=True)
class Slice:
    """Slice(P, start, length); `length` is None where there is no LIMIT."""

    pattern: Algebra
    start: int
    length: int | None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A pattern of another language."""

    pattern: s.EmbeddedPattern


Algebra: TypeAlias = (
    BGP | Join | LeftJoin | Filter | Union | Graph | Extend | Minus | Table | AggregateJoin
    | OrderBy | Project | Distinct | Slice | Embedded
)

UNIT = BGP(())
"""Z, the empty pattern: one empty solution."""
