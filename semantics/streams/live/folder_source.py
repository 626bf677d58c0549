"""Streams of the files in a folder: at rest those that are there, live also those that come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...model.errors import StreamError
from ...model.items import Item
from ...model.tuples import EventTuple, RecordBatch, Tuples
from ..files.folder import Folder
from ..rdf.reader import instants, read_items
from ..tuples.columns import TimeOrder
from ..tuples.reader import read_tuples
from .reader import Arrivals, Idle, LiveStream, Put
from .tuples import TupleStream

Wait = Callable[[float], object]


def tuples_in(folder: Folder, wait: Wait | None = None, **options: Any) -> Tuples:
    """Return the tuples of the files; `options` are those of `read_tuples`."""

    disorder: list[StreamError] = []

    def batches(columns: frozenset[str] | None = None) -> Iterator[RecordBatch]:
        order = TimeOrder(disorder)
        for file in folder.files(wait):
            yield from read_tuples(file, order=order, **options).batches(columns)

    return Tuples(batches, folder.path, of_columns=batches, disorder=disorder)


def items_in(
    folder: Folder, wait: Wait | None = None, *, scope: str, format: str | None = None
) -> Iterator[Item]:
    """Yield the items of the files; a blank node is of the `scope` and of its file alone."""
    for number, file in enumerate(folder.files(wait)):
        yield from read_items(file, format=format, scope=f"{scope}f{number}")


def instants_in(folder: Folder, **options: Any) -> Iterator[Any]:
    """As `items_in`, for streams of instants: an interval is a StreamError."""
    return instants(items_in(folder, **options), folder.path)


def live_tuples_in(
    arrivals: Arrivals, folder: Folder, *, follow: bool, **options: Any
) -> LiveStream[EventTuple]:
    """Return the tuples of the files, put in order as those of a live stream are."""
    wait = arrivals.stop.wait if follow else None
    return TupleStream(arrivals, tuples_in(folder, wait, **options), folder)


def live_items_in(
    arrivals: Arrivals, folder: Folder, *, follow: bool, **options: Any
) -> LiveStream[Item]:
    """Return the items of the files, put in order as those of a live stream are."""
    wait = arrivals.stop.wait if follow else None

    def read(put: Put) -> None:
        def silent() -> None:
            put(Idle())
            stream.flush()

        folder.waiting, folder.silent = stream.flush, silent
        for item in items_in(folder, wait, **options):
            put(item)

    stream: LiveStream[Item] = LiveStream(arrivals, folder.path, read)
    return stream
