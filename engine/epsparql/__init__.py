"""EP-SPARQL, compiled to a tree of incremental operators over triple occurrences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef

from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.tree import EpsparqlQuery
from ...semantics.model.interval_solutions import IntervalSolution
from ...semantics.model.items import Item
from ...semantics.model.terms import Graph
from .runtime import EpsparqlEngine, Statistics
from .streaming_query import EpsparqlStreamingQuery


def run(
    query: EpsparqlQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
) -> Iterator[IntervalSolution | bool]:
    """Return the solutions of a query, each as soon as it is certain; of ASK whether there are any.

    `streams` may be unbounded iterators; with several, each is read one item ahead, which is what
    merging in the order of their ends takes.
    """
    running = EpsparqlStreamingQuery(query, kb, readings)
    return running.run(running.elements(streams))


__all__ = ["EpsparqlEngine", "Statistics", "run"]
