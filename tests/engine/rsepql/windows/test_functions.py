"""Windows as ranges of positions, against the definitions item by item."""

from __future__ import annotations

from random import Random

import pytest

from denota.engine.rsepql.windows.functions import Content, Timeline, admits, is_monotone
from denota.engine.rsepql.windows.window_state import WindowBuffer
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import EMPTY_GRAPH
from denota.semantics.rsepql.clauses import window
from denota.semantics.rsepql.syntax.tree import (
    Bounds,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Moment,
    NestedWindow,
    TimeBasedWindow,
    WindowFunction,
)
from denota.semantics.rsepql.window_functions import arrived

SLIDING = TimeBasedWindow(Moment(5), Moment(2))
WINDOWS: list[WindowFunction] = [
    SLIDING,
    TimeBasedWindow(Moment(3)),
    TimeBasedWindow(Moment(2), Moment(5), Moment(1)),
    *(TimeBasedWindow(Moment(4), Moment(3), None, bounds) for bounds in Bounds),
    LandmarkWindow(Moment(4)),
    IntervalWindow(Moment(3), Moment(9)),
    IdentityWindow(),
    CountWindow(3),
    CountWindow(4, 3),
    NestedWindow(CountWindow(2), SLIDING),
    NestedWindow(CountWindow(3, 2), SLIDING),
    NestedWindow(CountWindow(3, 2), LandmarkWindow(Moment(4))),
    NestedWindow(SLIDING, CountWindow(4, 3)),
    NestedWindow(LandmarkWindow(Moment(6)), CountWindow(4, 2)),
    NestedWindow(CountWindow(2, 2), NestedWindow(LandmarkWindow(Moment(2)), SLIDING)),
    NestedWindow(CountWindow(2, 2), NestedWindow(SLIDING, LandmarkWindow(Moment(2)))),
]


@pytest.mark.parametrize("function", WINDOWS)
@pytest.mark.parametrize("seed", range(6))
def test_a_window_holds_what_the_definition_says(function: WindowFunction, seed: int) -> None:
    random = Random(seed)
    content = Content(function)
    passage: WindowBuffer[TimestampedGraph] = WindowBuffer(monotone=content.monotone)
    came: list[TimestampedGraph] = []
    time = low = high = 0
    for _ in range(60):
        time += random.choice([0, 0, 1, 1, 2, 4])
        item = TimestampedGraph(time, EMPTY_GRAPH)
        came.append(item)
        if admits(function, time):
            passage.arrive(content.timeline.append(time), item)
        if random.random() < 0.3:
            passage.evict_before(content.evict_before(time))
        if random.random() < 0.4:
            time += random.randrange(3)
            before = (low, high)
            low, high = content.at(time)
            if content.monotone:
                assert low >= before[0]
                assert high >= before[1]
            held = list(passage.inside)
            entered, left = passage.move(low, high)
            expected = list(window(function)(arrived(came, time), time))
            assert [id(each) for each in passage.inside] == [id(each) for each in expected]
            assert {id(e) for e in held} - {id(e) for e in left} | {id(e) for e in entered} == {
                id(each) for each in expected
            }
            time += 1


def test_which_windows_may_go_back() -> None:
    assert [function for function in WINDOWS if not is_monotone(function)] == [
        WINDOWS[13], WINDOWS[17], WINDOWS[18]
    ]


def test_a_timeline_forgets_a_prefix_and_keeps_positions() -> None:
    timeline = Timeline()
    for time in range(1000):
        assert timeline.append(time) == time
        timeline.evict_before(time - 10)
    assert len(timeline) <= 12
    assert timeline.before(995) == 995
    assert timeline.until(995) == 996
    assert timeline.end == 1000
