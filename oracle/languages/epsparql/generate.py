"""Strategies for EP-SPARQL: patterns, rules, queries, and cases that often have solutions.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from ....semantics.epsparql.syntax.analysis import groups, refuse
from ....semantics.epsparql.syntax.readings import Policy, Readings
from ....semantics.epsparql.syntax.strata import strata
from ....semantics.epsparql.syntax.tree import (
    DURATION,
    END_TIME,
    START_TIME,
    EpsparqlQuery,
    Form,
    Operator,
    Rule,
    StreamClause,
    TemporalPattern,
)
from ....semantics.model.errors import DenotaError, QueryError, ReadingError
from ....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ....semantics.model.terms import Graph, Term, Triple, literal
from ....semantics.model.time import XSD, format_duration
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ....semantics.rdf.syntax.variables import in_scope
from ...fuzzing.strategies.choices import among
from ...fuzzing.strategies.conditions import conditions
from ...fuzzing.strategies.graph_patterns import PATHS
from ...fuzzing.strategies.vocabulary import (
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
    blank_node,
    name,
)
from .case import EpsparqlCase

SECOND = 1_000_000
_CLASS, _ABOVE = name("C"), name("D")

_LINKS = [
    s.TriplePattern(x, LINK, y)
    for x in (*THINGS[:2], RESOURCES[0]) for y in (THINGS[1], THINGS[0], THINGS[2], RESOURCES[1])
]
_AMOUNTS_OF = [
    s.TriplePattern(x, QUANTITY, n)
    for x in THINGS[:2] for n in (AMOUNTS[0], AMOUNTS[1], AMOUNTS[0], NUMBERS[0])
]
_OTHERS = [
    s.TriplePattern(THINGS[0], TYPE, _ABOVE),
    s.TriplePattern(THINGS[0], KNOWN, THINGS[1]),
    s.TriplePattern(THINGS[0], Variable("r"), THINGS[1]),
]
_TRIPLES = among([*_LINKS, *_AMOUNTS_OF, *_OTHERS])
_PATH_TRIPLES = among([
    s.TriplePattern(x, path, y) for path in PATHS for x in THINGS[:2] for y in THINGS[1:]
])
_OPERATORS = among((
    Operator.SEQ, Operator.SEQ, Operator.SEQ, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL,
    Operator.EQUALS, Operator.OPTIONALSEQ,
))
_ELEMENTS = among((
    "triples", "temporal", "temporal", "temporal", "triples", "filter", "interval", "optional",
    "union", "group", "path", "bind", "values", "minus", "graph", "exists", "select", "anonymous",
))
_SIMPLE = among(("triples", "triples", "triples", "filter", "interval", "path", "anonymous"))
_NAMED: tuple[URIRef | Variable, ...] = (BACKGROUNDS[0], Variable("g"))
_GRAPH_NAMES = among(_NAMED)
_COMPARISONS = among(("<", "<=", ">", "=", ">="))
_SIZES = among((1, 1, 2, 1, 2, 3))
_COIN = st.booleans()
_RARELY = among((False, False, False, False, True))


class _Shape:
    """What a pattern may be made of."""

    def __init__(self, kind: TimeKind, *, rule: bool = False) -> None:
        self.kind = kind
        self.rule = rule
        self.labels = count()

    def blank(self) -> BNode:
        """A blank node of one basic graph pattern"""
        return BNode(f"e{next(self.labels)}")


@st.composite
def epsparql_patterns(
    draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER, depth: int = 2
) -> s.GroupGraphPattern:
    """Groups of EP-SPARQL, nested up to `depth` deep."""
    return _group(draw, _Shape(kind), depth)


def _group(draw: DrawFn, shape: _Shape, depth: int) -> s.GroupGraphPattern:
    if depth > 0 and draw(_COIN):
        return _sequence(draw, shape, depth)
    elements: list[s.Element] = []
    for _ in range(draw(_SIZES)):
        elements += _element(draw, shape, depth, elements)
    if not any(isinstance(e, s.TriplesBlock | s.UnionPattern) for e in elements):
        elements.insert(0, s.TriplesBlock((draw(_TRIPLES),)))
    return s.GroupGraphPattern(tuple(_adjacent(elements)))


def _sequence(draw: DrawFn, shape: _Shape, depth: int) -> s.GroupGraphPattern:
    """Two plain patterns and an operator, now and then three, now and then a condition"""
    left, right = _plain(draw), _plain(draw)
    if depth > 1 and draw(_RARELY):
        left = s.GroupGraphPattern((TemporalPattern((left, _plain(draw)), draw(_OPERATORS)),))
    elif depth > 1 and draw(_RARELY):
        right = s.GroupGraphPattern((TemporalPattern((right, _plain(draw)), draw(_OPERATORS)),))
    sequence = TemporalPattern((left, right), draw(_OPERATORS))
    if draw(_RARELY):
        return s.GroupGraphPattern((sequence, s.Filter(_about_time(draw, shape))))
    if draw(_RARELY):
        bound = in_scope(s.GroupGraphPattern((sequence,)))
        return s.GroupGraphPattern((sequence, s.Filter(draw(conditions(bound or THINGS[:1])))))
    return s.GroupGraphPattern((sequence,))


def _plain(draw: DrawFn) -> s.GroupGraphPattern:
    """A block of one triple pattern, rarely of two"""
    triples = [draw(_TRIPLES)]
    if draw(_RARELY):
        triples.append(draw(_TRIPLES))
    return s.GroupGraphPattern((s.TriplesBlock(tuple(triples)),))


def _adjacent(elements: Sequence[s.Element]) -> Iterator[s.Element]:
    """Triples blocks side by side are one, as they would be read"""
    block: tuple[s.TriplePattern, ...] = ()
    for element in elements:
        if isinstance(element, s.TriplesBlock):
            block += element.triples
            continue
        if block:
            yield s.TriplesBlock(block)
            block = ()
        yield element
    if block:
        yield s.TriplesBlock(block)


def _element(
    draw: DrawFn, shape: _Shape, depth: int, before: list[s.Element]
) -> Iterator[s.Element]:
    bound = in_scope(s.GroupGraphPattern(tuple(before)))
    match draw(_ELEMENTS if depth > 0 else _SIMPLE):
        case "temporal":
            left, right = _group(draw, shape, depth - 1), _group(draw, shape, depth - 1)
            yield TemporalPattern((left, right), draw(_OPERATORS))
        case "filter":
            yield s.Filter(draw(conditions(bound or THINGS[:1])))
        case "interval":
            yield s.Filter(_about_time(draw, shape))
        case "optional":
            yield s.OptionalPattern(_group(draw, shape, depth - 1))
        case "union":
            sides = (_group(draw, shape, 0), _group(draw, shape, 0))
            yield s.UnionPattern(sides)
        case "group":
            yield s.UnionPattern((_group(draw, shape, depth - 1),))
        case "path":
            yield s.TriplesBlock((draw(_PATH_TRIPLES),))
        case "bind" if not shape.rule:
            free = [v for v in (*AMOUNTS[2:], Variable("o")) if v not in bound]
            if free:
                source = draw(among((DURATION, START_TIME, END_TIME)))
                value: s.Expression = s.BuiltIn(source, ())
                if draw(_RARELY):
                    value = s.Exists(_group(draw, shape, 0), draw(_COIN))
                yield s.Bind(value, free[0])
        case "values":
            rows = draw(st.lists(among((*RESOURCES, None)), min_size=1, max_size=2, unique=True))
            yield s.InlineData((THINGS[0],), tuple((row,) for row in rows))
        case "minus":
            yield s.MinusPattern(_group(draw, shape, 0))
        case "graph":
            named = draw(_GRAPH_NAMES)
            yield s.NamedGraphPattern(named, _group(draw, shape, 0))
        case "exists":
            yield s.Filter(_existential(draw, shape, bound, depth))
        case "select" if not shape.rule:
            yield s.UnionPattern((s.GroupGraphPattern((_sub_select(draw, shape, bound),)),))
        case "anonymous":
            triple = draw(_TRIPLES)
            yield s.TriplesBlock((
                s.TriplePattern(shape.blank(), triple.predicate, triple.object),
            ))
        case _:
            triples = [draw(_TRIPLES)]
            if draw(_COIN):
                triples.append(draw(_TRIPLES))
            yield s.TriplesBlock(tuple(triples))


def _sub_select(draw: DrawFn, shape: _Shape, bound: tuple[Variable, ...]) -> s.SubSelect:
    where = _group(draw, shape, 0)
    variables = in_scope(where)
    if draw(_COIN) and variables:
        count_of = s.Projection(Variable("c"), s.Aggregate("COUNT", None))
        key = variables[0]
        modifier = s.SolutionModifier(group_by=(key,))
        return s.SubSelect(s.SelectQuery((s.Projection(key), count_of), where, modifier))
    projection = tuple(map(s.Projection, variables[:1])) or None
    return s.SubSelect(s.SelectQuery(projection, where, distinct=draw(_COIN)))


def _existential(
    draw: DrawFn, shape: _Shape, bound: tuple[Variable, ...], depth: int
) -> s.Expression:
    """EXISTS as a condition, now and then under what turns it round, or beside another one"""
    inner = _group(draw, shape, 0)
    if depth > 0 and draw(_RARELY):
        nested = s.Filter(s.Exists(_group(draw, shape, 0), draw(_COIN)))
        inner = s.GroupGraphPattern((*inner.elements, nested))
    exists = s.Exists(inner, draw(_COIN))
    match draw(among(("", "", "", "", "!", "||", "&&", "="))):
        case "!":
            return s.Not(exists)
        case "||":
            return s.Or((exists, draw(conditions(bound or THINGS[:1]))))
        case "&&":
            return s.And((exists, s.Not(s.Exists(_group(draw, shape, 0)))))
        case "=":
            return s.Comparison("=", exists, literal("false", XSD + "boolean"))
    return exists


def _about_time(draw: DrawFn, shape: _Shape) -> s.Expression:
    """A condition on the interval"""
    if draw(_RARELY):
        return s.Comparison(
            draw(_COMPARISONS), s.BuiltIn(START_TIME, ()), s.BuiltIn(END_TIME, ())
        )
    length = draw(among((3, 2, 1, 0, 5)))
    if shape.kind is TimeKind.INTEGER:
        constant = literal(str(length), XSD + "integer")
    else:
        datatype = draw(among(("duration", "dayTimeDuration")))
        constant = literal(format_duration(length * SECOND), XSD + datatype)
    if draw(_RARELY):
        other = draw(among((Variable("o"), AMOUNTS[2], AMOUNTS[0])))
        sides: tuple[s.Expression, ...] = (constant, s.BuiltIn(DURATION, ()))
        return s.Comparison(draw(_COMPARISONS), other, draw(among(sides)))
    return s.Comparison(draw(_COMPARISONS), s.BuiltIn(DURATION, ()), constant)


# --- queries -------------------------------------------------------------------------------------


@st.composite
def epsparql_queries(draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER) -> EpsparqlQuery:
    """EP-SPARQL queries: rules now and then, and a SELECT."""
    rules = tuple(_rule(draw, kind) for _ in range(draw(among((0, 0, 0, 1, 1, 2)))))
    select = None
    form = Form.SELECT
    described: tuple[URIRef, ...] = ()
    if not rules or not draw(_RARELY):
        form = draw(_FORMS)
        match form:
            case Form.SELECT:
                select = _select(draw, kind)
            case Form.ASK:
                select = s.SelectQuery((), _group(draw, _Shape(kind), 2))
            case Form.DESCRIBE:
                select, described = _describe(draw, kind)
    streams: tuple[StreamClause, ...] = ()
    if draw(_RARELY):
        streams = tuple(StreamClause(iri) for iri in STREAMS[: draw(among((1, 2)))])
    return EpsparqlQuery(select, rules, streams, None, PROLOGUE, form, described)


_FORMS = among((*[Form.SELECT] * 8, Form.ASK, Form.DESCRIBE))


def _describe(draw: DrawFn, kind: TimeKind) -> tuple[s.SelectQuery, tuple[URIRef, ...]]:
    """What DESCRIBE is about: variables, all of them, a resource, a resource without a pattern"""
    where = _group(draw, _Shape(kind), 1)
    some = tuple(map(s.Projection, in_scope(where)[:1]))
    modifier = s.SolutionModifier(limit=1 if draw(_RARELY) else None)
    match draw(among(("some", "some", "all", "both", "named"))):
        case "all":
            return s.SelectQuery(None, where, modifier), ()
        case "named":
            return s.SelectQuery((), s.GroupGraphPattern()), RESOURCES[:1]
        case "some" if some:
            return s.SelectQuery(some, where, modifier), ()
    return s.SelectQuery(some, where, modifier), RESOURCES[:1]


_SELECTS = among((
    "all", "all", "all", "some", "some", "distinct", "count", "limit", "interval", "ordered",
))


def _select(draw: DrawFn, kind: TimeKind) -> s.SelectQuery:
    where = _group(draw, _Shape(kind), 2)
    variables = in_scope(where)
    what = draw(_SELECTS)
    if not variables or what == "all":
        return s.SelectQuery(None, where)
    some = tuple(map(s.Projection, variables[: draw(among((1, 2)))]))
    match what:
        case "distinct":
            return s.SelectQuery(some, where, distinct=True)
        case "count":
            free = Variable("c0")
            counted = s.Aggregate("COUNT", draw(among((None, variables[-1]))))
            if draw(_COIN):
                counted = s.Aggregate("MAX", s.BuiltIn(DURATION, ()))
            groups_by = (variables[0],) if draw(_COIN) else ()
            projection = (*map(s.Projection, groups_by), s.Projection(free, counted))
            return s.SelectQuery(projection, where, s.SolutionModifier(group_by=groups_by))
        case "limit":
            modifier = s.SolutionModifier(limit=draw(among((1, 2))), offset=draw(among((0, 1))))
            return s.SelectQuery(None, where, modifier)
        case "ordered":
            keys: tuple[s.Expression, ...] = (*variables, s.BuiltIn(DURATION, ()))
            by = s.OrderCondition(draw(among(keys)), draw(_COIN))
            return s.SelectQuery(None, where, s.SolutionModifier(order_by=(by,), limit=2))
        case "interval":
            length = s.Projection(Variable("d0"), s.BuiltIn(DURATION, ()))
            return s.SelectQuery((*some, length), where)
    return s.SelectQuery(some, where)


def _rule(draw: DrawFn, kind: TimeKind) -> Rule:
    """A rule that constructs :k or :p; with blank nodes only from what no rule constructs"""
    if draw(_RARELY):
        block = s.TriplesBlock((draw(among(_AMOUNTS_OF)),))
        where = s.GroupGraphPattern((block,))
        made = s.TriplePattern(BNode("m"), name("made"), in_scope(where)[0])
        return Rule((made,), where)
    where = _group(draw, _Shape(kind, rule=True), 1)
    if draw(_RARELY):
        known = s.TriplesBlock((s.TriplePattern(THINGS[2], KNOWN, draw(among(THINGS[:2]))),))
        asked = s.Filter(s.Exists(s.GroupGraphPattern((known,))))
        where = s.GroupGraphPattern((*where.elements, asked))
    things = [v for v in in_scope(where) if v in THINGS] or [THINGS[0]]
    targets: list[s.TermOrVariable] = [*reversed(things), RESOURCES[0]]
    target = draw(among(targets))
    made = s.TriplePattern(draw(among(things)), draw(among((KNOWN, KNOWN, LINK))), target)
    return Rule((made,), where)


# --- cases ---------------------------------------------------------------------------------------

_DATA: list[Triple] = [
    *((x, LINK, y) for x in RESOURCES for y in RESOURCES),
    *((x, QUANTITY, n) for x in RESOURCES for n in NUMBERS[:2]),
    (RESOURCES[0], TYPE, _CLASS), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (blank_node(STREAMS[0]), LINK, RESOURCES[0]),
]
_GRAPHS = st.frozensets(among(_DATA), min_size=1, max_size=2)
_GAPS = among((1, 1, 1, 0, 2))
_LENGTHS = among((0, 0, 0, 0, 1, 2))
_KNOWN_TRIPLES: list[Triple] = [
    (_CLASS, SUB_CLASS_OF, _ABOVE), (QUANTITY, DOMAIN, _CLASS), (LINK, RANGE, _ABOVE),
    (LINK, SUB_PROPERTY_OF, KNOWN), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (RESOURCES[1], KNOWN, RESOURCES[0]), (RESOURCES[0], LINK, RESOURCES[1]),
    (RESOURCES[0], TYPE, _ABOVE), (RESOURCES[1], QUANTITY, NUMBERS[0]),
]
_BACKGROUND = st.frozensets(among(_KNOWN_TRIPLES), min_size=1, max_size=3)


@st.composite
def epsparql_streams(
    draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER, max_size: int = 7
) -> tuple[Item, ...]:
    """Streams of small graphs, now and then over intervals, in the order of their ends."""
    size = SECOND if kind is TimeKind.DATETIME else 1
    items: list[Item] = []
    end = 0
    for _ in range(draw(st.integers(1, max_size))):
        end += draw(_GAPS)
        start = end - draw(_LENGTHS)
        graph = draw(_GRAPHS)
        if start < end:
            items.append(IntervalGraph(start * size, end * size, graph, kind))
        else:
            items.append(TimestampedGraph(end * size, graph, kind))
    return tuple(items)


@st.composite
def epsparql_readings(draw: DrawFn) -> Readings:
    """Readings, mostly the default of each."""
    chosen = {
        field: draw(among((*[values[0]] * 4, *values)))
        for field, values in Readings.choices().items()
        if field not in ("policy", "seqoptional")
    }
    return Readings.of(chosen)


@st.composite
def epsparql_cases(
    draw: DrawFn, queries: SearchStrategy[EpsparqlQuery] | None = None
) -> EpsparqlCase:
    """Cases of EP-SPARQL that have a meaning: queries on streams that they often match."""
    kind = TimeKind.DATETIME if queries is None and draw(_RARELY) else TimeKind.INTEGER
    query = draw(epsparql_queries(kind=kind) if queries is None else queries)
    readings = draw(epsparql_readings())
    if max(_block_sizes(query), default=0) > 3:
        # Each choice of each triple counts: there are too many of them.
        readings = replace(readings, occurrences="some")
    streams = {
        iri: draw(epsparql_streams(kind=kind))
        for iri in (clause.iri for clause in query.streams)
    } or {STREAMS[0]: draw(epsparql_streams(kind=kind))}
    streams = {
        iri: tuple(_in_document(item, iri) for item in stream) for iri, stream in streams.items()
    }
    kb: dict[URIRef, Graph] = {}
    if draw(_RARELY) or any(_asks_for_graphs(query)):
        kb[BACKGROUNDS[0]] = draw(_BACKGROUND)
        if draw(_RARELY):
            kb[BACKGROUNDS[1]] = draw(_BACKGROUND)
    case = EpsparqlCase(_stratified(query, readings, bool(kb)), streams, kb, readings)
    if draw(_COIN):
        case = _under_policy(case, draw(among(("chronological", "recent"))))
    return case if queries is not None or draw(_COIN) else _likelier(case)


def _under_policy(case: EpsparqlCase, policy: Policy) -> EpsparqlCase:
    """The case under a policy and at instants, if it is what a policy is about"""
    asked = replace(case, readings=replace(case.readings, policy=policy))
    try:
        refuse(asked.query, asked.readings)
    except ReadingError:
        return case
    return replace(asked, streams={
        iri: tuple(
            TimestampedGraph(item.end, item.graph, item.kind)
            if isinstance(item, IntervalGraph) else item
            for item in stream
        )
        for iri, stream in case.streams.items()
    })


def _likelier(case: EpsparqlCase) -> EpsparqlCase:
    """The case, or if there is no solution one where there is: without its filters."""
    try:
        if case.denotation() not in ([], [False]) or case.query.select is None:
            return case
        select = case.query.select
        kept = tuple(e for e in select.where.elements if not isinstance(e, s.Filter))
        bare = replace(
            case.query, select=replace(select, where=s.GroupGraphPattern(tuple(_adjacent(kept))))
        )
        likely = replace(case, query=bare)
        return likely if kept and likely.denotation() not in ([], [False]) else case
    except DenotaError:
        return case


def _in_document(item: Item, iri: URIRef) -> Item:
    own = blank_node(iri)

    def named(term: Term) -> Term:
        return own if isinstance(term, BNode) else term

    return replace(
        item, graph=frozenset((named(a), named(b), named(c)) for a, b, c in item.graph)
    )


def _block_sizes(query: EpsparqlQuery) -> Iterator[int]:
    for group in groups(query):
        for element in group.elements:
            if isinstance(element, s.TriplesBlock):
                yield len(element.triples)


def _asks_for_graphs(query: EpsparqlQuery) -> Iterator[bool]:
    for group in groups(query):
        for element in group.elements:
            yield isinstance(element, s.NamedGraphPattern)


def _stratified(query: EpsparqlQuery, readings: Readings, known: bool) -> EpsparqlQuery:
    """The query with as many of its rules as have a closure."""
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


strategy = epsparql_cases

__all__ = [
    "EpsparqlCase", "epsparql_cases", "epsparql_patterns", "epsparql_queries",
    "epsparql_readings", "epsparql_streams",
]
