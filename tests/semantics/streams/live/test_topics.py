"""Kafka topics, on the mock cluster that librdkafka brings along, in this process."""

from __future__ import annotations

import json
import socket
import sys
import threading

import pytest

from denota.semantics.model.errors import StreamError
from denota.semantics.model.tuples import EventTuple, rows
from denota.semantics.streams.live import kafka_source
from denota.semantics.streams.live.addresses import address_of
from denota.semantics.streams.live.graphs import live_items
from denota.semantics.streams.live.kafka_source import Message, Topic
from denota.semantics.streams.live.reader import Arrivals, all_of, in_order
from denota.semantics.streams.live.tuples import batches_arriving, live_tuples
from denota.semantics.streams.live.watermarks import Watermark

kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")

QUICK = "fetch.wait.max.ms=5"  # the mock cluster answers when so long is over, and not before


class Cluster:
    """A broker in this process; each test has a topic of its own, of four partitions."""

    def __init__(self):
        self._producer = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
        broker, = self._producer.list_topics(timeout=60).brokers.values()
        self.address = f"127.0.0.1:{broker.port}"
        self._topics = 0

    def destroy(self):
        del self._producer

    def topic(self):
        self._topics += 1
        name = f"t{self._topics}"
        self._producer.list_topics(name, timeout=60)  # makes it
        return name

    def put(self, topic, *values, partition=0):
        for value in values:
            told = value if isinstance(value, str | None) else json.dumps(value)
            self._producer.produce(topic, told, partition=partition)
        assert self._producer.flush(60) == 0

    def where(self, topic, options="until=end"):
        return f"kafka://{self.address}/{topic}?{QUICK}&{options}"


@pytest.fixture(scope="module")
def cluster():
    return Cluster()


def fact(time, value=1):
    prov = "http://www.w3.org/ns/prov#"
    return {f"{prov}generatedAtTime": time, "@graph": [{"@id": f"x:{time}", "x:p": value}]}


def event(time, **more):
    return {"type": "A", "time": time, **more}


def test_partitions_are_merged_by_time(cluster):
    topic = cluster.topic()
    cluster.put(topic, fact(1), fact(4), partition=0)
    cluster.put(topic, fact(2), fact(3), partition=2)
    stream = live_items(Arrivals(), cluster.where(topic), format="jsonl")
    assert [item.time for item in all_of(stream, lambda item: item.end)] == [1, 2, 3, 4]


def test_a_message_holds_several_items_in_any_format_or_a_heartbeat_or_nothing(cluster):
    topic = cluster.topic()
    prov = "@prefix prov: <http://www.w3.org/ns/prov#> ."
    item = "<x:g{0}> prov:generatedAtTime {0} . <x:g{0}> {{ _:b <x:b> 1 }}"
    cluster.put(
        topic, f"{prov} {item.format(1)} {item.format(2)}", None, "[] <urn:denota:heartbeat> 5 .",
        f"{prov} {item.format(6)}",
    )
    stream = live_items(Arrivals(), cluster.where(topic, "until=end&format=trig"))
    leaving = [each for some in in_order({"s": stream}, ["s"], lambda item: item.end)
               for each in some]
    items = [each[3][0] for each in leaving if not isinstance(each, Watermark)]
    assert [item.time for item in items] == [1, 2, 6]
    subjects = [next(iter(item.graph))[0] for item in items]
    assert subjects[0] == subjects[1] != subjects[2]  # a label is that of its message


def test_a_partition_that_is_added_is_read(cluster, monkeypatch):
    topic = cluster.topic()
    cluster.put(topic, fact(1), fact(3), partition=0)
    cluster.put(topic, fact(2), fact(4), partition=3)
    existing = Topic._existing
    monkeypatch.setattr(Topic, "_existing", lambda self: existing(self)[:1])
    monkeypatch.setattr(kafka_source, "_SECONDS_BETWEEN_PARTITIONS", 0)
    said = []
    arrivals = Arrivals(notice=said.append)
    stream = live_items(arrivals, cluster.where(topic, "from=beginning"), format="jsonl")
    assert stream.lanes == [0]
    found = []
    leaving = in_order({"s": stream}, ["s"], lambda item: item.end)
    for partition in range(4):
        cluster.put(topic, fact(9), partition=partition)
    while len(found) < 6:  # 2 and 4 may be late
        found += [each for each in next(leaving) if not isinstance(each, Watermark)]
    leaving.close()
    assert stream.lanes == [0, 1, 2, 3]
    assert len(said) == 3
    assert {time for _, time, _, _ in found} >= {1, 3, 9}


