"""Windows over a stream of intervals: an item costs work when it enters and when it leaves.

Of an item a window keeps the rows that its patterns have found in it. It tells their sources when
the item enters, is clipped differently, or leaves. An item that lies wholly in the window is not
looked at again until the window's edge reaches its start.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Protocol, TypeAlias

from ...semantics.cqels.syntax.tree import (
    AllWindow,
    NowWindow,
    RangeWindow,
    TriplesWindow,
    WindowFunction,
)
from ..checkpoints.state_schema import stateful
from ..rdf.data.layout import IdRow
from .arrangement import SINCE_EVER
from .operators import Source

Interval: TypeAlias = tuple[int, int]


@stateful(kept=("end", "found", "number", "shown", "size", "start"))
class Item:
    """The patterns' rows in ⟨g : [start, end]⟩; `shown` is its interval as clipped last."""

    __slots__ = ("end", "found", "number", "shown", "size", "start")

    def __init__(
        self, start: int, end: int, number: int, size: int,
        found: Sequence[tuple[Source, Sequence[IdRow]]],
    ) -> None:
        self.start = start
        self.end = end
        self.number = number
        self.size = size
        self.found = found
        self.shown: Interval | None = None

    def show(self, interval: Interval | None) -> None:
        """Set the interval over which the item's rows hold; None: they do not hold."""
        before = self.shown
        if before == interval:
            return
        self.shown = interval
        for source, rows in self.found:
            if before is not None:
                for row in rows:
                    source.push(row, *before, -1)
            if interval is not None:
                for row in rows:
                    source.push(row, *interval, 1)


    def move(self, sources: Mapping[Source, Source]) -> None:
        """Redirect the patterns' rows to other sources, with the rows that hold now."""
        self.found = [(sources[source], rows) for source, rows in self.found]
        shown, self.shown = self.shown, None
        self.show(shown)


class Window(Protocol):
    """w(S, t, …) for t that grows."""

    horizon: int | None
    """how long after its end an item may still count; None for ever"""

    def add(self, item: Item) -> None:
        """Take an item in; it is shown when it is in the window."""

    def leave(self, t: int) -> None:
        """Remove what is not in the window at t, or is clipped differently from now on.

        Every window removes before any adds: otherwise an item that one window shows already could
        be joined with one that another still shows.
        """

    def enter(self, t: int) -> None:
        """Add what is in the window at t."""

    def items(self) -> Iterator[Item]:
        """Return the items that the window still needs."""

    def counts_empty(self) -> bool:
        """Return True if an item matters even if no pattern has a row in it."""


def window_of(function: WindowFunction) -> Window:
    """Return the window of a window expression ω."""
    match function:
        case RangeWindow(width, slide):
            return TimeWindow(width.value, None if slide is None else slide.value)
        case NowWindow():
            return TimeWindow(0)
        case AllWindow():
            return TimeWindow(None)
        case TriplesWindow(size):
            return CountWindow(size)


@stateful(
    kept=("_expected", "_whole", "_clipped"), compiled=("horizon", "_width", "_slide")
)
class TimeWindow:
    """[RANGE T], [RANGE T SLIDE β], [NOW] (T = 0) and [ALL] (no T)."""

    def __init__(self, width: int | None, slide: int | None = None) -> None:
        self.horizon = None if width is None else width + (slide or 0)
        self._width = width
        self._slide = slide
        self._expected: list[tuple[int, int, Item]] = []
        self._whole: list[tuple[int, int, Item]] = []
        self._clipped: list[Item] = []

    def counts_empty(self) -> bool:
        return False

    def add(self, item: Item) -> None:
        heappush(self._expected, (item.start, item.number, item))

    def _edges(self, t: int) -> tuple[int, int]:
        edge = t if self._slide is None else t // self._slide * self._slide
        return (SINCE_EVER if self._width is None else edge - self._width), edge

    def leave(self, t: int) -> None:
        begin, edge = self._edges(t)
        whole = self._whole
        while whole and whole[0][0] < begin:
            self._clipped.append(heappop(whole)[2])
        kept = []
        for item in self._clipped:
            if item.end < begin:
                item.show(None)
            else:
                if item.shown != (max(item.start, begin), min(item.end, edge)):
                    item.show(None)
                kept.append(item)
        self._clipped = kept

    def enter(self, t: int) -> None:
        begin, edge = self._edges(t)
        expected = self._expected
        while expected and expected[0][0] <= edge:
            item = heappop(expected)[2]
            if item.end >= begin:
                self._clipped.append(item)
        kept = []
        for item in self._clipped:
            start, end = max(item.start, begin), min(item.end, edge)
            item.show((start, end))
            if end < item.end or start > item.start:
                kept.append(item)
            else:
                heappush(self._whole, (item.start, item.number, item))
        self._clipped = kept

    def items(self) -> Iterator[Item]:
        for heap in (self._expected, self._whole):
            for _, _, item in heap:
                yield item
        yield from self._clipped

    @property
    def width(self) -> int | None:
        """The time from its end for which an item is in the window; None for ever."""
        return self._width

    @property
    def sliding(self) -> bool:
        """True if the window's edge is the time itself."""
        return self._slide is None

    def whole(self) -> bool:
        """Return True if all items held are in the window, with unclipped intervals."""
        return not self._expected and all(
            item.shown == (item.start, item.end) for item in self.items()
        )

    def clear(self) -> None:
        """Remove all items and their rows."""
        for item in self.items():
            item.show(None)
        self._expected, self._whole, self._clipped = [], [], []


@stateful(
    kept=("_expected", "_held", "_open", "_total", "_dropped"), compiled=("horizon", "_size")
)
class CountWindow:
    """[TRIPLES n]: the latest to arrive, as many as hold n triples or less."""

    def __init__(self, size: int) -> None:
        self.horizon: int | None = None
        self._size = size
        self._expected: list[tuple[int, int, Item]] = []
        self._held: list[tuple[int, Item]] = []
        self._open: list[Item] = []
        self._total = 0
        self._dropped = -1

    def counts_empty(self) -> bool:
        return True

    def add(self, item: Item) -> None:
        heappush(self._expected, (item.start, item.number, item))

    def leave(self, t: int) -> None:
        while self._expected and self._expected[0][0] <= t:
            item = heappop(self._expected)[2]
            if item.number > self._dropped:
                insort(self._held, (item.number, item), key=lambda held: held[0])
                self._open.append(item)
                self._total += item.size
        while self._total > self._size:
            number, item = self._held.pop(0)
            self._total -= item.size
            self._dropped = number
            item.show(None)
        self._open = [item for item in self._open if item.number > self._dropped]
        for item in self._open:
            if item.shown != (item.start, min(item.end, t)):
                item.show(None)

    def enter(self, t: int) -> None:
        for item in self._open:
            item.show((item.start, min(item.end, t)))
        self._open = [item for item in self._open if item.end > t]

    def items(self) -> Iterator[Item]:
        for _, _, item in self._expected:
            yield item
        for _, item in self._held:
            yield item
