"""Many streams of one CEQL query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ....engine.ceql.output import records
from ....engine.ceql.runtime import CeqlEngine
from ....engine.ceql.symbols.input_batches import batches_of
from ....semantics.ceql.core_extensions import choices, evaluate, nearest
from ....semantics.ceql.syntax.analysis import takes_any
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import CeqlQuery
from ....semantics.model.errors import UnsupportedError
from ....semantics.model.tuples import EventTuple, batches, merged
from ...checking.batch_checker import Given
from .cost_estimate import feasible

_FEW = 6
"""Of so many tuples Table 2 does not make too much for any formula that can be enumerated."""


class CeqlOnMany:
    """A complex event is a row: a result is compared by all that it has.

    Of what leaves a choice (SELECT ANY, LIMIT), every result that is right is taken for the one
    that the definitions say.
    """

    def __init__(self, query: CeqlQuery, readings: Readings) -> None:
        if not query.streams:
            raise UnsupportedError("the streams have to be named")
        self._query = query
        self._readings = readings
        self._choosing = takes_any(query)
        self._engine = CeqlEngine(query, readings)

    def expected(self, batch: Sequence[Given]) -> Iterator[frozenset[ComplexEvent]]:
        """Return ⟦Q⟧ of each stream."""
        for streams in batch:
            stream = self._merged(streams)
            yield evaluate(self._feasible(stream), stream, self._readings)

    def reported(self, batch: Sequence[Given]) -> Iterator[list[ComplexEvent]]:
        """Yield the results of one engine for each input; it is reset between two."""
        for streams in batch:
            self._engine.restart()
            found = [
                event
                for fed in self._fed(streams)
                for complete in self._engine.batches(fed)
                for event in records.complex_events(complete)
            ]
            yield self._chosen(streams, found) if self._choosing and found else found

    def _chosen(self, streams: Given, found: list[ComplexEvent]) -> list[ComplexEvent]:
        stream = self._merged(streams)
        query = self._feasible(stream)
        right = nearest(choices(query, stream, self._readings), found)
        if sorted(right) != sorted(found):
            return found
        return list(evaluate(query, stream, self._readings))

    def _feasible(self, stream: Sequence[EventTuple]) -> CeqlQuery:
        if len(stream) <= _FEW:
            return self._query
        return feasible(self._query, [each.type for each in stream])

    def _merged(self, streams: Given) -> list[EventTuple]:
        given = {str(name): told for name, told in streams.items()}
        return list(merged(given, self._query.streams))

    def _fed(self, streams: Given) -> Iterable[Any]:
        """Return the tuples for the engine: of several streams, with their names."""
        if len(self._query.streams) > 1:
            return batches_of(self._merged(streams), self._engine.columns)
        return _batches(tuple(next(iter(streams.values()))))


def _batches(tuples: tuple[EventTuple, ...]) -> Sequence[Any]:
    """Return the tuples of one stream. Those of types alone come again and again."""
    if any(each.attributes or each.time is not None for each in tuples):
        return list(batches(tuples))
    return _of_types(tuple([each.type for each in tuples]))


@lru_cache(maxsize=1 << 14)
def _of_types(types: tuple[str, ...]) -> Sequence[Any]:
    return list(batches(map(EventTuple, types)))


def on_many(query: CeqlQuery, readings: Readings) -> CeqlOnMany:
    """Return a query that is compiled once."""
    return CeqlOnMany(query, readings)
