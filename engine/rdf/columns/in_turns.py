"""Items in batches and one by one in turns, so that what is remembered changes hands each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....semantics.model.errors import DenotaError
from ....semantics.streams.live.arriving import Watermark
from ....semantics.streams.merging import StreamItem
from ..data.dictionary import Dictionary
from .batch import GraphBatch, batch_of


def in_turns(
    arriving: Iterable[StreamItem | Watermark], most: int, dictionary: Dictionary
) -> Iterator[StreamItem | Watermark | GraphBatch]:
    """A batch of at most so many items, then an item alone, and so on."""
    pending: list[StreamItem] = []
    refused: DenotaError | None = None
    try:
        for each in arriving:
            if isinstance(each, StreamItem) and len(pending) < most:
                pending.append(each)
                continue
            together, pending = pending, []
            if together:
                yield batch_of(together, dictionary)
            yield each
    except DenotaError as error:
        refused = error
    if pending:  # what came before an item that is refused is answered
        yield batch_of(pending, dictionary)
    if refused is not None:
        raise refused
