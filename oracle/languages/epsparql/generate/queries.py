"""EP-SPARQL queries: CONSTRUCT rules now and then, and a SELECT, an ASK or a DESCRIBE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdflib.term import BNode, URIRef, Variable

from .....semantics.epsparql.syntax.tree import (
    DURATION,
    START_TIME,
    EpsparqlQuery,
    Form,
    Operator,
    Rule,
    StreamClause,
    TemporalPattern,
)
from .....semantics.model.items import TimeKind
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.variables import in_scope
from ....inputs.choices import COIN, Choices, Decided, Options
from ....inputs.graphs import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    PROLOGUE,
    QUANTITY,
    RESOURCES,
    STREAMS,
    THINGS,
    name,
)
from ....inputs.sparql import any_select
from .patterns import AMOUNTS_OF, MADE, Bodies, Shape, block_of, group_of, or_not, rarely, terms_of


def rules_of(choices: Choices, shape: Shape, operators: int | None = None) -> Iterator[Rule]:
    """A rule that constructs :k or :p, or two of which one asks for what the other constructs;
    with blank nodes only from what no rule constructs, unless its body has so many operators"""
    x, y, z = THINGS
    match choices.among("epsparql/rule", ("any",) * 4 + ("chain", "chain", "late chain", "blank")):
        case "blank":
            if operators is None:
                where = block_of(choices.among(*AMOUNTS_OF))
            else:
                where = group_of(choices, shape, 1, operators)
            yield Rule((s.TriplePattern(BNode("m"), name("made"), in_scope(where)[0]),), where)
        case "chain":
            yield Rule((s.TriplePattern(x, KNOWN, y),), block_of(s.TriplePattern(x, LINK, y)))
            yield Rule((s.TriplePattern(x, KNOWN, z),), _chain(choices))
        case "late chain":
            # Whatever is linked to a resource, to what is linked to that, and so on.
            asked = s.Exists(block_of(s.TriplePattern(z, KNOWN, x)))
            linked = s.TriplesBlock((s.TriplePattern(x, LINK, y),))
            where = s.GroupGraphPattern((linked, s.Filter(asked)))
            yield Rule(
                (s.TriplePattern(RESOURCES[0], KNOWN, y),),
                block_of(s.TriplePattern(RESOURCES[0], LINK, y)),
            )
            yield Rule((s.TriplePattern(x, KNOWN, y),), where)
        case _:
            yield _rule(choices, shape, operators)


def _chain(choices: Choices) -> s.GroupGraphPattern:
    """What is known of what is linked: a rule that goes on from what it constructs"""
    x, y, z = THINGS
    known, linked = s.TriplePattern(x, KNOWN, y), s.TriplePattern(y, LINK, z)
    match choices.among("epsparql/chain", ("join", "SEQ", "waits", "again")):
        case "SEQ":
            return s.GroupGraphPattern((TemporalPattern((block_of(known), block_of(linked))),))
        case "waits":
            amount = block_of(s.TriplePattern(x, QUANTITY, AMOUNTS[0]))
            sides = block_of(known, linked), amount
            return s.GroupGraphPattern((TemporalPattern(sides, Operator.EQUALSOPTIONAL),))
        case "again":
            return block_of(known, s.TriplePattern(y, KNOWN, z))
    return block_of(known, linked)


def _rule(choices: Choices, shape: Shape, operators: int | None) -> Rule:
    where = group_of(choices, shape, 1, operators)
    if rarely(choices, "rule exists"):
        known = s.TriplesBlock((s.TriplePattern(THINGS[2], KNOWN, choices.among("", THINGS[:2])),))
        asked = s.Filter(s.Exists(s.GroupGraphPattern((known,))))
        where = s.GroupGraphPattern((*where.elements, asked))
    things = [v for v in in_scope(where) if v in THINGS] or [THINGS[0]]
    targets: list[s.TermOrVariable] = [*reversed(things), RESOURCES[0]]
    target = choices.among("object made", targets)
    made = s.TriplePattern(choices.among("subject made", things), choices.among(*MADE), target)
    if rarely(choices, "template") and target in things:
        return Rule((made, s.TriplePattern(target, KNOWN, made.subject)), where)
    return Rule((made,), where)


GRAMMAR_VERSION: Final = 1
"""Changes whenever the drawing functions draw other queries, as certificates are of all of them."""


def query(
    choices: Choices, operators: int | None = None, *, kind: TimeKind = TimeKind.INTEGER,
    bodies: Bodies | None = None,
) -> EpsparqlQuery:
    """Draw a query, perhaps with a number of operators: rules, and those of its patterns.

    Args:
        choices: chooses.
        operators: the number of its operators; default: any.
        kind: what durations are measured in, as streams are.
        bodies: draws what is between operators; default: patterns of any constructs.
    """
    return query_of(choices, Shape(kind, bodies=bodies), operators)


def query_of(choices: Choices, shape: Shape, operators: int | None = None) -> EpsparqlQuery:
    counts = _RULES if operators is None else range(min(operators, 2) + 1)
    count = choices.among("epsparql/rules", counts)
    alone = count > 0 and rarely(choices, "rules alone")
    sizes = _sizes(choices, operators, count, alone)
    rules: list[Rule] = []
    for size in sizes[:count]:
        if len(rules) < 2:
            rules += rules_of(choices, shape.inside(rule=True), size)
            shape.derived = True
    select = None
    form = Form.SELECT
    described: tuple[URIRef, ...] = ()
    if not alone:
        form = choices.among("epsparql/form", (*[Form.SELECT] * 8, Form.ASK, Form.DESCRIBE))
        match form:
            case Form.SELECT:
                select = _select(choices, shape, sizes[-1])
            case Form.ASK:
                select = s.SelectQuery((), group_of(choices, shape, 2, sizes[-1]))
            case Form.DESCRIBE:
                select, described = _describe(choices, shape, sizes[-1])
    streams: tuple[StreamClause, ...] = ()
    if rarely(choices, "streams"):
        streams = tuple(StreamClause(iri) for iri in STREAMS[: choices.among("", (1, 2))])
    dataset = choices.among(*_DATASETS)
    return EpsparqlQuery(select, tuple(rules), streams, dataset, PROLOGUE, form, described)


_RULES = (0, 0, 0, 0, 1, 1, 2)
COLUMNAR: Final[Options] = {
    "epsparql/rules": (0,), "epsparql/form": (Form.SELECT,),
    "epsparql/select": ("all", "some", "count", "interval"), "epsparql/group": ("sequence",),
    "epsparql/operator": (Operator.SEQ, "UNION", "FILTER"),
    "epsparql/side": ("one", "two", "filter"), "epsparql/condition": ("", "time", "value"),
}
"""The options of queries whose sequences an engine can evaluate by columns."""


def _sizes(
    choices: Choices, operators: int | None, rules: int, alone: bool
) -> Sequence[int | None]:
    """Draw how many operators each rule's body has, and the pattern behind them unless alone."""
    parts = rules + (not alone)
    if operators is None:
        return [None] * parts
    left = operators - rules
    sizes = []
    for _ in range(parts - 1):
        sizes.append(choices.among("operators of a rule", range(left + 1)))
        left -= sizes[-1]
    return [*sizes, left]


