"""RDF streams as sets of triple occurrences ⟨⟨s, p, o⟩, t, t'⟩ (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import URIRef

from ..errors import QueryError
from ..rdf.terms import Graph, Triple
from ..streams.interval_merging import IntervalItem
from ..streams.items import Item
from .syntax import EpsparqlQuery


@dataclass(frozen=True, slots=True)
class Occurrence:
    """⟨⟨s, p, o⟩, t, t'⟩; a triple of background knowledge has no time: [+∞, −∞]."""

    triple: Triple
    start: float = math.inf
    end: float = -math.inf


RdfStream: TypeAlias = frozenset[Occurrence]
"""S"""


def occurrences(items: Iterable[IntervalItem]) -> RdfStream:
    """S: each triple of a graph occurs over the interval of the graph, [t, t] for one at t."""
    return frozenset(
        Occurrence(triple, item.start, item.end) for item in items for triple in item.graph
    )


def timeless(graph: Graph) -> RdfStream:
    """Background knowledge, as what has no time."""
    return frozenset(Occurrence(triple) for triple in graph)


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
