"""Event patterns (RSEP-QL Def. 7)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Literal, URIRef, Variable

from .....semantics.rdf.syntax.tree import (
    Aggregate,
    Bind,
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    Projection,
    SelectQuery,
    SubSelect,
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
from ....fuzzing.strategies.conditions import conditions
from ....fuzzing.strategies.graph_patterns import graph_patterns
from ....fuzzing.strategies.vocabulary import AMOUNTS, BACKGROUNDS, LINK, NUMBERS, RESOURCES, name

WINDOWS = (name("w1"), name("w2"), name("w3"))

_COUNTS = choice("rsepql/events", (2, 1, 2, 2, 3, 3))
_ARRANGED = choice(
    "rsepql/arrangement",
    ("any",) * 8 + ("choice before another", "rivals of intervals"),
)
"""What needs several parts in their places comes about seldom by chance."""
_OPERATORS: SearchStrategy[SequenceOperator | None] = choice(
    "rsepql/sequence",
    (
        SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE,
        *(SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT) * 3,
        *(SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE) * 2, None,
    ),
)
"""None: the latter alone"""
_SELECTIVE = choice(
    "rsepql/selective sequence", (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
)
_CHOSEN = choice("rsepql/chosen before another", ("FIRST", "FIRST", "LAST"))
_SELECTING = choice("rsepql/selecting", ("",) * 6 + ("FIRST", "LAST"))
# Of what FIRST and LAST choose at the very end an engine need not know how it came about.
_SELECTING_OF_ALL = choice("rsepql/selecting of all", ("",) * 6 + ("FIRST", "LAST"))
_NESTED = choice("rsepql/nesting", ("left", "right", "right"))
_ORDER = choice("rsepql/windows", ("in order", "in order", "any", "backwards"))
_ASKED = choice(
    "rsepql/asked for",
    (
        "optional", "minus", "union", "exists", "either", "values", "bind", "count", "distinct",
        "nothing",
    ),
)
_ASKED_OF = choice("rsepql/condition on what is asked for", (False, True, True))
_PLAIN = choice("rsepql/plain events", (False, True))
"""Events that have little to say are met often, and together."""
_BODIES = choice("rsepql/event", (*("new",) * 3, "as the next", "as the next", "asks for the next"))


_SUB_SELECT = choice("rsepql/event is a sub-select", (False,) * 9 + (True,))


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
    arranged = draw(_ARRANGED)
    count = {"rivals of intervals": 3, "choice before another": 2}.get(arranged) or draw(_COUNTS)
    order = draw(_ORDER)
    plain = draw(_PLAIN) or arranged != "any"
    for number in reversed(range(count)):
        # The last one first: its variables are known to the filters of those before it.
        body = draw(graph_patterns(
            earlier=sorted(later), blank=BNode(f"{label}{number}"), backgrounds=backgrounds
        ))
        if consumed:
            body = consumable(body)
        kind = draw(_BODIES)
        if plain:
            body = GroupGraphPattern(body.elements[:1])
        if basic and not has_blank(basic[0].pattern):
            if kind == "as the next":
                body = basic[0].pattern
            if kind == "asks for the next" and not consumed:
                body = _asking(draw, body, basic[0].pattern)
        if draw(_SUB_SELECT) and not consumed and not has_blank(body):
            shown = tuple(map(Projection, sorted(possible_variables(body))))
            body = GroupGraphPattern((SubSelect(SelectQuery(shown or None, body)),))
        later |= possible_variables(body)
        place = number if order == "in order" else count - 1 - number
        window = windows[place % len(windows)] if order != "any" else draw(among(windows))
        basic.insert(0, Event(window, body))
    if arranged == "rivals of intervals":
        first, *rest = basic
        return EventSequence(
            draw(_SELECTIVE), first, EventSequence(SequenceOperator.UNRESTRICTED, *rest)
        )
    if arranged == "choice before another":
        chosen = _selected(draw, basic[0], _CHOSEN)
        return EventSequence(SequenceOperator.UNRESTRICTED, chosen, basic[1])
    patterns: list[EventPattern] = [_selected(draw, each) for each in basic]
    while len(patterns) > 1:
        place = 0 if len(patterns) == 2 or draw(_NESTED) == "left" else 1
        left, right = patterns[place : place + 2]
        operator = draw(_OPERATORS)
        joined = right if operator is None else EventSequence(operator, left, right)
        patterns[place : place + 2] = [_selected(draw, joined, _SELECTING_OF_ALL)]
    return patterns[0]


def _selected(
    draw: DrawFn, pattern: EventPattern, selecting: SearchStrategy[str] = _SELECTING
) -> EventPattern:
    match draw(selecting):
        case "FIRST":
            return First(pattern)
        case "LAST":
            return Last(pattern)
        case _:
            return pattern


def _asking(
    draw: DrawFn, body: GroupGraphPattern, later: GroupGraphPattern
) -> GroupGraphPattern:
    """A body that does not bind for sure what the event behind it does, and asks for it: there
    μ2(E1) is no join."""
    asked = GroupGraphPattern(later.elements[:1])
    own = GroupGraphPattern(body.elements[:1])
    known = sorted(possible_variables(asked))
    elements: list[Element] = [*own.elements]
    match draw(_ASKED):
        case "optional":
            elements.append(OptionalPattern(asked))
        case "minus":
            elements.append(MinusPattern(asked))
        case "union":
            perhaps = GroupGraphPattern((OptionalPattern(asked),))
            elements.append(UnionPattern((asked, perhaps)))
        case "either":
            elements = [UnionPattern((asked, own))]
        case "values" if known:
            variable = draw(among(known))
            term = (NUMBERS if variable in AMOUNTS else RESOURCES)[0]
            elements.append(InlineData((variable,), ((None,), (term,))))
        case "bind" if known:
            variable = draw(among(known))
            if variable not in possible_variables(own):
                sources: list[Variable | Literal] = [*known, NUMBERS[0]]
                elements.append(Bind(draw(among(sources)), variable))
        case "count":
            count = Projection(Variable("c"), Aggregate("COUNT", None))
            elements.append(_sub_select(SelectQuery((count,), asked)))
        case "distinct" if known:
            one = Projection(draw(among(known)))
            elements.append(_sub_select(SelectQuery((one,), asked, distinct=True)))
        case "exists":
            elements.append(Filter(Exists(asked, negated=draw(st.booleans()))))
        case _:
            pass
    if draw(_ASKED_OF) and known:
        elements.append(Filter(draw(conditions(known))))
    return GroupGraphPattern(tuple(elements))


def _sub_select(query: SelectQuery) -> Element:
    """A sub-select has a group to itself (SPARQL's rule [54])."""
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


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
