"""Patterns of EP-SPARQL: groups, sequences, blocks, conditions on intervals, EXISTS.

Only combinations that have a meaning are made, so that every generated case is judged. What a case
is like is decided by named choices (`choice`), so that rounds of cases keep to a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import BNode, URIRef, Variable

from .....semantics.epsparql.syntax.tree import (
    DURATION,
    END_TIME,
    START_TIME,
    Operator,
    TemporalPattern,
)
from .....semantics.model.items import TimeKind
from .....semantics.model.terms import literal
from .....semantics.model.time import XSD, format_duration
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import TYPE
from .....semantics.rdf.syntax.variables import in_scope
from ....fuzzing.strategies.choices import among, choice
from ....fuzzing.strategies.conditions import conditions
from ....fuzzing.strategies.graph_patterns import PATHS
from ....fuzzing.strategies.streams import SECOND
from ....fuzzing.strategies.vocabulary import (
    AMOUNTS,
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    QUANTITY,
    RESOURCES,
    THINGS,
    name,
)

CLASS, ABOVE = name("C"), name("D")
_ELSEWHERE = name("z")
"""A resource that no stream speaks of."""

_LINKS = among(
    s.TriplePattern(x, LINK, y)
    for x in (*THINGS[:2], RESOURCES[0]) for y in (THINGS[1], THINGS[0], THINGS[2], RESOURCES[1])
)
AMOUNTS_OF = among(
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
MADE = choice("epsparql/made", (KNOWN, KNOWN, LINK))
COIN = st.booleans()


def rarely(draw: DrawFn, what: str) -> bool:
    return or_not(draw, what, 4)


def or_not(draw: DrawFn, what: str, times: int) -> bool:
    """Whether it is so; that it is not weighs so many times as much"""
    return draw(choice(f"epsparql/{what}", (*("not",) * times, what))) == what


class Shape:
    """What a pattern may be made of, and the lengths that its conditions speak of."""

    def __init__(self, kind: TimeKind, *, rule: bool = False, derived: bool = False) -> None:
        self.kind = kind
        self.rule = rule
        self.derived = derived  # whether rules construct what a pattern may ask for
        self.labels = count()
        self.widths: list[int] = []

    def inside(self, *, rule: bool) -> Shape:
        """The same for another pattern of the query."""
        made = Shape(self.kind, rule=rule, derived=self.derived)
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
    return group_of(draw, Shape(kind), depth)


def _triple(draw: DrawFn, shape: Shape) -> s.TriplePattern:
    often = ("known",) * 6 if shape.derived else ()
    match draw(choice(
        "epsparql/triple",
        ("link",) * 6 + ("amount",) * 4 + ("known", "class", "free", "itself") + often,
    )):
        case "amount":
            return draw(AMOUNTS_OF)
        case "known":
            return draw(_KNOWN_OF)
        case "class":
            return s.TriplePattern(THINGS[0], TYPE, ABOVE)
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


def group_of(draw: DrawFn, shape: Shape, depth: int) -> s.GroupGraphPattern:
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


def _sequence(draw: DrawFn, shape: Shape, depth: int) -> s.GroupGraphPattern:
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


def _block(draw: DrawFn, shape: Shape, depth: int) -> s.GroupGraphPattern:
    """Triples that may be far apart, often no further than a condition allows"""
    triples = [_triple(draw, shape) for _ in range(draw(choice("epsparql/block", (2, 2, 3))))]
    return _conditioned(draw, shape, s.TriplesBlock(tuple(triples)), depth)


def _conditioned(
    draw: DrawFn, shape: Shape, element: s.Element, depth: int
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


def _plain(draw: DrawFn, shape: Shape) -> s.GroupGraphPattern:
    """A block of one triple pattern; rarely of two, a path, or with what is known late only"""
    triples = [_triple(draw, shape)]
    side = draw(choice(
        "epsparql/side",
        ("one",) * 8 + ("two", "filter", "path", "optional", "minus", "exists"),
    ))
    if side == "two":
        triples.append(_triple(draw, shape))
    elif side == "path":
        triples = [_path(draw)]
    block = s.TriplesBlock(tuple(triples))
    bound = in_scope(s.GroupGraphPattern((block,)))
    match side:
        case "filter" if draw(COIN) or not bound:
            return s.GroupGraphPattern((block, s.Filter(_about_time(draw, shape))))
        case "filter":
            return s.GroupGraphPattern((block, s.Filter(draw(conditions(bound)))))
        case "optional":
            return s.GroupGraphPattern((block, s.OptionalPattern(block_of(_triple(draw, shape)))))
        case "minus":
            return s.GroupGraphPattern((block, s.MinusPattern(block_of(_triple(draw, shape)))))
        case "exists":
            asked = s.Exists(block_of(_triple(draw, shape)), draw(COIN))
            return s.GroupGraphPattern((block, s.Filter(asked)))
    return s.GroupGraphPattern((block,))


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
    draw: DrawFn, shape: Shape, depth: int, before: list[s.Element]
) -> Iterator[s.Element]:
    bound = in_scope(s.GroupGraphPattern(tuple(before)))
    match draw(_ELEMENTS if depth > 0 else _SIMPLE):
        case "temporal":
            left, right = group_of(draw, shape, depth - 1), group_of(draw, shape, depth - 1)
            yield TemporalPattern((left, right), _operator(draw))
        case "filter":
            yield s.Filter(draw(conditions(bound or THINGS[:1])))
        case "interval":
            yield s.Filter(_about_time(draw, shape))
        case "optional":
            yield s.OptionalPattern(group_of(draw, shape, depth - 1))
        case "union":
            sides = (group_of(draw, shape, 0), group_of(draw, shape, 0))
            yield s.UnionPattern(sides)
        case "group":
            yield s.UnionPattern((group_of(draw, shape, depth - 1),))
        case "path":
            yield s.TriplesBlock((_path(draw),))
        case "bind" if not shape.rule:
            free = [v for v in (*AMOUNTS[2:], Variable("o")) if v not in bound]
            if free:
                source = draw(among((DURATION, START_TIME, END_TIME)))
                value: s.Expression = s.BuiltIn(source, ())
                if rarely(draw, "bind exists"):
                    value = s.Exists(group_of(draw, shape, 0), draw(COIN))
                yield s.Bind(value, free[0])
        case "values":
            rows = draw(st.lists(among((*RESOURCES, None)), min_size=1, max_size=2, unique=True))
            yield s.InlineData((THINGS[0],), tuple((row,) for row in rows))
        case "minus":
            apart = draw(choice("epsparql/minus", ("shares", "shares", "apart"))) == "apart"
            yield s.MinusPattern(block_of(_APART) if apart else group_of(draw, shape, 0))
        case "graph":
            named = draw(_NAMED)
            inner = group_of(draw, shape, 0)
            if draw(choice("epsparql/graph speaks", ("of any", "of any", "of itself"))) != "of any":
                inner = block_of(s.TriplePattern(THINGS[0], LINK, named))
            yield s.NamedGraphPattern(named, inner)
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


def _sub_select(draw: DrawFn, shape: Shape) -> s.SubSelect:
    where = group_of(draw, shape, 0)
    variables = in_scope(where)
    if variables and draw(choice("epsparql/sub-select", ("plain", "count"))) == "count":
        count_of = s.Projection(Variable("c"), s.Aggregate("COUNT", None))
        key = variables[0]
        modifier = s.SolutionModifier(group_by=(key,))
        return s.SubSelect(s.SelectQuery((s.Projection(key), count_of), where, modifier))
    projection = tuple(map(s.Projection, variables[:1])) or None
    return s.SubSelect(s.SelectQuery(projection, where, distinct=draw(COIN)))


def _existential(
    draw: DrawFn, shape: Shape, bound: tuple[Variable, ...], depth: int
) -> s.Expression:
    """EXISTS as a condition, now and then under what turns it round, or beside another one"""
    inner = _asked(draw, shape, bound, depth)
    if depth > 0 and rarely(draw, "exists within"):
        nested = s.Filter(s.Exists(group_of(draw, shape, 0), draw(COIN)))
        inner = s.GroupGraphPattern((*inner.elements, nested))
    exists = s.Exists(inner, draw(COIN))
    match draw(choice("epsparql/exists", ("", "", "", "", "!", "||", "&&", "="))):
        case "!":
            return s.Not(exists)
        case "||":
            return s.Or((exists, draw(conditions(bound or THINGS[:1]))))
        case "&&":
            return s.And((exists, s.Not(s.Exists(group_of(draw, shape, 0)))))
        case "=":
            return s.Comparison("=", exists, literal("false", XSD + "boolean"))
    return exists


def _asked(
    draw: DrawFn, shape: Shape, bound: tuple[Variable, ...], depth: int
) -> s.GroupGraphPattern:
    """What EXISTS asks for; now and then only a part within it speaks of what is bound outside"""
    part = draw(choice("epsparql/exists asks", ("group",) * 4 + ("optional", "minus")))
    if part == "group" or not bound:
        deep = depth > 1 and draw(choice("epsparql/exists depth", ("flat", "flat", "deep")))
        return group_of(draw, shape, depth - 1 if deep == "deep" else 0)
    triple = s.TriplePattern(draw(among(bound)), draw(MADE), Variable("v"))
    outer = s.TriplesBlock((_APART,))
    if part == "optional":
        return s.GroupGraphPattern((outer, s.OptionalPattern(block_of(triple))))
    return s.GroupGraphPattern((outer, s.MinusPattern(block_of(triple))))


def _about_time(draw: DrawFn, shape: Shape) -> s.Expression:
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
    if rarely(draw, "constant first"):
        return s.Comparison(symbol, constant, duration)
    return s.Comparison(symbol, duration, constant)


def block_of(*triples: s.TriplePattern) -> s.GroupGraphPattern:
    return s.GroupGraphPattern((s.TriplesBlock(triples),))
