"""A CEQL query over its stream, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...semantics.ceql.syntax.readings import Readings
from ...semantics.ceql.syntax.results import ComplexEvent
from ...semantics.ceql.syntax.tree import CeqlQuery
from ..checkpoints.state_schema import stateful
from ..checkpoints.streaming_query import StreamingQuery
from .output.records import complex_events
from .runtime import CeqlEngine
from .symbols.input_batches import batches_of


@stateful(parts=("engine",))
class CeqlStreamingQuery(StreamingQuery):
    """A query over one stream, or several that have been merged."""

    def __init__(self, query: CeqlQuery, readings: Readings | None = None) -> None:
        self.engine = CeqlEngine(query, readings)

    def elements(self, streams: Any) -> Iterator[Any]:
        """Return the batches of the merged stream."""
        return batches_of(streams, self.engine.columns)

    def process(self, element: Any) -> Iterator[ComplexEvent]:
        return (event for batch in self.engine.batches(element) for event in complex_events(batch))

    def finish(self) -> list[ComplexEvent]:
        return []

    @property
    def is_done(self) -> bool:
        return self.engine.remaining == 0
