"""Report policies on streams at a few instants (RSEP-QL 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from denota.semantics.model.errors import UnsupportedError
from denota.semantics.rsepql.evaluation_times import (
    closes,
    content_change,
    non_empty_content,
    periodic,
    window_close,
)
from denota.semantics.rsepql.window_functions import (
    Counted,
    Identity,
    Interval,
    Landmark,
    Nested,
    TimeBased,
)


@dataclass(frozen=True)
class Item:
    time: int


def stream(*times):
    return [Item(time) for time in times]


S = stream(2, 4, 6, 8, 10)


@pytest.mark.parametrize(
    ("window", "instants"),
    [
        (TimeBased(5, 1), [2, 4, 6, 8, 10]),
        (TimeBased(5, 4), [4, 8, 12]),
        (TimeBased(5, 4, start=1), [5, 9, 13]),
        (TimeBased(5, 2, from_included=True, to_included=False), [4, 6, 8, 10, 12]),
        (TimeBased(1, 5), [10]),
        (Landmark(5), [6, 8, 10]),
        (Interval(3, 6), [4, 6]),
        (Identity(), [2, 4, 6, 8, 10]),
        (Counted(3, 2), [4, 8]),
        (Nested(TimeBased(5, 4), Landmark(5)), [8, 12]),
    ],
)
def test_content_changes_when_an_item_comes_in(window, instants):
    assert content_change(window, S) == instants


@pytest.mark.parametrize(
    ("window", "instants"),
    [
        (TimeBased(5, 4), [4, 8, 12]),
        (TimeBased(2, 2), [2, 4, 6, 8, 10]),
        (TimeBased(3, 2), [2, 4, 6, 8, 10, 12]),
        (TimeBased(4, 2, from_included=True, to_included=False), [2, 4, 6, 8, 10, 12, 14]),
        (Interval(3, 7), [7]),
        (Counted(3, 2), [4, 8]),
        (Landmark(1), []),
        (Identity(), []),
        (Nested(TimeBased(5, 4), Landmark(1)), [4, 8, 12]),
        (Nested(Landmark(1), TimeBased(5, 4)), [4, 8, 12]),
    ],
)
def test_windows_close(window, instants):
    assert window_close(window, S) == instants
    assert closes(window) == bool(instants)


def test_empty_windows_close_as_well_but_hold_nothing():
    gap = stream(1, 9)
    assert window_close(TimeBased(2, 2), gap) == [2, 4, 6, 8, 10]
    assert non_empty_content(TimeBased(2, 2), gap) == [2, 10]


def test_what_holds_an_item():
    assert non_empty_content(Landmark(5), S) == [6, 8, 10]
    assert non_empty_content(TimeBased(5, 4), S) == [4, 8, 12]
    assert non_empty_content(Nested(Landmark(9), TimeBased(5, 4)), S) == [12]


@pytest.mark.parametrize(
    ("window", "period", "start", "instants"),
    [
        (Landmark(1), 4, 0, [4, 8, 12]),
        (Landmark(1), 4, 1, [5, 9, 13]),
        (TimeBased(5, 1), 3, 0, [3, 6, 9, 12]),
        (TimeBased(5, 5), 5, 0, [5, 10]),
        (TimeBased(10, 5), 5, 0, [5, 10, 15]),
        (Identity(), 100, 0, [100]),
    ],
)
def test_every_so_often(window, period, start, instants):
    assert periodic(window, S, period, start) == instants


def test_nothing_is_reported_of_an_empty_stream():
    for policy in (content_change, window_close, non_empty_content):
        assert policy(TimeBased(5, 1), []) == []
    assert periodic(TimeBased(5, 1), [], 1) == []


def test_too_many_reports_are_an_error():
    far = stream(0, 10**9)
    with pytest.raises(UnsupportedError, match="choose longer steps"):
        window_close(TimeBased(5, 1), far)
