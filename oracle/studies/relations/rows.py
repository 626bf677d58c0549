"""What queries of different languages have in common: at which instant which solution is known.

A row is (t, μ): μ is known from t on, t being the time of the last event that it rests on. SPAseq
says so with its pairs, RSEP-QL with its evaluation times, EP-SPARQL and CQELS-CEP with the ends of
their intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from rdflib.term import URIRef

from ....semantics.model.interval_solutions import IntervalSolution
from ....semantics.model.items import Item
from ....semantics.model.mappings import SolutionMapping
from ....semantics.rsepql.syntax.results import TimedAnswer
from ....semantics.spaseq.syntax.results import Pair
from ...languages.registry import Language, language

STREAM = URIRef("http://example.org/s")
"""The stream that every query of a claim is about."""

Events: TypeAlias = tuple[Item, ...]
"""A finite stream, in time order."""

Row: TypeAlias = tuple[int, SolutionMapping]

Rows: TypeAlias = Counter[Row]
"""A bag of rows."""

Answering: TypeAlias = Callable[[Events], Rows]
"""A query, an engine or a model: what it knows, and since when."""

Memory: TypeAlias = dict[Hashable, Rows]
"""What queries answer on one stream."""


@dataclass(frozen=True, eq=False)
class AskedQuery:
    """A query of one language under readings, asked of one stream."""

    name: str
    text: str
    readings: Mapping[str, str] = field(default_factory=dict)
    every_arrival: bool = False  # evaluated whenever something arrives (RSEP-QL), or at the end
    engine: bool = False  # what the production engine makes of it, not what the definitions say

    @cached_property
    def language(self) -> Language:
        """The entry of its language."""
        return language(self.name)

    @cached_property
    def query(self) -> Any:
        """Its syntax tree."""
        return self.language.parse(self.text)

    def __call__(self, events: Events) -> Rows:
        """The rows by the definitions of the language, or by its engine."""
        return Counter(row for result in self.results(events) for row in rows_of(result))

    def results(self, events: Events) -> list[Any]:
        """What the language itself returns."""
        answers = self.language.run if self.engine else self.language.evaluate
        found = answers(
            self.query,
            streams={STREAM: events},
            kb={},
            readings=self.language.readings(self.readings, self.query),
            evaluation=self.evaluation(events),
        )
        return list(found)

    def evaluation(self, events: Events) -> dict[str, Any]:
        """The evaluation times, where the language has any."""
        if not events or self.name not in {"rsepql", "cqels"}:
            return {}
        times = sorted({item.end for item in events})
        return {"at": times if self.every_arrival else times[-1:]}


def rows_of(result: object) -> Iterator[Row]:
    """The rows of one result, of whichever language it is."""
    match result:
        case Pair(time=time, solutions=solutions):
            for mu in solutions:
                yield time, mu
        case TimedAnswer(time, tuple(solutions)):
            for mu in solutions:
                yield time, mu
        case IntervalSolution(_, end, mu):
            yield end, mu
        case _:
            raise TypeError(f"no rows in {result!r}")


def distinct(answering: Answering) -> Answering:
    """The rows as a set."""
    return _Distinct(answering)


def solutions_by_the_end(answering: Answering) -> Answering:
    """The bag of solutions alone, each at the last instant of the stream: what RSTREAM reports."""
    return _ByTheEnd(answering)


@dataclass(frozen=True)
class _Distinct:
    inner: Answering

    def __call__(self, events: Events) -> Rows:
        return Counter(set(self.inner(events)))


@dataclass(frozen=True)
class _ByTheEnd:
    inner: Answering

    def __call__(self, events: Events) -> Rows:
        last = max((item.end for item in events), default=0)
        return Counter((last, mu) for _, mu in self.inner(events).elements())


def by_engine(answering: Answering) -> Answering:
    """The same, the query being answered by the production engine; a model remains what it is."""
    match answering:
        case _Distinct(inner):
            return _Distinct(by_engine(inner))
        case _ByTheEnd(inner):
            return _ByTheEnd(by_engine(inner))
        case AskedQuery():
            return replace(answering, engine=True)
    return answering


def remembering(answering: Answering, memory: Memory) -> Answering:
    """The same on one stream, of which a query is asked once."""
    match answering:
        case _Distinct(inner):
            return _Distinct(remembering(inner, memory))
        case _ByTheEnd(inner):
            return _ByTheEnd(remembering(inner, memory))
        case AskedQuery():
            return _Remembered(answering, memory)
    return answering


@dataclass(frozen=True)
class _Remembered:
    inner: AskedQuery
    memory: Memory

    def __call__(self, events: Events) -> Rows:
        asked = self.inner
        key = (asked.text, tuple(asked.readings.items()), asked.every_arrival)
        if key not in self.memory:
            self.memory[key] = asked(events)
        return self.memory[key]


def asked_in(answering: Answering) -> AskedQuery | None:
    """The query behind it; None for a model of an engine."""
    while isinstance(answering, _Distinct | _ByTheEnd):
        answering = answering.inner
    return answering if isinstance(answering, AskedQuery) else None


def differ(left: Rows, right: Rows) -> tuple[list[Row], list[Row]]:
    """What only the left has and what only the right has."""
    return list((left - right).elements()), list((right - left).elements())
