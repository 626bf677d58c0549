"""Items in batches and one by one in turns, so that what is remembered changes hands each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ....semantics.model.errors import DenotaError
from ....semantics.streams.live.arriving import Watermark
from ....semantics.streams.merging import StreamItem
from ..data.dictionary import Dictionary
from .batch import GraphBatch, batch_of

Result = TypeVar("Result")
Arrival = TypeVar("Arrival", StreamItem, StreamItem | Watermark)


def fed_in_turns(
    arriving: Iterable[Arrival],
    most: int,
    dictionary: Dictionary,
    batch: Callable[[GraphBatch], Iterable[Result]],
    alone: Callable[[Arrival], Iterable[Result]],
) -> Iterator[Result]:
    """What an engine says of a batch of at most so many items, then of an item alone, and so on."""
    pending: list[StreamItem] = []
    refused: DenotaError | None = None
    try:
        for each in arriving:
            if isinstance(each, StreamItem) and len(pending) < most:
                pending.append(each)
                continue
            together, pending = pending, []
            if together:
                yield from batch(batch_of(together, dictionary))
            yield from alone(each)
    except DenotaError as error:
        refused = error
    if pending:  # what came before an item that is refused is answered
        yield from batch(batch_of(pending, dictionary))
    if refused is not None:
        raise refused
