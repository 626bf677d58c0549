"""A stream that counts: what it holds is settled, the clock says only when it comes."""

from __future__ import annotations

import json

import pytest

from denota.semantics.model.errors import StreamError
from denota.semantics.streams.live.addresses import address_of, is_rate
from denota.semantics.streams.live.graphs import live_items
from denota.semantics.streams.live.rate_source import Rate
from denota.semantics.streams.live.reader import Arrivals, all_of
from denota.semantics.streams.live.tuples import live_tuples


class Clock:
    """A clock that moves only while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def values(chunk: bytes) -> list[int]:
    return [json.loads(line)["value"] for line in chunk.splitlines()]


def test_a_rate_counts():
    where = "rate://?rows-per-second=1000&rows=5&keys=2"
    assert is_rate(where)
    assert not is_rate("rate.csv")
    found = all_of(live_tuples(Arrivals(), where, format="csv"), lambda each: each.time)
    assert [(each.type, each.time, each.get("value"), each.get("key")) for each in found] == [
        ("Rate", value * 1_000_000, value, value % 2) for value in range(5)
    ]


def test_a_tuple_comes_when_it_is_due():
    clock = Clock()
    rate = Rate(address_of("rate://?rows-per-second=4&rows=7"), clock, clock=clock)
    assert values(rate.read_available(None)) == [0]
    assert rate.read_available(0) is None
    assert rate.read_available(0.125) is None
    assert values(rate.read_available(None)) == [1]
    assert clock.now == 100.25
    clock.now += 0.75
    assert values(rate.read_available(0)) == [2, 3, 4]
    clock.now += 10
    assert values(rate.read_available(0)) == [5, 6]
    assert rate.read_available(None) == b""


def test_what_came_before_a_break_is_not_waited_for():
    clock = Clock()
    rate = Rate(address_of("rate://"), clock, again=lambda: 1000, clock=clock)
    came = []
    while (chunk := rate.read_available(0)) is not None:
        came += values(chunk)
    assert came == list(range(1001))
    assert values(rate.read_available(None)) == [1001]
    assert clock.now == 101


@pytest.mark.parametrize("written, message", [
    ("rate://?rows=0", "rows=0: expected a number, at least 1"),
    ("rate://?keys=x", "keys=x: expected a number"),
    ("rate://?rows-per-second=1.5", "rows-per-second=1.5: expected a number"),
    ("rate://?rows=" + "9" * 5000, "expected a number"),
    ("rate://here?rows=1", "expected options"),
    ("rate://?row=1", r"unknown option 'row' \(there are: rows-per-second, rows, keys\)"),
])
def test_what_is_no_rate(written, message):
    with pytest.raises(StreamError, match=message):
        live_tuples(Arrivals(), written)


def test_a_rate_brings_no_graphs():
    with pytest.raises(StreamError, match="rate://: a rate brings tuples, for CEQL"):
        live_items(Arrivals(), "rate://?rows=1")
