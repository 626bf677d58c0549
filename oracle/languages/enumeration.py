"""All cases of a language up to a size: what is asked for, and what a language lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...semantics.model.errors import DenotaError

if TYPE_CHECKING:
    from ..sweeps.corpus_file import CorpusRow


class BoundsError(DenotaError):
    """Bounds that a language does not have."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many operators and events at most, the window of all queries, and their readings.

    `within` is the window's length, in events if `events` is set. `alphabet` is the name of one.
    """

    operators: int
    length: int
    within: int | None = None
    events: bool = False
    slide: int | None = None
    alphabet: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)

    def only_wide(self, message: str) -> None:
        """Raise BoundsError unless a window is a length of time, without a slide."""
        if self.slide is not None or self.events:
            raise BoundsError(message)


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of all cases, the smallest first, and how many have so many operators and events."""

    rows: Iterable[CorpusRow]
    count: Callable[[int, int], int]


def blocks(most_operators: int, most_events: int) -> Iterator[tuple[int, int]]:
    """(operators, events), by their sum; of one sum, fewer operators first.

    >>> list(blocks(1, 2))
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    for size in range(most_operators + most_events + 1):
        for operators in range(min(size, most_operators) + 1):
            if size - operators <= most_events:
                yield operators, size - operators
