"""CQELS-CEP, compiled to operators that are kept up to date over unbounded input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef

from ...semantics.cqels.syntax.readings import Readings
from ...semantics.cqels.syntax.tree import CqelsQuery
from ...semantics.model.interval_solutions import IntervalResult
from ...semantics.model.items import Item
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import Graph
from .runtime import CqelsEngine, Statistics
from .streaming_query import CqelsStreamingQuery


def run(
    query: CqelsQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Iterable[int] | None = None,
) -> Iterator[IntervalResult]:
    """Return the solutions of a query, each once, as soon as its evaluation time has passed; with a
    stream operator what that reports at each time.

    `streams` may be unbounded iterators; with several, each is read one item ahead, which is what
    merging by time takes. Without `at` the query is evaluated when an item of one of its streams
    arrives. With `at`, at these times, and the streams are read to their ends first.
    """
    running = CqelsStreamingQuery(query, kb, readings, at)
    return running.run(running.elements(streams))


__all__ = ["CqelsEngine", "Statistics", "run"]
