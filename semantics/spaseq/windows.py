"""The windows of a query: time boundaries [τb, τe] (SPAseq Def. 16), or numbers of items.

Whether a match lies within boundaries depends on its first and its last event alone, since all
definitions look strictly between them. So a window is given as the events that it holds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .streamset import Event
from .syntax.readings import Readings
from .syntax.tree import SpaseqQuery, WithinUnit


class WindowContent(NamedTuple):
    """A window's boundaries, as a result shows them, and its events in time order."""

    boundaries: tuple[int, int] | None
    events: Sequence[Event]


def windows(
    query: SpaseqQuery, events: Sequence[Event], start: int, readings: Readings
) -> Iterator[WindowContent]:
    """The windows that hold an event; `events` are those from t on, t being `start`."""
    omega = query.within.value
    beta = query.slide.value if query.slide else omega
    if query.within.unit is WithinUnit.EVENTS:
        yield from counted(events, omega, beta)
    elif readings.window == "match":
        yield from spanned(events, omega)
    else:
        closed = readings.window != "tumbling-half-open"
        yield from timed(events, start, omega, beta, closed)


def timed(
    events: Sequence[Event], start: int, omega: int, beta: int, closed: bool
) -> Iterator[WindowContent]:
    """[t + k·β, t + k·β + ω] for k ≥ 0, without its end if not `closed`; β = ω if they tumble."""
    times = [event.time[0] for event in events]
    begins = sorted({
        start + k * beta
        for time in set(times)
        for k in range(max(0, -((start + omega - time) // beta)), (time - start) // beta + 1)
    })
    for begin in begins:
        end = begin + omega
        last = bisect_right(times, end) if closed else bisect_left(times, end)
        held = events[bisect_left(times, begin) : last]
        if held:
            yield WindowContent((begin, end), held)


def spanned(events: Sequence[Event], omega: int) -> Iterator[WindowContent]:
    """`window=match`: [τ, τ + ω] for every τ with an event.

    The matches of these windows together are those with τ_last − τ_first ≤ ω.
    """
    times = [event.time[0] for event in events]
    for begin in sorted(set(times)):
        held = events[bisect_left(times, begin) : bisect_right(times, begin + omega)]
        yield WindowContent(None, held)


def counted(events: Sequence[Event], n: int, m: int) -> Iterator[WindowContent]:
    """WITHIN n EVENTS SLIDE m EVENTS: the items k·m … k·m + n − 1; the last ones may be fewer."""
    for first in range(0, len(events), m):
        yield WindowContent((first, first + n - 1), events[first : first + n])
