"""The keys' states by themselves: what Spark calls, called without Spark, gives a plain run."""

from __future__ import annotations

import argparse
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")

from pyspark import SparkFiles
from rdflib.term import URIRef

from denota.oracle.cli import main
from denota.oracle.cli.run import configure
from denota.oracle.cli.run.input_streams import graph_of
from denota.oracle.cli.run.on_spark.keyed_state import KeyedState
from denota.oracle.cli.run.on_spark.run_spec import NO_GRAPHS, described, packed, shipped_graphs
from denota.oracle.cli.run.on_spark.stream_source import OrderedReading
from denota.oracle.languages.registry import language as language_named
from denota.semantics.model.errors import StreamError

ITEMS = 120
PREFIX = "PREFIX : <http://example.org/> "
GPMS = (
    " DEFINE GPM A ON S { ?m :a ?a } DEFINE GPM B ON S { ?m :b ?b }"
    " DEFINE GPM C ON S { ?m :c ?c } }"
)
QUERIES = {
    "events": "SELECT * FROM S WHERE A ; B PARTITION BY [m] WITHIN 20 EVENTS",
    "events-core": "SELECT MAX * FROM S WHERE A ; B PARTITION BY [m] WITHIN 9 EVENTS",
    "time": "SELECT * FROM S WHERE A : B PARTITION BY [m], [k] WITHIN 15 SECONDS"
    " CONSUME BY PARTITION",
    "attribute": "SELECT NEXT * FROM S WHERE A ; B PARTITION BY [k, m] WITHIN 60 [level]",
    "valuations": "SELECT A FROM S WHERE A ; B+ PARTITION BY [m] WITHIN 30 EVENTS",
    "next": PREFIX + "SELECT ?m ?a ?b WITHIN 40 FROM STREAM S :s WHERE { SEQ(A; B)" + GPMS,
    "absence": PREFIX + "SELECT * WITHIN 80 SLIDE 20 FROM STREAM S :s WHERE { SEQ(A; C!; B)" + GPMS,
}
READINGS = {
    "events-core": ["within=core"], "valuations": ["output=valuation"],
    "absence": ["negation=absence"],
}


