"""The values of a drawing function by number, weighed by how many cases each has.

All values are drawn once, to count them. Of few of them the choices are held; a value is drawn
again from the nearest choices before it. Queries differ in how many streams there are for each, so
a rank among the cases of several queries is a query and the rank of its streams.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Final, Generic, TypeAlias, TypeVar

import numpy
from numpy.typing import NDArray

from ...semantics.model.errors import DenotaError
from .choices import UNRESTRICTED, Choices, Path, Restriction, every

AboutT = TypeVar("AboutT", bound=Hashable)
QueryT = TypeVar("QueryT")

Weight: TypeAlias = Callable[[AboutT], int]
"""The number of cases of a query with this `about`."""

MOST_QUERIES: Final = 200_000
_APART: Final = 8  # values between two of which the choices are held


class TooManyQueries(DenotaError):
    """A drawing function that has more queries than can be counted one by one."""

    def __init__(self) -> None:
        super().__init__(f"there are more than {MOST_QUERIES:,} queries: ask for fewer operators")


class NumberedQueries(Generic[QueryT, AboutT]):
    """Every query of a drawing function.

    Args:
        draw: the drawing function.
        about: what the streams of a query need to know of it.
        restriction: the options that alone are allowed.

    Raises:
        TooManyQueries: there are more than `MOST_QUERIES`.
    """

    def __init__(
        self, draw: Callable[[Choices], QueryT], about: Callable[[QueryT], AboutT],
        restriction: Restriction = UNRESTRICTED,
    ) -> None:
        self._every = partial(every, draw, restriction=restriction)
        self._held: list[tuple[tuple[Sequence[int], int], ...]] = []
        places: dict[AboutT, int] = {}
        numbers = array("l")
        pairs: dict[tuple[Sequence[int], int], tuple[Sequence[int], int]] = {}  # held once each
        path: Path = []
        for number, query in enumerate(self._every(path)):
            if number == MOST_QUERIES:
                raise TooManyQueries
            if number % _APART == 0:
                self._held.append(tuple(pairs.setdefault(pair, pair) for pair in path))
            numbers.append(places.setdefault(about(query), len(places)))
        self._abouts = tuple(places)
        self._numbers = numpy.array(numbers, dtype=numpy.int64)
        self._counts = Counter(numbers)
        self._ends = lru_cache(maxsize=4)(self._ends_of)
        self._following: tuple[int, Iterator[QueryT]] = 0, self._every()

    def __len__(self) -> int:
        return len(self._numbers)

    def total(self, weight: Weight[AboutT]) -> int:
        """Return the weight of all."""
        return sum(count * weight(self._abouts[place]) for place, count in self._counts.items())

    def at(self, rank: int, weight: Weight[AboutT]) -> tuple[QueryT, AboutT, int]:
        """Return the query that holds this rank, its `about`, and the rank in it."""
        ends = self._ends(tuple(map(weight, self._abouts)))
        number = int(numpy.searchsorted(ends, rank, side="right"))
        before = int(ends[number - 1]) if number else 0
        return self._query(number), self._abouts[self._numbers[number]], rank - before

    def _ends_of(self, weights: tuple[int, ...]) -> NDArray[numpy.int64]:
        """Return the rank after the last of each query."""
        ends: NDArray[numpy.int64] = numpy.cumsum(
            numpy.array(weights, dtype=numpy.int64)[self._numbers]
        )
        return ends

    def _query(self, number: int) -> QueryT:
        place, queries = self._following
        if not place <= number < place + _APART:
            place = number - number % _APART
            queries = self._every(list(self._held[number // _APART]))
        query = next(islice(queries, number - place, None))
        self._following = number + 1, queries
        return query
