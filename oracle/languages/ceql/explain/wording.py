"""The words of CEQL's explanations: tuples with what the query asks of them, sets of positions."""

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
    """How one query's tuples are called."""

    def __init__(self, query: CeqlQuery, stream: Sequence[EventTuple]) -> None:
        self.query = query
        self.stream = stream
        self.evaluated = feasible(query, [t.type for t in stream])
        names = [name for names in query.partition for name in names]
        names += [attribute.name for attribute in find(query.formula, Attribute)]
        if query.within is not None and query.within.attribute is not None:
            names.append(query.within.attribute)
        self.asked = tuple(dict.fromkeys(names))

    def tuple(self, position: int) -> str:
        """`SELL at 3 (price 101, name missing)`"""
        t = self.stream[position]
        said = self.values(t, self.asked)
        return f"{t.type} at {position}" + (f" ({said})" if said else "")

    def values(self, t: EventTuple, attributes: Iterable[str]) -> str:
        """`price 101, name missing`"""
        return ", ".join(f"{name} {self.value(t, name)}" for name in attributes)

    def value(self, t: EventTuple, attribute: str) -> str:
        """The value of an attribute, as a query would write it."""
        value = t.get(attribute)
        return "missing" if value is None else constant_to_text(value)

    def verdict(self, condition: Condition, v: Valuation, s: Stream) -> list[str]:
        """Of which tuples the parts of a condition hold, and of which they do not."""
        match condition:
            case AndCondition(left, right) | OrCondition(left, right):
                return self.verdict(left, v, s) + self.verdict(right, v, s)
            case NotCondition(operand):
                return self.verdict(operand, v, s)
            case VariableCondition(variable, predicate):
                shown = text_of(condition)
                positions = sorted(v(str(variable)))
                if not positions:
                    return [f"{shown} holds, as '{variable}' is empty"]
                names = list(dict.fromkeys(a.name for a in find(condition, Attribute)))
                bad = [i for i in positions if not satisfies(s[i], predicate)]
                if all_satisfy(s.at(v(str(variable))), predicate):
                    return [f"{shown} holds of {self.listed(positions, names)}"]
                return [f"{shown} does not hold of {self.listed(bad, names)}"]
        return []

    def listed(self, positions: Sequence[int], attributes: Sequence[str], most: int = 4) -> str:
        """`0 (price 101) and 3 (price 99)`"""
        said = []
        for position in positions[:most]:
            values = self.values(self.stream[position], attributes)
            said.append(f"{position} ({values})" if values else str(position))
        if len(positions) > most:
            said.append(f"{len(positions) - most} more")
        return conjoined(said)

    def window(self, within_reading: str) -> str:
        """`WITHIN 10 [time]`, and what today's CORE makes of it."""
        within = self.query.within
        assert within is not None
        core = within_reading == "core" and within.unit is WindowUnit.ATTRIBUTE
        return f"WITHIN {text_of(within)}" + (" (at most one less, within=core)" * core)

    def span(self, start: int, end: int) -> str:
        """What WITHIN measures between two positions."""
        within = self.query.within
        assert within is not None
        first, last = self.stream[start], self.stream[end]
        if within.unit is WindowUnit.EVENTS:
            return f"{end} - {start} = {end - start}"
        if within.unit is WindowUnit.TIME:
            if first.time is None or last.time is None:
                return "no arrival time is known"
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


def shown(event: ComplexEvent) -> str:
    """`[0, 4] {0, 3, 4}`"""
    said = f"[{event.start}, {event.end}] {positions_shown(event.positions)}"
    if event.bindings is not None:
        said += ", " + ", ".join(f"{x} = {positions_shown(d)}" for x, d in event.bindings)
    return said


def positions_shown(positions: Iterable[int]) -> str:
    """`{0, 3, 4}`"""
    return "{" + ", ".join(map(str, sorted(positions))) + "}"


def _seconds(nanoseconds: int) -> str:
    whole, rest = divmod(nanoseconds, _SECOND)
    return str(whole) if rest == 0 else f"{nanoseconds / _SECOND:g}"
