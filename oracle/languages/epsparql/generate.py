"""Strategies for EP-SPARQL: patterns, rules, queries, and cases that often have solutions.

Only combinations that have a meaning are made, so that every generated case is judged. What a case
is like is decided by named choices (`choice`), so that rounds of cases keep to a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, count
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from ....semantics.epsparql.syntax.analysis import refuse
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
from ....semantics.model.errors import QueryError, ReadingError
from ....semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ....semantics.model.terms import Graph, Term, Triple, literal
from ....semantics.model.time import XSD, format_duration
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ....semantics.rdf.syntax.variables import in_scope
from ...fuzzing.strategies.choices import among, choice
from ...fuzzing.strategies.conditions import conditions
from ...fuzzing.strategies.graph_patterns import PATHS
from ...fuzzing.strategies.instances import Usual, background_instance, instance
from ...fuzzing.strategies.profiles import MOST_REMEMBERED, WEIGHTED, profiled
from ...fuzzing.strategies.vocabulary import (
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
    name,
)
from .bounded_work import affordable
from .case import EpsparqlCase

SECOND = 1_000_000
_CLASS, _ABOVE = name("C"), name("D")
_ELSEWHERE = name("z")
"""A resource that no stream speaks of."""

_LINKS = among(
    s.TriplePattern(x, LINK, y)
    for x in (*THINGS[:2], RESOURCES[0]) for y in (THINGS[1], THINGS[0], THINGS[2], RESOURCES[1])
)
_AMOUNTS_OF = among(
    s.TriplePattern(x, QUANTITY, n)
    for x in THINGS[:2] for n in (AMOUNTS[0], AMOUNTS[1], AMOUNTS[0], NUMBERS[0])
)
_KNOWN_OF = among(
    s.TriplePattern(x, KNOWN, y) for x in THINGS[:2] for y in (*THINGS[1:], RESOURCES[1])
)
_ENDS: tuple[s.TermOrVariable, ...] = (*THINGS, RESOURCES[0], _ELSEWHERE)
_APART = s.TriplePattern(Variable("u"), LINK, Variable("v"))
"""What shares no variable with anything."""
_STARTS, _STOPS = among(_ENDS), among((THINGS[1], *_ENDS))
_PATHS = choice("epsparql/path", PATHS)
_COIN = st.booleans()


def _rarely(draw: DrawFn, what: str) -> bool:
    return _or_not(draw, what, 4)


def _or_not(draw: DrawFn, what: str, times: int) -> bool:
    """Whether it is so; that it is not weighs so many times as much"""
    return draw(choice(f"epsparql/{what}", (*("not",) * times, what))) == what


class _Shape:
    """What a pattern may be made of, and the lengths that its conditions speak of."""

    def __init__(self, kind: TimeKind, *, rule: bool = False, derived: bool = False) -> None:
        self.kind = kind
        self.rule = rule
        self.derived = derived  # whether rules construct what a pattern may ask for
        self.labels = count()
        self.widths: list[int] = []

    def inside(self, *, rule: bool) -> _Shape:
        """The same for another pattern of the query."""
        made = _Shape(self.kind, rule=rule, derived=self.derived)
        made.labels, made.widths = self.labels, self.widths
        return made

    def blank(self) -> BNode:
        """A blank node of one basic graph pattern"""
        return BNode(f"e{next(self.labels)}")


@st.composite
def epsparql_patterns(
    draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER, depth: int = 2
) -> s.GroupGraphPattern:
    """Groups of EP-SPARQL, nested up to `depth` deep."""
    return _group(draw, _Shape(kind), depth)


def _triple(draw: DrawFn, shape: _Shape) -> s.TriplePattern:
    often = ("known",) * 6 if shape.derived else ()
    match draw(choice(
        "epsparql/triple",
        ("link",) * 6 + ("amount",) * 4 + ("known", "class", "free", "itself") + often,
    )):
        case "amount":
            return draw(_AMOUNTS_OF)
        case "known":
            return draw(_KNOWN_OF)
        case "class":
            return s.TriplePattern(THINGS[0], TYPE, _ABOVE)
        case "free":
            return s.TriplePattern(THINGS[0], Variable("r"), THINGS[1])
        case "itself":
            return s.TriplePattern(THINGS[0], LINK, THINGS[0])
    return draw(_LINKS)


def _path(draw: DrawFn) -> s.TriplePattern:
    """A path between variables, resources, and such as occur nowhere"""
    start, end = draw(_STARTS), draw(_STOPS)
    return s.TriplePattern(start, draw(_PATHS), end)


def _operator(draw: DrawFn) -> Operator:
    return draw(choice("epsparql/operator", (
        Operator.SEQ, Operator.SEQ, Operator.SEQ, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL,
        Operator.EQUALS, Operator.OPTIONALSEQ,
    )))


def _group(draw: DrawFn, shape: _Shape, depth: int) -> s.GroupGraphPattern:
    if depth > 0:
        match draw(choice("epsparql/group", ("sequence",) * 4 + ("elements",) * 4 + ("block",))):
            case "sequence":
                return _sequence(draw, shape, depth)
            case "block":
                return _block(draw, shape, depth)
    elements: list[s.Element] = []
    for _ in range(draw(choice("epsparql/elements", (1, 1, 2, 1, 2, 3)))):
        elements += _element(draw, shape, depth, elements)
    if not any(isinstance(e, s.TriplesBlock | s.UnionPattern) for e in elements):
        elements.insert(0, s.TriplesBlock((_triple(draw, shape),)))
    return s.GroupGraphPattern(tuple(_adjacent(elements)))


def _sequence(draw: DrawFn, shape: _Shape, depth: int) -> s.GroupGraphPattern:
    """Two plain patterns and an operator, now and then three, now and then a condition"""
    left, right = _plain(draw, shape), _plain(draw, shape)
    nested = draw(choice("epsparql/third", ("", "", "left", "right"))) if depth > 1 else ""
    if nested == "left":
        pattern = TemporalPattern((left, _plain(draw, shape)), _operator(draw))
        left = s.GroupGraphPattern((pattern,))
    elif nested == "right":
        pattern = TemporalPattern((right, _plain(draw, shape)), _operator(draw))
        right = s.GroupGraphPattern((pattern,))
    sequence = TemporalPattern((left, right), _operator(draw))
    return _conditioned(draw, shape, sequence, depth)


def _block(draw: DrawFn, shape: _Shape, depth: int) -> s.GroupGraphPattern:
    """Triples that may be far apart, often no further than a condition allows"""
    triples = [_triple(draw, shape) for _ in range(draw(choice("epsparql/block", (2, 2, 3))))]
    return _conditioned(draw, shape, s.TriplesBlock(tuple(triples)), depth)


def _conditioned(
    draw: DrawFn, shape: _Shape, element: s.Element, depth: int
) -> s.GroupGraphPattern:
    kinds = ("", "", "", "time", "time", "time", "value", "exists")
    bound = in_scope(s.GroupGraphPattern((element,)))
    match draw(choice("epsparql/condition", kinds)):
        case "time":
            return s.GroupGraphPattern((element, s.Filter(_about_time(draw, shape))))
        case "value":
            return s.GroupGraphPattern((element, s.Filter(draw(conditions(bound or THINGS[:1])))))
        case "exists":
            return s.GroupGraphPattern((element, s.Filter(_existential(draw, shape, bound, depth))))
    return s.GroupGraphPattern((element,))


def _plain(draw: DrawFn, shape: _Shape) -> s.GroupGraphPattern:
    """A block of one triple pattern, rarely of two, or with a condition of its own, or a path"""
    triples = [_triple(draw, shape)]
    match draw(choice("epsparql/side", ("one",) * 6 + ("two", "filter", "path"))):
        case "two":
            triples.append(_triple(draw, shape))
        case "filter":
            block = s.TriplesBlock(tuple(triples))
            bound = in_scope(s.GroupGraphPattern((block,)))
            if draw(_COIN) or not bound:
                return s.GroupGraphPattern((block, s.Filter(_about_time(draw, shape))))
            return s.GroupGraphPattern((block, s.Filter(draw(conditions(bound)))))
        case "path":
            triples = [_path(draw)]
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
            yield TemporalPattern((left, right), _operator(draw))
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
            yield s.TriplesBlock((_path(draw),))
        case "bind" if not shape.rule:
            free = [v for v in (*AMOUNTS[2:], Variable("o")) if v not in bound]
            if free:
                source = draw(among((DURATION, START_TIME, END_TIME)))
                value: s.Expression = s.BuiltIn(source, ())
                if _rarely(draw, "bind exists"):
                    value = s.Exists(_group(draw, shape, 0), draw(_COIN))
                yield s.Bind(value, free[0])
        case "values":
            rows = draw(st.lists(among((*RESOURCES, None)), min_size=1, max_size=2, unique=True))
            yield s.InlineData((THINGS[0],), tuple((row,) for row in rows))
        case "minus":
            apart = draw(choice("epsparql/minus", ("shares", "shares", "apart"))) == "apart"
            yield s.MinusPattern(_of(_APART) if apart else _group(draw, shape, 0))
        case "graph":
            yield s.NamedGraphPattern(draw(_NAMED), _group(draw, shape, 0))
        case "exists":
            yield s.Filter(_existential(draw, shape, bound, depth))
        case "select" if not shape.rule:
            yield s.UnionPattern((s.GroupGraphPattern((_sub_select(draw, shape),)),))
        case "anonymous":
            triple = _triple(draw, shape)
            yield s.TriplesBlock((
                s.TriplePattern(shape.blank(), triple.predicate, triple.object),
            ))
        case _:
            triples = [_triple(draw, shape)]
            if draw(choice("epsparql/triples", (1, 2))) == 2:
                triples.append(_triple(draw, shape))
            yield s.TriplesBlock(tuple(triples))


_NAMES: tuple[URIRef | Variable, ...] = (
    BACKGROUNDS[0], Variable("g"), THINGS[1], THINGS[1], BACKGROUNDS[1],
)
_NAMED = choice("epsparql/graph", _NAMES)
_ELEMENTS = choice("epsparql/element", (
    "triples", "temporal", "temporal", "triples", "filter", "interval", "optional", "union",
    "group", "path", "bind", "values", "minus", "graph", "graph", "exists", "exists", "select",
    "anonymous",
))
_SIMPLE = choice("epsparql/simple element", (
    "triples", "triples", "triples", "filter", "interval", "path", "anonymous",
))


def _sub_select(draw: DrawFn, shape: _Shape) -> s.SubSelect:
    where = _group(draw, shape, 0)
    variables = in_scope(where)
    if variables and draw(choice("epsparql/sub-select", ("plain", "count"))) == "count":
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
    inner = _asked(draw, shape, bound, depth)
    if depth > 0 and _rarely(draw, "exists within"):
        nested = s.Filter(s.Exists(_group(draw, shape, 0), draw(_COIN)))
        inner = s.GroupGraphPattern((*inner.elements, nested))
    exists = s.Exists(inner, draw(_COIN))
    match draw(choice("epsparql/exists", ("", "", "", "", "!", "||", "&&", "="))):
        case "!":
            return s.Not(exists)
        case "||":
            return s.Or((exists, draw(conditions(bound or THINGS[:1]))))
        case "&&":
            return s.And((exists, s.Not(s.Exists(_group(draw, shape, 0)))))
        case "=":
            return s.Comparison("=", exists, literal("false", XSD + "boolean"))
    return exists


def _asked(
    draw: DrawFn, shape: _Shape, bound: tuple[Variable, ...], depth: int
) -> s.GroupGraphPattern:
    """What EXISTS asks for; now and then only a part within it speaks of what is bound outside"""
    part = draw(choice("epsparql/exists asks", ("group",) * 4 + ("optional", "minus")))
    if part == "group" or not bound:
        deep = depth > 1 and draw(choice("epsparql/exists depth", ("flat", "flat", "deep")))
        return _group(draw, shape, depth - 1 if deep == "deep" else 0)
    triple = s.TriplePattern(draw(among(bound)), draw(_MADE), Variable("v"))
    outer = s.TriplesBlock((_APART,))
    if part == "optional":
        return s.GroupGraphPattern((outer, s.OptionalPattern(_of(triple))))
    return s.GroupGraphPattern((outer, s.MinusPattern(_of(triple))))


def _about_time(draw: DrawFn, shape: _Shape) -> s.Expression:
    """A condition on the interval"""
    what = draw(choice("epsparql/time", ("bound",) * 6 + ("ends", "value")))
    symbol = draw(choice("epsparql/comparison", ("<=", "<=", "<", "=", ">", ">=")))
    if what == "ends":
        return s.Comparison(symbol, s.BuiltIn(START_TIME, ()), s.BuiltIn(END_TIME, ()))
    length = draw(among((3, 2, 1, 0, 5)))
    shape.widths.append(length)
    if shape.kind is TimeKind.INTEGER:
        constant = literal(str(length), XSD + "integer")
    else:
        datatype = draw(among(("duration", "dayTimeDuration")))
        constant = literal(format_duration(length * SECOND), XSD + datatype)
    duration = s.BuiltIn(DURATION, ())
    if what == "value":
        other = draw(among((Variable("o"), AMOUNTS[2], AMOUNTS[0])))
        sides: tuple[s.Expression, ...] = (constant, duration)
        return s.Comparison(symbol, other, draw(among(sides)))
    if _rarely(draw, "constant first"):
        return s.Comparison(symbol, constant, duration)
    return s.Comparison(symbol, duration, constant)


# --- queries -------------------------------------------------------------------------------------


@st.composite
def epsparql_queries(draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER) -> EpsparqlQuery:
    """EP-SPARQL queries: rules now and then, and a SELECT."""
    return _query(draw, _Shape(kind))


def _query(draw: DrawFn, shape: _Shape) -> EpsparqlQuery:
    rules: list[Rule] = []
    for _ in range(draw(choice("epsparql/rules", (0, 0, 0, 0, 1, 1, 2)))):
        if len(rules) < 2:
            rules += _rules(draw, shape.inside(rule=True))
            shape.derived = True
    select = None
    form = Form.SELECT
    described: tuple[URIRef, ...] = ()
    if not rules or not _rarely(draw, "rules alone"):
        form = draw(choice("epsparql/form", (*[Form.SELECT] * 8, Form.ASK, Form.DESCRIBE)))
        match form:
            case Form.SELECT:
                select = _select(draw, shape)
            case Form.ASK:
                select = s.SelectQuery((), _group(draw, shape, 2))
            case Form.DESCRIBE:
                select, described = _describe(draw, shape)
    streams: tuple[StreamClause, ...] = ()
    if _rarely(draw, "streams"):
        streams = tuple(StreamClause(iri) for iri in STREAMS[: draw(among((1, 2)))])
    return EpsparqlQuery(select, tuple(rules), streams, None, PROLOGUE, form, described)


def _describe(draw: DrawFn, shape: _Shape) -> tuple[s.SelectQuery, tuple[URIRef, ...]]:
    """What DESCRIBE is about: variables, all of them, a resource, a resource without a pattern"""
    where = _group(draw, shape, 1)
    some = tuple(map(s.Projection, in_scope(where)[:1]))
    modifier = s.SolutionModifier(limit=1 if _rarely(draw, "describe limit") else None)
    match draw(choice("epsparql/describe", ("some", "some", "all", "both", "named"))):
        case "all":
            return s.SelectQuery(None, where, modifier), ()
        case "named":
            return s.SelectQuery((), s.GroupGraphPattern()), RESOURCES[:1]
        case "some" if some:
            return s.SelectQuery(some, where, modifier), ()
    return s.SelectQuery(some, where, modifier), RESOURCES[:1]


def _select(draw: DrawFn, shape: _Shape) -> s.SelectQuery:
    where = _group(draw, shape, 2)
    variables = in_scope(where)
    what = draw(choice("epsparql/select", ("all",) * 4 + ("some", "some", "count", "interval")))
    projection = None
    groups_by: tuple[Variable, ...] = ()
    if variables and what != "all":
        projection = tuple(map(s.Projection, variables[: draw(among((1, 2)))]))
    if projection is not None and what == "count":
        counted = s.Aggregate("COUNT", draw(among((None, variables[-1]))))
        if draw(_COIN):
            counted = s.Aggregate(draw(among(("MAX", "MIN"))), s.BuiltIn(DURATION, ()))
        groups_by = (variables[0],) if draw(_COIN) else ()
        computed = s.Projection(Variable("c0"), counted)
        projection = (*map(s.Projection, groups_by), computed)
    elif projection is not None and what == "interval":
        projection = (*projection, s.Projection(Variable("d0"), s.BuiltIn(DURATION, ())))
    modifier = s.SolutionModifier(group_by=groups_by)
    if _or_not(draw, "slice", 3):
        order: list[s.OrderCondition] = []
        keys: tuple[s.Expression, ...] = tuple(e.variable for e in projection or ()) or variables
        if projection is None or what == "some":
            keys = (*variables, *map(_function, (DURATION, START_TIME)))
        for _ in range(draw(choice("epsparql/order", (0, 1, 2, 2)))):
            order.append(s.OrderCondition(draw(among(keys)), draw(_COIN)))
        modifier = replace(
            modifier, order_by=tuple(order), limit=draw(among((1, 2, 3))),
            offset=draw(among((0, 1))),
        )
    distinct = projection is not None and _or_not(draw, "distinct", 2)
    return s.SelectQuery(projection, where, modifier, distinct=distinct)


def _function(name: str) -> s.Expression:
    return s.BuiltIn(name, ())


# --- rules ---------------------------------------------------------------------------------------

_MADE = choice("epsparql/made", (KNOWN, KNOWN, LINK))


def _rules(draw: DrawFn, shape: _Shape) -> Iterator[Rule]:
    """A rule that constructs :k or :p, or two of which one asks for what the other constructs;
    with blank nodes only from what no rule constructs"""
    x, y, z = THINGS
    match draw(choice("epsparql/rule", ("any",) * 4 + ("chain", "chain", "late chain", "blank"))):
        case "blank":
            block = s.TriplesBlock((draw(_AMOUNTS_OF),))
            where = s.GroupGraphPattern((block,))
            yield Rule((s.TriplePattern(BNode("m"), name("made"), in_scope(where)[0]),), where)
        case "chain":
            yield Rule((s.TriplePattern(x, KNOWN, y),), _of(s.TriplePattern(x, LINK, y)))
            yield Rule((s.TriplePattern(x, KNOWN, z),), _chain(draw))
        case "late chain":
            # Whatever is linked to a resource, to what is linked to that, and so on.
            asked = s.Exists(_of(s.TriplePattern(z, KNOWN, x)))
            linked = s.TriplesBlock((s.TriplePattern(x, LINK, y),))
            where = s.GroupGraphPattern((linked, s.Filter(asked)))
            yield Rule(
                (s.TriplePattern(RESOURCES[0], KNOWN, y),),
                _of(s.TriplePattern(RESOURCES[0], LINK, y)),
            )
            yield Rule((s.TriplePattern(x, KNOWN, y),), where)
        case _:
            yield _rule(draw, shape)


def _of(*triples: s.TriplePattern) -> s.GroupGraphPattern:
    return s.GroupGraphPattern((s.TriplesBlock(triples),))


def _chain(draw: DrawFn) -> s.GroupGraphPattern:
    """What is known of what is linked: a rule that goes on from what it constructs"""
    x, y, z = THINGS
    known, linked = s.TriplePattern(x, KNOWN, y), s.TriplePattern(y, LINK, z)
    match draw(choice("epsparql/chain", ("join", "SEQ", "waits", "again"))):
        case "SEQ":
            return s.GroupGraphPattern((TemporalPattern((_of(known), _of(linked))),))
        case "waits":
            amount = _of(s.TriplePattern(x, QUANTITY, AMOUNTS[0]))
            sides = _of(known, linked), amount
            return s.GroupGraphPattern((TemporalPattern(sides, Operator.EQUALSOPTIONAL),))
        case "again":
            return _of(known, s.TriplePattern(y, KNOWN, z))
    return _of(known, linked)


def _rule(draw: DrawFn, shape: _Shape) -> Rule:
    where = _group(draw, shape, 1)
    if _rarely(draw, "rule exists"):
        known = s.TriplesBlock((s.TriplePattern(THINGS[2], KNOWN, draw(among(THINGS[:2]))),))
        asked = s.Filter(s.Exists(s.GroupGraphPattern((known,))))
        where = s.GroupGraphPattern((*where.elements, asked))
    things = [v for v in in_scope(where) if v in THINGS] or [THINGS[0]]
    targets: list[s.TermOrVariable] = [*reversed(things), RESOURCES[0]]
    target = draw(among(targets))
    made = s.TriplePattern(draw(among(things)), draw(_MADE), target)
    if _rarely(draw, "template") and target in things:
        return Rule((made, s.TriplePattern(target, KNOWN, made.subject)), where)
    return Rule((made,), where)


# --- cases ---------------------------------------------------------------------------------------

_NODES = (*RESOURCES, name("c"))
_DATA: list[Triple] = [
    *((x, LINK, y) for x in RESOURCES for y in RESOURCES),
    *((x, QUANTITY, n) for x in RESOURCES for n in NUMBERS[:2]),
    (RESOURCES[0], TYPE, _CLASS), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (blank_node(STREAMS[0]), LINK, RESOURCES[0]), (RESOURCES[0], LINK, BACKGROUNDS[0]),
]
_CHAINS: list[Triple] = [(x, LINK, y) for x in _NODES for y in (*_NODES[1:], _NODES[0]) if x != y]
_MIXED: list[Triple] = [
    *((x, QUANTITY, n) for x in RESOURCES for n in (*NUMBERS, *ODD_LITERALS)),
    *((x, QUANTITY, y) for x in RESOURCES for y in (RESOURCES[0], blank_node(STREAMS[0]))),
    *((x, LINK, y) for x in RESOURCES for y in (*RESOURCES, BACKGROUNDS[0], NUMBERS[0])),
]


def _graphs_of(triples: list[Triple]) -> tuple[Graph, ...]:
    """Graphs of one triple or two: no more than 127, from where on Hypothesis prefers the first"""
    single = [frozenset((triple,)) for triple in triples]
    double = [frozenset(pair) for pair in combinations(triples, 2)]
    return (*single, *Random(0).sample(double, min(len(double), 126 - len(single))))


_ALPHABETS = {
    "usual": _graphs_of(_DATA), "chains": _graphs_of(_CHAINS), "mixed": _graphs_of(_MIXED),
}
_TIMING = choice("epsparql/timing", (
    *((1, 0),) * 5, *((0, 0), (2, 0)) * 2, (1, 1), (1, 2), (0, 1), (0, 2), (2, 1),
))
"""The gap to the item before, and how long it lasts."""
_KNOWN_TRIPLES: list[Triple] = [
    (_CLASS, SUB_CLASS_OF, _ABOVE), (QUANTITY, DOMAIN, _CLASS), (LINK, RANGE, _ABOVE),
    (LINK, SUB_PROPERTY_OF, KNOWN), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (RESOURCES[1], KNOWN, RESOURCES[0]), (RESOURCES[0], LINK, RESOURCES[1]),
    (RESOURCES[0], TYPE, _ABOVE), (RESOURCES[1], QUANTITY, NUMBERS[0]),
    (RESOURCES[0], LINK, BACKGROUNDS[0]), (RESOURCES[0], LINK, BACKGROUNDS[1]),
]
_BACKGROUND = st.frozensets(among(_KNOWN_TRIPLES), min_size=1, max_size=4)

_Payload = tuple[Graph, int]
"""What an item says, and how long it has lasted when it ends."""


@st.composite
def epsparql_streams(
    draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER, max_size: int = 7
) -> tuple[Item, ...]:
    """Streams of small graphs, now and then over intervals, in the order of their ends."""
    events = _events(draw, STREAMS[0], [], max_size, {})
    return tuple(_item(tick, payload, kind) for tick, _, payload in events)


def _events(
    draw: DrawFn, iri: URIRef, wanted: Sequence[s.GroupGraphPattern], max_size: int, usual: Usual
) -> list[tuple[int, URIRef, _Payload]]:
    """A few items, of which some say what one of these patterns asks for"""
    graphs = among(
        _ALPHABETS[draw(choice("epsparql/data", ("usual", "usual", "chains", "mixed")))]
    )
    made: list[tuple[int, URIRef, _Payload]] = []
    end = 0
    for _ in range(draw(st.integers(1, max_size))):
        gap, length = draw(_TIMING)
        end += gap
        graph: Graph = frozenset()
        if wanted and draw(choice("epsparql/item", ("any", "asked"))) == "asked":
            graph = instance(draw, draw(st.sampled_from(wanted)), iri, usual)
        made.append((end, iri, (graph or draw(graphs), length)))
    return made


def _item(tick: int, payload: _Payload, kind: TimeKind) -> Item:
    size = SECOND if kind is TimeKind.DATETIME else 1
    graph, length = payload
    if length:
        return IntervalGraph((tick - length) * size, tick * size, graph, kind)
    return TimestampedGraph(tick * size, graph, kind)


def _streams(
    draw: DrawFn, query: EpsparqlQuery, shape: _Shape, usual: Usual
) -> dict[URIRef, tuple[Item, ...]]:
    """The streams of a query, arranged by a profile all together"""
    wanted = _wanted(query)
    names = [clause.iri for clause in query.streams] or [STREAMS[0]]
    most = _most(query, shape)
    room = max(min(most // len(names), 7), 1)
    scripted = [event for iri in names for event in _events(draw, iri, wanted, room, usual)]
    options = [each for each in WEIGHTED if each != "long"]
    if most > MOST_REMEMBERED:
        options += ["long"] * 4
    events = profiled(
        draw, "epsparql/stream", scripted, widths=sorted({*shape.widths} - {0}), options=options,
        most=most,
    )
    if not events and shape.kind is TimeKind.DATETIME:
        events = scripted  # the times of an empty stream are numbers
    events.sort(key=lambda event: event[0])
    return {
        iri: tuple(
            _item(tick, (_in_document(graph, iri), length), shape.kind)
            for tick, where, (graph, length) in events if where == iri
        )
        for iri in names
    }


def _wanted(query: EpsparqlQuery) -> list[s.GroupGraphPattern]:
    asked = [] if query.select is None else [query.select.where]
    return asked + [rule.where for rule in query.rules]


def _most(query: EpsparqlQuery, shape: _Shape) -> int:
    """How many items the definitions, which try all choices of occurrences, can be asked about"""
    sizes = list(_block_sizes(query))
    if len(query.rules) > 1:
        return 6
    if query.rules or any(size > 2 for size in sizes) or _has_closure(query):
        return 9
    if sum(sizes) > 2:
        return MOST_REMEMBERED
    return 60 if shape.widths else 2 * MOST_REMEMBERED


def _all_readings() -> tuple[Readings, ...]:
    """The defaults, one other value, or two; as often as they are drawn"""
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


_READINGS = choice("epsparql/readings", _all_readings())


def epsparql_readings() -> SearchStrategy[Readings]:
    """Readings, mostly the default of each."""
    return _READINGS


@st.composite
def epsparql_cases(
    draw: DrawFn, queries: SearchStrategy[EpsparqlQuery] | None = None
) -> EpsparqlCase:
    """Cases of EP-SPARQL that have a meaning: queries on streams that they often match."""
    kind = TimeKind.INTEGER
    if queries is None:
        kind = draw(choice("epsparql/kind", (TimeKind.INTEGER,) * 5 + (TimeKind.DATETIME,)))
    shape = _Shape(kind)
    query = _query(draw, shape) if queries is None else draw(queries)
    readings = draw(epsparql_readings())
    if max(_block_sizes(query), default=0) > 3:
        # Each choice of each triple counts: there are too many of them.
        readings = replace(readings, occurrences="some")
    usual: Usual = {
        named.name: BACKGROUNDS[0] for named in find(query, s.NamedGraphPattern)
        if isinstance(named.name, Variable)
    }
    kb = _background(draw, query, usual)
    streams = _streams(draw, query, shape, usual)
    case = EpsparqlCase(_stratified(query, readings, bool(kb)), streams, kb, readings)
    policies: tuple[Policy, ...] = (
        "unrestricted", "unrestricted", "chronological", "recent"
    )
    return _under_policy(_bounded(case), draw(choice("epsparql/policy", policies)))


def _bounded(case: EpsparqlCase) -> EpsparqlCase:
    """The case without the last items where the definitions would have too much to do."""
    while not affordable(case) and any(len(stream) > 1 for stream in case.streams.values()):
        longest = max(case.streams, key=lambda name: len(case.streams[name]))
        kept = 4 * len(case.streams[longest]) // 5
        case = case.but(streams={**case.streams, longest: case.streams[longest][:kept]})
    return case


def _background(draw: DrawFn, query: EpsparqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """Background graphs now and then, or where GRAPH asks for them; with what it asks for"""
    kb: dict[URIRef, Graph] = {}
    asks = has(query, s.NamedGraphPattern)
    if asks or _rarely(draw, "background"):
        kb[BACKGROUNDS[0]] = draw(_BACKGROUND)
        if asks:
            kb[BACKGROUNDS[0]] |= _in_document(frozenset().union(*(
                background_instance(draw, where, BACKGROUNDS[0], usual)
                for where in _wanted(query)
            )), BACKGROUNDS[0])
        if draw(_COIN):
            kb[BACKGROUNDS[1]] = draw(_BACKGROUND)
    return kb


def _under_policy(case: EpsparqlCase, policy: Policy) -> EpsparqlCase:
    """The case under a policy and at instants, if it is what a policy is about"""
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


def _in_document(graph: Graph, iri: URIRef) -> Graph:
    """The graph, with the one blank node of its document"""
    own = blank_node(iri)

    def named(term: Term) -> Term:
        return own if isinstance(term, BNode) else term

    return frozenset((named(a), named(b), named(c)) for a, b, c in graph)


def _block_sizes(query: EpsparqlQuery) -> Iterator[int]:
    return (len(block.triples) for block in find(query, s.TriplesBlock))


def _has_closure(query: EpsparqlQuery) -> bool:
    """Whether a path may go on for ever"""
    return has(query, s.ZeroOrMorePath, s.OneOrMorePath)


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
