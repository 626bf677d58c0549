"""Texts of explanations in CEQL: tuples with the attributes of the query, sets of positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .....semantics.ceql.predicates import all_satisfy, satisfies
from .....semantics.ceql.syntax.printing import constant_to_text
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import (
    AndCondition,
    Attribute,
    CeqlQuery,
    Condition,
    NotCondition,
    OrCondition,
    VariableCondition,
    WindowUnit,
)
from .....semantics.ceql.valuations import Stream, Valuation
from .....semantics.model.shown import text_of
from .....semantics.model.trees import find
from .....semantics.model.tuples import EventTuple
from ....explanations.wording import conjoined
from ..bounded_work import feasible

_SECOND = 1_000_000_000


class TupleWords:
    """Texts for the tuples of one query."""

    def __init__(self, query: CeqlQuery, stream: Sequence[EventTuple]) -> None:
        self.query = query
        self.stream = stream
        self.evaluated = feasible(query, [t.type for t in stream])
        names = [name for names in query.partition for name in names]
        names += [attribute.name for attribute in find(query.formula, Attribute)]
        if query.within is not None and query.within.attribute is not None:
            names.append(query.within.attribute)
        self.attributes = tuple(dict.fromkeys(names))

    def tuple(self, position: int) -> str:
        """Return `SELL at 3 (price = 101, name missing)`."""
        t = self.stream[position]
        values = self.values(t, self.attributes)
        return f"{t.type} at {position}" + (f" ({values})" if values else "")

    def values(self, t: EventTuple, attributes: Iterable[str]) -> str:
        """Return `price = 101, name missing`."""
        return ", ".join(
            f"{name} {'' if t.get(name) is None else '= '}{self.value(t, name)}"
            for name in attributes
        )

    def value(self, t: EventTuple, attribute: str) -> str:
        """Return the value of an attribute in the notation of queries."""
        value = t.get(attribute)
        return "missing" if value is None else constant_to_text(value)

    def verdicts(self, condition: Condition, v: Valuation, s: Stream) -> list[str]:
        """Return the truth of each part of a condition, with the tuples that decide it."""
        match condition:
            case AndCondition(left, right) | OrCondition(left, right):
                return self.verdicts(left, v, s) + self.verdicts(right, v, s)
            case NotCondition(operand):
                return self.verdicts(operand, v, s)
            case VariableCondition(variable, predicate):
                text = text_of(condition)
                positions = sorted(v(str(variable)))
                if not positions:
                    return [f"{text} is true: '{variable}' is empty"]
                names = list(dict.fromkeys(a.name for a in find(condition, Attribute)))
                bad = [i for i in positions if not satisfies(s[i], predicate)]
                if all_satisfy(s.at(v(str(variable))), predicate):
                    return [f"{text} is true at {self.tuple_list(positions, names)}"]
                return [f"{text} is false at {self.tuple_list(bad, names)}"]
        return []

    def tuple_list(self, positions: Sequence[int], names: Sequence[str], most: int = 4) -> str:
        """Return `0 (price = 101) and 3 (price = 99)`."""
        shown = []
        for position in positions[:most]:
            values = self.values(self.stream[position], names)
            shown.append(f"{position} ({values})" if values else str(position))
        if len(positions) > most:
            shown.append(f"{len(positions) - most} more")
        return conjoined(shown)

    def window(self, within_reading: str) -> str:
        """Return `WITHIN 10 [time]`, with the interpretation by the current CORE."""
        within = self.query.within
        assert within is not None
        core = within_reading == "core" and within.unit is WindowUnit.ATTRIBUTE
        return f"WITHIN {text_of(within)}" + (" (at most one less, within=core)" * core)

    def span(self, start: int, end: int) -> str:
        """Return the distance that WITHIN measures between two positions."""
        within = self.query.within
        assert within is not None
        first, last = self.stream[start], self.stream[end]
        if within.unit is WindowUnit.EVENTS:
            return f"{end} - {start} = {end - start}"
        if within.unit is WindowUnit.TIME:
            if first.time is None or last.time is None:
                return "no timestamp is known"
            return (
                f"{_seconds(last.time)} - {_seconds(first.time)} ="
                f" {_seconds(last.time - first.time)} s"
            )
        name = within.attribute or ""
        old, new = first.get(name), last.get(name)
        numbers = [
            v for v in (old, new) if isinstance(v, int | float) and not isinstance(v, bool)
        ]
        if len(numbers) < 2:
            return f"{name} is {self.value(first, name)} at {start}, {self.value(last, name)}" \
                f" at {end}"
        return f"{numbers[1]} - {numbers[0]} = {numbers[1] - numbers[0]}"


def event_text(event: ComplexEvent) -> str:
    """Return `[0, 4] {0, 3, 4}`."""
    text = f"[{event.start}, {event.end}] {positions_text(event.positions)}"
    if event.bindings is not None:
        text += ", " + ", ".join(f"{x} = {positions_text(d)}" for x, d in event.bindings)
    return text


def positions_text(positions: Iterable[int]) -> str:
    """Return `{0, 3, 4}`."""
    return "{" + ", ".join(map(str, sorted(positions))) + "}"


def _seconds(nanoseconds: int) -> str:
    whole, rest = divmod(nanoseconds, _SECOND)
    return str(whole) if rest == 0 else f"{nanoseconds / _SECOND:g}"
