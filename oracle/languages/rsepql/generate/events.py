"""Event patterns (RSEP-QL Def. 7)."""

from __future__ import annotations

from collections.abc import Sequence

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
from ....inputs.choices import COIN, Choices, Decided
from ....inputs.graph_patterns import condition, graph_pattern, has_blank
from ....inputs.vocabulary import AMOUNTS, BACKGROUNDS, LINK, NUMBERS, RESOURCES, name

WINDOWS = (name("w1"), name("w2"), name("w3"))

_COUNTS = ("rsepql/events", (2, 1, 2, 2, 3, 3))
_ARRANGED = (
    "rsepql/arrangement",
    ("any",) * 8 + ("choice before another", "rivals of intervals"),
)
"""What needs several parts in their places comes about seldom by chance."""
_OPERATORS: Decided[SequenceOperator | None] = (
    "rsepql/sequence",
    (
        SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE,
        *(SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT) * 3,
        *(SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE) * 2, None,
    ),
)
"""None: the latter alone"""
_SELECTIVE = (
    "rsepql/selective sequence", (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
)
_CHOSEN = ("rsepql/chosen before another", ("FIRST", "FIRST", "LAST"))
_SELECTING = ("rsepql/selecting", ("",) * 6 + ("FIRST", "LAST"))
# Of what FIRST and LAST choose at the very end an engine need not know how it came about.
_SELECTING_OF_ALL = ("rsepql/selecting of all", ("",) * 6 + ("FIRST", "LAST"))
_NESTED = ("rsepql/nesting", ("left", "right", "right"))
_ORDER = ("rsepql/windows", ("in order", "in order", "any", "backwards"))
_ASKED = (
    "rsepql/asked for",
    (
        "optional", "minus", "union", "exists", "either", "values", "bind", "count", "distinct",
        "nothing",
    ),
)
_ASKED_OF = ("rsepql/condition on what is asked for", (False, True, True))
_PLAIN = ("rsepql/plain events", (False, True))
"""Events that have little to say are met often, and together."""
_BODIES = ("rsepql/event", (*("new",) * 3, "as the next", "as the next", "asks for the next"))


_SUB_SELECT = ("rsepql/event is a sub-select", (False,) * 9 + (True,))


def event_pattern(
    choices: Choices,
    *,
    windows: Sequence[URIRef] = WINDOWS[:2],
    consumed: bool = False,
    label: str = "e",
    backgrounds: tuple[URIRef, ...] = BACKGROUNDS[:1],
) -> EventPattern:
    """Draw an event pattern over windows of these names.

    `consumed` says that CONSUME must allow it. `label` begins the labels of its blank nodes,
    `backgrounds` are the names for GRAPH.
    """
    later: set[Variable] = set()
    basic: list[Event] = []
    arranged = choices.among(*_ARRANGED)
    fixed = {"rivals of intervals": 3, "choice before another": 2}
    count = fixed.get(arranged) or choices.among(*_COUNTS)
    order = choices.among(*_ORDER)
    plain = choices.among(*_PLAIN) or arranged != "any"
    for number in reversed(range(count)):
        # The last one first: its variables are known to the filters of those before it.
        body = graph_pattern(
            choices, earlier=sorted(later), blank=BNode(f"{label}{number}"),
            backgrounds=backgrounds,
        )
        if consumed:
            body = consumable(body)
        kind = choices.among(*_BODIES)
        if plain:
            body = GroupGraphPattern(body.elements[:1])
        if basic and not has_blank(basic[0].pattern):
            if kind == "as the next":
                body = basic[0].pattern
            if kind == "asks for the next" and not consumed:
                body = _asking(choices, body, basic[0].pattern)
        if choices.among(*_SUB_SELECT) and not consumed and not has_blank(body):
            shown = tuple(map(Projection, sorted(possible_variables(body))))
            body = GroupGraphPattern((SubSelect(SelectQuery(shown or None, body)),))
        later |= possible_variables(body)
        place = number if order == "in order" else count - 1 - number
        window = windows[place % len(windows)] if order != "any" else choices.among("", windows)
        basic.insert(0, Event(window, body))
    if arranged == "rivals of intervals":
        first, *rest = basic
        return EventSequence(
            choices.among(*_SELECTIVE), first, EventSequence(SequenceOperator.UNRESTRICTED, *rest)
        )
    if arranged == "choice before another":
        chosen = _selected(choices, basic[0], _CHOSEN)
        return EventSequence(SequenceOperator.UNRESTRICTED, chosen, basic[1])
    patterns: list[EventPattern] = [_selected(choices, each) for each in basic]
    while len(patterns) > 1:
        place = 0 if len(patterns) == 2 or choices.among(*_NESTED) == "left" else 1
        left, right = patterns[place : place + 2]
        operator = choices.among(*_OPERATORS)
        joined = right if operator is None else EventSequence(operator, left, right)
        patterns[place : place + 2] = [_selected(choices, joined, _SELECTING_OF_ALL)]
    return patterns[0]


def _selected(
    choices: Choices, pattern: EventPattern, selecting: Decided[str] = _SELECTING
) -> EventPattern:
    match choices.among(*selecting):
        case "FIRST":
            return First(pattern)
        case "LAST":
            return Last(pattern)
        case _:
            return pattern


def _asking(
    choices: Choices, body: GroupGraphPattern, later: GroupGraphPattern
) -> GroupGraphPattern:
    """A body that does not bind for sure what the event behind it does, and asks for it: there
    μ2(E1) is no join."""
    asked = GroupGraphPattern(later.elements[:1])
    own = GroupGraphPattern(body.elements[:1])
    known = sorted(possible_variables(asked))
    elements: list[Element] = [*own.elements]
    match choices.among(*_ASKED):
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
            variable = choices.among("", known)
            term = (NUMBERS if variable in AMOUNTS else RESOURCES)[0]
            elements.append(InlineData((variable,), ((None,), (term,))))
        case "bind" if known:
            variable = choices.among("", known)
            if variable not in possible_variables(own):
                sources: list[Variable | Literal] = [*known, NUMBERS[0]]
                elements.append(Bind(choices.among("", sources), variable))
        case "count":
            count = Projection(Variable("c"), Aggregate("COUNT", None))
            elements.append(_sub_select(SelectQuery((count,), asked)))
        case "distinct" if known:
            one = Projection(choices.among("", known))
            elements.append(_sub_select(SelectQuery((one,), asked, distinct=True)))
        case "exists":
            elements.append(Filter(Exists(asked, negated=choices.among("", COIN))))
        case _:
            pass
    if choices.among(*_ASKED_OF) and known:
        elements.append(Filter(condition(choices, known)))
    return GroupGraphPattern(tuple(elements))


def _sub_select(query: SelectQuery) -> Element:
    """A sub-select has a group to itself (SPARQL's rule [54])."""
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


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
