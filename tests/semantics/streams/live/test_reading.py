"""What may leave when, with scripted arrivals: no thread, no clock."""

from __future__ import annotations

import io
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.streams.files.documents import Format
from denota.semantics.streams.live.byte_sources import GrowingFile, LiveFile
from denota.semantics.streams.live.graphs import Depth, live_items
from denota.semantics.streams.live.reader import Arrivals, Idle
from denota.semantics.streams.live.watermarks import LateItems, StreamMerger, Watermark

NQ = "<x:g{0}> <http://www.w3.org/ns/prov#generatedAtTime> \"{0}\"^^<{1}integer> .\n"
FACT = "<x:a> <x:b> <x:c> <x:g{0}> .\n"
XSD = "http://www.w3.org/2001/XMLSchema#"


class Script:
    """Bytes as they are to come; None is a silence of `idle` seconds, a pause shorter than it."""

    def __init__(self, *script):
        self.script = list(script)

    def read_available(self, seconds):
        if not self.script:
            return b""
        if seconds == 0 and self.script[0] in ("pause", None):
            return None
        step = self.script.pop(0)
        if step == "pause":
            return self.read_available(seconds)
        return step.encode() if isinstance(step, str) else step

    def close(self):
        pass


def told(*script, format="nquads", idle=1.0):
    """What a reader hands over: times of items, watermarks, '…' for silence."""
    found = []
    stream = live_items(Arrivals(), "-", format=format, idle=idle, opened=Script(*script))
    stream._read(lambda element, *_: found.append(element))
    return [
        each.time if isinstance(each, TimestampedGraph) else
        "…" if isinstance(each, Idle) else f"w{each.time}" for each in found
    ]


def nq(time, *, time_first=False):
    stamp, fact = NQ.format(time, XSD), FACT.format(time)
    return stamp + fact if time_first else fact + stamp


def test_n_quads_whose_time_comes_last_are_complete_with_it():
    assert told(nq(1), "pause", nq(2), None) == [1, 2, "…"]


def test_n_quads_whose_time_comes_first_wait_for_what_follows_or_for_silence():
    assert told(nq(1, time_first=True), None, nq(2, time_first=True), "pause") == [1, "…", 2]
    assert told(nq(1, time_first=True) + nq(2, time_first=True), None) == [1, 2, "…"]


def test_half_an_item_is_not_completed_by_silence():
    assert told(FACT.format(1), None, NQ.format(1, XSD)) == ["…", 1]
    assert told(nq(1) + FACT.format(2)[:12], None, FACT.format(2)[12:] + NQ.format(2, XSD)) == [
        1, "…", 2
    ]


def test_a_heartbeat_ends_an_item():
    beat = f'_:h <urn:denota:heartbeat> "5"^^<{XSD}integer> .\n'
    assert told(nq(1, time_first=True) + beat, None) == [1, "w5", "…"]


def test_an_interval_is_complete_with_both_its_times():
    stamp = NQ.format(1, XSD)
    both = (stamp.replace("generatedAt", "startedAt"), stamp.replace("generatedAt", "endedAt"))
    found = []
    opened = Script(FACT.format(1) + both[0], None, both[1], "pause", nq(2))
    stream = live_items(Arrivals(), "-", format="nquads", idle=1.0, opened=opened)
    stream._read(lambda element, *_: found.append(element))
    assert [type(each).__name__ for each in found] == [
        "Idle", "IntervalGraph", "TimestampedGraph"
    ]


def test_trig_is_complete_with_the_brace_that_closes_its_graph():
    item = '<x:g{0}> <http://www.w3.org/ns/prov#generatedAtTime> {0} .\n<x:g{0}> {{\n'
    assert told(
        item.format(1), "pause", '<x:a> <x:b> """ } \n', "pause", '}""" }\n', "pause",
        item.format(2) + "<x:a> <x:b> 'y' # }\n", "pause", "}\n", None, format="trig",
    ) == [1, 2, "…"]


def test_an_empty_graph_is_complete_too():
    prefix = "@prefix : <x:> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    assert told(prefix + ":g prov:generatedAtTime 1 . :g {}\n", "pause", format="trig") == [1]
    assert told(prefix + ":g prov:generatedAtTime 1 . :g {}\n", None, format="trig") == [1, "…"]


