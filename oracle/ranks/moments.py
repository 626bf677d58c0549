"""The times of events, up to what a window of so many time units may tell apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, combinations

from .numbered_streams import choices


def moments(events: int, within: int) -> Iterator[tuple[int, ...]]:
    """Every choice of non-decreasing times from 0, the earliest of those that are alike.

    Alike are times in which the same events are at one time, and of any two events it is the same
    whether they are less than `within` apart, as much, or more.

    >>> list(moments(2, 1)), [times[1] for times in moments(2, 3)]
    ([(0, 0), (0, 1), (0, 2)], [0, 1, 3, 4])
    """
    gaps = choices(range(1), range(within + 2), events)
    chosen = (tuple(accumulate(steps))[:events] for steps in gaps)
    return _one_of_each(chosen, within, lambda times: times)


def ends(lasting: tuple[bool, ...], within: int) -> Iterator[tuple[int, ...]]:
    """Every choice of ascending times from 0, the earliest of those that are alike.

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
    """The earliest of the times that are alike in the instants, none before another, that are
    seen in them."""
    seen: set[tuple[tuple[bool, int], ...]] = set()
    for times in sorted(chosen, key=lambda times: (times[-1:], times)):
        apart = [later - earlier for earlier, later in combinations(seen_in(times), 2)]
        told = tuple((gap == 0, (gap > within) - (gap < within)) for gap in apart)
        if told not in seen:
            seen.add(told)
            yield times
