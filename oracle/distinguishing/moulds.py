"""What queries over RDF streams ask their streams and background graphs for, in order."""

from __future__ import annotations

from collections.abc import Iterator
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
from ...semantics.rsepql.analysis import embedded
from ...semantics.rsepql.syntax import tree as rsepql
from ...semantics.spaseq.syntax.tree import Extent, KleenePlus, SpaseqQuery, WithinUnit
from ..languages.spaseq.case import atoms, gpm_names
from .alphabet import NAMES, parts

SECOND = 1_000_000
_ONLY = URIRef(NAMES + "stream")
"""The stream of a query that names none."""


@dataclass(frozen=True, slots=True)
class Mould:
    """A pattern that an item of a stream may fill, or `several` items in a row."""

    stream: URIRef
    pattern: GroupGraphPattern
    several: bool = False


def moulds(query: Any) -> list[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    match query:
        case SpaseqQuery():
            return list(_of_spaseq(query))
        case rsepql.RsepqlQuery():
            return list(_of_rsepql(query))
        case cqels.CqelsQuery():
            return list(_of_cqels(query))
        case EpsparqlQuery():
            return list(_of_epsparql(query))
    raise TypeError(f"not a query over RDF streams: {type(query).__name__}")


def stream_names(query: Any) -> list[URIRef]:
    """The streams that a query names."""
    clauses = query.windows if hasattr(query, "windows") else query.streams
    named = [
        clause.stream if hasattr(clause, "stream") else clause.iri for clause in clauses
    ]
    return list(dict.fromkeys(name or _ONLY for name in named)) or [_ONLY]


def _of_spaseq(query: SpaseqQuery) -> Iterator[Mould]:
    for atom in atoms(query.sequence):
        for name in gpm_names(atom):
            definition = query.definition(name)
            stream = query.stream_iri(definition.stream)
            yield Mould(stream, definition.pattern, isinstance(atom, KleenePlus))


def _of_rsepql(query: rsepql.RsepqlQuery) -> Iterator[Mould]:
    for element in embedded(query.form):
        if isinstance(element, rsepql.MatchPattern):
            for event in rsepql.events(element.event):
                yield Mould(query.window(event.window).stream or _ONLY, event.pattern)
        elif isinstance(element, rsepql.WindowPattern):
            for clause in query.windows:
                if not isinstance(element.name, URIRef) or clause.name == element.name:
                    yield Mould(clause.stream or _ONLY, element.pattern)
    for clause in query.windows:
        if clause.in_default and query.form.where is not None:
            yield Mould(clause.stream or _ONLY, query.form.where)


def _of_cqels(query: cqels.CqelsQuery) -> Iterator[Mould]:
    order = [
        element.name for part in parts(query.where) if isinstance(part, cqels.WindowSequence)
        for element in part.elements
    ]
    blocks = [part for part in parts(query.where) if isinstance(part, cqels.WindowPattern)]
    blocks.sort(key=lambda block: order.index(block.name) if block.name in order else -1)
    for block in blocks:
        stream = query.window(block.name).stream
        if isinstance(block.body, GroupGraphPattern):
            yield Mould(stream, block.body)
        else:
            for each in block.body.elements:
                yield Mould(stream, each.pattern)


def _of_epsparql(query: EpsparqlQuery) -> Iterator[Mould]:
    bodies = [*(rule.where for rule in query.rules), *([query.select] if query.select else ())]
    for stream in stream_names(query):
        for part in parts(tuple(bodies)):
            if isinstance(part, TriplesBlock):
                yield Mould(stream, GroupGraphPattern((part,)))


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
