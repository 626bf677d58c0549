"""A CQELS-CEP query over its streams: items in, the solutions of each evaluation out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef

from ...semantics.cqels.syntax.readings import Readings
from ...semantics.cqels.syntax.tree import CqelsQuery
from ...semantics.model.interval_solutions import IntervalResult
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import Graph
from ...semantics.streams.live.ordered_input import Watermark
from ...semantics.streams.merging import StreamItem
from ..checkpoints.graph_streaming_query import GraphStreamingQuery
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from .runtime import CqelsEngine


@stateful(compiled=("_listed",))
class CqelsStreamingQuery(GraphStreamingQuery):
    """A query over the streams that there are.

    It is evaluated whenever items of the query's streams have arrived, at their end; or at listed
    times, each on whatever has begun by then. What is open at a time arrives when it has ended, so
    it takes the streams' end to answer.
    """

    engine: CqelsEngine

    def __init__(
        self,
        query: CqelsQuery,
        kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
        readings: Readings | None = None,
        at: Iterable[int] | None = None,
        dictionaries: Sequence[Dictionary] = (),
    ) -> None:
        self.engine = CqelsEngine(query, kb, readings, *dictionaries)
        self._listed = None if at is None else sorted(set(at))

    @property
    def takes_batches(self) -> bool:
        return self._listed is None

    def _of_item(self, item: StreamItem) -> Iterator[IntervalResult]:
        if self._listed is None:
            return iter(self.engine.arrive(item))
        if self._listed and item.start <= self._listed[-1]:
            self.engine.feed(item)
        return iter(())

    def _of_time(self, time: int) -> Iterator[IntervalResult]:
        return iter(self.engine.arrive(Watermark(time)) if self._listed is None else ())

    def finish(self) -> list[IntervalResult]:
        if self._listed is None:
            return self.engine.settle()
        return [result for t in self._listed for result in self.engine.evaluate(t)]

    def prepare_checkpoint(self) -> None:
        self.engine.leave_columns()

    def compile_parameters(self) -> dict[str, Any]:
        return self.engine.compile_parameters()

    def compile(self, parameters: Mapping[str, Any]) -> None:
        self.engine.compile(parameters)
