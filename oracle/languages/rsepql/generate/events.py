"""Event patterns (RSEP-QL Def. 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from .....semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.rsepql.syntax.tree import (
    Event,
    EventPattern,
    First,
    Last,
    SequenceOperator,
)
from .....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ....fuzzing.strategies.choices import among, choice
from ....fuzzing.strategies.graph_patterns import graph_patterns
from ....fuzzing.strategies.vocabulary import BACKGROUNDS, LINK, name

WINDOWS = (name("w1"), name("w2"), name("w3"))

_COUNTS = choice("rsepql/events", (2, 1, 2, 2, 3, 3))
_OPERATORS = choice("rsepql/sequence", tuple(SequenceOperator))
_SELECTING = choice("rsepql/selecting", (False, False, False, True))
_SELECTING_OF_ALL = choice("rsepql/selecting of all", (False, True))
_SELECTIONS = choice("rsepql/selection", (First, Last))
_NESTED = choice("rsepql/nesting", ("left", "right"))
_ORDER = choice("rsepql/windows", ("in order", "in order", "any", "backwards"))
_ASKED = choice("rsepql/asked for", ("optional", "minus", "union", "exists"))
_BODIES = choice(
    "rsepql/event", (*("new", "plain") * 3, "as the next", "as the next", "asks for the next")
)


@st.composite
def event_patterns(
    draw: DrawFn,
    *,
    windows: Sequence[URIRef] = WINDOWS[:2],
    consumed: bool = False,
    label: str = "e",
    backgrounds: tuple[URIRef, ...] = BACKGROUNDS[:1],
) -> EventPattern:
    """Event patterns over windows of these names; `consumed` says that CONSUME must allow them.

    `label` begins the labels of their blank nodes, `backgrounds` are the names for GRAPH.
    """
    later: set[Variable] = set()
    basic: list[Event] = []
    count = draw(_COUNTS)
    order = draw(_ORDER)
    for number in reversed(range(count)):
        # The last one first: its variables are known to the filters of those before it.
        body = draw(graph_patterns(
            earlier=sorted(later), blank=BNode(f"{label}{number}"), backgrounds=backgrounds
        ))
        if consumed:
            body = consumable(body)
        kind = draw(_BODIES)
        if kind == "plain":  # what has little to say is met often, and together
            body = GroupGraphPattern(body.elements[:1])
        if basic and not has_blank(basic[0].pattern):
            if kind == "as the next":
                body = basic[0].pattern
            if kind == "asks for the next" and not consumed:
                body = _asking(draw, body, basic[0].pattern)
        later |= possible_variables(body)
        place = number if order == "in order" else count - 1 - number
        window = windows[place % len(windows)] if order != "any" else draw(among(windows))
        basic.insert(0, Event(window, body))
    patterns: list[EventPattern] = [_selected(draw, each) for each in basic]
    while len(patterns) > 1:
        place = 0 if len(patterns) == 2 or draw(_NESTED) == "left" else 1
        left, right = patterns[place : place + 2]
        joined = EventSequence(draw(_OPERATORS), left, right)
        patterns[place : place + 2] = [_selected(draw, joined, _SELECTING_OF_ALL)]
    return patterns[0]


def _selected(
    draw: DrawFn, pattern: EventPattern, selecting: SearchStrategy[bool] = _SELECTING
) -> EventPattern:
    if not draw(selecting):
        return pattern
    selection: Any = draw(_SELECTIONS)
    return cast(EventPattern, selection(pattern))


def _asking(
    draw: DrawFn, body: GroupGraphPattern, later: GroupGraphPattern
) -> GroupGraphPattern:
    """A body that does not bind for sure what the event behind it does, and asks for it: there
    μ2(E1) is no join."""
    asked = GroupGraphPattern(later.elements[:1])
    match draw(_ASKED):
        case "optional":
            element: Element = OptionalPattern(asked)
        case "minus":
            element = MinusPattern(asked)
        case "union":
            element = UnionPattern((asked, GroupGraphPattern((OptionalPattern(asked),))))
        case _:
            element = Filter(Exists(asked, negated=draw(st.booleans())))
    return GroupGraphPattern((*body.elements[:1], element))


def has_blank(pattern: GroupGraphPattern) -> bool:
    """Whether its triples have blank nodes, whose labels belong to one pattern."""
    return any(
        isinstance(part, BNode)
        for element in pattern.elements if isinstance(element, TriplesBlock)
        for triple in element.triples
        for part in (triple.subject, triple.object)
    )


def consumable(body: GroupGraphPattern) -> GroupGraphPattern:
    """What of a body an EVENT may say under a consumption policy."""
    kept: list[Element] = []
    for element in body.elements:
        match element:
            case TriplesBlock(triples):
                plain = tuple(
                    triple if isinstance(triple.predicate, URIRef | Variable)
                    else TriplePattern(triple.subject, LINK, triple.object)
                    for triple in triples
                )
                kept.append(TriplesBlock(plain))
            case Filter() | Bind() | InlineData() | NamedGraphPattern():
                kept.append(element)
            case _:
                pass
    return GroupGraphPattern(tuple(kept))
