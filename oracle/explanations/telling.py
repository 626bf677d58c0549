"""The lines of `denota explain`: which results there are, why, and why a row is not among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping
from ..cases.case import Case
from ..cases.expectations import ExpectedResults
from ..cases.reading import parse_result
from . import prose
from .asked import AskedRow, FoundRow, asked_rows, covers
from .derivations import Goal
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


def explained(
    explainer: Callable[[Case], Explainer], case: Case, match: int | None, missing: str | None
) -> Iterator[str]:
    """What is asked for; without a number and a row all results, and what the case expects."""
    told = explainer(case)
    if missing is not None:
        for asked in told.asked(parse_result(missing, case, source="--missing")):
            yield from _missing(told, asked)
        return
    for number in _chosen(match, len(told.results), told.noun):
        yield f"{told.noun} {number} of {len(told.results)}: {told.result(number)}"
        yield from _indented(prose.told(told.presence(number).proof))
    if match is None:
        if not told.results:
            yield f"There is no {told.noun}.\n"
        for asked in _expected(told, case):
            if told.among(asked) is None:
                yield from _missing(told, asked)


def _missing(told: Explainer, asked: Any) -> Iterator[str]:
    there = told.among(asked)
    if there is not None:
        yield (f"{told.named(asked)} is there: it is in {told.noun} {there},"
               f" {told.result(there)}.\n")
        return
    also_right = told.left_open(asked)
    if also_right:
        yield f"{told.named(asked)} may be one: {also_right}\n"
        return
    article = "an" if told.noun == "answer" else "a"
    yield f"not {article} {told.noun}: {told.named(asked)}"
    impossible = told.impossible(asked)
    if impossible:
        yield from _indented([impossible])
        return
    lines = prose.told(told.absence(asked).proof)
    yield from _indented([*told.aside(asked), *lines])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
    yield ""


def _expected(told: Explainer, case: Case) -> list[Any]:
    if not isinstance(case.expect, ExpectedResults):
        return []
    return [
        asked for result in case.expect.results if isinstance(result, Mapping)
        for asked in told.asked(result)
    ]


def _chosen(asked: int | None, many: int, noun: str) -> range:
    """The numbers of the results to explain."""
    if asked is None:
        return range(1, many + 1)
    if not 1 <= asked <= many:
        several = "matches" if noun == "match" else f"{noun}s"
        count = f"the {several} are 1 to {many}" if many else f"there is no {noun}"
        raise DenotaError(f"--match {asked}: {count}")
    return range(asked, asked + 1)