def test_depth_is_not_deceived_by_strings_iris_and_comments():
    depth = Depth(Format.TRIG)
    for line, outside in (
        (b":g { :a <x:#> 1 .\n", False), (b"# }\n", False), (b":a :b '}' , \"\\\"}\" }\n", True),
        (b":g { :a :b '''\n", False), (b"''}' '''\n", False), (b"}", False), (b" \n", True),
    ):
        depth.feed(line)
        assert depth.outside is outside, line


def test_a_followed_file_is_silent_when_the_clock_says_so():
    now = 0.0

    def sleep(seconds):
        nonlocal now
        now += seconds

    file = GrowingFile(io.BytesIO(b"a\n"), clock=lambda: now, sleep=sleep)
    said = []
    live = LiveFile(file, idle=3.0)
    live.waiting = lambda: said.append(("waiting", round(now)))
    assert live.readline() == b"a\n"

    class Enough(Exception):
        pass

    def silent():
        said.append(("silent", round(now)))
        raise Enough

    live.silent = silent
    with pytest.raises(Enough):
        live.readline()
    assert said == [("waiting", 0), ("silent", 3)]


# --- merging --------------------------------------------------------------------------------------


def left(merging):
    return [
        f"w{each.time}" if isinstance(each, Watermark) else (each[0], *each[3])
        for each in merging.emit()
    ]


def test_an_item_leaves_when_no_other_stream_can_bring_one_before_it():
    merging = StreamMerger(["s", "t"], ranks=True)
    merging.add("t", 1, "t1")
    assert left(merging) == []
    assert merging.blocking() == [("s", 0)]
    merging.add("s", 3, "s3")
    assert left(merging) == [("t", "t1"), "w1"]
    assert merging.blocking() == [("t", 0)]
    merging.add("t", 3, "t3")
    assert left(merging) == [("s", "s3"), ("t", "t3"), "w3"]
    merging.add("t", 3, "t3b")  # the second of T at 3: S may still bring its second
    assert left(merging) == []
    merging.advance_watermark("s", 4)
    assert left(merging) == [("t", "t3b")]


def test_a_silent_stream_is_not_waited_for_and_its_instant_is_over():
    merging = StreamMerger(["s", "t"])
    merging.add("s", 1, "s1")
    merging.add("t", 5, "t5")
    assert left(merging) == [("s", "s1"), "w1"]
    merging.mark_idle("s")
    assert left(merging) == [("t", "t5"), "w5"]
    merging.mark_idle("t")
    assert left(merging) == ["w6"]
    merging.add("s", 5, "late")
    merging.add("s", 6, "s6")
    assert left(merging) == [("s", "s6")]
    assert merging.late == {"s": LateItems(1, "late", None)}


def test_a_stream_that_never_spoke_is_not_waited_for_when_it_is_silent():
    merging = StreamMerger(["s", "t"])
    merging.mark_idle("s")
    merging.add("t", 1, "t1")
    assert left(merging) == [("t", "t1"), "w1"]


def test_whole_instants_leave_together():
    merging = StreamMerger(["s"], whole=True)
    merging.add("s", 1, "a")
    assert left(merging) == ["w1"]
    merging.add("s", 1, "b")
    merging.add("s", 2, "c")
    assert left(merging) == [("s", "a", "b"), "w2"]


def test_disorder_is_an_error_unless_a_delay_allows_for_it():
    merging = StreamMerger(["s"])
    merging.add("s", 2, "a")
    with pytest.raises(StreamError, match="time order"):
        merging.add("s", 1, "b")


def test_a_full_buffer_lets_its_earliest_item_go():
    merging = StreamMerger(["s"], delay=10, bound=2)
    for time in (5, 7, 6):
        assert merging.add("s", time, f"s{time}") is None
    assert left(merging) == [("s", "s5"), "w5"]
    assert merging.overfull == {"s"}
    assert merging.add("s", 4, "s4", place=4) == LateItems(1, "s4", 4)
    assert merging.add("s", 3, "s3", place=5) == LateItems(2, "s4", 4)
    merging.add("s", 5, "s5b")
    assert left(merging) == [("s", "s5b")]


