"""The times of events, up to what a window of so many time units may tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, combinations, product


def moments(events: int, within: int) -> Iterator[tuple[int, ...]]:
    """Every choice of non-decreasing times from 0, the earliest of those that are alike.

    Alike are times in which the same events are at one time, and of any two events it is the same
    whether they are less than `within` apart, as much, or more.

    >>> list(moments(2, 1)), [times[1] for times in moments(2, 3)]
    ([(0, 0), (0, 1), (0, 2)], [0, 1, 3, 4])
    """
    seen: set[tuple[tuple[bool, int], ...]] = set()
    gaps = product(range(within + 2), repeat=max(events - 1, 0))
    chosen = (tuple(accumulate(steps, initial=0))[:events] for steps in gaps)
    for times in sorted(chosen, key=lambda times: (times[-1:], times)):
        apart = [later - earlier for earlier, later in combinations(times, 2)]
        told = tuple((gap == 0, (gap > within) - (gap < within)) for gap in apart)
        if told not in seen:
            seen.add(told)
            yield times
