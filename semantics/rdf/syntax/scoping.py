"""The constraints on a query beyond its grammar (SPARQL 1.1 Query, 18.2.1 and the notes of 19.8).

Blank node labels belong to one basic graph pattern; BIND and AS name new variables; aggregates
stand in SELECT, HAVING and ORDER BY only, and what is projected beside them is a group's key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar

from rdflib.term import BNode, URIRef, Variable

from ...model.errors import Position, QueryError, QueryWarning
from ...model.trees import find, has
from . import tree as s
from .variables import (
    clause_expressions,
    element_variables,
    existential_groups,
    in_scope,
    inner_groups,
)

ErrorAt = Callable[[str, Position], QueryError]
NameT = TypeVar("NameT", bound=str)


def defined_once(
    kind: str, named: Iterable[tuple[NameT, Position]], error: ErrorAt
) -> dict[NameT, Position]:
    """Return the names and where they are defined. Raises QueryError where one is defined again."""
    first: dict[NameT, Position] = {}
    for name, position in named:
        if name in first:
            shown = f"<{name}>" if isinstance(name, URIRef) else f"'{name}'"
            raise error(
                f"{kind} {shown} is defined twice, first in line {first[name].line}", position
            )
        first[name] = position
    return first


def refuse_unknown_window(
    name: URIRef, position: Position, defined: Collection[URIRef], error: ErrorAt
) -> None:
    """Raise QueryError where no window has the name."""
    if name not in defined:
        known = ", ".join(f"<{each}>" for each in defined)
        raise error(
            f"no FROM NAMED WINDOW clause defines the window <{name}>"
            + (f" (defined: {known})" if known else ""),
            position,
        )


def not_among(
    code: str, known: Collection[object] | None, named: Iterable[tuple[object, str, Position]]
) -> Iterator[QueryWarning]:
    """Yield a warning (text and place) for each unknown name, if the known ones are given."""
    for name, message, position in named:
        if known is not None and name not in known:
            yield QueryWarning(code, message, position)


def check_group(group: s.GroupGraphPattern, error: ErrorAt, position: Position) -> None:
    """Check the rules of one group, whose nested groups have been checked already."""
    seen: set[Variable] = set()
    for element in group.elements:
        match element:
            case s.Bind(expression, variable):
                if variable in seen:
                    raise error(
                        f"BIND cannot bind ?{variable}, the pattern before it does already",
                        element.position,
                    )
                _refuse_aggregates(expression, "BIND", error, element.position)
            case s.Filter(condition):
                _refuse_aggregates(condition, "FILTER", error, element.position)
        seen.update(element_variables(element))
    _check_blank_nodes(group, error, position)


def _refuse_aggregates(
    expression: s.Expression, where: str, error: ErrorAt, position: Position
) -> None:
    for aggregate in find(expression, s.Aggregate, but=s.Exists):
        raise error(f"the aggregate {aggregate.name} cannot stand in {where}", position)


def _check_blank_nodes(group: s.GroupGraphPattern, error: ErrorAt, position: Position) -> None:
    """Check that no label is used in two basic graph patterns (19.6)."""
    owner: dict[BNode, int] = {}
    for number, block in enumerate(_basic_graph_patterns(group)):
        for triple in block:
            for part in (triple.subject, triple.predicate, triple.object):
                if isinstance(part, BNode) and owner.setdefault(part, number) != number:
                    raise error(
                        f"the blank node _:{part} stands in two basic graph patterns",
                        triple.position if triple.position.line else position,
                    )


def _basic_graph_patterns(group: s.GroupGraphPattern) -> Iterator[list[s.TriplePattern]]:
    """5.1.1: triples blocks with nothing but filters between them are one pattern."""
    current: list[s.TriplePattern] = []
    later: list[s.GroupGraphPattern] = []
    for element in group.elements:
        if isinstance(element, s.TriplesBlock):
            current += element.triples
        elif isinstance(element, s.Filter):
            later += existential_groups(element.condition)
        else:
            yield current
            current = []
            nested = existential_groups(element.expression) if isinstance(element, s.Bind) else (
                inner_groups(element)
            )
            for pattern in nested:
                yield from _basic_graph_patterns(pattern)
    yield current
    for pattern in later:
        yield from _basic_graph_patterns(pattern)


def check_query(query: s.SparqlQuery, error: Callable[[str], QueryError]) -> None:
    """Check the rules of SELECT, GROUP BY and the modifiers, of a query or sub-select."""
    if has(query.modifier.group_by, s.Aggregate, but=s.Exists):
        raise error("an aggregate cannot stand in GROUP BY")
    for aggregate in find(clause_expressions(query), s.Aggregate, but=s.Exists):
        for inner in find(aggregate.operand, s.Aggregate, but=s.Exists):
            raise error(f"the aggregate {inner.name} cannot stand in {aggregate.name}")
    if isinstance(query, s.SelectQuery):
        _check_projection(query, error)
    grouped = is_grouped(query)
    if grouped and isinstance(query, s.SelectQuery):
        if query.projection is None:
            raise error("SELECT * cannot stand with GROUP BY or an aggregate")
        _check_keys(query, error)


def is_grouped(query: s.SparqlQuery) -> bool:
    """18.2.4.1: does the query have a GROUP BY, or an aggregate that implies one group?"""
    return bool(query.modifier.group_by) or has(
        clause_expressions(query), s.Aggregate, but=s.Exists
    )


def _check_projection(query: s.SelectQuery, error: Callable[[str], QueryError]) -> None:
    """18.2.4.4: AS names a variable that is not visible; beside groups, only their keys are."""
    if query.projection is None:
        return
    taken = set(_keys(query) if is_grouped(query) else in_scope(query.where))
    named: set[Variable] = set()
    for item in query.projection:
        if item.expression is not None and (item.variable in taken or item.variable in named):
            raise error(f"AS cannot name ?{item.variable}, it is in use already")
        named.add(item.variable)


def _check_keys(query: s.SelectQuery, error: Callable[[str], QueryError]) -> None:
    """19.8, note 12: beside aggregates, only keys of GROUP BY can be projected."""
    known = set(_keys(query))
    for item in query.projection or ():
        if item.expression is None:
            if item.variable not in known:
                raise error(f"?{item.variable} is selected but it is no key of GROUP BY")
        else:
            for variable in find(item.expression, Variable, but=(s.Aggregate, s.Exists)):
                if variable not in known:
                    raise error(
                        f"?{variable} is used beside aggregates but it is no key of GROUP BY"
                    )
            known.add(item.variable)


def _keys(query: s.SelectQuery) -> Iterator[Variable]:
    for key in query.modifier.group_by:
        if isinstance(key, s.Projection):
            yield key.variable
        elif isinstance(key, Variable):
            yield key
