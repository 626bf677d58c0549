"""SPAseq, compiled to an NFAscep automaton and run incrementally over unbounded input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ...semantics.streams.live.arriving import Watermark, graphs_arriving
from ...semantics.streams.merging import StreamItem
from ..capacities import IN_USE
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
        arriving = graphs_arriving(streams, ties=engine.readings.ties, order=order)
        items = (item for item in arriving if not isinstance(item, Watermark))
        if IN_USE.items:
            yield from _batched(engine, items, IN_USE.items)
        else:
            for item in items:
                yield from engine.feed(item)
    finally:
        _idle.give_back(engine, query, kb, readings)


def _batched(engine: SpaseqEngine, items: Iterator[StreamItem], most: int) -> Iterator[Pair]:
    """Feeds a batch, then an item alone, and so on: partial matches change hands each time."""
    from ..rdf.columns.batch import batch_of  # only batches pay for NumPy's start

    pending: list[StreamItem] = []
    refused: DenotaError | None = None
    try:
        for item in items:
            pending.append(item)
            if len(pending) > most:
                together, alone, pending = pending[:-1], pending[-1], []
                yield from engine.feed_batch(batch_of(together, engine.dictionary))
                yield from engine.feed(alone)
    except DenotaError as error:
        refused = error
    if pending:  # what came before an item that is refused is answered
        yield from engine.feed_batch(batch_of(pending, engine.dictionary))
    if refused is not None:
        raise refused


__all__ = ["SpaseqEngine", "Statistics", "run"]
