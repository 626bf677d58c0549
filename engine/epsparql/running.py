"""An EP-SPARQL query at work: what `run` does, one arrival after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef

from ...semantics.epsparql.syntax.analysis import queried
from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.tree import EpsparqlQuery
from ...semantics.model.items import Item
from ...semantics.model.terms import Graph
from ...semantics.streams.live.arriving import Watermark, intervals_arriving
from ...semantics.streams.merging import StreamItem
from ..checkpoints.declared import stateful
from ..checkpoints.running_query import RunningQuery
from ..rdf.data.dictionary import Dictionary
from .runtime import EpsparqlEngine


@stateful(parts=("engine",))
class RunningEpsparql(RunningQuery):
    """A query over a stream, or several that are merged."""

    def __init__(
        self,
        query: EpsparqlQuery,
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        dictionaries: Sequence[Dictionary] = (),
    ) -> None:
        self.engine = EpsparqlEngine(query, kb, readings, dictionaries)

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return self.engine.dictionaries

    def arriving(
        self, streams: Mapping[URIRef, Iterable[Item]]
    ) -> Iterator[StreamItem | Watermark]:
        query = self.engine.query
        return intervals_arriving(
            queried(query, streams), [clause.iri for clause in query.streams]
        )

    def take(self, arrival: StreamItem | Watermark) -> list[Any]:
        if isinstance(arrival, Watermark):
            return list(self.engine.advance(arrival.time))
        return list(self.engine.feed(arrival))

    def finish(self) -> list[Any]:
        return list(self.engine.finish())

    @property
    def is_done(self) -> bool:
        return self.engine.answered

    def settle(self) -> None:
        self.engine.leave_columns()

    def told(self) -> dict[str, Any]:
        return dict(self.engine.told())

    def compile(self, told: Mapping[str, Any]) -> None:
        self.engine.compile(told)
