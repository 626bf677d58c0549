"""`denota run --checkpoint` over streams that are put in order while they come."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from denota.engine.checkpoints.checkpoint_files import read
from denota.oracle.cli.run.checkpointing import Checkpointed
from denota.semantics.streams.live import reader

from .children import ONE_STREAM, fork_denota, nquads
from .test_checkpoints import asked, in_a_child

ITEMS = 60


def items(shuffled: int = 0) -> list[str]:
    """N-Quads items, at most so far out of order."""
    draw = Random(3)
    times = sorted(range(ITEMS), key=lambda time: time + draw.random() * shuffled)
    return [nquads(time, draw.choice((1, 2))) for time in times]


def killed_after(items: int) -> Callable[[], None]:
    def prepare() -> None:
        reader._AT_ONCE, reader.READ_AHEAD = 2, 4
        between = Checkpointed._between

        def told(self: Checkpointed) -> None:
            if self.taken.total() >= items:
                os.kill(os.getpid(), signal.SIGKILL)
            between(self)

        Checkpointed._between = told  # type: ignore[method-assign]

    return prepare


def test_what_is_held_back_is_gone_on_with(tmp_path: Path) -> None:
    words = [word.replace("s.trig", "s.nq") for word in asked(tmp_path, "rsepql")]
    ex = "http://example.org/"
    draw = Random(5)
    times = sorted(range(ITEMS), key=lambda time: time + draw.random() * 8)
    (tmp_path / "s.nq").write_text("".join(
        nquads(time, 1).replace(f"{ex}x{time}", f"{ex}m{draw.randrange(4)}").replace(
            f"{ex}p", ex + draw.choice("ab")
        )
        for time in times
    ))
    words += ["--max-out-of-orderness", "6"]  # some are late
    assert in_a_child([*words, "-o", str(tmp_path / "whole")]) == 0
    kept = [*words, "-o", str(tmp_path / "part"), "--checkpoint", str(tmp_path / "state")]
    for item in (20, 45):
        often = [*kept, "--checkpoint-interval", "6"]
        assert in_a_child(often, killed_after(item)) == -signal.SIGKILL
    before = read(tmp_path / "state")
    assert before.waiting is not None
    assert in_a_child(kept) == 0
    results = [sorted((tmp_path / name).read_text().splitlines()) for name in ("whole", "part")]
    assert results[0] == results[1]
    assert len(results[0]) > 10


class Interrupted:
    """A run that is ended by SIGTERM once it has found something, and one that goes on."""

    def __init__(self, folder: Path, *options: str) -> None:
        (folder / "q").write_text(ONE_STREAM)
        self.state = folder / "state"
        self._folder = folder
        self._words = [
            "run", "q", "--checkpoint", "state", "--stream-format", "nquads", *options
        ]

    def begun(self) -> subprocess.Popen[str]:
        return fork_denota(self._words, self._folder)

    def ended(self, running: subprocess.Popen[str], results: int) -> list[str]:
        """What it has found when it is ended, after so many results at least."""
        assert running.stdout is not None
        found = [running.stdout.readline() for _ in range(results)]
        running.terminate()
        found += running.stdout
        assert running.wait(300) == 128 + signal.SIGTERM
        return found

    def taken(self) -> int:
        return sum(read(self.state).about["taken"].values())


def whole(folder: Path, content: str, *options: str) -> list[str]:
    (folder / "q").write_text(ONE_STREAM)
    (folder / "s.nq").write_text(content)
    running = fork_denota(["run", "q", "--stream", ":s=s.nq", *options], folder)
    out, _ = running.communicate()
    assert running.returncode == 0
    return sorted(out.splitlines(keepends=True))


def test_standard_input_goes_on_behind_what_was_taken(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, "--stream", ":s=-", "--max-out-of-orderness", "8")
    given = items(5)
    running = run.begun()
    assert running.stdin is not None
    running.stdin.write("".join(given[:40]))
    running.stdin.flush()
    found = run.ended(running, 5)
    assert read(run.state).waiting is not None
    rest, said = run.begun().communicate("".join(given[run.taken():]), timeout=300)
    assert "resuming from" in said
    found += rest.splitlines(keepends=True)
    assert sorted(found) == whole(tmp_path, "".join(given), "--max-out-of-orderness", "8")


def test_a_socket_goes_on_behind_what_was_taken(tmp_path: Path) -> None:
    given = items()
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        run = Interrupted(tmp_path, "--stream", f":s={where}")
        running = run.begun()
        writer, _ = server.accept()
        with writer:
            writer.sendall("".join(given[:30]).encode())
            found = run.ended(running, 5)
        running = run.begun()
        writer, _ = server.accept()
        with writer:
            writer.sendall("".join(given[run.taken():]).encode())
        rest, said = running.communicate(timeout=300)
    assert "resuming from" in said
    found += rest.splitlines(keepends=True)
    assert sorted(found) == whole(tmp_path, "".join(given))


@pytest.fixture
def broker() -> tuple[str, Callable[[str, int], None]]:
    kafka = pytest.importorskip("confluent_kafka", reason="the extra kafka is not installed")
    producer = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
    (broker,) = producer.list_topics("t", timeout=60).brokers.values()

    def put(message: str, partition: int) -> None:
        producer.produce("t", message, partition=partition)
        assert producer.flush(60) == 0

    return f"kafka://127.0.0.1:{broker.port}/t?fetch.wait.max.ms=5", put


def test_a_topic_is_read_from_where_it_was_left(
    broker: tuple[str, Callable[[str, int], None]], tmp_path: Path
) -> None:
    where, put = broker
    given = items()
    run = Interrupted(tmp_path, "--stream", f":s={where}", "--checkpoint-interval", "7")
    for number in range(0, 40, 2):  # two items a message
        put(given[number] + given[number + 1], number // 2 % 4)
    found = run.ended(run.begun(), 5)
    positions = read(run.state).about["positions"]["http://example.org/s"]
    assert any(offset > 0 for _, offset, _ in positions)
    for number in range(40, ITEMS, 2):
        put(given[number] + given[number + 1], number // 2 % 4)
    run = Interrupted(tmp_path, "--stream", f":s={where}&until=end")
    rest, _ = run.begun().communicate(timeout=300)
    found += rest.splitlines(keepends=True)
    assert sorted(found) == whole(tmp_path, "".join(given))


def test_a_rate_brings_again_what_was_taken(tmp_path: Path) -> None:
    query, out, kept = tmp_path / "query", tmp_path / "out", tmp_path / "kept"
    query.write_text("SELECT * FROM S WHERE Rate AS a FILTER a[value > 7]")
    run = ["run", str(query), "--stream", "S=rate://?rows-per-second=100000&rows=10", "-o",
           str(out), "--checkpoint", str(kept)]
    for _ in range(2):
        assert in_a_child(run) == 0
        assert read(kept).about["taken"] == {"": 10}
        assert out.read_text() == (
            '{"start": 8, "end": 8, "positions": [8]}\n{"start": 9, "end": 9, "positions": [9]}\n'
        )
