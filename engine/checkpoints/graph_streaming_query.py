"""A streaming query over RDF graphs: item by item, or by columns where many items wait."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rdflib.term import URIRef

from ...semantics.streams.live.ordered_input import Watermark, graphs_arriving, intervals_arriving
from ...semantics.streams.merging import StreamItem
from ..rdf.columns.block_reader import batches_of, large_files
from ..rdf.data.dictionary import Dictionary
from ..tuning import IN_USE
from .state_schema import stateful
from .streaming_query import StreamingQuery


@stateful(parts=("engine",))
class GraphStreamingQuery(StreamingQuery):
    """A running query that takes items, watermarks, and batches of items (`GraphBatch`)."""

    engine: Any

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        return (self.engine.dictionary,)

    @property
    def ties(self) -> str | None:
        """The meaning of a second graph at one time; None if items may hold over intervals."""
        return None

    @property
    def order(self) -> Sequence[URIRef] | None:
        """The streams whose items come first at one time, as the query orders them."""
        return None

    @property
    def own_streams(self) -> Mapping[URIRef, Iterable[Any]]:
        """Streams that the query has besides those that it is given."""
        return {}

    @property
    def takes_batches(self) -> bool:
        """True if the engine takes batches."""
        return True

    def asked_for(self, streams: Mapping[URIRef, Iterable[Any]]) -> Mapping[URIRef, Iterable[Any]]:
        """Return the streams that the query reads."""
        return streams

    def elements(self, streams: Mapping[URIRef, Iterable[Any]]) -> Iterator[Any]:
        """Return items and watermarks in order; batches where the streams are large files."""
        asked_for = self.asked_for(streams)
        if self.takes_batches:
            files = large_files(asked_for)
            if files is not None:
                return batches_of(files, self.engine.dictionary, self.ties, self.order)
        if self.ties is None:
            return intervals_arriving(asked_for, self.order)
        return graphs_arriving(asked_for, self.ties, self.order)

    def process(self, element: Any) -> Iterator[Any]:
        if isinstance(element, StreamItem):
            return self._of_item(element)
        if isinstance(element, Watermark):
            return self._of_time(element.time)
        return self._of_batch(element)

    def process_all(self, elements: Iterable[Any]) -> Iterator[Any]:
        return super().process_all(self._together(elements) if self.takes_batches else elements)

    def _together(self, elements: Iterable[Any]) -> Iterator[Any]:
        """Yield the same, with batches where many items follow one another."""
        for items, each in groupby(elements, _is_item):
            come = list(each)
            if not items or len(come) < IN_USE.handed:
                yield from come
                continue
            from ..rdf.columns.batch import batch_of  # only batches pay for NumPy's start

            for begin in range(0, len(come), IN_USE.handed_most):
                yield batch_of(come[begin : begin + IN_USE.handed_most], self.engine.dictionary)

    @abstractmethod
    def _of_item(self, item: StreamItem) -> Iterator[Any]:
        """Return the results that an item makes final."""

    @abstractmethod
    def _of_time(self, time: int) -> Iterator[Any]:
        """Return the results that are final since no earlier item comes any more."""

    def _of_batch(self, batch: Any) -> Iterator[Any]:
        """Return the results that the items of a batch make final."""
        return iter(self.engine.feed_batch(batch))


def _is_item(element: Any) -> bool:
    return isinstance(element, StreamItem)
