"""Streams on which two queries of EP-SPARQL differ."""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....semantics.rdf.syntax.tree import GroupGraphPattern, TriplesBlock
from ...distinguishing import Side
from ...distinguishing.alphabet import parts
from ...distinguishing.graphs import GraphStreams, ties
from ...distinguishing.moulds import Mould, stream_names


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=True, ties=ties(a, b))


def moulds(query: EpsparqlQuery) -> Iterator[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    bodies = [*(rule.where for rule in query.rules), *([query.select] if query.select else ())]
    for stream in stream_names(query):
        for part in parts(tuple(bodies)):
            if isinstance(part, TriplesBlock):
                yield Mould(stream, GroupGraphPattern((part,)))
