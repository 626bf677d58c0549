"""Streams of tuples that are read while they grow: a tuple is complete with its line.

A heartbeat is a row of the event type `@heartbeat`: no tuple that arrives earlier comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...model.errors import StreamError
from ...model.tuples import (
    HEARTBEAT,
    EventTuple,
    RecordBatch,
    Tuples,
    batches,
    of_one_type,
    without_heartbeats,
)
from ..files.documents import open_live
from ..tuples.reading import TEXT_FORMATS, format_of_tuples, read_tuples
from .addresses import address_of
from .growing import LiveFile
from .reading import Arrivals, LiveStream, Put, Silence, in_order
from .watermarks import Watermark


class TupleStream(LiveStream[EventTuple]):
    """A stream of tuples; one that is alone may be read in batches instead."""

    def __init__(
        self, arrivals: Arrivals, tuples: Tuples, file: LiveFile | None = None
    ) -> None:
        super().__init__(arrivals, tuples.source, self._rows)
        self.tuples = Tuples(
            lambda: map(without_heartbeats, tuples.batches()), tuples.source,
            of_columns=lambda columns: map(without_heartbeats, tuples.batches(columns)),
        )
        self._given = tuples
        self._file = file

    def shown(self, place: Any) -> str:
        return self.source if place is None else f"{self.source}, tuple {place}"

    def _rows(self, put: Put) -> None:
        timed = False

        def silent() -> None:
            if timed:
                put(Silence())

        if self._file is not None:
            self._file.silent = silent
        for number, each in enumerate(self._given):
            if each.type != HEARTBEAT:
                timed = each.time is not None
                put(each, number)
            elif each.time is not None:
                put(Watermark(each.time))


def live_tuples(
    arrivals: Arrivals, path: str, *, format: str | None = None, idle: float | None = None,
    follow: bool = False, **options: Any,
) -> TupleStream:
    """The tuples at a path, read while they grow if they are text; from an address JSON Lines.

    `options` are those of `read_tuples`.
    """
    name = "<stdin>" if path == "-" else path
    address = address_of(path)
    if address is not None:
        name = address.name
        format = address.format or format or "jsonl"
    known = format_of_tuples(path, format, name)
    if known not in TEXT_FORMATS:
        if address is not None:
            raise StreamError(
                f"{known} is read as a whole: expected {', '.join(TEXT_FORMATS)}", source=name
            )
        return TupleStream(arrivals, read_tuples(path, format=known, follow=follow, **options))
    opened = open_live(path, arrivals.stop, follow=follow, listening=arrivals.when_listening)
    file = LiveFile(opened, idle)
    tuples = read_tuples(file, format=known, source=name, live=True, **options)
    return TupleStream(arrivals, _closed_after(tuples, file), file)


def _closed_after(tuples: Tuples, file: LiveFile) -> Tuples:
    """The tuples, whose file is closed where their reading ends."""

    def closing(read: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        try:
            yield from read
        finally:
            file.close()

    return Tuples(
        lambda: closing(tuples.batches()), tuples.source,
        of_columns=lambda columns: closing(tuples.batches(columns)),
    )


def alone(stream: Any) -> Tuples | None:
    """The tuples of a stream that need not be put in order, nor be merged with another's."""
    return stream.tuples if stream.arrivals.delay is None else None


def batches_arriving(
    streams: Mapping[str, Iterable[EventTuple]], names: list[str]
) -> Iterator[RecordBatch]:
    """The tuples of several streams, in the order of `merged`, in batches as they come."""
    first = streams[names[0]]
    head = first.first() if isinstance(first, LiveStream) else next(iter(first), None)
    delayed = isinstance(first, LiveStream) and first.arrivals.delay is not None
    if isinstance(head, EventTuple) and head.time is None and not delayed:
        for name in names:
            yield from _batches(name, streams[name])
        return

    def time_of(each: EventTuple) -> int:
        if each.time is None:
            raise StreamError(
                "a tuple has no arrival time: it cannot be put in order with those of another"
                " stream, or of its own (--time-column names the column of times)"
            )
        return each.time

    for leaving in in_order(streams, names, time_of):
        rows = [
            replace(item, stream=each[0])
            for each in leaving if not isinstance(each, Watermark) for item in each[3]
        ]
        for alike in of_one_type(rows):
            yield from batches(alike)


def _batches(name: str, stream: Iterable[EventTuple]) -> Iterator[RecordBatch]:
    """The tuples of a stream without arrival times."""
    live = isinstance(stream, LiveStream)
    pieces = in_order({name: stream}, [name], lambda each: 0) if live else [
        [(name, 0, 0, list(stream))]
    ]
    for leaving in pieces:
        rows = [
            replace(item, stream=name)
            for each in leaving if not isinstance(each, Watermark) for item in each[3]
        ]
        if any(each.time is not None for each in rows):
            raise StreamError(
                f"stream '{name}' has arrival times and another has none: they cannot be merged"
            )
        yield from batches(rows)
