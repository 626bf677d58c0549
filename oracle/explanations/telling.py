"""What a language says of its results: which there are, why, and why a row is not among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.mappings import EMPTY_MAPPING, SolutionMapping
from ..cases.case import Case
from ..judging.levels import Answer, mappings
from .asked import AskedRow, FoundRow, asked_rows, covers
from .derivations import Goal
from .refusals import refusals
from .timeline import Lane, Mark
from .wording import Words


class Explainer(ABC):
    """What a language says of one case: of each result, and of each row that is missed, a goal.

    A row is as much of a result as somebody asks for; what is asked for is an `AskedRow`, or what
    a language reads a result object as instead.
    """

    noun = "solution"

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def words(self) -> Words:
        """How the terms, times and items of the case are called."""
        return Words(self.case)

    @cached_property
    def results(self) -> list[Any]:
        """What is explained one by one: the definitions' results, in the order of printing."""
        return sorted(self.evaluated(), key=self.case.language.order)

    def evaluated(self) -> Iterable[Any]:
        """The results of the definitions."""
        return self.case.language.evaluate(self.case.tree, **self.case.inputs)

    @cached_property
    def rows(self) -> list[FoundRow]:
        """The rows of all results."""
        return [
            row for number, result in enumerate(self.results, start=1)
            for row in self.rows_of(number, result)
        ]

    def lanes(self) -> Iterator[Lane]:
        """The streams with their items, to be drawn."""
        refused = refusals(self.case, self.words.text)
        for iri, items in self.case.streams.items():
            name = self.words.stream(iri)
            yield Lane(name, tuple(
                Mark(
                    item.start, item.end,
                    self.words.term(item.name) if isinstance(item.name, URIRef) else "·",
                    self.words.triples(item.graph), refused=refused(iri, item),
                )
                for item in items
            ), frozenset({name, str(iri)}))

    @property
    def items(self) -> int:
        """The number of items that are to be drawn."""
        return sum(map(len, self.case.streams.values()))

    @cached_property
    def drawn_lanes(self) -> list[Lane]:
        """The lanes, which no explanation of the case changes."""
        return list(self.lanes())

    def instant(self, time: int) -> str:
        """An instant below a drawing."""
        return self.words.instant(time)

    @abstractmethod
    def rows_of(self, number: int, result: Any) -> Iterable[FoundRow]:
        """The rows of the result of this number."""

    def shown(self, mu: SolutionMapping, when: Mapping[str, Any]) -> str:
        """A row in short, as far as it is given."""
        instant, interval = self.words.instant, self.words.interval
        at = when.get("time", when.get("at"))
        rank = when.get("rank")
        said = [] if at is None else [
            f"at ({instant(at)}, {rank})" if rank else f"at {instant(at)}"
        ]
        if when.get("window") is not None:
            said.append(f"in {interval(when['window'])}")
        if "boolean" in when:
            said.append("yes" if when["boolean"] else "no")
        held = [self.words.mapping(mu)] if mu else []
        if "interval" in when:
            held.append(f"over {interval(when['interval'])}")
        return ", ".join([*said, *([" ".join(held)] if held else [])]) or "anything"

    @abstractmethod
    def presence(self, number: int) -> Goal:
        """That the result of this number is one."""

    @abstractmethod
    def absence(self, asked: Any) -> Goal:
        """That there is a row as it is asked for."""

    # --- rows, which a language may read in its own way ------------------------------------

    def result(self, number: int) -> str:
        """A result in short."""
        row = next(row for row in self.rows if row.number == number)
        return self.shown(row.mu, row.when)

    def asked(self, written: Mapping[str, Any]) -> list[Any]:
        """What a result object asks for."""
        return list(asked_rows(written))

    def named(self, asked: Any) -> str:
        """What is asked for, in short."""
        row: AskedRow = asked
        return self.shown(row.mu, row.when)

    def among(self, asked: Any) -> int | None:
        """The number of the first result that is as it is asked for."""
        return next((row.number for row in self.rows if asked.is_in(row)), None)

    def asked_by(self, answer: Answer) -> list[Any]:
        """What somebody asks for who misses an answer, or has it as well."""
        when: dict[str, Any] = dict(
            zip(self.case.language.open_fields, answer.open, strict=False)
        )
        match answer.time:
            case (at, (start, end)):
                when |= {"at": at, "interval": (start, end)}
            case (start, end):
                when["interval"] = (start, end)
            case time:
                when["time"] = time
        if isinstance(answer.content, bool):
            when["boolean"] = answer.content
            return [AskedRow(EMPTY_MAPPING, _given(when))]
        return [AskedRow(mu, _given(when)) for mu in mappings(answer)]

    def aside(self, asked: Any) -> Iterator[str]:
        """Remarks before a derivation is tried."""
        others = [row for row in self.rows if covers(asked.mu, row.mu)]
        if others:
            held = dict.fromkeys(self.shown(SolutionMapping(), row.when) for row in others)
            yield f"It holds {', '.join(list(held)[:3])} instead."

    def left_open(self, asked: Any) -> str:
        """What is right as well, where the query leaves a choice and another has been taken."""
        return ""

    def impossible(self, asked: Any) -> str:
        """Why no query would return it, if that is clear at once."""
        columns = self.case.language.columns(self.case.tree)
        unknown = [f"?{v}" for v in asked.mu if v not in columns]
        return f"The query does not return {' and '.join(unknown)}." if unknown else ""


def _given(when: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in when.items() if value is not None}
