"""What queries over RDF streams ask their streams and background graphs for, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.items import TimeKind
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import GroupGraphPattern, NamedGraphPattern, TriplesBlock
from ..languages.registry import of_query, part_of
from .alphabet import NAMES

ONLY = URIRef(NAMES + "stream")
"""The stream of a query that names none."""


@dataclass(frozen=True, slots=True)
class Mould:
    """A pattern that an item of a stream may fill, or `several` items in a row."""

    stream: URIRef
    pattern: GroupGraphPattern
    several: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks for, as its language says.

    `moulds` are for items of its streams, in the order in which it wants them; `lengths` the
    lengths of time that it speaks of, each in a unit; `named` and `default` its background graphs,
    and `where` what it asks of the default one. `ties` says whether items of one stream may always
    have one time.
    """

    moulds: Sequence[Mould]
    lengths: Sequence[tuple[int, TimeKind]] = ()
    named: Sequence[URIRef] = ()
    default: Sequence[URIRef] = ()
    where: GroupGraphPattern | None = None
    ties: bool = False


def asked_by(query: Any) -> Asked:
    """What a query asks for."""
    asked: Asked = part_of(of_query(query).name, "distinguish").asked(query)
    return asked


def stream_names(query: Any) -> list[URIRef]:
    """The streams that a query names."""
    return [URIRef(name) for name in sorted(of_query(query).streams_read(query) or ())] or [ONLY]


def asked_of_graphs(query: Any, asked: Asked) -> Iterator[tuple[URIRef, GroupGraphPattern]]:
    """(graph, pattern): what a query asks its background graphs for."""
    for part in find(query, NamedGraphPattern):
        name = part.name if isinstance(part.name, URIRef) else None
        for graph in [name] if name else asked.named or [URIRef(NAMES + "graph")]:
            yield graph, part.pattern
    elements = asked.where.elements if asked.where is not None else ()
    blocks = tuple(each for each in elements if isinstance(each, TriplesBlock))
    for graph in asked.default if blocks else ():
        yield graph, GroupGraphPattern(blocks)
