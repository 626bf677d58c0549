"""An EP-SPARQL case, and what it is about: operators, constructs, readings and kinds of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rdflib.term import BNode, URIRef

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import (
    INTERVAL_FUNCTIONS,
    EpsparqlQuery,
    Form,
    Operator,
    TemporalPattern,
)
from ....semantics.model.items import Item, TimeKind
from ....semantics.model.terms import Graph
from ....semantics.model.trees import parts
from ....semantics.rdf.syntax import tree as s
from ...cases.case import Case
from ..rdf_languages import GRAPH_PATTERN_FEATURES, graph_pattern_features
from ..readings import reading_features


class EpsparqlCase(Case):
    """An EP-SPARQL query with its inputs: streams and background graphs, under some readings."""

    query: EpsparqlQuery

    def __init__(
        self,
        query: EpsparqlQuery,
        streams: Mapping[URIRef, tuple[Item, ...]],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
    ) -> None:
        super().__init__("epsparql", query, streams, kb, readings or Readings())


CAPABILITIES = {
    "operators": frozenset(map(str, Operator)),
    "patterns": GRAPH_PATTERN_FEATURES | {"interval function", "several triples"},
    "clauses": frozenset({
        *map(str, Form), "CONSTRUCT", "blank node in a template", "rules alone", "DISTINCT",
        "LIMIT", "GROUP BY",
    }),
}  # fmt: skip
"""The features that a query may require of an engine, in groups (`capabilities`)."""


def query_features(query: EpsparqlQuery) -> frozenset[str]:
    """Return operators and constructs of the patterns, rules, modifiers."""
    return frozenset(_of_query(query))


def data_features(case: EpsparqlCase) -> frozenset[str]:
    """Return coverage points of the stream: intervals, ties, repeated triples, background."""
    return frozenset(_of_data(case))


def features(case: EpsparqlCase) -> frozenset[str]:
    """Return all features."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: EpsparqlQuery) -> str:
    """Return the query's operators, as a title shows them."""
    return " ".join(words_of(query)).upper() or "BGP"


def words_of(query: EpsparqlQuery) -> list[str]:
    """Return the query's operators as words."""
    found = query_features(query)
    words = [operator.lower() for operator in Operator if operator in found]
    others = ("CONSTRUCT", "OPTIONAL", "MINUS", "ASK", "DESCRIBE")
    words += [word.lower() for word in others if word in found]
    return words or ["bgp"]


def _of_query(query: EpsparqlQuery) -> Iterator[str]:
    if query.rules:
        yield "CONSTRUCT"
        if any(isinstance(p, BNode) for r in query.rules for t in r.template for p in
               (t.subject, t.object)):
            yield "blank node in a template"
    if query.form is not Form.SELECT:
        yield str(query.form)
    if query.select is None:
        yield "rules alone"
    else:
        modifier = query.select.modifier
        if query.select.distinct:
            yield "DISTINCT"
        if modifier.limit is not None or modifier.offset:
            yield "LIMIT"
        if modifier.group_by:
            yield "GROUP BY"
    for part in parts(query):
        yield from _of_part(part)


def _of_part(part: object) -> Iterator[str]:
    match part:
        case s.BuiltIn(name) if name in INTERVAL_FUNCTIONS:
            yield "interval function"
        case TemporalPattern():
            yield str(part.operator)
        case s.TriplesBlock(triples) if len(triples) > 1:
            yield "several triples"
        case _:
            yield from graph_pattern_features(part)


def _of_data(case: EpsparqlCase) -> Iterator[str]:
    seen: set[object] = set()
    ends: list[int] = []
    for items in case.streams.values():
        for item in items:
            if item.start < item.end:
                yield "interval"
            ends.append(item.end)
            if item.kind is TimeKind.DATETIME:
                yield "dateTime"
            for triple in item.graph:
                if triple in seen:
                    yield "a triple again"
                seen.add(triple)
    if len(set(ends)) < len(ends):
        yield "ties"
    if len(case.streams) > 1:
        yield "several streams"
    if case.kb:
        yield "background"
