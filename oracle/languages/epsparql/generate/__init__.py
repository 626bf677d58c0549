"""EP-SPARQL inputs: patterns, rules, queries, streams, whole cases, drawn by choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any, Final

from hypothesis.strategies import SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from .....semantics.epsparql.syntax.analysis import refuse
from .....semantics.epsparql.syntax.readings import Policy, Readings
from .....semantics.epsparql.syntax.stratification import strata
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
from .....semantics.model.errors import QueryError, ReadingError
from .....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from .....semantics.model.terms import Graph, Triple
from .....semantics.model.trees import changed, find, has
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from .....semantics.rdf.syntax.variables import in_scope
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import COIN, Choices, Decided, Options, cases_on, several, strategies
from ....inputs.graphs import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    ODD_LITERALS,
    PROLOGUE,
    QUANTITY,
    RESOURCES,
    STREAMS,
    THINGS,
    blank_node,
    in_document,
    name,
)
from ....inputs.sparql import any_select
from ....inputs.sparql_data import Usual, background_instance, instance
from ....inputs.streams import MOST_REMEMBERED, WEIGHTED, arranged, lasting
from ..cost_estimate import affordable
from ..features import EpsparqlCase
from .patterns import (
    ABOVE,
    AMOUNTS_OF,
    CLASS,
    MADE,
    Bodies,
    Shape,
    block_of,
    group_of,
    or_not,
    pattern,
    rarely,
    terms_of,
)


def rules_of(choices: Choices, shape: Shape, operators: int | None = None) -> Iterator[Rule]:
    """Yield a rule that constructs :k or :p, or two of which one asks for what the other
    constructs; with blank nodes only from what no rule constructs, unless its body has so many
    operators"""
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
    """Return a rule's pattern, known and linked nodes, which goes on from its results."""
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
    """Return a DESCRIBE of variables, all of them, a resource, or one without a pattern."""
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


_NODES = (*RESOURCES, name("c"))
_DATA: list[Triple] = [
    *((x, LINK, y) for x in RESOURCES for y in RESOURCES),
    *((x, QUANTITY, n) for x in RESOURCES for n in NUMBERS[:2]),
    (RESOURCES[0], TYPE, CLASS), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (blank_node(STREAMS[0]), LINK, RESOURCES[0]), (RESOURCES[0], LINK, BACKGROUNDS[0]),
]
_CHAINS: list[Triple] = [(x, LINK, y) for x in _NODES for y in (*_NODES[1:], _NODES[0]) if x != y]
_MIXED: list[Triple] = [
    *((x, QUANTITY, n) for x in RESOURCES for n in (*NUMBERS, *ODD_LITERALS)),
    *((x, QUANTITY, y) for x in RESOURCES for y in (RESOURCES[0], blank_node(STREAMS[0]))),
    *((x, LINK, y) for x in RESOURCES for y in (*RESOURCES, BACKGROUNDS[0], NUMBERS[0])),
]


def _graphs_of(triples: list[Triple]) -> tuple[Graph, ...]:
    """Return graphs of one triple or two: no more than 127, from where on Hypothesis prefers the
    first"""
    single = [frozenset((triple,)) for triple in triples]
    double = [frozenset(pair) for pair in combinations(triples, 2)]
    return (*single, *Random(0).sample(double, min(len(double), 126 - len(single))))


_ALPHABETS = {
    "usual": _graphs_of(_DATA), "chains": _graphs_of(_CHAINS), "mixed": _graphs_of(_MIXED),
}
_TIMING = ("epsparql/timing", (
    *((1, 0),) * 5, *((0, 0), (2, 0)) * 2, (1, 1), (1, 2), (0, 1), (0, 2), (2, 1),
))
"""The gap to the item before, and how long it lasts."""
_Payload = tuple[Graph, int]
"""The graph of an item, and its duration when it ends."""


def stream(
    choices: Choices, *, kind: TimeKind = TimeKind.INTEGER, max_size: int = 7
) -> tuple[Item, ...]:
    """Draw a stream of small graphs, now and then over intervals, in the order of their ends."""
    events = _events(choices, STREAMS[0], [], max_size, {})
    return tuple(lasting(tick, *payload, kind) for tick, _, payload in events)


