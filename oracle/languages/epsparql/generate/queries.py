"""Queries of EP-SPARQL: rules now and then, and a SELECT, an ASK or a DESCRIBE."""

from __future__ import annotations

from dataclasses import replace

from rdflib.term import URIRef, Variable

from .....semantics.epsparql.syntax.tree import (
    DURATION,
    START_TIME,
    EpsparqlQuery,
    Form,
    Rule,
    StreamClause,
)
from .....semantics.model.items import TimeKind
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.variables import in_scope
from ....inputs.choices import COIN, Choices, Decided
from ....inputs.sparql import any_select
from ....inputs.vocabulary import BACKGROUNDS, PROLOGUE, RESOURCES, STREAMS
from .patterns import Shape, group_of, or_not, rarely, terms_of
from .rules import rules_of


def query(choices: Choices, *, kind: TimeKind = TimeKind.INTEGER) -> EpsparqlQuery:
    """Draw a query: rules now and then, and a SELECT."""
    return query_of(choices, Shape(kind))


def query_of(choices: Choices, shape: Shape) -> EpsparqlQuery:
    rules: list[Rule] = []
    for _ in range(choices.among("epsparql/rules", (0, 0, 0, 0, 1, 1, 2))):
        if len(rules) < 2:
            rules += rules_of(choices, shape.inside(rule=True))
            shape.derived = True
    select = None
    form = Form.SELECT
    described: tuple[URIRef, ...] = ()
    if not rules or not rarely(choices, "rules alone"):
        form = choices.among("epsparql/form", (*[Form.SELECT] * 8, Form.ASK, Form.DESCRIBE))
        match form:
            case Form.SELECT:
                select = _select(choices, shape)
            case Form.ASK:
                select = s.SelectQuery((), group_of(choices, shape, 2))
            case Form.DESCRIBE:
                select, described = _describe(choices, shape)
    streams: tuple[StreamClause, ...] = ()
    if rarely(choices, "streams"):
        streams = tuple(StreamClause(iri) for iri in STREAMS[: choices.among("", (1, 2))])
    dataset = choices.among(*_DATASETS)
    return EpsparqlQuery(select, tuple(rules), streams, dataset, PROLOGUE, form, described)


_DATASETS: Decided[s.DatasetClause | None] = ("epsparql/dataset", (
    *(None,) * 12, s.DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[:1]),
    s.DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[1:]), s.DatasetClause((), BACKGROUNDS[1:]),
))


def _describe(choices: Choices, shape: Shape) -> tuple[s.SelectQuery, tuple[URIRef, ...]]:
    """What DESCRIBE is about: variables, all of them, a resource, a resource without a pattern"""
    where = group_of(choices, shape, 1)
    some = tuple(map(s.Projection, in_scope(where)[:1]))
    modifier = s.SolutionModifier(limit=1 if rarely(choices, "describe limit") else None)
    match choices.among("epsparql/describe", ("some", "some", "all", "both", "named")):
        case "all":
            return s.SelectQuery(None, where, modifier), ()
        case "named":
            return s.SelectQuery((), s.GroupGraphPattern()), RESOURCES[:1]
        case "some" if some:
            return s.SelectQuery(some, where, modifier), ()
    return s.SelectQuery(some, where, modifier), RESOURCES[:1]


def _select(choices: Choices, shape: Shape) -> s.SelectQuery:
    where = group_of(choices, shape, 2)
    variables = in_scope(where)
    kinds = (*("all",) * 4, "some", "some", "count", "interval", "any")
    what = choices.among("epsparql/select", kinds)
    if what == "any":
        return any_select(choices, terms_of(choices, shape), where)
    projection = None
    groups_by: tuple[Variable, ...] = ()
    if variables and what != "all":
        projection = tuple(map(s.Projection, variables[: choices.among("", (1, 2))]))
    if projection is not None and what == "count":
        counted = s.Aggregate("COUNT", choices.among("", (None, variables[-1])))
        if choices.among("", COIN):
            counted = s.Aggregate(choices.among("", ("MAX", "MIN")), s.BuiltIn(DURATION, ()))
        groups_by = (variables[0],) if choices.among("", COIN) else ()
        computed = s.Projection(Variable("c0"), counted)
        projection = (*map(s.Projection, groups_by), computed)
    elif projection is not None and what == "interval":
        projection = (*projection, s.Projection(Variable("d0"), s.BuiltIn(DURATION, ())))
    modifier = s.SolutionModifier(group_by=groups_by)
    # No order tells the blank nodes that rules construct apart.
    if or_not(choices, "slice", 3) and not shape.derived:
        order: list[s.OrderCondition] = []
        keys: tuple[s.Expression, ...] = tuple(e.variable for e in projection or ()) or variables
        if projection is None or what == "some":
            keys = (*variables, *map(_function, (DURATION, START_TIME)))
        for _ in range(choices.among("epsparql/order", (0, 1, 2, 2))):
            order.append(s.OrderCondition(choices.among("", keys), choices.among("", COIN)))
        modifier = replace(
            modifier, order_by=tuple(order), limit=choices.among("", (1, 2, 3)),
            offset=choices.among("", (0, 1)),
        )
    distinct = projection is not None and or_not(choices, "distinct", 2)
    return s.SelectQuery(projection, where, modifier, distinct=distinct)


def _function(name: str) -> s.Expression:
    return s.BuiltIn(name, ())
