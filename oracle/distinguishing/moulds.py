"""What queries over RDF streams ask their streams and background graphs for, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rdflib.term import Literal, URIRef

from ...semantics.cqels.syntax import tree as cqels
from ...semantics.epsparql.syntax.tree import INTERVAL_FUNCTIONS, EpsparqlQuery
from ...semantics.model.items import TimeKind
from ...semantics.rdf.syntax.tree import (
    BuiltIn,
    Comparison,
    GroupGraphPattern,
    NamedGraphPattern,
    TriplesBlock,
)
from ...semantics.rsepql.syntax import tree as rsepql
from ...semantics.spaseq.syntax.tree import Extent, WithinUnit
from ..languages.registry import of_query, part_of
from .alphabet import NAMES, parts

SECOND = 1_000_000
ONLY = URIRef(NAMES + "stream")
"""The stream of a query that names none."""


@dataclass(frozen=True, slots=True)
class Mould:
    """A pattern that an item of a stream may fill, or `several` items in a row."""

    stream: URIRef
    pattern: GroupGraphPattern
    several: bool = False


def moulds(query: Any) -> list[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    made: Iterable[Mould] = part_of(of_query(query).name, "distinguish").moulds(query)
    return list(made)


def stream_names(query: Any) -> list[URIRef]:
    """The streams that a query names."""
    clauses = query.windows if hasattr(query, "windows") else query.streams
    named = [
        clause.stream if hasattr(clause, "stream") else clause.iri for clause in clauses
    ]
    return list(dict.fromkeys(name or ONLY for name in named)) or [ONLY]


# --- background ----------------------------------------------------------------------------------


def asked_of_graphs(query: Any) -> Iterator[tuple[URIRef, GroupGraphPattern]]:
    """(graph, pattern): what a query asks its background graphs for."""
    for part in parts(query):
        if isinstance(part, NamedGraphPattern):
            name = part.name if isinstance(part.name, URIRef) else None
            for graph in [name] if name else _named(query) or [URIRef(NAMES + "graph")]:
                yield graph, part.pattern
    where, default = _default(query)
    blocks = tuple(each for each in where.elements if isinstance(each, TriplesBlock))
    for graph in default if blocks else ():
        yield graph, GroupGraphPattern(blocks)


def _named(query: Any) -> tuple[URIRef, ...]:
    if isinstance(query, cqels.CqelsQuery):
        return query.named
    dataset = getattr(getattr(query, "form", query), "dataset", None)
    return () if dataset is None else tuple(dataset.named)


def _default(query: Any) -> tuple[GroupGraphPattern, tuple[URIRef, ...]]:
    match query:
        case cqels.CqelsQuery():
            return query.where, query.default
        case rsepql.RsepqlQuery(form=form) if form.where is not None and form.dataset is not None:
            return form.where, form.dataset.default
    return GroupGraphPattern(), ()


# --- time ----------------------------------------------------------------------------------------


def kind_of(query: Any) -> TimeKind:
    """What the query's lengths of time are measured in."""
    for part in parts(query):
        if isinstance(part, Extent) and part.unit is WithinUnit.MICROSECONDS:
            return TimeKind.DATETIME
        if isinstance(part, cqels.Span | rsepql.Moment) and part.kind is TimeKind.DATETIME:
            return TimeKind.DATETIME
    return TimeKind.INTEGER


def lengths(query: Any) -> Iterator[int]:
    """The lengths of time that a query speaks of."""
    for part in parts(query):
        if isinstance(part, cqels.Span | rsepql.Moment):
            yield part.value
        elif isinstance(part, Extent):
            if part.unit is not WithinUnit.EVENTS:
                yield part.value
        elif isinstance(part, Comparison) and isinstance(query, EpsparqlQuery):
            inside = list(parts(part))
            if any(isinstance(p, BuiltIn) and p.name in INTERVAL_FUNCTIONS for p in inside):
                for constant in inside:
                    if isinstance(constant, Literal) and str(constant).isdecimal():
                        yield int(str(constant))
