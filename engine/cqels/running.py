"""A CQELS-CEP query at work: when it is evaluated, one arrival after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef

from ...semantics.cqels.syntax.readings import Readings
from ...semantics.cqels.syntax.tree import CqelsQuery
from ...semantics.model.interval_solutions import IntervalResult
from ...semantics.model.items import Item
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import Graph
from ...semantics.streams.live.arriving import Watermark, intervals_arriving
from ...semantics.streams.merging import StreamItem
from ..checkpoints.declared import stateful
from ..checkpoints.running_query import RunningQuery
from ..rdf.data.dictionary import Dictionary
from .runtime import CqelsEngine


@stateful(parts=("engine",), compiled=("_listed",))
class RunningCqels(RunningQuery):
    """A query over the streams that there are.

    It is evaluated whenever items of the query's streams have arrived, at their end; or at listed
    times, each on whatever has begun by then. What is open at a time arrives when it has ended, so
    it takes the streams' end to answer.
    """

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
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return (self.engine.dictionary,)

    def arriving(
        self, streams: Mapping[URIRef, Iterable[Item]]
    ) -> Iterator[StreamItem | Watermark]:
        return intervals_arriving(streams)

    def take(self, arrival: StreamItem | Watermark) -> list[IntervalResult]:
        if self._listed is not None:
            last = self._listed[-1] if self._listed else None
            if last is not None and not isinstance(arrival, Watermark) and arrival.start <= last:
                self.engine.feed(arrival)
            return []
        return self.engine.arrive(arrival)

    def finish(self) -> list[IntervalResult]:
        if self._listed is None:
            return self.engine.settle()
        return [result for t in self._listed for result in self.engine.evaluate(t)]

    def settle(self) -> None:
        self.engine.leave_columns()

    def told(self) -> dict[str, Any]:
        return self.engine.told()

    def compile(self, told: Mapping[str, Any]) -> None:
        self.engine.compile(told)
