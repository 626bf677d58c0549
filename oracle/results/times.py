"""The times of results as they were given: integers, or dateTimes as on the streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...semantics.model.errors import DenotaError

_COLUMNS = {"window": ("window_start", "window_end"), "interval": ("start", "end")}


class ResultTimes:
    """Whether the streams that are watched, and so the results, have dateTimes.

    `dated` is None before the first item.
    """

    def __init__(self) -> None:
        self.dated: bool | None = None

    def watching(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs whose streams are watched."""
        watched = {iri: self.watched(stream) for iri, stream in inputs["streams"].items()}
        return {**inputs, "streams": watched}

    def watched(self, stream: Any) -> Any:
        """The stream, whose items tell it as they are read."""
        watched = getattr(stream, "watched", None)
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

        self.dated = bool(self.dated) or getattr(item, "kind", None) is TimeKind.DATETIME

    def shown(self, time: Any) -> Any:
        """An instant, or a list of them; one beyond the years of dateTimes stays a number."""
        if isinstance(time, list):
            return [self.shown(each) for each in time]
        if not self.dated or not isinstance(time, int):
            return time
        from ...semantics.model.time import format_datetime

        try:
            return format_datetime(time)
        except DenotaError:
            return time


def instant_columns(fields: Iterable[str]) -> frozenset[str]:
    """The columns of a table that hold what these fields of a result object hold."""
    return frozenset(column for field in fields for column in _COLUMNS.get(field, (field,)))
