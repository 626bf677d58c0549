"""Many streamsets of one SPAseq query: what the definitions and the engine say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....engine.spaseq import run
from ....semantics.spaseq.denotation import evaluate
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import SpaseqQuery
from ...judging.batches import Given


class SpaseqOnMany:
    """A pair is a row: a result is compared by all that a pair has."""

    def __init__(self, query: SpaseqQuery, readings: Readings) -> None:
        self._query = query
        self._readings = readings

    def expected(self, batch: Sequence[Given]) -> Iterator[frozenset[Pair]]:
        """⟦Q⟧ of each streamset."""
        for streams in batch:
            yield evaluate(self._query, streams, {}, self._readings)

    def reported(self, batch: Sequence[Given]) -> Iterator[list[Pair]]:
        """What one engine says of each, which forgets everything between two."""
        for streams in batch:
            yield list(run(self._query, streams, {}, self._readings))


def on_many(query: SpaseqQuery, readings: Readings) -> SpaseqOnMany:
    """A query that is compiled once, by the engine, which keeps what it has compiled."""
    return SpaseqOnMany(query, readings)
