"""Tuples that a FILTER on their event type rejects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from .....semantics.ceql.denotation import holds
from .....semantics.ceql.syntax.analysis import conjuncts, variables
from .....semantics.ceql.syntax.tree import (
    As,
    Condition,
    EventType,
    Filter,
    Formula,
    NotFormula,
    Projection,
    VariableCondition,
)
from .....semantics.ceql.valuations import Stream, valuation
from .....semantics.model.shown import text_of
from .....semantics.model.trees import children, find, has
from .....semantics.model.tuples import EventTuple


@dataclass(frozen=True, slots=True)
class _Place:
    """An event type in a formula, with the variables of its event and their conditions."""

    event: EventType
    names: frozenset[str]
    conditions: tuple[tuple[str, Condition], ...] = ()


def rejections(formula: Formula, stream: Sequence[EventTuple]) -> Callable[[int], str]:
    """Return a function of a position that returns the condition that rejects its tuple.

    It returns "" for a tuple that may match: some condition holds or has several variables, or the
    formula contains NOT.
    """
    places = [] if has(formula, NotFormula) else list(_places(formula))
    s = Stream(dict(enumerate(stream)))

    def failing(place: _Place, position: int) -> str:
        for variable, condition in place.conditions:
            alone = valuation(position, position, {variable: frozenset({position})})
            if not holds(alone, condition, s):
                return f"{text_of(place.event)}: FILTER {text_of(condition)}"
        return ""

    def rejecting(position: int) -> str:
        t = stream[position]
        conditions = [
            failing(place, position) for place in places
            if place.event.name == t.type and place.event.stream in (None, t.stream)
        ]
        return conditions[0] if conditions and all(conditions) else ""

    return rejecting


def _places(phi: Formula) -> Iterator[_Place]:
    match phi:
        case EventType():
            yield _Place(phi, variables(phi))
        case As(inner, variable):
            for each in _places(inner):
                yield replace(each, names=each.names | {variable})
        case Projection(inner, chosen):
            for each in _places(inner):
                yield replace(each, names=each.names & {str(name) for name in chosen})
        case Filter(inner, condition):
            parts = [(_variables(part), part) for part in conjuncts(condition)]
            for each in _places(inner):
                own = tuple(
                    (*names, part) for names, part in parts
                    if len(names) == 1 and each.names.issuperset(names)
                )
                yield replace(each, conditions=(*each.conditions, *own))
        case _:
            for inner in children(phi):
                yield from _places(inner)


def _variables(condition: Condition) -> tuple[str, ...]:
    found = find(condition, VariableCondition)
    return tuple(dict.fromkeys(str(each.variable) for each in found))
