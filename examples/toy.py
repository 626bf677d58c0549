"""A small engine for CEQL: sequences and filters within so many events."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

Event = dict[str, Any]
Operand = Callable[[Event], Any]
Condition = tuple[str, Operand, Callable[[Any, Any], bool], Operand]

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}
TOKEN = re.compile(r"\s*('(?:[^']|'')*'|-?\d+(?:\.\d+)?|\w+|[<>!]=|\S)")


class UnsupportedError(Exception):
    """The query asks for what this engine does not do."""


class Query:
    """SELECT * FROM stream WHERE formula WITHIN n EVENTS"""

    def __init__(self, text: str) -> None:
        self.words: list[str] = TOKEN.findall(text)
        self.take("SELECT", "*")
        if self.sees("FROM"):
            self.take("FROM", None)
        self.take("WHERE")
        self.formula = self.filtered()
        self.take("WITHIN")
        self.within = int(self.take(None))
        self.take("EVENTS")
        if self.words:
            raise UnsupportedError(self.words[0])

    def sees(self, word: str) -> bool:
        return bool(self.words) and self.words[0].upper() == word

    def take(self, *expected: str | None) -> str:
        for word in expected:
            if not self.words or (word and not self.sees(word)):
                raise UnsupportedError(f"{word} is not where it was expected")
            taken = self.words.pop(0)
        return taken

    def filtered(self) -> tuple[Any, ...]:
        found = self.sequence(self.event())
        while self.sees("FILTER"):
            self.take("FILTER")
            found = self.sequence(("filter", found, self.conditions()))
        return found

    def sequence(self, left: tuple[Any, ...]) -> tuple[Any, ...]:
        while self.sees(";"):
            self.take(";")
            left = ("sequence", left, self.event())
        return left

    def event(self) -> tuple[Any, ...]:
        if not self.sees("("):
            return ("event", self.take(None))
        self.take("(")
        inner = self.filtered()
        self.take(")")
        return inner

    def conditions(self) -> list[Condition]:
        found = self.condition()
        while self.sees("AND"):
            self.take("AND")
            found += self.condition()
        return found

    def condition(self) -> list[Condition]:
        if self.sees("("):
            self.take("(")
            inner = self.conditions()
            self.take(")")
            return inner
        name, _, left, compare, right = (self.take(each) for each in (None, "[", None, None, None))
        if compare not in COMPARE:
            raise UnsupportedError(compare)
        self.take("]")
        return [(name, operand(left), COMPARE[compare], operand(right))]


def operand(word: str) -> Operand:
    """The value of a constant or of an attribute, for an event."""
    if word[0] == "'":
        return lambda event: word[1:-1].replace("''", "'")
    if word[0].isdigit() or word[0] == "-":
        return lambda event: float(word) if "." in word else int(word)
    return lambda event: event.get(word)


def holds(condition: Condition, event: Event) -> bool:
    _, left, compare, right = condition
    a, b = left(event), right(event)
    if a is None or b is None or kind(a) != kind(b):  # missing, or of different types
        return False
    return compare(a, b)


def kind(value: Any) -> Any:
    return "number" if type(value) in (int, float) else type(value)


def matches(
    formula: tuple[Any, ...], events: list[Event], start: int
) -> Iterator[list[tuple[str, int]]]:
    """The matches from a position on, each a list of (event type, position)."""
    match formula:
        case "event", name:
            for place in range(start, len(events)):
                if events[place]["type"] == name:
                    yield [(name, place)]
        case "sequence", left, right:
            for first in matches(left, events, start):
                for second in matches(right, events, first[-1][1] + 1):
                    yield first + second
        case "filter", inner, conditions:
            for found in matches(inner, events, start):
                if all(holds(each, events[place])
                       for each in conditions for name, place in found if name == each[0]):
                    yield found


def run(text: str, events: list[Event]) -> Iterator[Event]:
    query = Query(text)
    for found in matches(query.formula, events, 0):
        places = [place for _, place in found]
        if places[-1] - places[0] < query.within:
            yield {"start": places[0], "end": places[-1], "positions": places}
