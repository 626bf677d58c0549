"""Several live streams in one order: which items may leave, and which are too late.

The order is that of `merging`: by time, then rank, then the place of the stream. Each
stream has a watermark: no later item of it is earlier than that. It is the latest time seen on the
stream or promised by a heartbeat, less the `delay` by which items may be out of order. An item
leaves as soon as no stream that is waited for can still bring one that stands before it.

A stream is waited for until it ends or falls silent: after the idle time its items so far count as
complete, its latest instant included. With its next item it is waited for again. An item that
stands before one that has left is late: it is counted and left out.

A stream may come in lanes, each in an order of its own (a topic's partitions): its watermark is the
lowest of theirs, and a lane is waited for, ends and falls silent by itself.

What a `delay` holds back may be `bound` in items as well. When a stream holds more, its watermark
is raised to its first item, which leaves: what comes earlier than that from there on is late.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ...model.errors import StreamError

T = TypeVar("T")
Key = tuple[int, int, int]
"""Of an item: its time, its rank among those of its stream at that time, its stream's place."""


@dataclass(frozen=True, slots=True)
class Watermark:
    """No further item is earlier than `time`."""

    time: int


@dataclass(slots=True)
class LateItems:
    """The items of a stream that came too late: how many, the first of them and where it stands."""

    items: int
    first: Any
    place: Any


@dataclass(slots=True)
class SourceSplit:
    """The progress of a lane."""

    latest: int | None = None  # time seen or promised
    waited: bool = True


@dataclass(slots=True)
class Merged(Generic[T]):
    """The progress of a stream, and its buffered items."""

    place: int
    lanes: dict[Hashable, SourceSplit] = field(default_factory=lambda: {0: SourceSplit()})
    low: int | None = None  # no item earlier than this comes; None: nothing is known
    seen: int | None = None  # the latest time of an item
    waited: bool = True
    ranks: dict[int, int] = field(default_factory=dict)
    held: list[tuple[Key, int, T]] = field(default_factory=list)


