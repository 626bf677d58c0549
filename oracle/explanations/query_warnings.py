"""Warnings of a query that has been evaluated: names and times that its streams do not have."""

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
"""The size in bytes of streams that are read again, for warnings on a query with results."""
ITEM_SIZE = 1 << 7
"""The size in bytes that an item in memory is taken for."""
OTHER_TIMES = "other-times"
"""The code of warnings that are not about the query's text."""


class GivenTime(NamedTuple):
    """A time of evaluation, with the words in which it was given (`--at 12`, `at=12`)."""

    words: str
    time: int
    kind: TimeKind


@dataclass(frozen=True)
class EvaluatedQuery:
    """A query that has been evaluated on its streams.

    Attributes:
        found: whether there are results.
        given: the times at which it was to be evaluated.
        dated: whether items have dateTimes; None if no item was read.
        seen: of tuples the names that were read.
        names: of graphs the names that were looked for; None if they can be read again.
        again: returns the streams from their beginnings, if they can be read again.
        sources: the files, tables and sequences that the streams are read from.
        format: the format of files, None: by their suffixes.
        strict: whether an attribute that no tuple has, but a similar one, is an error.
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
            but_names: whether names that no item has are reported elsewhere.

        Raises:
            QueryError: without results, for an event type that no tuple has, but a similar one.
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
        """Return the names that no tuple has; tuples whose names were not noted are read again."""
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
        """Return whether the streams are so short that they are read again beside results."""
        return sum(
            os.path.getsize(each) if isinstance(each, str | os.PathLike)
            else ITEM_SIZE * len(each) if hasattr(each, "__len__") else MAX_SHORT + 1
            for each in self.sources.values()
        ) <= MAX_SHORT

    def _nearest_time(self, time: int) -> str:
        """Return the time of an item that is nearest to an instant, as its stream writes it."""
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
