"""Many streamsets of one SPAseq query: what the definitions and the engine say of them.

Queries that follow one another are asked of the same streamsets. Of each it is remembered in which
order its events come: for the definitions by the definitions, for the engine by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rdflib.term import URIRef

from ....engine.spaseq.runtime import SpaseqEngine
from ....engine.spaseq.streaming_query import SpaseqStreamingQuery
from ....semantics.model.terms import Graph
from ....semantics.spaseq.context import all_events, contexts_over
from ....semantics.spaseq.denotation import answers
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import SpaseqQuery
from ...checking.batch_checker import Given

_MOST = 1 << 14
"""The number of streamsets in the cache."""


class SpaseqOnMany:
    """A pair is a row: a result is compared by all that a pair has.

    The engine compiles the query once, and forgets everything between two streamsets.
    """

    def __init__(
        self, query: SpaseqQuery, readings: Readings, kb: Mapping[URIRef, Graph]
    ) -> None:
        self._query = query
        self._readings = readings.applied_to(query)
        self._kb = kb
        self._engine = SpaseqEngine(query, kb, readings)
        self._running = SpaseqStreamingQuery(query, engine=self._engine)
        self._asks: Hashable = (
            tuple(clause.iri for clause in query.streams), query.within.unit,
            (query.slide or query.within).unit, self._readings.ties,
        )

    def expected(self, batch: Sequence[Given]) -> Iterator[frozenset[Pair]]:
        """Return ⟦Q⟧ of each streamset."""
        query, readings = self._query, self._readings
        order = _Remembered.of("definitions", self._asks)
        for streams in batch:
            events = order(streams, lambda given: all_events(query, given, readings))
            yield answers(query, contexts_over(query, events, self._kb, readings))

    def reported(self, batch: Sequence[Given]) -> Iterator[list[Pair]]:
        """Yield the engine's results for each input."""
        engine, running = self._engine, self._running
        order = _Remembered.of("engine", self._asks)
        for streams in batch:
            engine.restart()
            yield list(running.run(order(streams, lambda given: list(running.elements(given)))))


Order: TypeAlias = Sequence[Any]


class _Remembered:
    """The order of events by streamset, of queries that say the same about it."""

    def __init__(self) -> None:
        # A graph is told by its address, and kept so that the address stays its own.
        self._known: dict[Hashable, tuple[Given, Order]] = {}

    @classmethod
    def of(cls, side: str, asks: Hashable) -> _Remembered:
        """Return one side's cache for these queries; each side has one for the latest queries."""
        known = _latest.get(side)
        if known is None or known[0] != asks:
            known = _latest[side] = asks, cls()
        return known[1]

    def __call__(self, streams: Given, ordered: Callable[[Given], Order]) -> Order:
        key = tuple([(name, *map(id, items)) for name, items in streams.items()])
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[key] = streams, ordered(streams)
        return found[1]


_latest: dict[str, tuple[Hashable, _Remembered]] = {}


def on_many(
    query: SpaseqQuery, readings: Readings, kb: Mapping[URIRef, Graph] | None = None
) -> SpaseqOnMany:
    """Return a query that is compiled once."""
    return SpaseqOnMany(query, readings, kb or {})
