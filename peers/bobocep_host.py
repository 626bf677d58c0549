"""BoboCEP's decider behind the adapter protocol, in the process that imports it.

Beside what the protocol has, a case brings `patterns`, each with the `times` of its events and its
`elements`, and `conditions`: tables of the values of which they hold. What an event is to an
element are rows of numbers, by variable; a predicate asks whether one of them joins with what the
history holds. A result is what a pattern selects: for each of its matches the events of each
element.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from bobocep.cep.engine.decider.decider import BoboDecider  # type: ignore[import-not-found]
from bobocep.cep.engine.decider.pubsub import (  # type: ignore[import-not-found]
    BoboDeciderSubscriber,
)
from bobocep.cep.event import BoboEventSimple  # type: ignore[import-not-found]
from bobocep.cep.gen.event_id import BoboGenEventIDUnique  # type: ignore[import-not-found]
from bobocep.cep.phenom import (  # type: ignore[import-not-found]
    BoboPatternBuilder,
    BoboPhenomenon,
)

Row = dict[str, int]


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "hello":
        return {
            "type": "hello", "name": "bobocep", "version": version("bobocep"),
            "languages": ["spaseq"], "level": "pair",
        }
    try:
        tables = [
            (table["variables"], frozenset(table["holds"])) for table in message["conditions"]
        ]
        results = [Matcher(pattern, tables).matches() for pattern in message["patterns"]]
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return {"type": "error", "id": message["id"], "message": said}
    return {"type": "result", "id": message["id"], "results": results}


class Matcher(BoboDeciderSubscriber):  # type: ignore[misc]
    """One pattern over its events."""

    def __init__(self, pattern: dict[str, Any], tables: list[tuple[list[str], frozenset[str]]]):
        self.pattern = pattern
        self.elements = pattern["elements"]
        self.tables = tables
        self.found: list[Any] = []

    def matches(self) -> list[list[list[int]]]:
        """Return the events of each element, of all matches."""
        phenomenon = BoboPhenomenon("asked", [self.built()])
        decider = BoboDecider([phenomenon], BoboGenEventIDUnique(), BoboGenEventIDUnique())
        decider.subscribe(self)
        for number, time in enumerate(self.pattern["times"]):
            event = BoboEventSimple(event_id=f"event {number}", timestamp=time, data=number)
            decider.on_receiver_update(event)
            decider.update()
        names = [element["name"] for element in self.elements]
        return [
            [[event.data for event in run.history.events[name]] for name in names]
            for run in self.found
        ]

    def on_decider_update(
        self, completed: list[Any], halted: list[Any], updated: list[Any], local: bool
    ) -> None:
        self.found += completed

    def built(self) -> Any:
        """Return the pattern in the words of BoboCEP's builder."""
        builder = BoboPatternBuilder("pattern")
        for place, element in enumerate(self.elements):
            add = getattr(builder, element["by"])
            add(self.predicate(place), group=element["name"], times=element.get("times", 1))
            if element.get("loops"):
                builder.next(self.predicate(place), group=element["name"], loop=True)
        within = self.pattern.get("within")
        if within is not None:
            builder.haltcondition(lambda event, history: self.lasts(event, history) >= within)
        return builder.generate()

    def lasts(self, event: Any, history: Any) -> int:
        """Return the time since the first event of a run."""
        return int(event.timestamp - history.events[self.elements[0]["name"]][0].timestamp)

    def predicate(self, place: int) -> Any:
        """Return an element's condition on an event; for a negated one, that it is forbidden."""
        at = self.elements[place]["at"]
        if self.elements[place]["by"].startswith("not_"):
            return lambda event, history: str(event.data) not in at
        return lambda event, history: bool(
            self.joined(self.bound(history, place), place, event.data, not history.events)
        )

    def bound(self, history: Any, place: int) -> list[Row]:
        """Return the bindings of the events of a history, up to this element."""
        rows: list[Row] = [{}]
        first = True
        for earlier, element in enumerate(self.elements[: place + 1]):
            for event in history.events.get(element["name"], ()):
                apart = [_without(row, element["local"]) for row in rows]
                rows = self.joined(apart, earlier, event.data, first)
                first = False
        # What is local to an iteration is not asked of the next one.
        return [_without(row, self.elements[place]["local"]) for row in rows]

    def joined(self, rows: list[Row], place: int, number: int, first: bool) -> list[Row]:
        """Return the rows joined with an event's values for an element; `first` begins a run."""
        element = self.elements[place]
        contents = element.get("first", element["at"]) if first else element["at"]
        return [
            {**row, **own}
            for alternative in contents.get(str(number), ())
            for row in rows
            for own in alternative["rows"]
            if all(row.get(variable, term) == term for variable, term in own.items())
            if all(self.holds(owed, {**row, **own}) for owed in alternative["owed"])
        ]

    def holds(self, condition: int, row: Row) -> bool:
        variables, values = self.tables[condition]
        return " ".join(str(row.get(variable, "-")) for variable in variables) in values


def _without(row: Row, variables: list[str]) -> Row:
    return {variable: term for variable, term in row.items() if variable not in variables}