def words(folder: Path, name: str) -> list[str]:
    """The command line of a run over a stream in this folder."""
    draw = Random(11)
    (folder / "query").write_text(QUERIES[name])
    time = 0
    tuples, items = ["type,m,k,time,level"], []
    for at in range(ITEMS):
        time += draw.randrange(3)
        machine = draw.randrange(6 if at < ITEMS // 2 else 3)  # some keys fall silent
        kind, k = draw.choice("aabbc"), draw.choice(["x", "y", ""])
        tuples.append(f"{kind.upper()},m{machine},{k},{time},{at + draw.randrange(2)}")
        items.append(f":g{at} prov:generatedAtTime {time + at} ."
                     f" :g{at} {{ :m{machine} :{kind} {at} }}")
    (folder / "s.csv").write_text("\n".join(tuples) + "\n")
    head = "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    (folder / "s.trig").write_text(head + "\n".join(items))
    readings = [word for each in READINGS.get(name, ()) for word in ("--reading", each)]
    stream = "s.trig" if "PREFIX" in QUERIES[name] else "s.csv"
    return ["run", str(folder / "query"), "--stream", f"S={folder / stream}", *readings]


class Stored:
    """Spark's side of one state: its value and its timers."""

    def __init__(self) -> None:
        self.value: Any = None
        self.timers: set[int] = set()

    def getValueState(self, name: str, schema: str) -> Stored:
        return self

    def get(self) -> Any:
        return self.value

    def update(self, value: Any) -> None:
        self.value = value

    def clear(self) -> None:
        self.value = None

    def registerTimer(self, at: int) -> None:
        self.timers.add(at)


class Spark:
    """Micro-batches in order, states by key, a watermark behind the latest event time by 1 ms."""

    def __init__(self, words: list[str], background: str = NO_GRAPHS, **changed: Any) -> None:
        parser = argparse.ArgumentParser()
        configure(parser)
        arguments = parser.parse_args([*words[1:], "--spark"])
        vars(arguments).update(changed)
        self.description = described(arguments, Path(words[1]).read_text(), "query", background)
        self.states: dict[str, Stored] = defaultdict(Stored)
        self.lines: list[str] = []
        self.watermark = self.most = 0
        self.taken = 0

    def run(self, stop: int | None = None) -> None:
        """From where it is, as a driver does that has been started anew."""
        reading = OrderedReading(self.description)
        while (end := reading.there_after(self.taken)) > self.taken:
            if stop is not None and end > stop:
                return
            self.micro_batch(list(reading.chunks(self.taken, end)))
            reading.forget(end)
            self.taken = end

    def micro_batch(self, chunks: list[Any]) -> None:
        for chunk in reversed(chunks):
            assert chunk.at > self.watermark, "Spark would drop it as late"
            row = {"first": chunk.first, "content": bytearray(chunk.content)}
            self.called(chunk.group, lambda state, row=row: state.handleInputRows(
                None, iter([row]), None))
        self.watermark = max([self.watermark, *(chunk.at - 1 for chunk in chunks)])
        values = SimpleNamespace(getCurrentWatermarkInMs=lambda: self.watermark)
        for group, stored in self.states.items():
            for timer in sorted(each for each in stored.timers if each <= self.watermark):
                stored.timers.remove(timer)
                self.called(group, lambda state: state.handleExpiredTimer(None, values, None))
        self.most = max(self.most, sum(each.value is not None for each in self.states.values()))

    def called(self, group: str, call: Any) -> None:
        state = KeyedState(self.description)
        state.init(self.states[group])
        self.lines += [row["result"] for row in call(state)]


def plain(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(words) == 0
    found = sorted(capsys.readouterr().out.splitlines())
    assert len(found) > 2
    return found


@pytest.mark.parametrize("groups", [None, 2])
@pytest.mark.parametrize("name", QUERIES)
def test_states_of_keys_find_what_a_plain_run_finds(
    name: str, groups: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = words(tmp_path, name)
    keyed = Spark(asked, every=17, key_groups=groups)
    keyed.run(stop=70)
    assert 0 < keyed.taken < ITEMS
    keyed.run()
    assert sorted(keyed.lines) == plain(asked, capsys)


@pytest.mark.parametrize("name", ["events", "time", "next"])
def test_a_state_goes_when_its_window_is_over(name: str, tmp_path: Path) -> None:
    keyed = Spark(words(tmp_path, name), every=1)
    keyed.run()
    there = [each for each in keyed.states.values() if each.value is not None]
    assert len(there) < len(keyed.states)
    for stored in there:
        assert len(stored.timers) == 1
    for stored in keyed.states.values():
        assert (stored.value is None) == (not stored.timers)


def test_late_items_are_those_of_a_plain_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = words(tmp_path, "time")
    (tmp_path / "s.csv").write_text(
        "type,m,k,time\nA,1,x,20\nA,1,x,15\nB,1,x,40\nA,1,x,12\nB,1,x,28\nA,1,x,39\nB,1,x,44\n"
    )
    asked += ["--max-out-of-orderness", "10s"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert "dropped 2 late items of <S>" in err
    keyed = Spark(asked, every=2)
    keyed.run()
    assert sorted(keyed.lines) == sorted(out.splitlines()) != []
    reading = OrderedReading(keyed.description)
    reading.there_after(100)
    assert reading.late() == {"S": 2}


def test_background_graphs_are_the_same_for_all_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = words(tmp_path, "next")
    kinds = GPMS.replace("{ ?m :b ?b }", "{ ?m :b ?b GRAPH :known { ?m :made _:x . _:x :by ?c } }")
    (tmp_path / "query").write_text(QUERIES["next"].replace(GPMS, kinds))
    (tmp_path / "known.ttl").write_text(
        "@prefix : <http://example.org/> . :m1 :made _:b . _:b :by _:c . :m2 :made [ :by :d ] ."
    )
    background = ["--kb", f"http://example.org/known={tmp_path / 'known.ttl'}"]
    graph = graph_of(str(tmp_path / "known.ttl"), language_named("spaseq"))
    file, content = packed({URIRef("http://example.org/known"): graph})
    (tmp_path / file).write_text(content)
    # Where a worker finds what has been sent to it.
    monkeypatch.setattr(SparkFiles, "_root_directory", str(tmp_path))
    monkeypatch.setattr(SparkFiles, "_is_running_on_worker", True)
    assert shipped_graphs(file) == {URIRef("http://example.org/known"): graph}
    keyed = Spark(asked, file, every=17)
    keyed.run(stop=70)
    (tmp_path / file).unlink()  # which is read once
    keyed.run()
    found = plain([*asked, *background], capsys)
    assert sorted(blank(keyed.lines)) == sorted(blank(found))
    assert {m for line in found for m in re.findall("org/(m[0-9])", line)} == {"m1", "m2"}


def blank(lines: list[str]) -> list[str]:
    """The lines without their blank nodes' labels."""
    return [re.sub('"bnode", "value": "[^"]*"', '"bnode"', line) for line in lines]


@pytest.mark.parametrize("name", ["time", "next"])
def test_a_folder_that_is_followed_is_what_its_files_are_in_a_row(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = words(tmp_path, name)
    whole = Path(asked[3].removeprefix("S="))
    head, *rows = whole.read_text().splitlines()
    come = tmp_path / "come"
    come.mkdir()
    asked[3] = f"S={come}/"
    asked += ["--checkpoint", str(tmp_path)]
    keyed = Spark([*asked, "--follow"], every=30)
    for number, first in enumerate(range(0, ITEMS, 40)):
        text = "\n".join([head, *rows[first : first + 40]])
        file = come / f".{9 - number}{whole.suffix}"
        file.write_text(f"{text}\n")
        os.utime(file, (number, number))
        file.rename(come / file.name[1:])  # there as a whole, also for the reader before
        reading = OrderedReading(keyed.description)  # a run that was killed, and begins again
        while keyed.taken < first + 30:
            end = reading.there_after(keyed.taken)
            keyed.micro_batch(list(reading.chunks(keyed.taken, end)))
            keyed.taken = end
        reading.stop()
    keyed.description = Spark(asked).description  # a run that ends
    keyed.run()
    assert keyed.taken == ITEMS
    assert sorted(keyed.lines) == plain([*asked[:3], f"S={whole}"], capsys)
    assert sorted(keyed.lines) == plain(asked[:4], capsys)


def failing(asked: list[str]) -> Iterator[Any]:
    reading = OrderedReading(Spark(asked).description)
    yield from reading.chunks(0, reading.there_after(0))


def test_an_item_of_two_keys_is_refused(tmp_path: Path) -> None:
    asked = words(tmp_path, "next")
    (tmp_path / "s.trig").write_text(
        "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
        ":g prov:generatedAtTime 7 . :g { :m1 :a 1 . :m2 :b 2 }"
    )
    with pytest.raises(StreamError, match=r"the item at 7 has several keys \?m"):
        list(failing(asked))


def test_times_that_fall_in_another_key_are_an_error(tmp_path: Path) -> None:
    asked = words(tmp_path, "time")
    (tmp_path / "s.csv").write_text("type,m,k,time\nA,1,x,20\nB,2,x,15\n")
    with pytest.raises(StreamError, match=r"s\.csv:3: tuple 1 is out of order: 15 s after 20 s;"):
        list(failing(asked))


@pytest.mark.parametrize("until", ["?until=end", ""])
def test_a_topic_is_read_again_from_its_beginning(until: str, tmp_path: Path) -> None:
    kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")
    producer = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
    (broker,) = producer.list_topics("t", timeout=60).brokers.values()
    told = [("A", 1), ("A", 2), ("B", 1), ("B", 2)]
    for time, (kind, machine) in enumerate(told):
        tuple_ = f'{{"type": "{kind}", "time": {time}, "m": "m{machine}"}}'
        producer.produce("t", tuple_, partition=time % 4)
    for partition in range(4):  # which are waited for
        producer.produce("t", '{"type": "@heartbeat", "time": 9}', partition=partition)
    assert producer.flush(60) == 0
    asked = words(tmp_path, "events")
    asked[3] = f"S=kafka://127.0.0.1:{broker.port}/t{until}"
    (tmp_path / "query").write_text(QUERIES["events"])
    keyed = Spark(asked, every=1)
    while keyed.taken < len(told):
        reading = OrderedReading(keyed.description)  # from the beginning, past what was taken
        assert reading.asked.endless == (not until)
        end = reading.there_after(keyed.taken)  # of an endless stream there may be nothing yet
        keyed.micro_batch(list(reading.chunks(keyed.taken, end)))
        keyed.taken = end
        reading.stop()
    assert sorted(keyed.lines) == [
        '{"start": 0, "end": 2, "positions": [0, 2]}',
        '{"start": 1, "end": 3, "positions": [1, 3]}',
    ]


def test_a_rate_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = words(tmp_path, "events")
    (tmp_path / "query").write_text(
        "SELECT * FROM S WHERE Rate AS a ; Rate AS b FILTER a[value < 50] AND b[value > 40]"
        " PARTITION BY [key] WITHIN 20 EVENTS"
    )
    asked[3] = "S=rate://?rows-per-second=1000000&keys=7"
    keyed = Spark(asked, every=17)
    reading = OrderedReading(keyed.description)
    assert reading.asked.endless
    assert list(reading.chunks(0, 17))
    reading.stop()
    asked[3] += "&rows=100"
    keyed = Spark(asked, every=17)
    keyed.run(stop=50)
    assert keyed.taken == 34
    keyed.run()
    assert keyed.taken == 100
    assert sorted(keyed.lines) == plain(asked, capsys)
