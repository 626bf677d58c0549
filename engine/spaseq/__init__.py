"""SPAseq, compiled to an NFAscep automaton and run incrementally over unbounded input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from .runtime import SpaseqEngine, Statistics
from .streaming_query import EnginePool, SpaseqStreamingQuery

_pool = EnginePool()


def run(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> Iterator[Pair]:
    """Yield the pairs of a query, each as soon as it is certain.

    `streams` may be unbounded iterators; with several, each is read one item ahead, which is what
    merging in time order takes. Every stream of the streamset counts, also one that the query does
    not name (SPAseq Def. 12). `start` is t of Def. 16 (default: the time of the first item).
    """
    engine = _pool.acquire(query, kb, readings)
    try:
        engine.restart(start)
        running = SpaseqStreamingQuery(query, engine=engine)
        yield from running.run(running.elements(streams))
    finally:
        _pool.release(engine, query, kb, readings)


__all__ = ["SpaseqEngine", "Statistics", "run"]