def test_tuples_keep_their_types_over_messages(cluster):
    topic = cluster.topic()
    cluster.put(topic, event(1, x=1), "\n".join(map(json.dumps, [event(2, x=2.5), event(3)])))
    cluster.put(topic, event(2, x=7), {"type": "@heartbeat", "time": 9}, partition=3)
    found = all_of(live_tuples(Arrivals(), cluster.where(topic)), lambda each: each.time)
    assert {(each.time // 10**9, each.get("x")) for each in found} == {
        (1, 1), (2, 2.5), (2, 7), (3, None)
    }


def test_tuples_without_times_wait_for_no_other_partition(cluster):
    topic = cluster.topic()
    cluster.put(topic, {"type": "A"}, {"type": "B"}, partition=2)
    stream = live_tuples(Arrivals(), cluster.where(topic, "from=beginning"))
    read = batches_arriving({"S": stream}, ["S"])
    found = []
    while len(found) < 2:
        found += rows(next(read))
    assert [(each.type, each.stream) for each in found] == [("A", "S"), ("B", "S")]
    read.close()


@pytest.mark.parametrize("values, types", [([{"type": "A"}, {"type": "B"}], "AB"), ([], "")])
def test_tuples_without_times_are_read_to_the_end(cluster, values, types):
    """The partitions that hold nothing end first, or last."""
    topic = cluster.topic()
    cluster.put(topic, *values, partition=3)
    stream = live_tuples(Arrivals(), cluster.where(topic))
    found = [each for batch in batches_arriving({"S": stream}, ["S"]) for each in rows(batch)]
    assert "".join(each.type for each in found) == types


@pytest.mark.parametrize("first, times", [
    ("beginning", [1, 2, 3, 4]), ("0:1", [2, 3, 4]), ("0:2,1:1", [3]), ("end", []),
])
def test_where_reading_begins(cluster, first, times):
    topic = cluster.topic()
    cluster.put(topic, event(1), event(2), event(3), partition=0)
    cluster.put(topic, event(4), partition=1)
    stream = live_tuples(Arrivals(), cluster.where(topic, f"until=end&from={first}"))
    assert [each.time // 10**9 for each in all_of(stream, lambda each: each.time)] == times


@pytest.mark.parametrize("values, message", [
    ([fact(1), "{"], r"offset 1:1:2: not JSON: "),
    ([fact(1), fact(5), fact(4)], r"offset 2: stream <> ?: an item at 4 comes after 5"),
    ([fact(1), '{"@id": 3}'], r"offset 1:1: @id value must be a string"),
])
def test_a_bad_message_is_told_by_its_place(cluster, values, message):
    topic = cluster.topic()
    cluster.put(topic, *values, partition=1)
    stream = live_items(Arrivals(), cluster.where(topic), format="jsonl")
    with pytest.raises(StreamError) as error:
        all_of(stream, lambda item: item.end)
    place = f"kafka://{cluster.address}/{topic}, partition 1, "
    assert str(error.value).startswith(place)
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(str(error.value).removeprefix(place))


@pytest.mark.parametrize("value, message", [
    ("[]", "offset 1:1: a tuple is a JSON object"),
    (event(2, x="y"), "offset 1:1: \"y\" in 'x' is not of type int"),
    ({"time": 2, "x": 1}, "offset 1:1: tuple 1 has no event type (column 'type' is empty)"),
])
def test_a_bad_tuple_is_told_by_its_place_and_what_is_before_it_comes(cluster, value, message):
    topic = cluster.topic()
    cluster.put(topic, event(1, x=1), value)
    read = []
    stream = live_tuples(Arrivals(), cluster.where(topic)).watched(read.append)
    with pytest.raises(StreamError) as error:
        all_of(stream, lambda each: each.time)
    assert [each.time for each in read if isinstance(each, EventTuple)] == [10**9]
    assert str(error.value) == f"kafka://{cluster.address}/{topic}, partition 0, {message}"


@pytest.mark.parametrize("written, message", [
    ("kafka://h:1", "expected a broker and a topic"),
    ("kafka:///t", "expected a broker and a topic"),
    ("kafka://h:1/t?from=now", "from=now: expected beginning, end or offsets"),
    ("kafka://h:1/t?until=now", "until=now: expected until=end"),
    ("kafka://h:1/t?group=g", r"unknown option 'group' \(there are: format, from, until\)"),
    ("kafka://h:1/t?no.such=1", "no such configuration property"),
])
def test_what_is_wrong_with_an_address(written, message):
    with pytest.raises(StreamError, match=message):
        Topic(address_of(written))


def test_where_reading_cannot_begin(cluster):
    topic = cluster.topic()
    with pytest.raises(StreamError, match="from=7:0: there is no partition 7"):
        Topic(address_of(cluster.where(topic, "from=7:0")))
    stream = live_tuples(Arrivals(), cluster.where(topic, "from=0:99"))
    with pytest.raises(StreamError, match="offset"):
        all_of(stream, lambda each: each.time)


def test_no_topic_and_no_broker(cluster):
    with pytest.raises(StreamError, match="the broker has no topic 'none'"):
        Topic(address_of(cluster.where("none")))
    with socket.socket() as taken:  # bound and not listening
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(StreamError, match=r"no broker answers: .*: Connection refused$"):
            Topic(address_of(f"kafka://127.0.0.1:{taken.getsockname()[1]}/t"))


def test_a_broker_that_goes_away_is_waited_for():
    own = Cluster()
    topic = own.topic()
    own.put(topic, {"type": "A"})
    gone = threading.Event()
    arrivals = Arrivals(notice=lambda message: gone.set())
    stream = live_tuples(arrivals, own.where(topic, "from=beginning"))
    read = batches_arriving({"S": stream}, ["S"])
    assert next(read).num_rows == 1
    own.destroy()
    assert gone.wait(300)
    read.close()
    assert not any(thread.is_alive() for thread in arrivals.readers)


def test_tuples_come_as_json_lines_alone(cluster):
    with pytest.raises(StreamError, match="a message holds JSON Lines, and no csv"):
        live_tuples(Arrivals(), "kafka://h:1/t?format=csv")


def test_without_the_library_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(StreamError, match=r"needs confluent-kafka: pip install 'denota\[kafka\]'"):
        Topic(address_of("kafka://h:1/t"))


def test_an_idle_partition_is_not_waited_for(cluster):
    """The clock moves on whenever it is looked at: idle is who brings nothing."""
    topic = cluster.topic()
    cluster.put(topic, event(1), event(2))
    stream = live_tuples(Arrivals(), cluster.where(topic, "from=beginning"), idle=3.0)
    now = iter(range(1 << 20))
    stream._clock = lambda: next(now)
    leaving = (each for some in in_order({"s": stream}, ["s"], lambda each: each.time)
               for each in some)
    times = (each[1] // 10**9 for each in leaving if not isinstance(each, Watermark))
    assert [next(times), next(times)] == [1, 2]
    leaving.close()


class Scripted:
    """A topic; what was asked of it."""

    source, partitions = "kafka://h/t", (0,)

    def __init__(self, address):
        self.calls = []
        self.offset = 0

    def start(self):
        self.calls.append("started")

    def read_available(self, seconds):
        times = (5, 9, 6, 1, 2)
        return [message(0, number, time) for number, time in enumerate(times)], [0], []

    def pause(self, partition):
        self.calls.append(partition)

    def resume(self, partition):
        pass

    def close(self):
        self.calls.append("closed")


def message(partition, offset, time):
    return Message(partition, offset, json.dumps(event(time)).encode())


class Endless(Scripted):
    """Of its two partitions one brings more and more until it pauses, then the other one item."""

    partitions = (0, 1)

    def read_available(self, seconds):
        if 0 in self.calls:
            return [message(1, 0, 1)], [0, 1], []
        self.offset += 1
        return [message(0, self.offset, self.offset)], [], []


class Broken(Scripted):
    """It tells that no broker is there, and goes on."""

    def read_available(self, seconds):
        messages, ended, _ = super().read_available(seconds)
        return messages[:1], ended, ["1/1 brokers are down"]


def test_what_is_late_says_its_partition_and_offset(monkeypatch):
    monkeypatch.setattr(kafka_source, "Topic", Scripted)
    arrivals = Arrivals(delay=4 * 10**9)
    found = all_of(live_tuples(arrivals, "kafka://h/t"), lambda each: each.time)
    assert [each.time // 10**9 for each in found] == [5, 6, 9]
    (late,) = arrivals.late.values()
    assert (late.items, type(late.first)) == (2, EventTuple)
    assert late.place == "kafka://h/t, partition 0, offset 3"


def test_who_waits_for_a_broker_says_so(monkeypatch):
    monkeypatch.setattr(kafka_source, "Topic", Broken)
    said = []
    arrivals = Arrivals(notice=said.append)
    assert len(all_of(live_tuples(arrivals, "kafka://h/t"), lambda each: each.time)) == 1
    assert said == ["kafka://h/t: 1/1 brokers are down; waiting for a broker"]


def test_a_partition_that_is_far_ahead_pauses(monkeypatch):
    monkeypatch.setattr(kafka_source, "Topic", Endless)
    stream = live_tuples(Arrivals(), "kafka://h/t")
    found = all_of(stream, lambda each: each.time)
    assert stream._topic.calls[-1] == "closed"
    assert len(found) <= 2 * kafka_source._AHEAD * kafka_source.READ_AHEAD
    assert [each.time for each in found] == sorted(each.time for each in found)
