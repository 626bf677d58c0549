"""Stretches of an enumeration: of each, one case is judged from its text although a batch has it.

A batch enters the engine below its outermost functions, and never reads a text. What goes wrong
there, only the ordinary judge sees. So the ranks are cut into stretches, one after the other, and
of each stretch the ordinary judge is asked about one case: the sample, which a hash of the
stretch's first rank chooses, or one near it. If the batch says that the sample passes and the judge
does not, the batch is trusted with no case of that stretch.

Stretches are the same however the work is cut. So what counts as a case's verdict depends on its
rank alone, even where work ends amid a stretch, and its sample belongs to someone else's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, Protocol, TypeVar


class Ranked(Protocol):
    """Cases whose ranks follow one another."""

    @property
    def first(self) -> int: ...


RankedT = TypeVar("RankedT", bound=Ranked)

LONGEST = 1024
"""So many cases are a stretch. The first ones are shorter, so that small bounds have samples, too:
they hold 1, 1, 2, 4, 8 … cases."""

_NEAR = 16
"""So many cases from the chosen one on may be the sample."""


def stretches(first: int, end: int) -> Iterator[range]:
    """The stretches that the ranks first <= rank < end are in.

    >>> list(stretches(3, 9))
    [range(2, 4), range(4, 8), range(8, 16)]
    >>> list(stretches(5000, 5001))
    [range(4096, 5120)]
    """
    while first < end:
        stretch = _stretch(first)
        yield stretch
        first = stretch.stop


def _stretch(rank: int) -> range:
    if rank < LONGEST:
        begin = 1 << rank.bit_length() >> 1
        return range(begin, 2 * begin or 1)
    return range(begin := rank - rank % LONGEST, begin + LONGEST)


def chosen(stretch: range) -> Iterator[int]:
    """The rank that the hash chooses, and those that stand in where the enumeration has ended
    before it: the last one is the first of the stretch."""
    digest = blake2b(b"%d" % stretch.start, digest_size=8).digest()
    place = int.from_bytes(digest, "big") % len(stretch)
    while place:
        yield stretch[place]
        place //= 2
    yield stretch[0]


class Samples(Generic[RankedT]):
    """The samples of the stretches of an enumeration; `runs` has its cases, by their ranks.

    `answered` says at which places in a run there are answers to see, `contradicted` whether the
    ordinary judge contradicts what the batch says of a case.
    """

    def __init__(
        self,
        runs: Callable[[int, int], Iterable[RankedT]],
        answered: Callable[[RankedT], Iterable[int]],
        contradicted: Callable[[RankedT], bool],
    ) -> None:
        self._runs = runs
        self._answered = answered
        self._contradicted = contradicted
        # Work that ends amid a stretch mostly goes on there.
        self._distrusts = lru_cache(maxsize=16)(self._asked)

    def distrusted(self, first: int, end: int) -> Iterator[int]:
        """Those of the ranks first <= rank < end with which the batch is not trusted."""
        for stretch in stretches(first, end):
            if self._distrusts(stretch):
                yield from range(max(first, stretch.start), min(end, stretch.stop))

    def of(self, stretch: range) -> int:
        """The sample of a stretch in which there is a case: the one chosen, or soon after it one
        that has an answer, for what is lost or changed on its way out shows on these alone."""
        for rank in chosen(stretch):
            near = [*self._runs(rank, min(rank + _NEAR, stretch.stop))]
            if near:
                answered = (run.first + each for run in near for each in self._answered(run))
                return next(answered, rank)
        raise IndexError(f"no case has one of the ranks {stretch}")

    def _asked(self, stretch: range) -> bool:
        sample = self.of(stretch)
        return any(map(self._contradicted, self._runs(sample, sample + 1)))
