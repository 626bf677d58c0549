"""Many streams of one CEQL query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import CeqlQuery
from ...judging.batches import Given
from .language import LANGUAGE


class CeqlOnMany:
    """A complex event is a row: a result is compared by all that it has."""

    def __init__(self, query: CeqlQuery, readings: Readings) -> None:
        self._query = query
        self._readings = readings

    def expected(self, batch: Sequence[Given]) -> Iterator[frozenset[ComplexEvent]]:
        """⟦Q⟧ of each stream."""
        for streams in batch:
            yield LANGUAGE.evaluate(
                self._query, streams=streams, kb={}, readings=self._readings, evaluation={}
            )

    def reported(self, batch: Sequence[Given]) -> Iterator[list[ComplexEvent]]:
        """What the engine says of each."""
        for streams in batch:
            yield list(LANGUAGE.run(
                self._query, streams=streams, kb={}, readings=self._readings, evaluation={}
            ))


def on_many(query: CeqlQuery, readings: Readings) -> CeqlOnMany:
    """The query, which both sides take as it is."""
    return CeqlOnMany(query, readings)
