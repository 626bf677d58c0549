"""Every source, every language: what is certain leaves before anything more is told.

Nothing here is timed. Where an answer does not come, a watchdog ends the stream after minutes.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import ExitStack

import pytest
from rdflib.term import URIRef

from denota.oracle.languages.registry import language
from denota.semantics.streams.live.graphs import live_items
from denota.semantics.streams.live.reader import Arrivals
from denota.semantics.streams.live.tuples import live_tuples

from .children import CQELS, EPSPARQL, ONE_STREAM, RSEPQL, Child, heartbeat, nquads

CEQL = "SELECT * FROM S WHERE A ; B"
QUERIES = {
    "spaseq": ONE_STREAM, "rsepql": RSEPQL, "cqels": CQELS, "epsparql": EPSPARQL, "ceql": CEQL
}
# What an instant's end decides waits for it.
PASSES = ("rsepql", "cqels")
STREAM = URIRef("http://example.org/s")


def told(name, time, value):
    """An item, and where it takes that, that its instant is over."""
    if name == "ceql":
        return json.dumps({"type": " AB"[value], "x": time}) + "\n"
    return nquads(time, value) + (heartbeat(time + 1) if name in PASSES else "")


class Told:
    """One end of a source is written to by `tell`; the other is given to `stream`."""

    def __init__(self, name, stack):
        self.name = name
        self.stack = stack
        self.arrivals = Arrivals(notice=self.listening)
        self.listens_at = None
        self.write = None

    def listening(self, message):
        self.listens_at = message.removeprefix("listening at ")

    def stream(self, where, **options):
        if self.name == "ceql":
            return live_tuples(self.arrivals, where, format="jsonl", **options)
        return live_items(self.arrivals, where, format="nquads", **options)

    def tell(self, text):
        self.write(text.encode())

    def pipe(self, folder):
        os.mkfifo(folder / "s")
        file = self.stack.enter_context((folder / "s").open("r+b", buffering=0))
        self.write = file.write
        return self.stream(str(folder / "s"))

    def followed(self, folder):
        file = self.stack.enter_context((folder / "s").open("wb", buffering=0))
        self.write = file.write
        return self.stream(str(folder / "s"), follow=True)

    def tcp(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as server:
            stream = self.stream(f"tcp://127.0.0.1:{server.getsockname()[1]}")
            self.connected(server.accept()[0])
        return stream

    def tcp_listening(self, folder):
        stream = self.stream("tcp-listen://127.0.0.1:0")
        port = int(self.listens_at.rpartition(":")[2])
        self.connected(socket.create_connection(("127.0.0.1", port)))
        return stream

    def unix(self, folder):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "s"))
            server.listen()
            stream = self.stream(f"unix://{folder}/s")
            self.connected(server.accept()[0])
        return stream

    def unix_listening(self, folder):
        stream = self.stream(f"unix-listen://{folder}/s")
        writer = socket.socket(socket.AF_UNIX)
        writer.connect(str(folder / "s"))
        self.connected(writer)
        return stream

    def kafka(self, folder):
        kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")
        producer = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})

        def write(message, partition=0):
            producer.produce("t", message, partition=partition)
            assert producer.flush(60) == 0

        (broker,) = producer.list_topics("t", timeout=60).brokers.values()
        for partition in range(1, 4):  # which else were waited for
            beat = '{"type": "@heartbeat", "x": 9}' if self.name == "ceql" else heartbeat(9)
            write(beat, partition)
        self.write = write
        return self.stream(f"kafka://127.0.0.1:{broker.port}/t?fetch.wait.max.ms=5")

    def connected(self, writer):
        self.write = self.stack.enter_context(writer).sendall


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize(
    "source", ["pipe", "followed", "tcp", "tcp_listening", "unix", "unix_listening", "kafka"]
)
def test_a_result_leaves_before_the_next_item_comes(source, name, tmp_path, stack):
    teller = Told(name, stack)
    stream = getattr(teller, source)(tmp_path)

    def give_up():
        stream._fail(TimeoutError("no answer"))
        teller.arrivals.stop.set()

    watchdog = threading.Timer(300, give_up)
    stack.callback(watchdog.cancel)
    watchdog.start()
    spoken = language(name)
    query = spoken.parse(QUERIES[name])
    results = spoken.run(
        query, streams={URIRef("S") if name == "ceql" else STREAM: stream}, kb={},
        readings=spoken.readings({}, query), evaluation={},
    )
    stack.callback(results.close)
    for time, value in ((1, 1), (2, 2)):
        teller.tell(told(name, time, value))
    found = [next(results)]
    teller.tell(told(name, 4, 2))
    found.append(next(results))
    assert found[0] != found[1]


def test_a_child_that_reads_a_topic_is_interrupted_or_ends_with_a_fault(tmp_path):
    kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")
    producer = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
    (broker,) = producer.list_topics("t", timeout=60).brokers.values()
    where = f"kafka://127.0.0.1:{broker.port}/t"
    told = [('{"type": "A", "time": 1}', 0), ('{"type": "B", "time": 2}', 2)]
    told += [('{"type": "@heartbeat", "time": 9}', partition) for partition in range(4)]
    for message, partition in told:
        producer.produce("t", message, partition=partition)
    assert producer.flush(60) == 0
    with Child(tmp_path, CEQL, "--stream", f"S={where}") as child:
        assert child.match()["positions"] == [0, 1]
        assert child.interrupted() == (130, "", "")
    producer.produce("t", "B", partition=2)
    assert producer.flush(60) == 0
    with Child(tmp_path, CEQL, "--stream", f"S={where}?until=end") as child:
        code, _, err = child.ended()
        message = f"{where}, partition 2, offset 2:1:1: not JSON: expecting value\n"
        assert (code, err) == (2, message)


@pytest.mark.parametrize("format", ["jsonl", "csv", "srj"])
def test_each_format_is_flushed(format, tmp_path):
    with Child(tmp_path, ONE_STREAM, "--stream", ":s=-", "--stream-format", "nquads",
               "--format", format) as child:
        child.tell(nquads(1, 1) + nquads(2, 2))
        child.read_to("x2")
        child.tell(nquads(3, 2))
        child.read_to("x3")
        assert child.ended()[0] == 0


def test_a_child_that_connects_ends_with_its_writer(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with Child(tmp_path, ONE_STREAM, "--stream", f":s={where}") as child:
            writer, _ = server.accept()
            with writer:
                writer.sendall((nquads(1, 1) + nquads(2, 2)).encode())
                assert child.match()["time"] == 2
                writer.sendall(nquads(3, 2).encode())
                assert child.match()["time"] == 3
            assert child.ended() == (0, "", "")


def test_a_child_that_listens_is_told_where_and_interrupted(tmp_path):
    options = ("--stream", "S=tcp-listen://127.0.0.1:0?format=csv", "--follow")
    with Child(tmp_path, CEQL, *options) as child:
        said = child.process.stderr.readline()
        assert said.startswith("denota run: listening at tcp://127.0.0.1:")
        where = ("127.0.0.1", int(said.rpartition(":")[2]))
        for number, rows in enumerate(("type,x\nA,1\nB,", "B,3\n"), start=1):
            with socket.create_connection(where) as writer:  # one writer after another
                writer.sendall(rows.encode())
            assert child.match()["end"] == number
        assert child.interrupted() == (130, "", "")


@pytest.mark.parametrize("options", [(), ("--max-out-of-orderness", "5s")])
def test_who_is_interrupted_before_anybody_writes_leaves_no_socket(options, tmp_path):
    stream = f"S=unix-listen://{tmp_path}/s"
    with Child(tmp_path, CEQL, "--stream", stream, *options, forked=False) as child:
        assert "listening" in child.process.stderr.readline()
        assert child.interrupted() == (130, "", "")
    assert not (tmp_path / "s").exists()


def test_nobody_listens_is_one_line(tmp_path):
    with Child(tmp_path, ONE_STREAM, "--stream", f":s=unix://{tmp_path}/none") as child:
        message = f"unix://{tmp_path}/none: cannot connect: no such file or directory\n"
        assert child.ended() == (2, "", message)


def test_the_oracle_follows_no_socket(tmp_path):
    options = ("--stream", ":s=tcp-listen://127.0.0.1:0", "--follow", "--engine", "oracle")
    with Child(tmp_path, ONE_STREAM, *options) as child:
        assert child.ended() == (2, "", "denota run: --follow requires --engine production\n")


def test_what_was_certain_before_a_fault_is_written(tmp_path):
    with Child(tmp_path, ONE_STREAM, "--stream", f":s=unix-listen://{tmp_path}/s") as child:
        assert child.process.stderr.readline().endswith(f"listening at unix://{tmp_path}/s\n")
        with socket.socket(socket.AF_UNIX) as writer:
            writer.connect(str(tmp_path / "s"))
            writer.sendall((nquads(1, 1) + nquads(2, 2) + "<x:\n").encode())
        code, out, err = child.ended()
        assert (code, json.loads(out)["time"]) == (2, 2)
        assert err.startswith(f"unix-listen://{tmp_path}/s:5:")
        assert err.count("\n") == 1


@pytest.mark.parametrize("query, format, text, found", [
    (ONE_STREAM, "nquads", nquads(1, 1) + nquads(2, 2), {"time": 2}),
    (CEQL, "csv", "type\nA\nB\n", {"positions": [0, 1]}),
])
def test_the_oracle_reads_a_socket_to_its_end(query, format, text, found, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"tcp://127.0.0.1:{server.getsockname()[1]}?format={format}"
        name = "S" if query is CEQL else ":s"
        options = ("--stream", f"{name}={where}", "--engine", "oracle")
        with Child(tmp_path, query, *options) as child:
            writer, _ = server.accept()
            with writer:
                writer.sendall(text.encode())
            code, out, err = child.ended()
            assert (code, err) == (0, "")
            assert found.items() <= json.loads(out).items()