def _events(
    choices: Choices, iri: URIRef, wanted: Sequence[s.GroupGraphPattern], max_size: int,
    usual: Usual,
) -> list[tuple[int, URIRef, _Payload]]:
    """Return a few items, of which some say what one of these patterns asks for."""
    graphs = _ALPHABETS[choices.among("epsparql/data", ("usual", "usual", "chains", "mixed"))]
    made: list[tuple[int, URIRef, _Payload]] = []
    end = 0
    for _ in range(choices.among("", range(1, max_size + 1))):
        gap, length = choices.among(*_TIMING)
        end += gap
        graph: Graph = frozenset()
        if wanted and choices.among("epsparql/item", ("any", "asked")) == "asked":
            graph = instance(choices, choices.among("", wanted), iri, usual)
        made.append((end, iri, (graph or choices.among("", graphs), length)))
    return made


def streams_of(
    choices: Choices, query: EpsparqlQuery, shape: Shape, usual: Usual
) -> dict[URIRef, tuple[Item, ...]]:
    """Return the streams of a query, arranged by a profile all together."""
    wanted = asked_by(query)
    names = [clause.iri for clause in query.streams] or [STREAMS[0]]
    most = _most(query, shape)
    room = max(min(most // len(names), 7), 1)
    scripted = [event for iri in names for event in _events(choices, iri, wanted, room, usual)]
    options = [each for each in WEIGHTED if each != "long"]
    if most > MOST_REMEMBERED:
        options += ["long"] * 18
    events = arranged(
        choices, "epsparql/stream", scripted, widths=sorted({*shape.widths} - {0}), options=options,
        most=most,
    )
    if not events and shape.kind is TimeKind.DATETIME:
        events = scripted  # the times of an empty stream are numbers
    events.sort(key=lambda event: event[0])
    return {
        iri: tuple(
            lasting(tick, in_document(graph, iri), length, shape.kind)
            for tick, where, (graph, length) in events if where == iri
        )
        for iri in names
    }


def asked_by(query: EpsparqlQuery) -> list[s.GroupGraphPattern]:
    asked = [] if query.select is None else [query.select.where]
    return asked + [rule.where for rule in query.rules]


def _most(query: EpsparqlQuery, shape: Shape) -> int:
    """Return the maximum number of items: the definitions try all choices of occurrences."""
    sizes = list(block_sizes(query))
    if len(query.rules) > 1:
        return 6
    if query.rules or any(size > 2 for size in sizes) or _has_closure(query):
        return 9
    if sum(sizes) > 3:
        return MOST_REMEMBERED
    return 60 if shape.widths else 2 * MOST_REMEMBERED


def block_sizes(query: EpsparqlQuery) -> Iterator[int]:
    return (len(block.triples) for block in find(query, s.TriplesBlock))


def _has_closure(query: EpsparqlQuery) -> bool:
    """Return True if a path may have unbounded length."""
    return has(query, s.ZeroOrMorePath, s.OneOrMorePath)


_KNOWN_TRIPLES: list[Triple] = [
    (CLASS, SUB_CLASS_OF, ABOVE), (QUANTITY, DOMAIN, CLASS), (LINK, RANGE, ABOVE),
    (LINK, SUB_PROPERTY_OF, KNOWN), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (RESOURCES[1], KNOWN, RESOURCES[0]), (RESOURCES[0], LINK, RESOURCES[1]),
    (RESOURCES[0], TYPE, ABOVE), (RESOURCES[1], QUANTITY, NUMBERS[0]),
    (RESOURCES[0], LINK, BACKGROUNDS[0]), (RESOURCES[0], LINK, BACKGROUNDS[1]),
]


def _background(choices: Choices) -> Graph:
    return frozenset(several(choices, _KNOWN_TRIPLES, 4))


def background(choices: Choices, query: EpsparqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """Background graphs now and then, or where GRAPH asks for them; with what it asks for."""
    kb: dict[URIRef, Graph] = {}
    asks = has(query, s.NamedGraphPattern)
    if asks or rarely(choices, "background"):
        kb[BACKGROUNDS[0]] = _background(choices)
        if asks:
            kb[BACKGROUNDS[0]] |= in_document(frozenset().union(*(
                background_instance(choices, where, BACKGROUNDS[0], usual)
                for where in asked_by(query)
            )), BACKGROUNDS[0])
        if choices.among("", COIN):
            kb[BACKGROUNDS[1]] = _background(choices)
    return kb


def _all_readings() -> tuple[Readings, ...]:
    """Return the defaults, one other value, or two; as often as they are drawn."""
    fields = {
        field: values for field, values in Readings.choices().items()
        if field not in ("policy", "seqoptional")
    }
    others = [(field, value) for field, values in fields.items() for value in values[1:]]
    single = [Readings.of({field: value}) for field, value in others]
    double = [
        Readings.of({one[0]: one[1], other[0]: other[1]})
        for one, other in combinations(others, 2) if one[0] != other[0]
    ]
    return (*[Readings()] * 2 * len(single), *single * 4, *double)


_READINGS = ("epsparql/readings", _all_readings())


def readings(choices: Choices) -> Readings:
    """Draw readings, mostly the default of each."""
    return choices.among(*_READINGS)


def case(choices: Choices, asked: EpsparqlQuery | None = None) -> EpsparqlCase:
    """Draw a query, unless one is given, with streams that it often matches, and readings."""
    kind = TimeKind.INTEGER
    if asked is None:
        kind = choices.among("epsparql/kind", (TimeKind.INTEGER,) * 5 + (TimeKind.DATETIME,))
    shape = Shape(kind)
    query = query_of(choices, shape) if asked is None else asked
    read = readings(choices)
    if asked is None and choices.among(*_SEQOPTIONAL) == "hypothetical":
        query = changed(query, _argued_against)
        read = replace(read, seqoptional="hypothetical")
    if max(block_sizes(query), default=0) > 3:
        # Each choice of each triple counts: there are too many of them.
        read = replace(read, occurrences="some")
    usual: Usual = {
        named.name: BACKGROUNDS[0] for named in find(query, s.NamedGraphPattern)
        if isinstance(named.name, Variable)
    }
    kb = background(choices, query, usual)
    streams = streams_of(choices, query, shape, usual)
    made = EpsparqlCase(_stratified(query, read, bool(kb)), streams, kb, read)
    policies: tuple[Policy, ...] = (
        "unrestricted", "unrestricted", "chronological", "recent"
    )
    return _under_policy(_bounded(made), choices.among("epsparql/policy", policies))


_SEQOPTIONAL = ("epsparql/seqoptional", ("refused",) * 9 + ("hypothetical",))


def _argued_against(part: Any) -> Any:
    """SEQOPTIONAL in the place of OPTIONALSEQ."""
    if isinstance(part, TemporalPattern) and part.operator is Operator.OPTIONALSEQ:
        optional, mandatory = part.alternatives
        return replace(
            part, alternatives=(mandatory, optional), operator=Operator.SEQOPTIONAL
        )
    return part


def _bounded(case: EpsparqlCase) -> EpsparqlCase:
    """Return the case without the last items where the definitions would have too much to do."""
    while not affordable(case) and any(len(stream) > 1 for stream in case.streams.values()):
        longest = max(case.streams, key=lambda name: len(case.streams[name]))
        kept = 4 * len(case.streams[longest]) // 5
        case = case.but(streams={**case.streams, longest: case.streams[longest][:kept]})
    return case


def _under_policy(case: EpsparqlCase, policy: Policy) -> EpsparqlCase:
    """Return the case under a policy and at instants, if it is what a policy is about."""
    if policy == "unrestricted":
        return case
    asked = case.but(readings=replace(case.readings, policy=policy))
    try:
        refuse(asked.query, asked.readings)
    except ReadingError:
        return case
    return asked.but(streams={
        iri: tuple(
            TimestampedGraph(item.end, item.graph, item.kind)
            if isinstance(item, IntervalGraph) else item
            for item in stream
        )
        for iri, stream in case.streams.items()
    })


def _stratified(query: EpsparqlQuery, readings: Readings, known: bool) -> EpsparqlQuery:
    """Return the query with as many of its rules as have a closure."""
    inferable = frozenset({TYPE, KNOWN}) if known else frozenset()
    rules = query.rules
    while rules:
        try:
            strata(rules, readings.leftjoin, inferable)
            break
        except QueryError:
            rules = rules[:-1]
    if not rules and query.select is None:
        select = s.SelectQuery(None, query.rules[0].where)
        return replace(query, select=select, rules=())
    return replace(query, rules=rules)


VALUE_TABLES = graph_value_tables(
    "epsparql", "SELECT * WHERE {{ {} }}",
)

epsparql_patterns = strategies(pattern)
epsparql_queries = strategies(query)
epsparql_readings = strategies(readings)
epsparql_streams = strategies(stream)


def epsparql_cases(
    queries: SearchStrategy[EpsparqlQuery] | None = None
) -> SearchStrategy[EpsparqlCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


__all__ = [
    "COLUMNAR", "VALUE_TABLES", "case", "epsparql_cases", "epsparql_patterns", "epsparql_queries",
    "epsparql_readings", "epsparql_streams",
]
