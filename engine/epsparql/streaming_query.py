"""An EP-SPARQL query over its streams: items in, solutions out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rdflib.term import URIRef

from ...semantics.epsparql.syntax.analysis import queried
from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.epsparql.syntax.tree import EpsparqlQuery
from ...semantics.model.terms import Graph
from ...semantics.streams.merging import StreamItem
from ..checkpoints.graph_streaming_query import GraphStreamingQuery
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from .runtime import EpsparqlEngine


@stateful()
class EpsparqlStreamingQuery(GraphStreamingQuery):
    """A query over a stream, or several that are merged."""

    engine: EpsparqlEngine

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

    @property
    def order(self) -> list[URIRef]:
        return [clause.iri for clause in self.engine.query.streams]

    def asked_for(self, streams: Mapping[URIRef, Iterable[Any]]) -> Mapping[URIRef, Iterable[Any]]:
        return queried(self.engine.query, streams)

    def _of_item(self, item: StreamItem) -> Iterator[Any]:
        return iter(self.engine.feed(item))

    def _of_time(self, time: int) -> Iterator[Any]:
        return iter(self.engine.advance(time))

    def finish(self) -> list[Any]:
        return list(self.engine.finish())

    @property
    def is_done(self) -> bool:
        return self.engine.answered

    def prepare_checkpoint(self) -> None:
        self.engine.leave_columns()

    def compile_parameters(self) -> dict[str, Any]:
        return dict(self.engine.compile_parameters())

    def compile(self, parameters: Mapping[str, Any]) -> None:
        self.engine.compile(parameters)
