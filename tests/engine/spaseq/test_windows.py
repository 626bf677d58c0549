"""Window policies against the sets that they stand for."""

from __future__ import annotations

from denota.engine.spaseq.windows import MatchWindows, SlidingWindows


def windows(start: int, width: int, slide: int, closed: bool, until: int) -> list[tuple[int, int]]:
    return [(b, b + width) for b in range(start, until, slide)]


def holds(window: tuple[int, int], time: int, closed: bool) -> bool:
    return window[0] <= time <= window[1] if closed else window[0] <= time < window[1]


def test_the_windows_of_a_match_are_those_that_hold_both_its_ends():
    for start in (0, 3):
        for width in (1, 4, 5):
            for slide in (1, 3, 4, 7):
                for closed in (True, False):
                    policy = SlidingWindows(start, width, slide, closed)
                    every = windows(start, width, slide, closed, 60)
                    for first in range(start, 25):
                        for last in range(first, 25):
                            both = (first, last)
                            expected = [w for w in every if all(holds(w, t, closed) for t in both)]
                            assert list(policy.windows(first, last)) == expected


def test_nothing_that_may_still_match_is_forgotten():
    for slide in (1, 3, 4, 7):
        for closed in (True, False):
            policy = SlidingWindows(2, 4, slide, closed)
            for first in range(2, 20):
                for now in range(first, 25):
                    if any(any(policy.windows(first, last)) for last in range(now, 40)):
                        assert first >= policy.oldest(now)


def test_match_windows_span_at_most_the_width():
    policy = MatchWindows(5)
    assert list(policy.windows(1, 6)) == [None]
    assert list(policy.windows(1, 7)) == []
    assert policy.oldest(7) == 2
