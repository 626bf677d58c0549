"""RDF streams as sets of triple occurrences ⟨⟨s, p, o⟩, t, t'⟩ (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import URIRef

from ..errors import QueryError, StreamError
from ..rdf.terms import Graph, Triple
from ..streams.items import IntervalGraph, Item, TimeKind
from ..streams.time import format_time
from .syntax import EpsparqlQuery


@dataclass(frozen=True, slots=True)
class Occurrence:
    """⟨⟨s, p, o⟩, t, t'⟩; a triple of background knowledge has no time: [+∞, −∞]."""

    triple: Triple
    start: float = math.inf
    end: float = -math.inf


RdfStream: TypeAlias = frozenset[Occurrence]
"""S"""


def occurrences(stream: Iterable[Item]) -> RdfStream:
    """S: each triple of a graph occurs over the interval of the graph, [t, t] for one at t."""
    return frozenset(
        Occurrence(triple, start, end)
        for item in stream
        for start, end in (interval(item),)
        for triple in item.graph
    )


def timeless(graph: Graph) -> RdfStream:
    """Background knowledge, as what has no time."""
    return frozenset(Occurrence(triple) for triple in graph)


def interval(item: Item) -> tuple[int, int]:
    """[t, t'] of an item"""
    if isinstance(item, IntervalGraph):
        return item.start, item.end
    return item.time, item.time


def queried(
    query: EpsparqlQuery, streams: Mapping[URIRef, Iterable[Item]]
) -> dict[URIRef, Iterable[Item]]:
    """The streams that the query is about: those of FROM STREAM, else the only one there is.

    Raises QueryError where there are several and the query names none.
    """
    if query.streams:
        return {
            clause.iri: streams[clause.iri] for clause in query.streams if clause.iri in streams
        }
    if len(streams) > 1:
        named = ", ".join(f"<{iri}>" for iri in streams)
        raise QueryError(f"there are several streams, say which by FROM STREAM (one of {named})")
    return dict(streams)


def checked(streams: Mapping[URIRef, Iterable[Item]]) -> tuple[list[Item], TimeKind]:
    """The items of all streams, and what their times count.

    Raises StreamError for an item that ends before its predecessor in the same stream does, and
    where times of two kinds meet.
    """
    items: list[Item] = []
    first: tuple[URIRef, Item] | None = None
    for iri, stream in streams.items():
        previous: Item | None = None
        for item in stream:
            start, end = interval(item)
            if start > end:
                raise StreamError(
                    f"stream <{iri}>: the interval [{format_time(start, item.kind)},"
                    f" {format_time(end, item.kind)}] ends before it begins"
                )
            first = first or (iri, item)
            if item.kind is not first[1].kind:
                raise StreamError(
                    f"stream <{iri}> has {item.kind} times and stream <{first[0]}>"
                    f" {first[1].kind} times: they cannot be compared"
                )
            if previous is not None and end < interval(previous)[1]:
                raise StreamError(
                    f"stream <{iri}>: an item that ends at {format_time(end, item.kind)} comes"
                    f" after one that ends at {format_time(interval(previous)[1], item.kind)}"
                )
            items.append(item)
            previous = item
    return items, first[1].kind if first else TimeKind.INTEGER
