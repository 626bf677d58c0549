"""Patterns of EP-SPARQL: groups, sequences, blocks, conditions on intervals, EXISTS.

Only combinations that have a meaning are made, so that every generated case is checked. What a case
is like is decided by named choices, so that rounds of cases keep to a few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TypeAlias

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
from ....inputs.choices import COIN, Choices, several
from ....inputs.graph_patterns import PATHS, condition
from ....inputs.graphs import (
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
from ....inputs.sparql import adjacent_blocks, any_pattern, any_terms
from ....inputs.sparql_data import Terms
from ....inputs.streams import SECOND

CLASS, ABOVE = name("C"), name("D")
_ELSEWHERE = name("z")
"""A resource that no stream speaks of."""

_LINKS = "", tuple(
    s.TriplePattern(x, LINK, y)
    for x in (*THINGS[:2], RESOURCES[0]) for y in (THINGS[1], THINGS[0], THINGS[2], RESOURCES[1])
)
AMOUNTS_OF = "", tuple(
    s.TriplePattern(x, QUANTITY, n)
    for x in THINGS[:2] for n in (AMOUNTS[0], AMOUNTS[1], AMOUNTS[0], NUMBERS[0])
)
_KNOWN_OF = "", tuple(
    s.TriplePattern(x, KNOWN, y) for x in THINGS[:2] for y in (*THINGS[1:], RESOURCES[1])
)
_ENDS: tuple[s.TermOrVariable, ...] = (*THINGS, RESOURCES[0], _ELSEWHERE)
_APART = s.TriplePattern(Variable("u"), LINK, Variable("v"))
"""A pattern that shares no variable with any other."""
_STARTS, _STOPS = ("", _ENDS), ("", (THINGS[1], *_ENDS))
_PATHS = ("epsparql/path", PATHS)
_TEMPORAL = (
    Operator.SEQ, Operator.SEQ, Operator.SEQ, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL,
    Operator.EQUALS, Operator.OPTIONALSEQ,
)
_OTHERS = ("UNION", "OPTIONAL", "MINUS", "join", "EXISTS", "NOT EXISTS")
_KINDS = {
    (alone, in_filter): (
        *_TEMPORAL * 6, *_OTHERS, *["block"] * alone, *["FILTER"] * (not in_filter),
    )
    for alone in COIN for in_filter in COIN
}
MADE = ("epsparql/made", (KNOWN, KNOWN, LINK))


Body: TypeAlias = Callable[[Choices, "Shape"], s.GroupGraphPattern]
"""Draws a pattern that stands between operators."""

Bodies: TypeAlias = Callable[[], Body]
"""Makes what draws the bodies of one pattern, in the order of the text."""


def rarely(choices: Choices, what: str) -> bool:
    return or_not(choices, what, 4)


def or_not(choices: Choices, what: str, times: int) -> bool:
    """Draw a truth value; False has `times` times the weight of True."""
    return choices.among(f"epsparql/{what}", (*("not",) * times, what)) == what


class Shape:
    """The possible parts of a pattern, and the lengths of time in its conditions."""

    def __init__(
        self, kind: TimeKind, *, rule: bool = False, derived: bool = False,
        bodies: Bodies | None = None,
    ) -> None:
        self.kind = kind
        self.bodies = bodies  # draws what is between operators; none: of any constructs
        self.rule = rule
        self.derived = derived  # whether rules construct what a pattern may ask for
        self.labels = count()
        self.widths: list[int] = []

    def inside(self, *, rule: bool) -> Shape:
        """Return the same for another pattern of the query."""
        made = Shape(self.kind, rule=rule, derived=self.derived, bodies=self.bodies)
        made.labels, made.widths = self.labels, self.widths
        return made

    def blank(self) -> BNode:
        """Return a blank node of one basic graph pattern."""
        return BNode(f"e{next(self.labels)}")


def pattern(
    choices: Choices, *, kind: TimeKind = TimeKind.INTEGER, depth: int = 2
) -> s.GroupGraphPattern:
    """Draw a group of EP-SPARQL, nested up to `depth` deep."""
    return group_of(choices, Shape(kind), depth)


def _triple(choices: Choices, shape: Shape) -> s.TriplePattern:
    often = ("known",) * 6 if shape.derived else ()
    match choices.among(
        "epsparql/triple",
        ("link",) * 6 + ("amount",) * 4 + ("known", "class", "free", "itself") + often,
    ):
        case "amount":
            return choices.among(*AMOUNTS_OF)
        case "known":
            return choices.among(*_KNOWN_OF)
        case "class":
            return s.TriplePattern(THINGS[0], TYPE, ABOVE)
        case "free":
            return s.TriplePattern(THINGS[0], Variable("r"), THINGS[1])
        case "itself":
            return s.TriplePattern(THINGS[0], LINK, THINGS[0])
    return choices.among(*_LINKS)


def _path(choices: Choices) -> s.TriplePattern:
    """Return a path between variables, resources, and such as occur nowhere."""
    start, end = choices.among(*_STARTS), choices.among(*_STOPS)
    return s.TriplePattern(start, choices.among(*_PATHS), end)


def _operator(choices: Choices) -> Operator:
    return choices.among("epsparql/operator", _TEMPORAL)


def combined(
    choices: Choices, shape: Shape, operators: int, body: Body, *, in_filter: bool = False
) -> s.GroupGraphPattern:
    """Draw a group of exactly so many operators, the bodies between them in the order of the text.

    A FILTER stands `in_filter` of no other one; two bodies are one block where no other operator
    is.
    """
    if not operators:
        return body(choices, shape)
    kind = choices.among("epsparql/operator", _KINDS[operators == 1, in_filter])
    if kind == "FILTER":
        inner = combined(choices, shape, operators - 1, body, in_filter=True)
        return s.GroupGraphPattern((*inner.elements, s.Filter(_about_time(choices, shape))))
    on_left = choices.among("operators on the left", range(operators))
    left = combined(choices, shape, on_left, body)
    right = combined(choices, shape, operators - 1 - on_left, body)
    return s.GroupGraphPattern(tuple(_joined(kind, left, right)))


def _joined(
    kind: str, left: s.GroupGraphPattern, right: s.GroupGraphPattern
) -> Iterable[s.Element]:
    # A FILTER is about its whole group.
    kept: tuple[s.Element, ...] = left.elements
    if any(isinstance(each, s.Filter) for each in kept):
        kept = (s.UnionPattern((left,)),)
    match kind:
        case "UNION":
            match left.elements:
                case (s.UnionPattern(several),) if type(left.elements[0]) is s.UnionPattern:
                    return [s.UnionPattern((*several, right))]
            return [s.UnionPattern((left, right))]
        case "join":
            return [s.UnionPattern((left,)), s.UnionPattern((right,))]
        case "block":
            return adjacent_blocks([*kept, *right.elements])
        case "OPTIONAL":
            return [*kept, s.OptionalPattern(right)]
        case "MINUS":
            return [*kept, s.MinusPattern(right)]
        case "EXISTS" | "NOT EXISTS":
            return [*kept, s.Filter(s.Exists(right, kind == "NOT EXISTS"))]
    return [TemporalPattern((left, right), Operator(kind))]


def group_of(
    choices: Choices, shape: Shape, depth: int, operators: int | None = None
) -> s.GroupGraphPattern:
    if operators is not None:
        return combined(choices, shape, operators, shape.bodies() if shape.bodies else _plain)
    if depth > 0:
        kinds = (*("sequence",) * 4, *("elements",) * 4, "block", *("any",) * (not shape.rule))
        match choices.among("epsparql/group", kinds):
            case "any":
                return _any_pattern(choices, shape)
            case "sequence":
                return _sequence(choices, shape, depth)
            case "block":
                return _block(choices, shape, depth)
    elements: list[s.Element] = []
    for _ in range(choices.among("epsparql/elements", (1, 1, 2, 1, 2, 3))):
        elements += _element(choices, shape, depth, elements)
    if not any(isinstance(e, s.TriplesBlock | s.UnionPattern) for e in elements):
        # Before BIND no pattern may bind its variable (SPARQL 1.1 Query, 18.2.1).
        place = len(elements) if any(isinstance(e, s.Bind) for e in elements) else 0
        elements.insert(place, s.TriplesBlock((_triple(choices, shape),)))
    return s.GroupGraphPattern(tuple(adjacent_blocks(elements)))


def _any_pattern(
    choices: Choices, shape: Shape, before: Sequence[s.Element] = ()
) -> s.GroupGraphPattern:
    """Draw a pattern in any constructs of SPARQL, after these elements of its group."""
    bound = in_scope(s.GroupGraphPattern(tuple(before)))
    return any_pattern(choices, terms_of(choices, shape), earlier=bound, before=before)


def terms_of(choices: Choices, shape: Shape) -> Terms:
    """Draw the terms of a pattern in any constructs of SPARQL."""
    return any_terms(
        choices, shape.blank(), leaves=_INTERVAL_FUNCTIONS,
        # No order tells the blank nodes that rules construct apart.
        ordered=not shape.derived,
    )


def _sequence(choices: Choices, shape: Shape, depth: int) -> s.GroupGraphPattern:
    """Return two plain patterns and an operator, now and then three, now and then a condition."""
    operators = choices.among("epsparql/operators", (1, 1, 2, 2)) if depth > 1 else 1
    found = combined(choices, shape, operators, _plain)
    if len(found.elements) > 1:
        return found
    return _conditioned(choices, shape, found.elements[0], depth)


def _block(choices: Choices, shape: Shape, depth: int) -> s.GroupGraphPattern:
    """Return triples that may be far apart, often no further than a condition allows."""
    triples = [_triple(choices, shape) for _ in range(choices.among("epsparql/block", (2, 2, 3)))]
    return _conditioned(choices, shape, s.TriplesBlock(tuple(triples)), depth)


def _conditioned(
    choices: Choices, shape: Shape, element: s.Element, depth: int
) -> s.GroupGraphPattern:
    kinds = ("", "", "", "time", "time", "time", "value", "exists")
    bound = in_scope(s.GroupGraphPattern((element,)))
    match choices.among("epsparql/condition", kinds):
        case "time":
            return s.GroupGraphPattern((element, s.Filter(_about_time(choices, shape))))
        case "value":
            return s.GroupGraphPattern((element, s.Filter(condition(choices, bound or THINGS[:1]))))
        case "exists":
            asked = s.Filter(_existential(choices, shape, bound, depth))
            return s.GroupGraphPattern((element, asked))
    return s.GroupGraphPattern((element,))


def _plain(choices: Choices, shape: Shape) -> s.GroupGraphPattern:
    """Return a block of one triple pattern; rarely of two, a path, or with late bindings."""
    triples = [_triple(choices, shape)]
    side = choices.among(
        "epsparql/side",
        ("one",) * 8 + ("two", "filter", "path", "optional", "minus", "exists"),
    )
    if side == "two":
        triples.append(_triple(choices, shape))
    elif side == "path":
        triples = [_path(choices)]
    block = s.TriplesBlock(tuple(triples))
    bound = in_scope(s.GroupGraphPattern((block,)))
    match side:
        case "filter" if choices.among("", COIN) or not bound:
            return s.GroupGraphPattern((block, s.Filter(_about_time(choices, shape))))
        case "filter":
            return s.GroupGraphPattern((block, s.Filter(condition(choices, bound))))
        case "optional":
            inner = block_of(_triple(choices, shape))
            return s.GroupGraphPattern((block, s.OptionalPattern(inner)))
        case "minus":
            return s.GroupGraphPattern((block, s.MinusPattern(block_of(_triple(choices, shape)))))
        case "exists":
            asked = s.Exists(block_of(_triple(choices, shape)), choices.among("", COIN))
            return s.GroupGraphPattern((block, s.Filter(asked)))
    return s.GroupGraphPattern((block,))


# One table: an element each.
def _element(
    choices: Choices, shape: Shape, depth: int, before: list[s.Element]
) -> Iterator[s.Element]:
    bound = in_scope(s.GroupGraphPattern(tuple(before)))
    match choices.among(*(_ELEMENTS if depth > 0 else _SIMPLE)):
        case "temporal":
            left, right = group_of(choices, shape, depth - 1), group_of(choices, shape, depth - 1)
            yield TemporalPattern((left, right), _operator(choices))
        case "filter":
            yield s.Filter(condition(choices, bound or THINGS[:1]))
        case "interval":
            yield s.Filter(_about_time(choices, shape))
        case "optional":
            yield s.OptionalPattern(group_of(choices, shape, depth - 1))
        case "union":
            sides = (group_of(choices, shape, 0), group_of(choices, shape, 0))
            yield s.UnionPattern(sides)
        case "group":
            yield s.UnionPattern((group_of(choices, shape, depth - 1),))
        case "path":
            yield s.TriplesBlock((_path(choices),))
        case "bind" if not shape.rule:
            free = [v for v in (*AMOUNTS[2:], Variable("o")) if v not in bound]
            if free:
                source = choices.among("", (DURATION, START_TIME, END_TIME))
                value: s.Expression = s.BuiltIn(source, ())
                if rarely(choices, "bind exists"):
                    value = s.Exists(group_of(choices, shape, 0), choices.among("", COIN))
                yield s.Bind(value, free[0])
        case "values":
            rows = several(choices, (*RESOURCES, None), 2)
            yield s.InlineData((THINGS[0],), tuple((row,) for row in rows))
        case "minus":
            apart = choices.among("epsparql/minus", ("shares", "shares", "apart")) == "apart"
            yield s.MinusPattern(block_of(_APART) if apart else group_of(choices, shape, 0))
        case "graph":
            named = choices.among(*_NAMED)
            inner = group_of(choices, shape, 0)
            speaks = choices.among("epsparql/graph speaks", ("of any", "of any", "of itself"))
            if speaks != "of any":
                inner = block_of(s.TriplePattern(THINGS[0], LINK, named))
            yield s.NamedGraphPattern(named, inner)
        case "exists":
            yield s.Filter(_existential(choices, shape, bound, depth))
        case "select" if not shape.rule:
            yield s.UnionPattern((s.GroupGraphPattern((_sub_select(choices, shape),)),))
        case "any" if not shape.rule:
            yield from _any_pattern(choices, shape, before).elements
        case "anonymous":
            triple = _triple(choices, shape)
            yield s.TriplesBlock((
                s.TriplePattern(shape.blank(), triple.predicate, triple.object),
            ))
        case _:
            triples = [_triple(choices, shape)]
            if choices.among("epsparql/triples", (1, 2)) == 2:
                triples.append(_triple(choices, shape))
            yield s.TriplesBlock(tuple(triples))


_INTERVAL_FUNCTIONS = tuple(s.BuiltIn(each, ()) for each in (DURATION, START_TIME, END_TIME))
_NAMES: tuple[URIRef | Variable, ...] = (
    BACKGROUNDS[0], Variable("g"), THINGS[1], THINGS[1], BACKGROUNDS[1],
)
_NAMED = ("epsparql/graph", _NAMES)
_ELEMENTS = ("epsparql/element", (
    "triples", "temporal", "temporal", "triples", "filter", "interval", "optional", "union",
    "group", "path", "bind", "values", "minus", "graph", "graph", "exists", "exists", "select",
    "anonymous", "any", "any",
))
_SIMPLE = ("epsparql/simple element", (
    "triples", "triples", "triples", "filter", "interval", "path", "anonymous",
))


def _sub_select(choices: Choices, shape: Shape) -> s.SubSelect:
    where = group_of(choices, shape, 0)
    variables = in_scope(where)
    if variables and choices.among("epsparql/sub-select", ("plain", "count")) == "count":
        count_of = s.Projection(Variable("c"), s.Aggregate("COUNT", None))
        key = variables[0]
        modifier = s.SolutionModifier(group_by=(key,))
        return s.SubSelect(s.SelectQuery((s.Projection(key), count_of), where, modifier))
    projection = tuple(map(s.Projection, variables[:1])) or None
    return s.SubSelect(s.SelectQuery(projection, where, distinct=choices.among("", COIN)))


def _existential(
    choices: Choices, shape: Shape, bound: tuple[Variable, ...], depth: int
) -> s.Expression:
    """EXISTS as a condition, now and then under what turns it round, or beside another one."""
    inner = _asked(choices, shape, bound, depth)
    if depth > 0 and rarely(choices, "exists within"):
        nested = s.Filter(s.Exists(group_of(choices, shape, 0), choices.among("", COIN)))
        inner = s.GroupGraphPattern((*inner.elements, nested))
    exists = s.Exists(inner, choices.among("", COIN))
    match choices.among("epsparql/exists", ("", "", "", "", "!", "||", "&&", "=")):
        case "!":
            return s.Not(exists)
        case "||":
            return s.Or((exists, condition(choices, bound or THINGS[:1])))
        case "&&":
            return s.And((exists, s.Not(s.Exists(group_of(choices, shape, 0)))))
        case "=":
            return s.Comparison("=", exists, literal("false", XSD + "boolean"))
    return exists


def _asked(
    choices: Choices, shape: Shape, bound: tuple[Variable, ...], depth: int
) -> s.GroupGraphPattern:
    """Return the pattern of an EXISTS; sometimes only an inner part uses outer variables."""
    part = choices.among("epsparql/exists asks", ("group",) * 4 + ("optional", "minus"))
    if part == "group" or not bound:
        deep = depth > 1 and choices.among("epsparql/exists depth", ("flat", "flat", "deep"))
        return group_of(choices, shape, depth - 1 if deep == "deep" else 0)
    triple = s.TriplePattern(choices.among("", bound), choices.among(*MADE), Variable("v"))
    outer = s.TriplesBlock((_APART,))
    if part == "optional":
        return s.GroupGraphPattern((outer, s.OptionalPattern(block_of(triple))))
    return s.GroupGraphPattern((outer, s.MinusPattern(block_of(triple))))


def _about_time(choices: Choices, shape: Shape) -> s.Expression:
    """Return a condition on the interval."""
    what = choices.among("epsparql/time", ("bound",) * 6 + ("ends", "value"))
    symbol = choices.among("epsparql/comparison", ("<=", "<=", "<", "=", ">", ">=", "!="))
    if what == "ends":
        return s.Comparison(symbol, s.BuiltIn(START_TIME, ()), s.BuiltIn(END_TIME, ()))
    length = choices.among("length", (3, 2, 1, 0, 5))
    shape.widths.append(length)
    if shape.kind is TimeKind.INTEGER:
        constant = literal(str(length), XSD + "integer")
    else:
        datatype = choices.among("", ("duration", "dayTimeDuration"))
        constant = literal(format_duration(length * SECOND), XSD + datatype)
    duration = s.BuiltIn(DURATION, ())
    if what == "value":
        other = choices.among("", (Variable("o"), AMOUNTS[2], AMOUNTS[0]))
        sides: tuple[s.Expression, ...] = (constant, duration)
        return s.Comparison(symbol, other, choices.among("", sides))
    if rarely(choices, "constant first"):
        return s.Comparison(symbol, constant, duration)
    return s.Comparison(symbol, duration, constant)


def block_of(*triples: s.TriplePattern) -> s.GroupGraphPattern:
    return s.GroupGraphPattern((s.TriplesBlock(triples),))