_DATASETS: Decided[s.DatasetClause | None] = ("epsparql/dataset", (
    *(None,) * 12, s.DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[:1]),
    s.DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[1:]), s.DatasetClause((), BACKGROUNDS[1:]),
))


def _describe(
    choices: Choices, shape: Shape, operators: int | None
) -> tuple[s.SelectQuery, tuple[URIRef, ...]]:
    """What DESCRIBE is about: variables, all of them, a resource, a resource without a pattern"""
    where = group_of(choices, shape, 1, operators)
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


_AGGREGATES = (
    ("COUNT", ""), ("COUNT", "variable"), *(("MAX", "duration"), ("MIN", "duration")) * 2,
    ("SUM", "variable"), ("MIN", "variable"), ("MAX", "variable"),
)
_HAVING: tuple[tuple[s.Expression, ...], ...] = (
    *((),) * 5, (s.Comparison(">", s.Aggregate("COUNT", None), NUMBERS[0]),),
)


def _select(choices: Choices, shape: Shape, operators: int | None) -> s.SelectQuery:
    where = group_of(choices, shape, 2, operators)
    variables = in_scope(where)
    kinds = (*("all",) * 4, "some", "some", "count", "interval", "any")
    what = choices.among("epsparql/select", kinds)
    if what == "any":
        return any_select(choices, terms_of(choices, shape), where)
    projection = None
    groups_by: tuple[Variable, ...] = ()
    having: tuple[s.Expression, ...] = ()
    if variables and what != "all":
        projection = tuple(map(s.Projection, variables[: choices.among("selected", (1, 2))]))
    if projection is not None and what == "count":
        aggregate, of = choices.among("aggregate", _AGGREGATES)
        operands = {"variable": variables[-1], "duration": _function(DURATION)}
        counted = s.Aggregate(aggregate, operands.get(of))
        groups_by = (variables[0],) if choices.among("grouped", COIN) else ()
        having = choices.among("having", _HAVING)
        computed = s.Projection(Variable("c0"), counted)
        projection = (*map(s.Projection, groups_by), computed)
    elif projection is not None and what == "interval":
        projection = (*projection, s.Projection(Variable("d0"), s.BuiltIn(DURATION, ())))
    modifier = s.SolutionModifier(group_by=groups_by, having=having)
    # No order tells the blank nodes that rules construct apart.
    if or_not(choices, "slice", 3) and not shape.derived:
        order: list[s.OrderCondition] = []
        keys: tuple[s.Expression, ...] = tuple(e.variable for e in projection or ()) or variables
        if projection is None or what == "some":
            keys = (*variables, *map(_function, (DURATION, START_TIME)))
        for _ in range(choices.among("epsparql/order", (0, 1, 2, 2))):
            order.append(s.OrderCondition(
                choices.among("key", keys), choices.among("descending", COIN)
            ))
        modifier = replace(
            modifier, order_by=tuple(order), limit=choices.among("limit", (1, 2, 3)),
            offset=choices.among("offset", (0, 1)),
        )
    distinct = projection is not None and or_not(choices, "distinct", 2)
    return s.SelectQuery(projection, where, modifier, distinct=distinct)


def _function(name: str) -> s.Expression:
    return s.BuiltIn(name, ())
