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
from ...semantics.streams.live.arriving import Watermark
from ...semantics.streams.merging import StreamItem
from ...semantics.streams.rdf.reading import StreamFile
from ..capacities import IN_USE
from ..rdf.columns.files import large_files, results_of
from .running import RunningCqels
from .runtime import CqelsEngine, Statistics


def run(
    query: CqelsQuery,
    streams: Mapping[URIRef, Iterable[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Iterable[int] | None = None,
) -> Iterator[IntervalResult]:
    """The solutions of a query, each once, as soon as its evaluation time has passed; with a stream
    operator what that reports at each time.

    `streams` may be unbounded iterators; with several, each is read one item ahead, which is what
    merging by time takes. Without `at` the query is evaluated when an item of one of its streams
    arrives. With `at`, at these times, and the streams are read to their ends first.
    """
    running = RunningCqels(query, kb, readings, at)
    if at is None and IN_USE.items:
        return _in_turns(running.engine, running.arriving(streams))
    files = large_files(streams) if at is None else None
    if files is not None:
        return _by_columns(running.engine, files)
    return running.over(running.arriving(streams))


def _by_columns(
    engine: CqelsEngine, files: Mapping[URIRef, StreamFile]
) -> Iterator[IntervalResult]:
    for results in results_of(
        files, engine.dictionary, None, None, engine.feed_batch, engine.arrive
    ):
        yield from results
    yield from engine.settle()


def _in_turns(
    engine: CqelsEngine, items: Iterable[StreamItem | Watermark]
) -> Iterator[IntervalResult]:
    from ..rdf.columns.in_turns import fed_in_turns  # only batches pay for NumPy's start

    most = IN_USE.items
    yield from fed_in_turns(items, most, engine.dictionary, engine.feed_batch, engine.arrive)
    yield from engine.settle()


__all__ = ["CqelsEngine", "Statistics", "run"]
