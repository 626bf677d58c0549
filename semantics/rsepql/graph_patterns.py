"""What graph patterns mean: ⟦P⟧_{SDS_ι}^t, a bag (RSEP-QL Def. 6, equations 1 to 3 and 8).

All of P is evaluated at one t, so that it is SPARQL's own evaluation over the snapshots at t, with
two further patterns: WINDOW is GRAPH for windows, and MATCH is a bag of its own, whatever the
active element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from rdflib.term import URIRef, Variable

from ..model.mappings import SolutionMapping
from ..model.terms import Term
from ..model.trees import changed, find, has, mapped, nodes, remembering
from ..rdf.algebra import Algebra
from ..rdf.queries import algebra
from ..rdf.syntax import tree as sparql
from ..rdf.syntax.tree import (
    GroupGraphPattern,
    InlineData,
    NamedGraphPattern,
    TriplesBlock,
    UnionPattern,
)
from .dataset import WindowName
from .syntax.tree import EventPattern, MatchPattern, WindowPattern

Matching: TypeAlias = Callable[[EventPattern], Sequence[SolutionMapping]]
"""⟦MATCH E⟧ at t"""

Q = TypeVar("Q", bound=sparql.SparqlQuery)


def at_instant(form: Q, windows: Sequence[URIRef], matching: Matching) -> Q:
    """The SPARQL query that a query form is at t, over the snapshots at t."""
    return with_matches(over_windows(form, windows), matching)


def over_windows(form: Q, windows: Sequence[URIRef]) -> Q:
    """The query form with WINDOW as (3) says: so much of it is the same at every t."""

    def snapshot(part: object) -> object:
        if isinstance(part, WindowPattern):
            return window_graph_pattern(part.name, part.pattern, windows)
        return part

    if not _has_windows(form):
        return form
    return changed(form, snapshot, but=(EventPattern, TriplesBlock))


@remembering
def _has_windows(form: Any) -> bool:
    return has(form, WindowPattern, but=(EventPattern, TriplesBlock))


def algebra_with_matches(form: sparql.SparqlQuery, matching: Matching) -> Algebra:
    """`with_matches` as SPARQL's algebra: the same at every t at which nothing matches."""
    if any(matching(each.event) for each in _matches(form)):
        return algebra(with_matches(form, matching))
    return _algebra_without_matches(form)


@remembering
def _matches(form: sparql.SparqlQuery) -> tuple[MatchPattern, ...]:
    return tuple(find(form, MatchPattern, but=(EventPattern, TriplesBlock)))


@remembering
def _algebra_without_matches(form: sparql.SparqlQuery) -> Algebra:
    return algebra(with_matches(form, lambda e: ()))


def with_matches(form: Q, matching: Matching) -> Q:
    """The query form with MATCH as (8) says."""
    holding = _holding_match(form)

    def at_t(part: Any) -> Any:
        if isinstance(part, MatchPattern):
            return event_graph_pattern(_variables(part), matching(part.event))
        if isinstance(part, tuple) or id(part) in holding:
            return mapped(part, at_t)
        return part

    return cast("Q", at_t(form))


@remembering
def _holding_match(tree: Any) -> frozenset[int]:
    """Which constructs of a tree MATCH stands in, by their addresses."""
    return frozenset(
        id(each) for each in nodes(tree)
        if has(each, MatchPattern, but=(EventPattern, TriplesBlock))
    )


def window_graph_pattern(
    name: URIRef | Variable, pattern: GroupGraphPattern, windows: Sequence[URIRef]
) -> sparql.Element:
    """(3): ⟦WINDOW w_j P⟧_{SDS_ι}^t = ⟦P⟧_{SDS_{w_j}}^t

    The paper has names only. A variable ranges over the windows as that of GRAPH ranges over
    graphs: ⟦WINDOW ?w P⟧ = ⋃_j (⟦WINDOW w_j P⟧ ⋈ {{?w ↦ w_j}}).
    """
    if not isinstance(name, Variable):
        return NamedGraphPattern(WindowName(name), pattern)
    return UnionPattern(tuple(
        GroupGraphPattern((
            InlineData((name,), ((w,),)), NamedGraphPattern(WindowName(w), pattern),
        ))
        for w in windows
    ) or (GroupGraphPattern((InlineData((name,), ()),)),))


@remembering
def _variables(pattern: MatchPattern) -> tuple[Variable, ...]:
    return pattern.variables()


def event_graph_pattern(
    variables: tuple[Variable, ...], omega: Sequence[SolutionMapping]
) -> InlineData:
    """(8): ⟦MATCH E⟧_{SDS_ι}^t is the same bag for every ι, and is joined as inline data is."""
    rows = (tuple(cast("Term | None", mu.get(v)) for v in variables) for mu in omega)
    return InlineData(variables, tuple(rows))
