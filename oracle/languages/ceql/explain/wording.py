"""Explanations in CEQL: their texts, requested complex events, the evaluation they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .....semantics.ceql.core_extensions import Moment, moments
from .....semantics.ceql.predicates import all_satisfy, satisfies
from .....semantics.ceql.syntax.printing import constant_to_text
from .....semantics.ceql.syntax.readings import Readings
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
from .....semantics.model.pretty_printing import text_of
from .....semantics.model.trees import find
from .....semantics.model.tuples import EventTuple, merged
from ....cases.case import Case
from ....explanations.explainer import Explainer
from ....explanations.wording import conjoined
from ..cost_estimate import feasible

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


@dataclass(frozen=True, slots=True)
class RequestedEvent:
    """A partial complex event; None stands for any value."""

    start: int | None = None
    end: int | None = None
    positions: frozenset[int] | None = None
    bindings: Mapping[str, frozenset[int]] | None = None

    def is_met_by(self, event: ComplexEvent) -> bool:
        """Return whether a result has all requested values."""
        bindings = {name: frozenset(places) for name, places in event.bindings or ()}
        return (
            self.start in (None, event.start)
            and self.end in (None, event.end)
            and self.positions in (None, frozenset(event.positions))
            and (
                self.bindings is None
                or event.bindings is None
                or all(bindings.get(x, frozenset()) == d for x, d in self.bindings.items())
            )
        )

    def fits(self, v: Valuation) -> bool:
        """Return whether a valuation has all requested values."""
        return (
            self.start in (None, v.start)
            and self.end in (None, v.end)
            and self.positions in (None, v.data)
            and (self.bindings is None or all(v(x) == d for x, d in self.bindings.items()))
        )

    @property
    def involved(self) -> list[int]:
        """The requested positions, start and end."""
        ends = {place for place in (self.start, self.end) if place is not None}
        return sorted(ends | (self.positions or frozenset()))

    def __str__(self) -> str:
        ends = ["?" if place is None else str(place) for place in (self.start, self.end)]
        text = f"[{ends[0]}, {ends[1]}]"
        if self.positions is not None:
            text += f" {positions_text(self.positions)}"
        for name, places in (self.bindings or {}).items():
            text += f", {name} = {positions_text(places)}"
        return text

    def may_start_with(self, v: Valuation) -> bool:
        """Return whether a valuation may be a prefix of the requested event."""
        if self.start not in (None, v.start) or (self.end is not None and v.end >= self.end):
            return False
        if self.positions is None:
            return True
        return v.data == frozenset(i for i in self.positions if i <= v.end)


class CeqlEvaluation(Explainer):
    """The parts of a case that all rules of CEQL use."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.query: CeqlQuery = case.tree
        self.readings: Readings = case.readings
        streams = {str(name): stream for name, stream in case.streams.items()}
        self.stream: list[EventTuple] = list(merged(streams, self.query.streams))
        self.tuples = TupleWords(self.query, self.stream)

    @cached_property
    def moments(self) -> list[Moment]:
        return list(moments(self.tuples.evaluated, self.stream, self.readings))

    def selection(self) -> str:
        return ", ".join(map(text_of, self.query.select or ())) or "NONE"


def in_order(found: Iterable[Valuation]) -> list[Valuation]:
    """Return valuations in order of their start."""
    return sorted(found, key=lambda v: (v.start, sorted(v.data)))
