"""Event patterns (RSEP-QL Def. 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

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
from ....inputs.choices import COIN, Choices
from ....inputs.graph_patterns import condition, graph_pattern, has_blank
from ....inputs.graphs import AMOUNTS, BACKGROUNDS, LINK, NUMBERS, RESOURCES, name

WINDOWS = (name("w1"), name("w2"), name("w3"))

_COUNTS = ("rsepql/events", (2, 1, 2, 2, 3, 3))
_SELECTIONS = ("rsepql/selections", (0, 1, 0, 2, 0, 1, 0, 1))
_ARRANGED = (
    "rsepql/arrangement",
    ("any",) * 8 + ("choice before another", "rivals of intervals"),
)
"""The arrangements of several parts that seldom come about by chance."""
_OPERATORS = (
    "rsepql/sequence",
    (
        SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE,
        *(SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT) * 3,
        *(SequenceOperator.UNRESTRICTED, SequenceOperator.NAIVE) * 2,
    ),
)
_SELECTIVE = (
    "rsepql/selective sequence", (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
)
_CHOSEN = ("rsepql/chosen before another", ("FIRST", "FIRST", "LAST"))
_SELECTING = ("rsepql/selecting", ("FIRST", "LAST"))
_SELECTING_OF_SEVERAL = ("rsepql/selecting", ("",) * 6 + ("FIRST", "LAST"))
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

Bodies: TypeAlias = Callable[[Choices, int], Sequence[GroupGraphPattern]]
"""Draws the bodies of so many EVENTs or WINDOWs, in the order of the text."""


def event_pattern(
    choices: Choices,
    operators: int | None = None,
    *,
    windows: Sequence[URIRef] = WINDOWS[:2],
    consumed: bool = False,
    label: str = "e",
    backgrounds: tuple[URIRef, ...] = BACKGROUNDS[:1],
    bodies: Bodies | None = None,
) -> EventPattern:
    """Draw an event pattern, perhaps with a number of operators: sequences, FIRST and LAST.

    Args:
        choices: chooses.
        operators: the number of its operators; default: any.
        windows: the names of the windows.
        consumed: whether CONSUME must allow it.
        label: begins the labels of its blank nodes.
        backgrounds: the names for GRAPH.
        bodies: draws the bodies of its EVENTs; default: of any constructs, with shared variables.
    """
    arranged = choices.among(*_ARRANGED)
    if arranged != "any":
        count, selections = (2, 1) if arranged == "choice before another" else (3, 0)
    elif operators is None:
        count, selections = choices.among(*_COUNTS), choices.among(*_SELECTIONS)
    else:
        count = choices.among("rsepql/events", range(1, operators + 2))
        selections = operators + 1 - count
    order = choices.among(*_ORDER)
    if bodies is None:
        drawn: Sequence[GroupGraphPattern] = _usual_bodies(
            choices, count, arranged != "any", consumed, label, backgrounds
        )
    else:
        drawn = bodies(choices, count)
    events: list[EventPattern] = []
    for number, body in enumerate(drawn):
        place = number if order == "in order" else count - 1 - number
        window = windows[place % len(windows)] if order != "any" else choices.among("", windows)
        events.append(Event(window, body))
    if arranged == "rivals of intervals":
        first, *rest = events
        return EventSequence(
            choices.among(*_SELECTIVE), first, EventSequence(SequenceOperator.UNRESTRICTED, *rest)
        )
    if arranged == "choice before another":
        chosen = _selected(choices.among(*_CHOSEN), events[0])
        return EventSequence(SequenceOperator.UNRESTRICTED, chosen, events[1])
    return _combined(choices, events, selections)


def _combined(
    choices: Choices, events: Sequence[EventPattern], selections: int
) -> EventPattern:
    """Draw a pattern of these events, in this order, with exactly so many FIRST and LAST."""
    several = len(events) > 1
    if selections:
        kind = choices.among(*(_SELECTING_OF_SEVERAL if several else _SELECTING))
        if kind:
            return _selected(kind, _combined(choices, events, selections - 1))
    if not several:
        return events[0]
    cut = choices.among("events on the left", range(1, len(events)))
    left = choices.among("selections on the left", range(selections + 1))
    operator = choices.among(*_OPERATORS)
    return EventSequence(
        operator,
        _combined(choices, events[:cut], left),
        _combined(choices, events[cut:], selections - left),
    )


def _selected(kind: str, pattern: EventPattern) -> EventPattern:
    return First(pattern) if kind == "FIRST" else Last(pattern)


def _usual_bodies(
    choices: Choices, count: int, plain: bool, consumed: bool, label: str,
    backgrounds: tuple[URIRef, ...],
) -> list[GroupGraphPattern]:
    """Draw bodies of any constructs; the filters of each know the variables of those after it."""
    later: set[Variable] = set()
    found: list[GroupGraphPattern] = []
    plain = choices.among(*_PLAIN) or plain
    for number in reversed(range(count)):
        body = graph_pattern(
            choices, earlier=sorted(later), blank=BNode(f"{label}{number}"),
            backgrounds=backgrounds,
        )
        if consumed:
            body = consumable(body)
        kind = choices.among(*_BODIES)
        if plain:
            body = GroupGraphPattern(body.elements[:1])
        if found and not has_blank(found[0]):
            if kind == "as the next":
                body = found[0]
            if kind == "asks for the next" and not consumed:
                body = _asking(choices, body, found[0])
        if choices.among(*_SUB_SELECT) and not consumed and not has_blank(body):
            shown = tuple(map(Projection, sorted(possible_variables(body))))
            body = GroupGraphPattern((SubSelect(SelectQuery(shown or None, body)),))
        later |= possible_variables(body)
        found.insert(0, body)
    return found


def _asking(
    choices: Choices, body: GroupGraphPattern, later: GroupGraphPattern
) -> GroupGraphPattern:
    """Return a body that does not bind for sure what the event behind it does, and asks for it:
    there μ2(E1) is no join."""
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
    """Wrap a sub-select in a group of its own (SPARQL's rule [54])."""
    return UnionPattern((GroupGraphPattern((SubSelect(query),)),))


def consumable(body: GroupGraphPattern) -> GroupGraphPattern:
    """Return the part of a body that an EVENT may contain under a consumption policy."""
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
