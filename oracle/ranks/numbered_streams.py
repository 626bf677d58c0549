"""Streams by number: made one by one when they are asked for, from integers or from a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, overload

import numpy
from numpy.typing import NDArray

Symbols: TypeAlias = tuple[tuple[int, ...], ...]
"""The streams of a case as numbers, an event each; what they stand for says the enumeration."""


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
    """The same, of streams of so many events, of each of which `width` numbers are said."""
    if not events:
        return NumberedStreams(range(1), lambda number: ())
    numbers: Iterable[Any] = chain.from_iterable(chain.from_iterable(streams))
    return held(numpy.fromiter(numbers, numpy.int16).reshape(-1, events, width))


def words(letters: Sequence[tuple[int, ...]], length: int) -> NumberedStreams:
    """Every stream of so many events, of each of which one of these is said."""

    def made(number: int) -> Symbols:
        word: list[tuple[int, ...]] = []
        for _ in range(length):
            number, letter = divmod(number, len(letters))
            word.append(letters[letter])
        return tuple(reversed(word))

    return NumberedStreams(range(len(letters) ** length), made)
