"""Engines between two runs: a corpus asks one query of many streams, and compiling costs more than
running a small case does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from .runtime import SpaseqEngine

_MOST = 32

_Key: TypeAlias = tuple[int, Readings | None, frozenset[tuple[URIRef, int]]]


class _Idle(NamedTuple):
    """An engine with what its key identifies: an id() is one's own for as long as it is held."""

    engine: SpaseqEngine
    query: SpaseqQuery
    kb: Mapping[URIRef, Graph] | None


class IdleEngines:
    """At most one idle engine a query; an engine serves one run at a time."""

    def __init__(self) -> None:
        self._idle: dict[_Key, _Idle] = {}

    def take(
        self,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None,
        readings: Readings | None,
    ) -> SpaseqEngine:
        """An engine for this query that nobody else uses; it may remember its last run."""
        known = self._idle.pop(_key(query, kb, readings), None)
        return SpaseqEngine(query, kb, readings) if known is None else known.engine

    def give_back(
        self,
        engine: SpaseqEngine,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None,
        readings: Readings | None,
    ) -> None:
        """The run is over, or was given up."""
        engine.restart()
        self._idle[_key(query, kb, readings)] = _Idle(engine, query, dict(kb or {}))
        while len(self._idle) > _MOST:
            del self._idle[next(iter(self._idle))]


def _key(
    query: SpaseqQuery, kb: Mapping[URIRef, Graph] | None, readings: Readings | None
) -> _Key:
    return id(query), readings, frozenset((name, id(graph)) for name, graph in (kb or {}).items())
