"""Streams by number: made one by one when they are asked for, from integers or from a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from math import log2
from typing import Any, TypeAlias, overload

import numpy
from numpy.typing import NDArray

from ...semantics.model.errors import DenotaError

Symbols: TypeAlias = tuple[tuple[int, ...], ...]
"""The streams of a case as numbers, an event each; what they stand for says the enumeration."""

MOST_STREAMS = 4_000_000
"""So many streams of one number of events are held at most; they take up to 0.5 GiB."""

MOST_CASES = (1 << 63) - 1
"""A case's number has 63 bits."""


class TooManyStreams(DenotaError):
    """There are more streams of a number of events than can be held, or numbered."""

    def __init__(self, events: int, most: int) -> None:
        super().__init__(
            f"there are more than {most:,} streams of {events} events: ask for fewer events"
        )


def check_held(streams: int, events: int) -> None:
    """Raise TooManyStreams if so many streams of so many events are too many to hold them."""
    if streams > MOST_STREAMS:
        raise TooManyStreams(events, MOST_STREAMS)


def choices(firsts: range, gaps: range, events: int) -> Iterator[tuple[int, ...]]:
    """Return every choice of a first instant and of the gaps between so many events.

    Raises TooManyStreams if they are too many to be compared.
    """
    sizes = (each.stop - each.start for each in (firsts, *[gaps] * max(min(events, 64) - 1, 0)))
    if sum(map(log2, sizes)) > log2(MOST_STREAMS):
        raise TooManyStreams(events, MOST_STREAMS)
    return product(firsts, *[gaps] * max(events - 1, 0))


@dataclass(frozen=True)
class NumberedStreams(Sequence[Symbols]):
    """The streams of these numbers."""

    numbers: range
    made: Callable[[int], Symbols]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Symbols: ...
    @overload
    def __getitem__(self, place: slice) -> NumberedStreams: ...

    def __getitem__(self, place: int | slice) -> Symbols | NumberedStreams:
        if isinstance(place, slice):
            return NumberedStreams(self.numbers[place], self.made)
        return self.made(self.numbers[place])


def held(streams: NDArray[numpy.int16]) -> NumberedStreams:
    """Streams that are held as one array: [stream, event, what is said of it]."""

    def made(number: int) -> Symbols:
        events: list[list[int]] = streams[number].tolist()
        return tuple(map(tuple, events))

    return NumberedStreams(range(len(streams)), made)


def held_one_by_one(streams: Iterable[Symbols], events: int, width: int) -> NumberedStreams:
    """The same, of streams of so many events, of each of which `width` numbers are said.

    Raises TooManyStreams if there are too many to hold them.
    """
    if not events:
        return NumberedStreams(range(1), lambda number: ())
    some = islice(streams, MOST_STREAMS + 1)
    numbers: Iterable[Any] = chain.from_iterable(chain.from_iterable(some))
    found = numpy.fromiter(numbers, numpy.int16).reshape(-1, events, width)
    check_held(len(found), events)
    return held(found)


def words(letters: Sequence[tuple[int, ...]], length: int) -> NumberedStreams:
    """Every stream of so many events, of each of which one of these is said.

    Raises TooManyStreams if there are too many to number them.
    """
    if length * log2(len(letters)) >= log2(MOST_CASES):
        raise TooManyStreams(length, MOST_CASES)

    def made(number: int) -> Symbols:
        word: list[tuple[int, ...]] = []
        for _ in range(length):
            number, letter = divmod(number, len(letters))
            word.append(letters[letter])
        return tuple(reversed(word))

    return NumberedStreams(range(len(letters) ** length), made)
