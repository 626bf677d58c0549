"""A SPAseq query at work: what `run` does, one arrival after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ...semantics.streams.merging import StreamItem
from ..checkpoints.declared import stateful
from ..checkpoints.running_graphs import RunningGraphs
from ..rdf.data.dictionary import Dictionary
from .runtime import SpaseqEngine


@stateful()
class RunningSpaseq(RunningGraphs):
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

    def settle(self) -> None:
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
