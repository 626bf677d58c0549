"""What is told apart: queries under readings, and the streams on which two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..languages.registry import Language, of_query, part_of
from .search import Data


@dataclass(frozen=True, slots=True)
class Side:
    """A query under readings."""

    query: Any
    readings: Any

    @property
    def language(self) -> Language:
        """The query's language."""
        return of_query(self.query)

    def answers(self, data: Data) -> list[Any]:
        """What the definitions say, without what is not compared."""
        results: Iterable[Any] = self.language.evaluate(
            self.query, streams=data.streams, kb=data.kb, readings=self.readings, evaluation={}
        )
        compared = getattr(part_of(self.language.name, "distinguish"), "compared", list)
        return list(compared(results))


@dataclass(frozen=True, slots=True)
class Witness:
    """Streams on which two sides differ, with what only the one or the other answers.

    `error_a` and `error_b` are the errors of a side that gives none. Where both may answer the
    same but leave another choice, `note` says so.
    """

    streams: Mapping[Any, tuple[Any, ...]]
    kb: Mapping[Any, Any]
    only_a: tuple[Any, ...] = ()
    only_b: tuple[Any, ...] = ()
    error_a: str = ""
    error_b: str = ""
    note: str = ""

    @property
    def data(self) -> Data:
        """The streams and background graphs."""
        return Data(self.streams, self.kb)

    @property
    def events(self) -> int:
        """The number of its events."""
        return self.data.events
