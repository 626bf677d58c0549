"""An RSEP-QL query over its streams: items in, the answers of each evaluation out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph, URIRef
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.rsepql.syntax.tree import RsepqlQuery
from ...semantics.streams.merging import StreamItem
from ..checkpoints.graph_streaming_query import GraphStreamingQuery
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from .runtime import RsepqlEngine


@stateful(compiled=("_changing",))
class RsepqlStreamingQuery(GraphStreamingQuery):
    """A query over streams of these names, and those of graphs that are `changing`."""

    engine: RsepqlEngine

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
    def ties(self) -> str:
        return "sequence"

    @property
    def own_streams(self) -> Mapping[URIRef, Iterable[TimestampedGraph]]:
        return self._changing

    def asked_for(self, streams: Mapping[URIRef, Iterable[Any]]) -> Mapping[URIRef, Iterable[Any]]:
        given = {**streams, **self._changing}
        return {name: each for name, each in given.items() if name in self.engine.streams}

    def _of_item(self, item: StreamItem) -> Iterator[TimedAnswer]:
        engine = self.engine
        engine.check(item)
        yield from engine.evaluated(item.time - 1)
        if not engine.is_done:
            yield from engine.feed(item)

    def _of_time(self, time: int) -> Iterator[TimedAnswer]:
        return iter(self.engine.evaluated(time - 1))

    def finish(self) -> list[TimedAnswer]:
        return self.engine.close()

    def prepare_checkpoint(self) -> None:
        self.engine.leave_columns()

    @property
    def is_done(self) -> bool:
        return self.engine.is_done
