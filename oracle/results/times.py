"""The times of results as they were given: integers, or dateTimes as on the streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.data_frames import arrow_of

_COLUMNS = {"window": ("window_start", "window_end"), "interval": ("start", "end")}


class ResultTimes:
    """The kind of the times of the watched streams, and so of the results: dateTimes or integers.

    `dated` is None before the first item. `sources` are files, tables and sequences, which are
    read again for the time zone of their first items.
    """

    def __init__(self, sources: Iterable[Any] = (), format: str | None = None) -> None:
        self.dated: bool | None = None
        self._sources, self._format = sources, format
        self._live: list[Any] = []

    @cached_property
    def zone(self) -> str:
        """The time zone of the streams' first items, as they write it; Z if it is not the same."""
        from ...semantics.model.time import zone_of

        written = [each.times for each in self._live]
        written += [times_as_written(each, format=self._format) for each in self._sources]
        zones = {zone_of(times[-1]) for times in written if times}
        return zones.pop() if len(zones) == 1 else "Z"

    def watching(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs with watched streams."""
        watched = {iri: self.watched(stream) for iri, stream in inputs["streams"].items()}
        return {**inputs, "streams": watched}

    def watched(self, stream: Any) -> Any:
        """Return the stream, whose items tell it as they are read."""
        watched = getattr(stream, "watched", None)
        if hasattr(stream, "times"):
            self._live.append(stream)
        return self._items(stream) if watched is None else watched(self._look)

    def _items(self, stream: Iterable[Any]) -> Iterator[Any]:
        items = iter(stream)
        for item in items:
            self._look(item)
            yield item
            break
        yield from items

    def _look(self, item: Any) -> None:
        from ...semantics.model.items import TimeKind

        kind = getattr(item, "kind", None)
        if kind is not None:  # not each element of a live stream is an item
            self.dated = bool(self.dated) or kind is TimeKind.DATETIME

    def shown(self, time: Any, zone: str = "Z") -> Any:
        """Return an instant, or a list of them; beyond the years of dateTimes it stays a number."""
        if isinstance(time, list):
            return [self.shown(each, zone) for each in time]
        if not self.dated or not isinstance(time, int):
            return time
        from ...semantics.model.time import format_datetime

        try:
            return format_datetime(time, zone)
        except DenotaError:
            return time


def times_as_written(
    source: Any, time: int | None = None, number: int = 0, *, format: str | None = None
) -> Sequence[str]:
    """Return the time of an item as its source writes it, or its start and its end.

    It is () if it is not known: an item may be an object, and a source readable only once.

    Args:
        time: the end of the item in a file or a table; None: that of the first.
        number: the position of the item in a sequence.
    """
    from ...semantics.streams.rdf.reader import times_as_written as times_in

    table = arrow_of(source)
    if isinstance(source, str | os.PathLike):
        return times_in(source, time, format=format) if os.path.isfile(source) else ()
    if table is not None:
        once = hasattr(source, "read_next_batch")
        return () if once else times_in(table, time, format=format)
    item = source[number] if isinstance(source, Sequence) and number < len(source) else None
    if not isinstance(item, tuple):
        return ()
    times = item[0] if isinstance(item[0], tuple | list) else item[:-1]
    shown = [each.isoformat() if isinstance(each, datetime) else each for each in times]
    return shown if all(isinstance(each, str) for each in shown) else ()


def instant_columns(fields: Iterable[str]) -> frozenset[str]:
    """Return the columns of a table that hold what these fields of a result object hold."""
    return frozenset(column for field in fields for column in _COLUMNS.get(field, (field,)))
