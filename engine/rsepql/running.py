"""An RSEP-QL query at work: what `run` does, one arrival after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph, URIRef
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.rsepql.syntax.tree import RsepqlQuery
from ...semantics.streams.live.arriving import Watermark, graphs_arriving
from ...semantics.streams.merging import StreamItem
from ..checkpoints.declared import stateful
from ..checkpoints.running_query import RunningQuery
from ..rdf.data.dictionary import Dictionary
from .runtime import RsepqlEngine


@stateful(parts=("engine",), compiled=("_changing",))
class RunningRsepql(RunningQuery):
    """A query over streams of these names, and those of graphs that are `changing`."""

    def __init__(
        self,
        query: RsepqlQuery,
        streams: Iterable[URIRef],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        evaluation: Evaluation | None = None,
        dictionaries: Sequence[Dictionary] = (),
        changing: Mapping[URIRef, Iterable[TimestampedGraph]] | None = None,
    ) -> None:
        self._changing = changing or {}
        names = (*streams, *self._changing)
        self.engine = RsepqlEngine(query, names, kb, readings, evaluation, *dictionaries)

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return (self.engine.dictionary,)

    def arriving(
        self, streams: Mapping[URIRef, Iterable[TimestampedGraph]]
    ) -> Iterator[StreamItem | Watermark]:
        asked_for = {
            name: stream for name, stream in {**streams, **self._changing}.items()
            if name in self.engine.streams
        }
        return graphs_arriving(asked_for, ties="sequence")

    def take(self, arrival: StreamItem | Watermark) -> list[TimedAnswer]:
        engine = self.engine
        if isinstance(arrival, Watermark):
            return list(engine.evaluated(arrival.time - 1))
        engine.check(arrival)
        answers = list(engine.evaluated(arrival.time - 1))
        return answers if engine.is_done else answers + engine.feed(arrival)

    def finish(self) -> list[TimedAnswer]:
        return self.engine.close()

    def settle(self) -> None:
        self.engine.leave_columns()

    @property
    def is_done(self) -> bool:
        return self.engine.is_done
