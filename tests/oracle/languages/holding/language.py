"""`HOLDING <predicate> IN <stream>`: one solution, without variables, for each such item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rdflib.term import URIRef, Variable

from denota.oracle.languages.rdf_languages import IntervalLanguage
from denota.semantics.model.errors import QueryError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import Item
from denota.semantics.model.mappings import EMPTY_MAPPING
from denota.semantics.model.readings import NamedChoices

_QUERY = re.compile(r"\s*HOLDING\s+<([^<>\s]+)>\s+IN\s+<([^<>\s]+)>\s*")


@dataclass(frozen=True)
class Holding:
    predicate: URIRef
    stream: URIRef


@dataclass(frozen=True)
class Readings(NamedChoices):
    language: ClassVar[str] = "Holding"


class HoldingLanguage(IntervalLanguage[Holding, Readings]):
    name = "holding"
    title = "Holding"
    query_type = Holding
    readings_type = Readings
    sets = ()
    result_fields = frozenset({"interval", "solution"})
    evaluation_fields: frozenset[str] = frozenset()

    def parse(self, text: str, *, source: str | None = None) -> Holding:
        match = _QUERY.fullmatch(text)
        if match is None:
            raise QueryError("write HOLDING <predicate> IN <stream>", source=source)
        return Holding(URIRef(match[1]), URIRef(match[2]))

    def print(self, query: Holding, prefixes: Mapping[str, str] | None = None) -> str:
        return f"HOLDING <{query.predicate}> IN <{query.stream}>"

    def columns(self, query: Holding) -> tuple[Variable, ...]:
        return ()

    def streams_read(self, query: Holding) -> set[URIRef]:
        return {query.stream}

    def prefixes(self, query: Holding) -> dict[str, str]:
        return {}

    def warnings(self, query: Holding, **given: Any) -> list[Any]:
        return []

    def cites(self, query: Holding, readings: Readings) -> tuple[str, ...]:
        return ("the definition of HOLDING",)

    def evaluate(
        self, query: Holding, *, streams: Mapping[URIRef, Iterable[Item]], **given: Any
    ) -> list[IntervalSolution]:
        return [
            IntervalSolution(item.start, item.end, EMPTY_MAPPING)
            for item in streams.get(query.stream, ())
            if query.predicate in {p for _, p, _ in item.graph}
        ]

    def run(
        self, query: Holding, *, streams: Mapping[URIRef, Iterable[Item]], **given: Any
    ) -> Iterator[IntervalSolution]:
        for item in streams.get(query.stream, ()):
            if any(p == query.predicate for _, p, _ in item.graph):
                yield IntervalSolution(item.start, item.end, EMPTY_MAPPING)


LANGUAGE = HoldingLanguage()
