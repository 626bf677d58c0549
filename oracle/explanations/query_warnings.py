"""Warnings about an evaluated query: names and times that its streams do not contain."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...semantics.model.errors import QueryError, QueryWarning
from ...semantics.model.time import TimeKind

if TYPE_CHECKING:
    from ..cases.tuple_sources import TupleNames
    from ..languages.base import AbsentName
    from .pattern_counts import GraphNames

MAX_SHORT = 1 << 16
"""The maximum size in bytes of streams that are read again for a query with results."""
ITEM_SIZE = 1 << 7
"""The assumed size in bytes of an item in memory."""
OTHER_TIMES = "other-times"
"""The code of warnings that do not concern the text of the query."""


class GivenTime(NamedTuple):
    """An evaluation time, with its spelling by the user (`--at 12`, `at=12`)."""

    words: str
    time: int
    kind: TimeKind


@dataclass(frozen=True)
class EvaluatedQuery:
    """An evaluated query with its streams.

    Attributes:
        found: whether there are results.
        given: the requested evaluation times.
        dated: whether items have dateTimes; None if no item was read.
        seen: the names in the tuples that were read.
        names: the names searched for in graphs; None if the streams can be read again.
        again: returns the streams from the start, if they can be read again.
        sources: the files, tables and sequences of the streams.
        format: the format of files; None: by suffix.
        strict: whether a misspelt attribute, similar to that of a tuple, is an error.
    """

    language: Any
    query: Any
    kb: Mapping[Any, Any]
    found: bool
    given: Sequence[GivenTime] = ()
    dated: bool | None = None
    seen: TupleNames | None = None
    names: GraphNames | None = None
    again: Callable[[], Mapping[Any, Any]] | None = None
    sources: Mapping[Any, Any] = field(default_factory=dict)
    format: str | None = None
    strict: bool = False

    def warnings(self, *, but_names: bool = False) -> Iterator[QueryWarning]:
        """Yield the warnings.

        Args:
            but_names: whether absent names are reported elsewhere.

        Raises:
            QueryError: without results, for a misspelt event type, similar to that of a tuple.
        """
        if self.language.items == "tuples":
            for each in self._absent_of_tuples():
                is_error = each.is_near and (each.is_type or self.strict)
                if is_error and not self.found:
                    place = each.position
                    raise QueryError(each.message, line=place.line, column=place.column)
                if not but_names and not (each.is_type and self.found):
                    yield QueryWarning("absent-name", each.message, each.position)
        elif not but_names:
            for message in self._absent_of_graphs():
                yield QueryWarning("absent-name", message)
        for words, time, kind in self.given:
            if self.dated is (integral := kind is TimeKind.INTEGER):
                one, other = ("an integer", "dateTimes") if integral else ("a dateTime", "integers")
                yield QueryWarning(
                    OTHER_TIMES,
                    f"{words} is {one}, but the streams have {other}{self._nearest_time(time)}",
                )

    def _absent_of_graphs(self) -> Sequence[str]:
        from .pattern_counts import absent_names

        if self.names is not None:
            return self.names.absent(likely=self.found)
        if self.again is None or (self.found and not self._is_short):
            return ()
        return absent_names(self.language, self.query, self.again(), self.kb, likely=self.found)

    def _absent_of_tuples(self) -> Iterable[AbsentName]:
        """Return the names absent from the tuples; read them again if names were not recorded."""
        from ..cases.tuple_sources import absent_names, noted

        again, seen = self.again, self.seen
        if seen is None:
            if again is None or self.found:
                return ()
            streams, seen = noted(self.language, self.query, again())
            for stream in streams.values():
                for _ in stream.batches():
                    pass
        at_rest = None if again is None else lambda: again().values()
        return absent_names(self.language, self.query, seen, at_rest)

    @property
    def _is_short(self) -> bool:
        """Return whether the streams are short enough to be read again despite results."""
        return sum(
            os.path.getsize(each) if isinstance(each, str | os.PathLike)
            else ITEM_SIZE * len(each) if hasattr(each, "__len__") else MAX_SHORT + 1
            for each in self.sources.values()
        ) <= MAX_SHORT

    def _nearest_time(self, time: int) -> str:
        """Return the item timestamp closest to an instant, in the notation of its stream."""
        from ...semantics.model.items import shown_time
        from ..results.times import times_as_written

        if self.again is None:
            return ""
        nearest, number, key = min(
            ((item, number, key) for key, stream in self.again().items()
             for number, item in enumerate(stream)),
            key=lambda each: abs(each[0].end - time),
        )
        written = times_as_written(self.sources[key], nearest.end, number, format=self.format)
        if not written:
            return f"; the nearest is {shown_time(nearest)}"
        shown = written[0] if len(written) == 1 else f"[{', '.join(written)}]"
        return f"; the nearest is {shown}"
