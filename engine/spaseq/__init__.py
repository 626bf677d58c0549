"""SPAseq, compiled to an NFAscep automaton and run incrementally over unbounded input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ...semantics.streams.live.arriving import Watermark, graphs_arriving
from ...semantics.streams.rdf.reading import StreamFile
from ..capacities import IN_USE
from ..rdf.columns.files import large_files, results_of
from .idle import IdleEngines
from .runtime import SpaseqEngine, Statistics

_idle = IdleEngines()


def run(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> Iterator[Pair]:
    """The pairs of a query, each as soon as it is certain.

    `streams` may be unbounded iterators; with several, each is read one item ahead, which is what
    merging in time order takes. Every stream of the streamset counts, also one that the query does
    not name (SPAseq Def. 12). `start` is t of Def. 16 (default: the time of the first item).
    """
    engine = _idle.take(query, kb, readings)
    try:
        engine.restart(start)
        order = tuple(clause.iri for clause in query.streams)
        files = None if IN_USE.items else large_files(streams)
        if files is not None:
            yield from _by_columns(engine, files, order)
            return
        arriving = graphs_arriving(streams, ties=engine.readings.ties, order=order)
        items = (item for item in arriving if not isinstance(item, Watermark))
        if IN_USE.items:
            from ..rdf.columns.in_turns import fed_in_turns  # only batches pay for NumPy's start

            yield from fed_in_turns(
                items, IN_USE.items, engine.dictionary, engine.feed_batch, engine.feed
            )
        else:
            for item in items:
                yield from engine.feed(item)
    finally:
        _idle.give_back(engine, query, kb, readings)


def _by_columns(
    engine: SpaseqEngine, files: Mapping[URIRef, StreamFile], order: tuple[URIRef, ...]
) -> Iterator[Pair]:
    for pairs in results_of(
        files, engine.dictionary, engine.readings.ties, order, engine.feed_batch, engine.feed
    ):
        yield from pairs
        engine.sweep()


__all__ = ["SpaseqEngine", "Statistics", "run"]
