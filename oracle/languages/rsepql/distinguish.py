"""Streams on which two queries of RSEP-QL differ."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.term import URIRef

from ....semantics.rsepql.analysis import embedded
from ....semantics.rsepql.syntax import tree as rsepql
from ...distinguishing import Side
from ...distinguishing.graphs import GraphStreams
from ...distinguishing.moulds import ONLY, Mould


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=False, ties=True)


def moulds(query: rsepql.RsepqlQuery) -> Iterator[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    for element in embedded(query.form):
        if isinstance(element, rsepql.MatchPattern):
            for event in rsepql.events(element.event):
                yield Mould(query.window(event.window).stream or ONLY, event.pattern)
        elif isinstance(element, rsepql.WindowPattern):
            for clause in query.windows:
                if not isinstance(element.name, URIRef) or clause.name == element.name:
                    yield Mould(clause.stream or ONLY, element.pattern)
    for clause in query.windows:
        if clause.in_default and query.form.where is not None:
            yield Mould(clause.stream or ONLY, query.form.where)
