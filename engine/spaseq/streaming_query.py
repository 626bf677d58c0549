"""A SPAseq query over its streams, and the pool of compiled engines that a later run reuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from rdflib.term import URIRef

from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ...semantics.streams.merging import StreamItem
from ..checkpoints.graph_streaming_query import GraphStreamingQuery
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from .runtime import SpaseqEngine


@stateful()
class SpaseqStreamingQuery(GraphStreamingQuery):
    """A query over a streamset; `start` is t of Def. 16."""

    engine: SpaseqEngine

    def __init__(
        self,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        start: int | None = None,
        dictionaries: Sequence[Dictionary] = (),
        engine: SpaseqEngine | None = None,
    ) -> None:
        self.engine = engine or SpaseqEngine(query, kb, readings, start, *dictionaries)

    @property
    def ties(self) -> str:
        return self.engine.readings.ties

    @property
    def order(self) -> tuple[URIRef, ...]:
        return tuple(clause.iri for clause in self.engine.query.streams)

    def prepare_checkpoint(self) -> None:
        self.engine.as_objects()

    def _of_item(self, item: StreamItem) -> Iterator[Pair]:
        return iter(self.engine.feed(item))

    def _of_time(self, time: int) -> Iterator[Pair]:
        return iter(())

    def _of_batch(self, batch: Any) -> Iterator[Pair]:
        yield from self.engine.feed_batch(batch)
        if self.engine.by_columns:  # single items are swept up after at the end of their instant
            self.engine.sweep()

    def finish(self) -> list[Pair]:
        return []


_MOST = 32

_Key: TypeAlias = tuple[int, Readings | None, frozenset[tuple[URIRef, int]]]


class _Idle(NamedTuple):
    """An engine with what its key identifies: an id() is one's own for as long as it is held."""

    engine: SpaseqEngine
    query: SpaseqQuery
    kb: Mapping[URIRef, Graph] | None


class EnginePool:
    """At most one idle engine a query; an engine serves one run at a time."""

    def __init__(self) -> None:
        self._idle: dict[_Key, _Idle] = {}

    def acquire(
        self,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None,
        readings: Readings | None,
    ) -> SpaseqEngine:
        """Return an engine for this query that no other run uses; its buffers may be allocated."""
        known = self._idle.pop(_key(query, kb, readings), None)
        return SpaseqEngine(query, kb, readings) if known is None else known.engine

    def release(
        self,
        engine: SpaseqEngine,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None,
        readings: Readings | None,
    ) -> None:
        """Reset the engine and return it to the pool."""
        engine.restart()
        self._idle[_key(query, kb, readings)] = _Idle(engine, query, dict(kb or {}))
        while len(self._idle) > _MOST:
            del self._idle[next(iter(self._idle))]


def _key(
    query: SpaseqQuery, kb: Mapping[URIRef, Graph] | None, readings: Readings | None
) -> _Key:
    return id(query), readings, frozenset((name, id(graph)) for name, graph in (kb or {}).items())