def test_a_full_buffer_of_whole_instants_ends_the_earliest():
    merging = StreamMerger(["s"], delay=10, bound=2, whole=True)
    for item in "abc":
        merging.add("s", 5, item)
    assert left(merging) == [("s", "a", "b", "c"), "w6"]
    assert merging.add("s", 5, "d") == LateItems(1, "d", None)


def test_a_stream_is_as_far_as_the_slowest_of_its_lanes():
    merging = StreamMerger(["s", "t"], lanes={"s": [0, 1]})
    merging.add("s", 1, "s1", lane=0)
    merging.add("t", 4, "t4")
    assert left(merging) == []
    assert merging.blocking() == [("s", 1)]
    merging.add("s", 3, "s3", lane=1)
    merging.add("s", 2, "s2", lane=0)  # earlier than another lane's last: in order in its own
    assert left(merging) == [("s", "s1"), ("s", "s2"), "w2"]
    assert merging.blocking() == [("s", 0)]
    merging.mark_idle("s", lane=0)
    assert left(merging) == [("s", "s3"), "w3"]
    merging.advance_watermark("s", 9, lane=1)
    assert left(merging) == [("t", "t4"), "w4"]
    assert merging.add("s", 3, "late", lane=0) == LateItems(1, "late", None)
    assert merging.blocking() == [("s", 0), ("s", 1), ("t", 0)]
    merging.end("s", lane=0)
    merging.end("s", lane=1)
    merging.end("t")
    assert left(merging) == ["w9"]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.lists(st.integers(0, 12), max_size=8), min_size=1, max_size=3),
    st.integers(0, 6),
    st.data(),
)
def test_with_a_delay_everything_leaves_in_order_but_what_is_later_than_it(times, delay, data):
    """Whatever the interleaving: an item is late if its own stream was more than D ahead of it."""
    names = list(range(len(times)))
    merging = StreamMerger(names, delay=delay, ranks=True)
    waiting = {name: list(enumerate(own)) for name, own in zip(names, times, strict=True)}
    out = []
    while any(waiting.values()):
        name = data.draw(st.sampled_from([name for name, own in waiting.items() if own]))
        number, time = waiting[name].pop(0)
        merging.add(name, time, (name, number))
        out += merging.emit()
    for name in names:
        merging.end(name)
    out += merging.emit()
    came = [each for each in out if not isinstance(each, Watermark)]
    on_time = {
        (name, number): time
        for name, own in zip(names, times, strict=True)
        for number, time in enumerate(own) if time >= max(own[: number + 1]) - delay
    }
    assert {item: time for _, time, _, (item,) in came} == on_time
    keys = [(time, rank, name) for name, time, rank, _ in came]
    assert keys == sorted(keys)
    late = sum(late.items for late in merging.late.values())
    assert late == len(list(chain(*times))) - len(on_time)
    # No watermark is passed by what comes after it.
    low = None
    for each in out:
        if isinstance(each, Watermark):
            assert low is None or each.time > low
            low = each.time
        else:
            assert low is None or each[1] >= low


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12)), max_size=24),
    st.none() | st.integers(0, 6), st.integers(0, 4), st.booleans(),
)
def test_whatever_the_lanes_and_the_bound_what_leaves_is_in_order(items, delay, bound, whole):
    """And is all but what is late; no more is held back than the bound."""
    if delay is None:  # then a lane is in order
        items = [(lane, time + number) for number, (lane, time) in enumerate(sorted(items))]
    merging = StreamMerger(["s"], delay=delay, bound=bound, whole=whole, lanes={"s": range(3)})
    came, low = [], None
    for number, (lane, time) in enumerate([*items, *((lane, None) for lane in range(3))]):
        if time is None:
            merging.end("s", lane=lane)
        else:
            merging.add("s", time, (time, number), lane=lane)
        for each in merging.emit():
            if isinstance(each, Watermark):
                low = each.time
            else:
                assert low is None or each[1] >= low
                came += each[3]
        late = sum(late.items for late in merging.late.values())
        assert number + 1 - len(came) - late <= bound or time is None
    assert len(came) + sum(late.items for late in merging.late.values()) == len(items)
    assert [time for time, _ in came] == sorted(time for time, _ in came)
