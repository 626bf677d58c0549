"""Window functions on a stream at 2, 4, 6, 8 and 10 (RSEP-QL Def. 3)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from denota.semantics.rsepql.window_functions import (
    Counted,
    Identity,
    Interval,
    Landmark,
    Nested,
    TimeBased,
    arrived,
)


@dataclass(frozen=True)
class Item:
    time: int


STREAM = [Item(time) for time in (2, 4, 6, 8, 10)]


def times(window, t, stream=STREAM):
    return [item.time for item in window(stream, t)]


@pytest.mark.parametrize(
    ("window", "t", "held"),
    [
        (TimeBased(5, 1), 8, [4, 6, 8]),
        (TimeBased(5, 1), 12, [8, 10]),
        (TimeBased(5, 4), 11, [4, 6, 8]),
        (TimeBased(5, 4), 12, [8, 10]),
        (TimeBased(4, 4, start=2), 9, [4, 6]),
        (TimeBased(4, 4, start=2), 10, [8, 10]),
        (TimeBased(4, 2, from_included=True, to_included=False), 8, [4, 6]),
        (TimeBased(4, 2, from_included=True), 8, [4, 6, 8]),
        (TimeBased(4, 2, to_included=False), 8, [6]),
        (TimeBased(3, 5), 9, [4]),
        (Landmark(4), 8, [4, 6, 8]),
        (Interval(4, 8), 5, [4, 6, 8]),
        (Interval(None, 5), 5, [2, 4]),
        (Interval(7, None), 5, [8, 10]),
        (Identity(), 5, [2, 4, 6, 8, 10]),
        (Counted(3), 9, [4, 6, 8]),
        (Counted(3, 2), 7, [2, 4]),
        (Counted(1, 3), 8, [6]),
        (Counted(2), 1, []),
        (Nested(Interval(0, 5), TimeBased(5, 1)), 8, [4]),
        (Nested(TimeBased(3, 1), Counted(2)), 10, [8, 10]),
        (Nested(Counted(1), TimeBased(5, 1)), 8, [8]),
    ],
)
def test_what_a_window_holds(window, t, held):
    assert times(window, t) == held


def test_steps_before_the_origin_are_steps_too():
    assert TimeBased(5, 4).last_step(-1) == -4
    assert TimeBased(5, 4).next_step(-1) == 0
    assert TimeBased(5, 4, start=3).last_step(2) == -1


def test_several_items_of_one_time_are_all_held_and_counted_one_by_one():
    stream = [Item(1), Item(1), Item(1), Item(2)]
    assert times(TimeBased(1, 1), 1, stream) == [1, 1, 1]
    assert times(Counted(2), 1, stream) == [1, 1]


def test_what_has_arrived():
    assert [item.time for item in arrived(STREAM, 7)] == [2, 4, 6]
