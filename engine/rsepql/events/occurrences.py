"""Occurrences of a basic event pattern by join key, each bucket in time order; the event order ≺.

An item is matched once, when it arrives. Its matches enter the store when the item enters the
window's content and leave with it; a consumed one is marked and passed over from then on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from ....semantics.rsepql.syntax.readings import Order as OrderName
from ...checkpoints.state_schema import stateful
from ...rdf.data.layout import IdRow
from ...tuning import IN_USE
from ..windows.window_state import WindowBuffer

Interval: TypeAlias = tuple[int, int]
Each = TypeVar("Each")

# `before` is no total preorder and has no key.
_KEYS: dict[OrderName, Callable[[Interval], Interval]] = {
    "end-start": lambda interval: (interval[1], interval[0]),
    "start-end": lambda interval: interval,
    "end": lambda interval: (interval[1], 0),
    "start": lambda interval: (interval[0], 0),
}


class Order:
    """≺; of instants, an earlier one is smaller under every order that has a name."""

    def __init__(self, name: OrderName) -> None:
        self.key = _KEYS.get(name)
        """By what it orders intervals, if it is a matter of one key."""

    def first(self, candidates: list[Each], interval: Callable[[Each], Interval]) -> list[Each]:
        """Return those candidates than which none is smaller."""
        if len(candidates) < 2:
            return candidates
        if self.key is None:
            # [t1, t2] has something before it iff the one that ends first is.
            bound = min(interval(each)[1] for each in candidates)
            return [each for each in candidates if interval(each)[0] <= bound]
        keys = [self.key(interval(each)) for each in candidates]
        best = min(keys)
        return [each for each, key in zip(candidates, keys, strict=True) if key == best]

    def last(self, candidates: list[Each], interval: Callable[[Each], Interval]) -> list[Each]:
        """Return those candidates than which none is greater."""
        if len(candidates) < 2:
            return candidates
        if self.key is None:
            bound = max(interval(each)[0] for each in candidates)
            return [each for each in candidates if interval(each)[1] >= bound]
        keys = [self.key(interval(each)) for each in candidates]
        best = max(keys)
        return [each for each, key in zip(candidates, keys, strict=True) if key == best]


Key: TypeAlias = tuple[int, ...]

Consumable: TypeAlias = tuple[int, ...]
"""The unit of consumption: a triple, or a triple with its time."""


class Placed(NamedTuple):
    """The state of an occurrence, with its item's position in the window's stream."""

    position: int
    time: int
    row: IdRow


@stateful(kept=("leaf", "rests_on", "row", "time", "unavailable"))
class Occurrence:
    """One solution of P on one item: (μ, t, t) of RSEP-QL's equation (4).

    `leaf` is the number of its EVENT. `unavailable` says that it is not in the window's
    content, or that it is consumed. `rests_on` is what of the item takes part, under a consumption
    policy.
    """

    __slots__ = ("leaf", "rests_on", "row", "time", "unavailable")

    def __init__(self, leaf: int, time: int, row: IdRow) -> None:
        self.leaf = leaf
        self.time = time
        self.row = row
        self.unavailable = True
        self.rests_on: tuple[Consumable, ...] = ()


@stateful(kept=("_dead", "_head", "_occurrences", "_times"))
class Bucket:
    """Occurrences in time order; unavailable ones are dropped many at a time."""

    __slots__ = ("_dead", "_head", "_occurrences", "_times")

    def __init__(self) -> None:
        self._times: list[int] = []
        self._occurrences: list[Occurrence] = []
        self._head = 0
        self._dead = 0

    def add(self, occurrence: Occurrence) -> None:
        """Add the latest occurrence so far."""
        self._times.append(occurrence.time)
        self._occurrences.append(occurrence)

    def until(self, limit: int) -> Iterable[Occurrence]:
        """Return those that are there at `limit` or before, the earliest first."""
        times = self._times
        if times and times[-1] <= limit:
            stop = len(times)
        else:
            stop = bisect_right(times, limit, self._head)
        found = self._occurrences[self._head : stop]
        return [each for each in found if not each.unavailable] if self._dead else found

    def earliest(self, limit: int) -> Iterator[Occurrence]:
        """Yield as `until`, one by one."""
        for place in range(self._head, len(self._times)):
            if self._times[place] > limit:
                return
            if not self._occurrences[place].unavailable:
                yield self._occurrences[place]

    def latest(self, limit: int) -> Iterator[Occurrence]:
        """Yield those that are there at `limit` or before, the latest first."""
        for place in range(bisect_right(self._times, limit, self._head) - 1, self._head - 1, -1):
            if not self._occurrences[place].unavailable:
                yield self._occurrences[place]

    def after(self, limit: int) -> Iterable[Occurrence]:
        """Return those that are later than `limit`, the earliest first."""
        times = self._times
        start = bisect_right(times, limit, self._head)
        return [each for each in self._occurrences[start:] if not each.unavailable]

    def forget(self) -> bool:
        """Mark one more as unavailable; return whether none is left."""
        self._dead += 1
        head, occurrences = self._head, self._occurrences
        while head < len(occurrences) and occurrences[head].unavailable:
            head += 1
            self._dead -= 1
        self._head = head
        if head == len(occurrences):
            return True
        if (head + self._dead) * 2 > len(occurrences) > 8:
            self._occurrences = [each for each in occurrences[head:] if not each.unavailable]
            self._times = [each.time for each in self._occurrences]
            self._head = self._dead = 0
        return False


@stateful(
    kept=("_buckets", "_useless", "size"), parts=("_passage",), compiled=("_key",)
)
class Store:
    """The occurrences of one basic event pattern that its window holds, by join key."""

    def __init__(self, key: Callable[[IdRow], Key]) -> None:
        self._key = key
        self._passage: WindowBuffer[Occurrence] = WindowBuffer(monotone=True)
        self._buckets: dict[Key, Bucket] = {}
        self._useless = 0
        self.size = 0

    def clear(self, *, monotone: bool) -> None:
        """Discard everything; set how the window moves."""
        self._passage = WindowBuffer(monotone=monotone)
        self._buckets.clear()
        self._useless = 0
        self.size = 0

    def arrive(self, position: int, occurrences: Iterable[Occurrence]) -> None:
        """Add an item; its matches wait until the window's content has it."""
        for each in occurrences:
            self._passage.arrive(position, each)

    def evict_before(self, position: int) -> None:
        """Evict state, since no earlier item will enter the window."""
        self._passage.evict_before(position)

    def move(self, low: int, high: int) -> tuple[list[Occurrence], list[Occurrence]]:
        """Move the window to positions low … high−1; return what has entered and left."""
        entered, left = self._passage.move(low, high)
        lost = []
        for occurrence in left:
            if occurrence.unavailable:
                self._useless -= 1
            else:
                self._take_out(occurrence)
                lost.append(occurrence)
        for occurrence in entered:
            occurrence.unavailable = False
        if entered and not self._passage.monotone:
            self._order_anew()
        else:
            for occurrence in entered:
                self._add(occurrence)
        return entered, lost

    def remove(self, occurrence: Occurrence) -> None:
        """Remove a consumed occurrence from the window: it is not matched any more."""
        self._take_out(occurrence)
        self._useless += 1
        if self._useless > self.size + IN_USE.useless:
            self._passage.purge(lambda each: each.unavailable)
            self._useless = 0

    def _take_out(self, occurrence: Occurrence) -> None:
        occurrence.unavailable = True
        key = self._key(occurrence.row)
        if self._buckets[key].forget():
            del self._buckets[key]
        self.size -= 1

    def bucket(self, key: Key) -> Bucket | None:
        """Return the occurrences with this join key."""
        return self._buckets.get(key)

    def __iter__(self) -> Iterator[Occurrence]:
        """Return all occurrences inside, in time order."""
        return (each for each in self._passage.inside if not each.unavailable)

    def placed(self) -> Iterator[Placed]:
        """Yield all occurrences that are inside or may enter, in time order."""
        for position, each in self._passage.placed():
            yield Placed(position, each.time, each.row)

    def ids(self) -> Iterator[int]:
        """Yield the term ids that occurrences hold, with repetitions."""
        for occurrence in self._passage.held():
            yield from occurrence.row

    def _order_anew(self) -> None:
        """Restore the order: an occurrence that returns is not later than all others."""
        self._buckets.clear()
        self.size = 0
        for occurrence in self:
            self._add(occurrence)

    def _add(self, occurrence: Occurrence) -> None:
        key = self._key(occurrence.row)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket()
        bucket.add(occurrence)
        self.size += 1
