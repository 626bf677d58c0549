"""Streams of tuples that are read while they grow: a tuple is complete with its line.

A heartbeat is a row of the event type `@heartbeat`: no tuple that arrives earlier comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...ceql.syntax.tree import StreamDeclaration
from ...model.errors import StreamError
from ...model.tuples import (
    HEARTBEAT,
    EventTuple,
    OutOfOrderError,
    RecordBatch,
    Tuples,
    batches,
    of_one_type,
    rows,
    without_heartbeats,
)
from ..files.documents import open_live
from ..files.folder import Folder
from ..tuples.columns import Layout
from ..tuples.json_lines import JsonObjects
from ..tuples.reader import TEXT_FORMATS, format_of_tuples, read_tuples
from .addresses import address_of
from .byte_sources import Bytes, LiveFile
from .kafka_source import Message
from .rate_source import Rate
from .reader import Arrivals, Element, Idle, LiveStream, Put, in_order
from .watermarks import Watermark


class TupleStream(LiveStream[EventTuple]):
    """A stream of tuples; one that is alone may be read in batches instead."""

    def __init__(
        self, arrivals: Arrivals, tuples: Tuples, file: LiveFile | Folder | None = None
    ) -> None:
        super().__init__(arrivals, tuples.source, self._rows)
        self.disorder = tuples.disorder
        self.given = tuples
        """The tuples and heartbeats."""
        self._file = file

    @property
    def tuples(self) -> Tuples:
        """The tuples."""
        given = self.given
        return Tuples(
            lambda: map(without_heartbeats, given.batches()), given.source,
            of_columns=lambda columns: map(without_heartbeats, given.batches(columns)),
            header=given.header,
        )

    def shown(self, place: Any) -> str:
        return self.source if place is None else f"{self.source}, tuple {place}"

    def placed(self, error: StreamError, item: EventTuple, place: Any) -> StreamError:
        for seen in self.disorder:
            if isinstance(seen, OutOfOrderError) and seen.times and seen.times[0] == item.time:
                return seen.at(seen.source, seen.line)
        return super().placed(error, item, place)

    def _rows(self, put: Put) -> None:
        timed = False

        def silent() -> None:
            if timed:
                put(Idle())
                self.flush()

        if self._file is not None:
            self._file.waiting, self._file.silent = self.flush, silent
        for number, each in enumerate(self.given):
            if each.type != HEARTBEAT:
                timed = each.time is not None
                put(each, number)
            elif each.time is not None:
                put(Watermark(each.time))


class _TupleMessages:
    """The tuples and heartbeats of messages, each of which is one JSON object, or one a line."""

    def __init__(
        self, source: str, *, type_column: str = "type", time_column: str | None = None,
        declaration: StreamDeclaration | None = None,
    ) -> None:
        self.timed = False
        self._source = source
        layout = Layout(type_column, time_column, declaration)
        self._objects = JsonObjects(layout, source, live=True)

    def __call__(
        self, messages: Sequence[Message], shown: Callable[[Any], str], /
    ) -> Iterator[tuple[Element, Message]]:
        # Lines are numbered over all messages, so that a fault is traced to its own.
        lines = [
            (message, text) for message in messages for text in message.value.split(b"\n")
        ]
        numbered = (
            (number, self._source, text) for number, (_, text) in enumerate(lines, start=1)
        )
        try:
            for batch, theirs in self._objects.batches(numbered):
                for each, number in zip(rows(batch), theirs, strict=True):
                    message, _ = lines[number - 1]
                    if each.type != HEARTBEAT:
                        self.timed = each.time is not None
                        yield each, message
                    elif each.time is not None:
                        yield Watermark(each.time), message
        except StreamError as error:
            if not error.line:
                raise
            message, _ = lines[error.line - 1]
            first = next(n for n, line in enumerate(lines, start=1) if line[0] is message)
            raise error.at(
                shown(message.place), error.line - first + 1, error.column
            ) from None


def live_tuples(
    arrivals: Arrivals, path: str, *, format: str | None = None, idle: float | None = None,
    follow: bool = False, **options: Any,
) -> LiveStream[EventTuple]:
    """Return the tuples at a path, followed if they are text; from an address JSON Lines.

    `options` are those of `read_tuples`.
    """
    name = "<stdin>" if path == "-" else path
    address = address_of(path)
    if address is not None:
        name = address.name
        format = address.format or format or "jsonl"
        if address.scheme == "rate":  # whose lines are ours
            rate = Rate(address, arrivals.stop, again=lambda: arrivals.again)
            own = {**options, "type_column": "type", "time_column": "time"}
            return _of_bytes(arrivals, rate, name, "jsonl", idle, own)
    known = format_of_tuples(path, format, name)
    if address is not None and address.scheme == "kafka":
        from .kafka_source import TopicStream

        if known != "jsonl":
            raise StreamError(f"a message holds JSON Lines, and no {known}", source=name)
        return TopicStream(arrivals, address, _TupleMessages(name, **options), idle=idle)
    if known not in TEXT_FORMATS:
        if address is not None:
            raise StreamError(
                f"{known} is read as a whole: expected {', '.join(TEXT_FORMATS)}", source=name
            )
        return TupleStream(arrivals, read_tuples(path, format=known, follow=follow, **options))
    opened = open_live(path, arrivals.stop, follow=follow, listening=arrivals.listening_at)
    return _of_bytes(arrivals, opened, name, known, idle, options)


def _of_bytes(
    arrivals: Arrivals, opened: Bytes, name: str, format: str, idle: float | None,
    options: Mapping[str, Any],
) -> TupleStream:
    file = LiveFile(opened, idle)
    tuples = read_tuples(file, format=format, source=name, live=True, **options)
    return TupleStream(arrivals, _closed_after(tuples, file), file)


def _closed_after(tuples: Tuples, file: LiveFile) -> Tuples:
    """Return the tuples, whose file is closed where their reading ends."""

    def closing(read: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        try:
            yield from read
        finally:
            file.close()

    return Tuples(
        lambda: closing(tuples.batches()), tuples.source,
        of_columns=lambda columns: closing(tuples.batches(columns)),
        disorder=tuples.disorder, header=tuples.header,
    )


def alone(stream: Any) -> Tuples | None:
    """Return the tuples of a stream that need not be put in order, nor be merged with another's."""
    alone = isinstance(stream, TupleStream) and stream.arrivals.delay is None
    return stream.tuples if alone else None


def batches_arriving(
    streams: Mapping[str, Iterable[EventTuple]], names: list[str]
) -> Iterator[RecordBatch]:
    """Yield the tuples of several streams, in the order of `merged`, in batches as they come."""
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
        came = [
            replace(item, stream=each[0])
            for each in leaving if not isinstance(each, Watermark) for item in each[3]
        ]
        for alike in of_one_type(came):
            yield from batches(alike)


def _batches(name: str, stream: Iterable[EventTuple]) -> Iterator[RecordBatch]:
    """Yield the tuples of a stream without arrival times."""
    live = isinstance(stream, LiveStream)
    pieces = in_order({name: stream}, [name], lambda each: 0, since=0) if live else [
        [(name, 0, 0, list(stream))]
    ]
    for leaving in pieces:
        came = [
            replace(item, stream=name)
            for each in leaving if not isinstance(each, Watermark) for item in each[3]
        ]
        if any(each.time is not None for each in came):
            raise StreamError(
                f"stream '{name}' has arrival times and another has none: they cannot be merged"
            )
        yield from batches(came)
