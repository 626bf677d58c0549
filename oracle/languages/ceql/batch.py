"""Many streams of one CEQL query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ....engine.ceql.output import records
from ....engine.ceql.runtime import CeqlEngine
from ....semantics.ceql.later_language import evaluate
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import CeqlQuery
from ....semantics.model.errors import UnsupportedError
from ....semantics.model.tuples import EventTuple, batches, named
from ...judging.batches import Given
from .bounded_work import feasible

_FEW = 6
"""Of so many tuples Table 2 does not make too much for any formula that can be enumerated."""


class CeqlOnMany:
    """A complex event is a row: a result is compared by all that it has.

    Of a query that names a stream in its formula, or reads several, the ordinary judge asks.
    """

    def __init__(self, query: CeqlQuery, readings: Readings) -> None:
        if len(query.streams) != 1 or query.limit is not None:
            raise UnsupportedError("one stream, and all complex events")
        self._query = query
        self._readings = readings
        self._name = query.streams[0]
        self._engine = CeqlEngine(query, readings)

    def expected(self, batch: Sequence[Given]) -> Iterator[frozenset[ComplexEvent]]:
        """⟦Q⟧ of each stream."""
        for streams in batch:
            stream = [*named(self._tuples(streams), self._name)]
            query = self._query
            if len(stream) > _FEW:
                query = feasible(query, [each.type for each in stream])
            yield evaluate(query, stream, self._readings)

    def reported(self, batch: Sequence[Given]) -> Iterator[list[ComplexEvent]]:
        """What one engine says of each, which forgets everything between two."""
        for streams in batch:
            self._engine.restart()
            yield [
                event
                for fed in _batches(self._tuples(streams))
                for found in self._engine.batches(fed)
                for event in records.complex_events(found)
            ]

    def _tuples(self, streams: Given) -> tuple[EventTuple, ...]:
        return tuple(next(iter(streams.values())))


def _batches(tuples: tuple[EventTuple, ...]) -> Sequence[Any]:
    """The tuples as the engine takes them. Streams of one type each come again and again."""
    if any(each.attributes or each.time is not None for each in tuples):
        return list(batches(tuples))
    return _of_types(tuple([each.type for each in tuples]))


@lru_cache(maxsize=1 << 14)
def _of_types(types: tuple[str, ...]) -> Sequence[Any]:
    return list(batches(map(EventTuple, types)))


def on_many(query: CeqlQuery, readings: Readings) -> CeqlOnMany:
    """A query that is compiled once."""
    return CeqlOnMany(query, readings)
