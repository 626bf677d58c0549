"""The languages over RDF streams: prologue, constructs and streams; those with intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from rdflib.term import BNode, URIRef, Variable

from ...semantics.model.errors import QueryWarning
from ...semantics.model.interval_solutions import IntervalResult
from ...semantics.model.mappings import SolutionMapping
from ...semantics.rdf.syntax import tree as s
from ..checking.levels import Answer, Level
from ..results.json_objects import JsonObject
from . import interval_solutions
from .base import LanguageBase, QueryT, ReadingsT

ItemT = TypeVar("ItemT")

_CONSTRUCTS: Mapping[type, str] = {
    s.OptionalPattern: "OPTIONAL", s.MinusPattern: "MINUS", s.Filter: "FILTER", s.Bind: "BIND",
    s.InlineData: "VALUES", s.SubSelect: "sub-select", s.Exists: "EXISTS", s.AxisPath: "axis",
    s.NestedPath: "nested path", s.NodeTest: "node test",
}


GRAPH_PATTERN_FEATURES = frozenset({
    *_CONSTRUCTS.values(), "blank node in a pattern", "property path", "UNION", "nested group",
    "GRAPH", "GRAPH ?g",
})  # fmt: skip
"""The names of SPARQL's constructs."""


def graph_pattern_features(part: Any) -> Iterator[str]:
    """Yield the features of a part of a graph pattern: the names of SPARQL's constructs."""
    if type(part) in _CONSTRUCTS:
        yield _CONSTRUCTS[type(part)]
    match part:
        case s.TriplePattern(subject, predicate, target):
            if isinstance(subject, BNode) or isinstance(target, BNode):
                yield "blank node in a pattern"
            if not isinstance(predicate, URIRef | Variable):
                yield "property path"
        case s.UnionPattern((s.GroupGraphPattern((s.SubSelect(),)),)):
            return  # braces that a sub-select has to stand in
        case s.UnionPattern(alternatives):
            yield "UNION" if len(alternatives) > 1 else "nested group"
        case s.NamedGraphPattern(name):
            yield "GRAPH ?g" if isinstance(name, Variable) else "GRAPH"


class RdfLanguage(LanguageBase[QueryT, ReadingsT]):
    """A language whose queries have SPARQL's prologue."""

    def prefixes(self, query: QueryT) -> Mapping[str, str]:
        prologue: s.Prologue = cast(Any, query).prologue
        return dict(prologue.prefixes)

    def print(self, query: QueryT, prefixes: Mapping[str, str] | None = None) -> str:
        if prefixes is not None:
            prologue = s.Prologue(prefixes=tuple(prefixes.items()))
            query = cast(QueryT, replace(cast(Any, query), prologue=prologue))
        return super().print(query)

    def warnings(
        self, query: QueryT, *, streams: Iterable[URIRef], kb: Iterable[URIRef], readings: ReadingsT
    ) -> Sequence[QueryWarning]:
        checked = self.syntax("analysis").check_query(query, list(streams), list(kb))
        return cast(Sequence[QueryWarning], checked)


def finite(streams: Mapping[URIRef, Iterable[ItemT]]) -> dict[URIRef, Sequence[ItemT]]:
    """Return streams read to their end: a definition looks at an item more than once."""
    return {
        iri: stream if isinstance(stream, Sequence) else tuple(stream)
        for iri, stream in streams.items()
    }


class IntervalLanguage(RdfLanguage[QueryT, ReadingsT], ABC):
    """A language whose results are interval solutions."""

    title: str

    items = "intervals"
    levels: tuple[Level, ...] = interval_solutions.LEVELS
    sets: tuple[Level, ...]
    open_fields: tuple[str, ...] = ()
    result_fields: frozenset[str]

    @abstractmethod
    def columns(self, query: QueryT) -> tuple[Variable, ...]:
        """Return the variables that results bind, in the order of the SELECT clause."""

    def to_json(self, result: IntervalResult, query: QueryT, readings: ReadingsT) -> JsonObject:
        return interval_solutions.result_to_json(result, self.columns(query))

    def from_json(self, written: JsonObject) -> IntervalResult:
        return interval_solutions.result_from_json(written, self.title, self.result_fields)

    def answers(
        self,
        results: Iterable[IntervalResult | Mapping[str, Any]],
        level: Level,
        *,
        partial: bool,
    ) -> list[Answer]:
        return interval_solutions.answers(
            results, title=self.title, known=self.result_fields
        )

    def instants(self, query: QueryT) -> frozenset[str]:
        return frozenset({"at", "interval"}) & self.result_fields

    def order(self, result: IntervalResult) -> Any:
        return interval_solutions.order(result)

    def flat_fields(self, query: QueryT, readings: ReadingsT) -> tuple[str, ...]:
        return interval_solutions.FLAT_FIELDS

    def flat_rows(
        self, result: IntervalResult, query: QueryT, readings: ReadingsT
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        return interval_solutions.flat_rows(result)

    def result_of(self, answer: Answer) -> IntervalResult:
        return interval_solutions.result_of(answer)
