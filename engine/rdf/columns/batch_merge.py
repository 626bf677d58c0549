"""Streams merged in time order, by the batch: the columnar form of `semantics.streams.merging`.

The same items come in the same order, and what is refused is refused after the same items, with the
same message. The items that columns cannot hold (their times are too great) come one by one, and so
does all that follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from rdflib.term import URIRef

from ....semantics.model.errors import Impossible, StreamError
from ....semantics.model.items import Item, TimestampedGraph
from ....semantics.streams.merging import (
    KindCheck,
    StreamItem,
    arranged,
    interval_items,
    merged,
    ordered,
    tie,
)
from ....semantics.streams.rdf.reader import instants
from ..data.dictionary import Dictionary
from .batch import Column, GraphBatch, ItemBlock


def taken(batch: GraphBatch, items: Column) -> GraphBatch:
    """Return the items with these numbers, in this order."""
    lengths = np.diff(batch.offsets)[items]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = np.repeat(batch.offsets[items] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return replace(
        batch, stream=batch.stream[items], time=batch.time[items], start=batch.start[items],
        rank=batch.rank[items], offsets=offsets, subject=batch.subject[rows],
        predicate=batch.predicate[rows], object=batch.object[rows],
    )


def concatenated(batches: Sequence[GraphBatch]) -> GraphBatch:
    """Return the items of all of them, at least one, over the same dictionary and streams."""
    if len(batches) == 1:
        return batches[0]
    before = np.cumsum([0, *(batch.offsets[-1] for batch in batches)])
    ends = [
        batch.offsets[1:] + here for batch, here in zip(batches, before[:-1], strict=True)
    ]
    joined: Any = {
        name: np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("stream", "time", "start", "rank", "subject", "predicate", "object")
    }
    return replace(batches[0], offsets=np.concatenate(([0], *ends)), **joined)


def named(batch: GraphBatch, streams: tuple[URIRef, ...], number: int) -> GraphBatch:
    """Return the items as those of the stream with this number."""
    return replace(batch, streams=streams, stream=np.full(len(batch), number, np.int64))


def in_order(batch: GraphBatch) -> GraphBatch:
    """Return the items by time, then rank, then stream, otherwise in their order."""
    return taken(batch, np.lexsort((batch.stream, batch.rank, batch.time)))


def first_of_tie(time: Column) -> NDArray[np.bool_]:
    """Return for each item whether the one before it is earlier or absent."""
    return np.concatenate(([True], time[1:] != time[:-1]))[:len(time)]


def ranked(batch: GraphBatch, first: int) -> GraphBatch:
    """Return the items with their ranks; `first` is that of the first one."""
    numbers = np.arange(len(batch))
    starts = first_of_tie(batch.time)
    ranks = numbers - np.maximum.accumulate(np.where(starts, numbers, 0))
    ranks[batch.time == batch.time[0]] += first
    return replace(batch, rank=ranks)


def ties_united(batch: GraphBatch) -> GraphBatch:
    """Return the batch with one item for each time, in which no triple occurs twice."""
    starts = first_of_tie(batch.time)
    if starts.all():
        return batch
    item = np.repeat(np.cumsum(starts) - 1, np.diff(batch.offsets))
    rows = np.lexsort((batch.object, batch.predicate, batch.subject, item))
    item, triples = item[rows], [
        column[rows] for column in (batch.subject, batch.predicate, batch.object)
    ]
    new = np.ones(len(rows), np.bool_)
    if len(rows):
        new[1:] = item[1:] != item[:-1]
        for column in triples:
            new[1:] |= column[1:] != column[:-1]
    counts = np.bincount(item[new], minlength=int(starts.sum()))
    subject, predicate, obj = (column[new] for column in triples)
    return replace(
        batch, stream=batch.stream[starts], time=batch.time[starts], start=batch.start[starts],
        rank=batch.rank[starts], offsets=np.concatenate(([0], np.cumsum(counts))),
        subject=subject, predicate=predicate, object=obj,
    )


_SIDES: Final[tuple[Literal["left"], Literal["right"]]] = ("left", "right")

Blocks = Iterator[ItemBlock | list[Item]]


class TooGreat(Exception):
    """Columns cannot hold the times of what comes next."""


def merged_batches(
    streams: Mapping[URIRef, Blocks], dictionary: Dictionary, ties: str | None,
    order: Sequence[URIRef] | None = None, sources: Mapping[URIRef, str] | None = None,
) -> Iterator[GraphBatch | StreamItem]:
    """Yield the items of a streamset in batches over the dictionary, as `merge` gives them.

    With `ties` None they are those of `merge_intervals`; else intervals are refused, in the words
    of `read_stream` for streams of which `sources` tells what they are read from. A batch's terms
    are retained until the next one is asked for.
    """
    names = tuple(arranged(streams, order))
    told = sources or {}
    each = [
        _Stream(streams[iri], names, number, ties, told.get(iri))
        for number, iri in enumerate(names)
    ]
    given: list[GraphBatch] = []

    def held() -> Iterator[int]:
        for batch in (*given, *(batch for stream in each for batch in stream.waiting())):
            for column in (batch.subject, batch.predicate, batch.object):
                yield from column.tolist()

    release = dictionary.hold_for(held)
    try:
        for batch in _merged(each):
            given[:] = [batch]
            yield batch
        given.clear()
    except TooGreat:
        given.clear()
        yield from merged([stream.one_by_one() for stream in each])
    finally:
        release()


def _merged(streams: list[_Stream]) -> Iterator[GraphBatch]:
    same_kind = KindCheck()
    for stream in streams:
        while not (stream.count or stream.ended):
            stream.read()
        if stream.count and len(streams) > 1:
            same_kind(next(stream.next_batch.cut(0, 1).items()))
        elif stream.error is not None and not stream.count:
            raise stream.error
    while True:
        open_streams = [stream for stream in streams if not stream.ended]
        horizon = min((stream.latest for stream in open_streams), default=None)
        failed = min(
            (stream for stream in streams if stream.error is not None),
            key=lambda stream: (*stream.last, stream.number), default=None,
        )
        if failed is not None and (horizon is None or failed.last[0] < horizon):
            yield from _together([stream.up_to(failed) for stream in streams])
            assert failed.error is not None
            raise failed.error
        found = [stream.before(horizon) for stream in streams]
        yield from _together(found)
        if horizon is None:
            return
        for stream in open_streams:
            if stream.latest == horizon:
                stream.read()


def _together(found: Iterable[GraphBatch | None]) -> Iterator[GraphBatch]:
    some = [batch for batch in found if batch is not None and len(batch)]
    if len(some) == 1:
        yield some[0]
    elif some:
        yield in_order(concatenated(some))


class _Stream:
    """One stream: what has been read of it, in order and with ranks, and what comes after that."""

    def __init__(
        self, blocks: Blocks, names: tuple[URIRef, ...], number: int, ties: str | None,
        source: str | None,
    ) -> None:
        self.number = number
        self.ended = False
        self.error: StreamError | None = None
        """The error raised after its last item."""
        self.last: tuple[int, int] = (0, 0)
        """Time and rank of the last item that has been read."""
        self._blocks = blocks
        self._names = names
        self._ties = ties
        self._source = source
        self._parts: list[GraphBatch] = []
        self._held: GraphBatch | None = None  # under ties=merge: more may come at its time
        self._latest: Item | None = None
        self._rest: Iterable[Item] = ()

    @property
    def count(self) -> int:
        """The number of items that have been read and not emitted."""
        return sum(map(len, self._parts))

    @property
    def latest(self) -> int:
        """The time of the last item: later elements, also an error, come after it."""
        return self.last[0]

    @property
    def next_batch(self) -> GraphBatch:
        return self._parts[0]

    def waiting(self) -> Iterator[GraphBatch]:
        """Yield the batches that have not been emitted."""
        yield from self._parts
        if self._held is not None:
            yield self._held

    # --- reading ---------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the next block, if there is one. Raises TooGreat."""
        try:
            block = next(self._blocks, None)
        except StreamError as error:
            self._fail(error)
            return
        if isinstance(block, list):
            self._rest = chain(block, chain.from_iterable(map(self._items_of, self._blocks)))
            raise TooGreat
        if block is None:
            self.ended = True
            if self._held is not None:
                held, self._held = self._held, None
                self._add(ties_united(held))
            return
        refused: StreamError | None = None
        batch = named(block.batch, self._names, self.number)
        if self._ties is not None and block.interval.any():
            number = int(np.argmax(block.interval))
            refused = self._refusal(block.head(number))
            batch = batch.cut(0, number)
        if len(batch):
            self._take(batch, block)
        if refused is not None and self.error is None:
            self._fail(refused)

    @staticmethod
    def _items_of(block: ItemBlock | list[Item]) -> Iterable[Item]:
        return block if isinstance(block, list) else list(block.items())

    def _fail(self, error: StreamError) -> None:
        self.ended = True
        self.error = error
        self._held = None

    def _take(self, batch: GraphBatch, block: ItemBlock) -> None:
        tied = self._latest is not None and self._latest.end == batch.time[0]
        if self._ties == "error":
            again = ~first_of_tie(batch.time)
            again[0] = tied
            if again.any():
                number = int(np.argmax(again))
                previous = block.head(number - 1) if number else self._latest
                item = block.head(number)
                assert isinstance(item, TimestampedGraph)
                assert isinstance(previous, TimestampedGraph)
                self._add(batch.cut(0, number))
                self._fail(tie(item, previous, self._names[self.number]))
                return
        elif self._ties == "sequence":
            batch = ranked(batch, self.last[1] + 1 if tied else 0)
        elif self._ties == "merge":
            if self._held is not None:
                batch = concatenated([self._held, batch])
            begin = int(np.searchsorted(batch.time, batch.time[-1]))
            self._held = batch.cut(begin, len(batch))
            batch = ties_united(batch.cut(0, begin))
        self._latest = block.head(len(block) - 1)
        self._add(batch)

    def _add(self, batch: GraphBatch) -> None:
        if len(batch):
            self._parts.append(batch)
            self.last = int(batch.time[-1]), int(batch.rank[-1])

    # --- giving ----------------------------------------------------------------------------------

    def before(self, horizon: int | None) -> GraphBatch | None:
        """Return and release the buffered items that are earlier, or all."""
        whole = self._whole()
        if whole is None:
            return None
        count = len(whole) if horizon is None else int(np.searchsorted(whole.time, horizon))
        return self._give(whole, count)

    def up_to(self, failed: _Stream) -> GraphBatch | None:
        """Return the items that come before the error after another stream's last one."""
        whole = self._whole()
        if whole is None:
            return None
        time, rank = failed.last
        begin, end = (int(np.searchsorted(whole.time, time, side)) for side in _SIDES)
        side = _SIDES[self.number <= failed.number]
        return self._give(whole, begin + int(np.searchsorted(whole.rank[begin:end], rank, side)))

    def _whole(self) -> GraphBatch | None:
        return concatenated(self._parts) if self._parts else None

    def _give(self, whole: GraphBatch, count: int) -> GraphBatch:
        self._parts = [whole.cut(count, len(whole))] if count < len(whole) else []
        return whole.cut(0, count)

    # --- one by one ------------------------------------------------------------------------------

    def one_by_one(self) -> Iterator[StreamItem]:
        """Return the remaining items one by one; buffered ones are decoded at once."""
        waiting = [item for batch in self._parts for item in batch.items()]
        return chain(waiting, self._raised() if self.error is not None else self._after())

    def _raised(self) -> Iterator[StreamItem]:
        assert self.error is not None
        raise self.error
        yield

    def _after(self) -> Iterator[StreamItem]:
        """Return the items after the last one that is in order and has its rank."""
        iri = self._names[self.number]
        rest = chain(self._rest, chain.from_iterable(map(self._items_of, self._blocks)))
        if self._ties is None:
            return interval_items(rest, iri)
        again: list[TimestampedGraph] = []  # so that ranks go on where they were
        known = 0
        if self._held is not None:
            again = [TimestampedGraph(i.time, i.graph, i.kind) for i in self._held.items()]
        elif isinstance(self._latest, TimestampedGraph):
            known = self.last[1] + 1
            again = [self._latest] * known
        following = ordered(chain(again, self._instants(rest)), iri, self._ties)
        return islice(following, known, None)

    def _instants(self, items: Iterable[Item]) -> Iterator[Any]:
        return iter(items) if self._source is None else instants(items, self._source)

    def _refusal(self, item: Item) -> StreamError:
        """Return the error for an item with an interval where instants are expected."""
        try:
            next(ordered(self._instants([item]), self._names[self.number]))
        except StreamError as error:
            return error
        raise Impossible("an interval has been taken for an instant")
