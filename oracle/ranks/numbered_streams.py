"""Streams by number, and the times of their events up to the windows that tell them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, islice, product
from math import log2
from typing import Any, TypeAlias, overload

import numpy
from numpy.typing import NDArray

from ...semantics.model.errors import DenotaError

Symbols: TypeAlias = tuple[tuple[int, ...], ...]
"""The streams of a case as numbers, an event each; what they stand for says the enumeration."""

MOST_STREAMS = 4_000_000
"""The maximum number of streams of one number of events in memory; they take up to 0.5 GiB."""

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
    """Return every choice of a first instant and of the gaps between the events.

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
    """Return streams that are held as one array: [stream, event, property]."""

    def made(number: int) -> Symbols:
        events: list[list[int]] = streams[number].tolist()
        return tuple(map(tuple, events))

    return NumberedStreams(range(len(streams)), made)


def held_one_by_one(streams: Iterable[Symbols], events: int, width: int) -> NumberedStreams:
    """Return the same, of streams of so many events, of each of which `width` numbers are said.

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
    """Return every stream of so many events, of each of which one of these is said.

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


def moments(events: int, within: int) -> Iterator[tuple[int, ...]]:
    """Return every choice of non-decreasing times from 0, the earliest of those that are alike.

    Alike are times in which the same events are at one time, and of any two events it is the same
    whether they are less than `within` apart, as much, or more.

    >>> list(moments(2, 1)), [times[1] for times in moments(2, 3)]
    ([(0, 0), (0, 1), (0, 2)], [0, 1, 3, 4])
    """
    gaps = choices(range(1), range(within + 2), events)
    chosen = (tuple(accumulate(steps))[:events] for steps in gaps)
    return _one_of_each(chosen, within, lambda times: times)


def ends(lasting: tuple[bool, ...], within: int) -> Iterator[tuple[int, ...]]:
    """Return every choice of ascending times from 0, the earliest of those that are alike.

    What lasts has begun one time unit before; alike are times in which this holds of any two of all
    beginnings and ends.

    >>> list(ends((False, False), 2)), list(ends((False, True), 2))
    ([(0, 1), (0, 2), (0, 3)], [(0, 1), (0, 2), (0, 3), (0, 4)])
    """
    gaps = choices(range(1), range(1, within + 3), len(lasting))
    chosen = (tuple(accumulate(steps))[: len(lasting)] for steps in gaps)

    def beginnings_and_ends(times: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            at for time, lasts in zip(times, lasting, strict=True)
            for at in ((time - 1, time) if lasts else (time,))
        )

    return _one_of_each(chosen, within, beginnings_and_ends)


def _one_of_each(
    chosen: Iterable[tuple[int, ...]],
    within: int,
    seen_in: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Iterator[tuple[int, ...]]:
    """Yield the earliest of the times that are alike in the instants, none before another, that are
    seen in them."""
    seen: set[tuple[tuple[bool, int], ...]] = set()
    for times in sorted(chosen, key=lambda times: (times[-1:], times)):
        apart = [later - earlier for earlier, later in combinations(seen_in(times), 2)]
        told = tuple((gap == 0, (gap > within) - (gap < within)) for gap in apart)
        if told not in seen:
            seen.add(told)
            yield times
