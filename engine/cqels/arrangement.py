"""Rows that hold over intervals, found by join key and, under one key, by time."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow

Placed: TypeAlias = tuple[int, int, IdRow]
"""(start, end, row), or (end, start, row): by what its arrangement is ordered"""

SINCE_EVER = -(1 << 100)
FOR_EVER = 1 << 100
"""The ends of what holds at every time: background graphs that have not changed."""


@stateful(kept=("_buckets", "_repeated"), compiled=("_by_end", "_key"))
class Arrangement:
    """The set of rows that one side of an operator remembers, each with its interval.

    A row may be derived in several ways; it is there as long as one of them is.
    """

    __slots__ = ("_buckets", "_by_end", "_key", "_repeated")

    def __init__(self, key: Callable[[IdRow], IdRow], *, by_end: bool) -> None:
        self._key = key
        self._by_end = by_end
        self._buckets: dict[IdRow, list[Placed]] = {}
        self._repeated: dict[Placed, int] = {}

    def add(self, row: IdRow, start: int, end: int) -> bool:
        """Add a row; return True if it was not there before."""
        placed = (end, start, row) if self._by_end else (start, end, row)
        key = self._key(row)
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets[key] = [placed]
            return True
        if bucket[-1] < placed:  # what arrives is mostly the latest
            bucket.append(placed)
            return True
        place = bisect_left(bucket, placed)
        if place < len(bucket) and bucket[place] == placed:
            self._repeated[placed] = self._repeated.get(placed, 0) + 1
            return False
        insort(bucket, placed)
        return True

    def remove(self, row: IdRow, start: int, end: int) -> bool:
        """Remove a row; return True if it is not there any more."""
        placed = (end, start, row) if self._by_end else (start, end, row)
        if self._repeated:
            repeated = self._repeated.get(placed)
            if repeated is not None:
                if repeated > 1:
                    self._repeated[placed] = repeated - 1
                else:
                    del self._repeated[placed]
                return False
        key = self._key(row)
        bucket = self._buckets[key]
        del bucket[bisect_left(bucket, placed)]
        if not bucket:
            del self._buckets[key]
        return True

    def at(self, key: IdRow) -> Sequence[Placed]:
        """Return everything under a key."""
        return self._buckets.get(key, ())

    def before(self, key: IdRow, time: int) -> Sequence[Placed]:
        """Return the rows under a key that are earlier than a time."""
        bucket = self._buckets.get(key)
        return bucket[: bisect_left(bucket, (time,))] if bucket is not None else ()

    def since(self, key: IdRow, time: int) -> Sequence[Placed]:
        """Return the rows under a key that are not earlier than a time."""
        bucket = self._buckets.get(key)
        if bucket is None or bucket[-1][0] < time:
            return ()
        return bucket[bisect_left(bucket, (time,)) :]

    def rows(self) -> Iterator[IdRow]:
        """Yield every row."""
        for bucket in self._buckets.values():
            for _, _, row in bucket:
                yield row

    def __len__(self) -> int:
        return sum(map(len, self._buckets.values()))
