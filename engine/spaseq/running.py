"""A SPAseq query at work: what `run` does, one arrival after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rdflib.term import URIRef

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import SpaseqQuery
from ...semantics.streams.live.arriving import Watermark, graphs_arriving
from ...semantics.streams.merging import StreamItem
from ..checkpoints.declared import stateful
from ..checkpoints.running_query import RunningQuery
from ..rdf.data.dictionary import Dictionary
from .runtime import SpaseqEngine


@stateful(parts=("engine",))
class RunningSpaseq(RunningQuery):
    """A query over a streamset; `start` is t of Def. 16."""

    def __init__(
        self,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        start: int | None = None,
        dictionaries: Sequence[Dictionary] = (),
    ) -> None:
        self.engine = SpaseqEngine(query, kb, readings, start, *dictionaries)

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return (self.engine.dictionary,)

    def arriving(
        self, streams: Mapping[URIRef, Iterable[TimestampedGraph]]
    ) -> Iterator[StreamItem | Watermark]:
        order = tuple(clause.iri for clause in self.engine.query.streams)
        return graphs_arriving(streams, ties=self.engine.readings.ties, order=order)

    def settle(self) -> None:
        self.engine.as_objects()

    def take(self, arrival: StreamItem | Watermark) -> list[Pair]:
        return [] if isinstance(arrival, Watermark) else self.engine.feed(arrival)

    def finish(self) -> list[Pair]:
        return []