class StreamMerger(Generic[T]):
    """The state of merging streams named by `names`, which stand in this order.

    `ranks`: items of one stream at one time are told apart by rank, so that the first of each
    stream come before the second of any. `whole`: an item leaves when all of its stream and time
    are there. `delay` is None where an item that is out of order in its lane is an error. `lanes`
    are those of the streams that have several.
    """

    def __init__(
        self, names: list[Hashable], *, delay: int | None = None, bound: int | None = None,
        ranks: bool = False, whole: bool = False,
        lanes: Mapping[Hashable, Iterable[Hashable]] | None = None,
    ) -> None:
        self._streams: dict[Hashable, Merged[T]] = {
            name: Merged(place) for place, name in enumerate(names)
        }
        for name, several in (lanes or {}).items():
            self._streams[name].lanes = {lane: SourceSplit() for lane in several}
        self._delay = delay
        self._bound = bound
        self._ranks = ranks
        self._whole = whole
        self._arrived = 0
        self._left: Key | None = None
        self._told: int | None = None
        self.late: dict[Hashable, LateItems] = {}
        """By stream, the items that came too late and were left out."""
        self.overfull: set[Hashable] = set()
        """The streams of which more was to be held back than the bound."""

    # --- what happens ----------------------------------------------------------------------------

    def add(
        self, name: Hashable, time: int, item: T, *, lane: Hashable = 0, place: Any = None
    ) -> LateItems | None:
        """Add an item at `place`; if it is late, return all late items of its stream.

        Raises StreamError if it is out of order and none may be.
        """
        stream = self._streams[name]
        own = stream.lanes[lane]
        if self._delay is None and own.latest is not None and time < own.latest:
            raise StreamError(
                f"stream <{name}>: an item at {time} comes after {own.latest}: a stream must be"
                " in time order, or up to --max-out-of-orderness late"
            )
        own.waited = stream.waited = True
        rank = stream.ranks.get(time, 0) if self._ranks else 0
        key = (time, rank, stream.place)
        if self._is_late(stream, key):
            own.latest = time if own.latest is None else max(own.latest, time)
            late = self.late.setdefault(name, LateItems(0, item, place))
            late.items += 1
            return late
        if self._ranks:
            stream.ranks[time] = rank + 1
        self._arrived += 1
        heapq.heappush(stream.held, (key, self._arrived, item))
        stream.seen = time if stream.seen is None else max(stream.seen, time)
        self._reach(stream, own, time)
        if self._bound is not None and len(stream.held) > self._bound:
            self.overfull.add(name)
            self._raise(stream, stream.held[0][0][0] + self._whole)
        return None

    def advance_watermark(self, name: Hashable, time: int, *, lane: Hashable = 0) -> None:
        """Process a heartbeat: no item on this lane is earlier than `time`, but for the delay."""
        stream = self._streams[name]
        own = stream.lanes[lane]
        own.waited = stream.waited = True
        self._reach(stream, own, time)

    def mark_idle(self, name: Hashable, *, lane: Hashable = 0) -> None:
        """Mark the lane as idle for so long that its items so far count as complete."""
        stream = self._streams[name]
        stream.lanes[lane].waited = False
        self._settle(stream)

    def end(self, name: Hashable, *, lane: Hashable = 0) -> None:
        """End the lane."""
        self.mark_idle(name, lane=lane)

    def open(self, name: Hashable, lane: Hashable) -> None:
        """Another lane of a stream, unless it is known."""
        self._streams[name].lanes.setdefault(lane, SourceSplit())

    def lanes(self) -> Iterator[tuple[Hashable, Hashable]]:
        """(stream, lane) of all that are known."""
        for name, stream in self._streams.items():
            yield from ((name, lane) for lane in stream.lanes)

    def go_on(self) -> None:
        """After a break: what had ended or fallen silent is waited for again."""
        for stream in self._streams.values():
            stream.waited = True
            for lane in stream.lanes.values():
                lane.waited = True

    # --- what follows ----------------------------------------------------------------------------

    def blocking(self) -> list[tuple[Hashable, Hashable]]:
        """(stream, lane) of those that must bring something before anything more can leave."""
        first = self._first()
        return [
            (name, lane)
            for name, stream in self._streams.items()
            if (stream.waited if first is None else not self._lets_pass(stream, first))
            for lane in self._behind(stream, all_of_them=first is None)
        ]

    def _behind(self, stream: Merged[T], *, all_of_them: bool) -> list[Hashable]:
        """Return a stream's lanes that are waited for; if not all, those that delay the others."""
        waited = {lane: own.latest for lane, own in stream.lanes.items() if own.waited}
        unknown = [lane for lane, latest in waited.items() if latest is None]
        if all_of_them or unknown:
            return list(waited) if all_of_them else unknown
        lowest = min(latest for latest in waited.values() if latest is not None)
        return [lane for lane, latest in waited.items() if latest == lowest]

    def emit(self) -> Iterator[tuple[Hashable, int, int, list[T]] | Watermark]:
        """Yield the items that are in order, as (stream, time, rank, items); then a watermark.

        There is one item, or under `whole` all of the stream and time.
        """
        names = {stream.place: name for name, stream in self._streams.items()}
        while (first := self._first()) is not None:
            if not all(self._lets_pass(stream, first) for stream in self._streams.values()):
                break
            time, rank, place = first
            name = names[place]
            held = self._streams[name].held
            items = [heapq.heappop(held)[2]]
            while self._whole and held and held[0][0] == first:
                items.append(heapq.heappop(held)[2])
            self._left = first
            yield name, time, rank, items
        time_now = self._time()
        if time_now is not None and (self._told is None or time_now > self._told):
            self._told = time_now
            yield Watermark(time_now)

    def _first(self) -> Key | None:
        return min((s.held[0][0] for s in self._streams.values() if s.held), default=None)

    def _lets_pass(self, stream: Merged[T], key: Key) -> bool:
        """Return True if no item of this stream can still come before one of this key."""
        if not stream.waited:
            return True
        if stream.low is None:
            return False
        time, rank, place = key
        if stream.place == place:
            return stream.low > time if self._whole else stream.low >= time
        return (stream.low, stream.ranks.get(stream.low, 0), stream.place) >= (time, rank, place)

    def _time(self) -> int | None:
        """Return the watermark of all streams, if anything is known."""
        lows = [stream.low for stream in self._streams.values() if stream.waited]
        if not lows:
            known = [s.low for s in self._streams.values() if s.low is not None]
            return max(known, default=None)
        return None if None in lows else min(low for low in lows if low is not None)

    def _is_late(self, stream: Merged[T], key: Key) -> bool:
        if stream.low is not None and key[0] < stream.low:
            return True
        if self._told is not None and key[0] < self._told:
            return True
        return self._left is not None and key < self._left

    def _reach(self, stream: Merged[T], lane: SourceSplit, time: int) -> None:
        lane.latest = time if lane.latest is None else max(lane.latest, time)
        if len(stream.lanes) == 1:
            self._raise(stream, lane.latest - (self._delay or 0))
        else:
            self._settle(stream)

    def _settle(self, stream: Merged[T]) -> None:
        """Compute the watermark of a stream from its lanes."""
        waited = [lane.latest for lane in stream.lanes.values() if lane.waited]
        known = [latest for latest in waited if latest is not None]
        stream.waited = bool(waited)
        if waited and len(known) == len(waited):
            self._raise(stream, min(known) - (self._delay or 0))
        elif not waited and stream.seen is not None:
            self._raise(stream, stream.seen + 1)

    def _raise(self, stream: Merged[T], low: int) -> None:
        if stream.low is None or low > stream.low:
            stream.low = low
            if self._ranks:
                stream.ranks = {time: n for time, n in stream.ranks.items() if time >= low}
