"""The requirements of EP-SPARQL queries on their streams, for distinguishing two queries."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.term import Literal

from ....semantics.epsparql.intervals import ordered
from ....semantics.epsparql.syntax.tree import INTERVAL_FUNCTIONS, EpsparqlQuery
from ....semantics.model.items import TimeKind
from ....semantics.model.trees import find
from ....semantics.rdf.expressions.values import parse_day_time_duration
from ....semantics.rdf.syntax.tree import (
    BuiltIn,
    Comparison,
    GroupGraphPattern,
    In,
    TriplesBlock,
)
from ...distinguishing.graph_streams import SECOND, ItemTemplate, QueryRequirements, stream_names


def asked(query: EpsparqlQuery) -> QueryRequirements:
    """Return the requirements of a query."""
    named = query.dataset.named if query.dataset is not None else ()
    return QueryRequirements([*_moulds(query)], [*_lengths(query)], named)


def _moulds(query: EpsparqlQuery) -> Iterator[ItemTemplate]:
    bodies = (*(rule.where for rule in query.rules), *([query.select] if query.select else ()))
    for stream in stream_names(query):
        for block in find(bodies, TriplesBlock):
            yield ItemTemplate(stream, GroupGraphPattern((block,)))


def _lengths(query: EpsparqlQuery) -> Iterator[tuple[int, TimeKind]]:
    """Yield the lengths of time with which an interval is compared."""
    for comparison in find(query, Comparison, In):
        if any(each.name in INTERVAL_FUNCTIONS for each in find(comparison, BuiltIn)):
            for constant in find(comparison, Literal):
                duration = parse_day_time_duration(str(ordered(constant)))
                if duration is not None:
                    yield int(duration.seconds * SECOND), TimeKind.DATETIME
                elif str(constant).isdecimal():
                    yield int(str(constant)), TimeKind.INTEGER
