"""Live runs through a socket: how many items a second, and how soon after an item its result.

    python bench/live.py [--items 100000] [--answers 500]

`denota run` is a child that connects to a socket here. Speed is by the child's processor time, less
that of a child that is told one item; an answer is timed from before the item that completes a
match is written until its line has been read.
"""

from __future__ import annotations

import argparse
import json
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import IO

EX = "http://example.org/"
TIME = "http://www.w3.org/ns/prov#generatedAtTime"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
GRAPHS = """PREFIX : <http://example.org/>
SELECT ?x WITHIN 1 FROM STREAM S :s
WHERE { SEQ(A : B) DEFINE GPM A ON S { ?x :p 0 } DEFINE GPM B ON S { ?y :p 1 } }"""
TUPLES = "SELECT * FROM S WHERE A : B"


def n_quads(time: int) -> str:
    return (
        f'<{EX}x{time % 50}> <{EX}p> "{time % 2}"^^<{INTEGER}> <{EX}g{time}> .\n'
        f'<{EX}g{time}> <{TIME}> "{time}"^^<{INTEGER}> .\n'
    )


def json_ld(time: int) -> str:
    fact = {"@id": f"{EX}x{time % 50}", f"{EX}p": time % 2}
    return json.dumps({TIME: time, "@graph": [fact]}) + "\n"


def event(time: int) -> str:
    return json.dumps({"type": "AB"[time % 2], "time": time, "x": time % 50}) + "\n"


KINDS: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "SPAseq, N-Quads": (GRAPHS, "nquads", n_quads),
    "SPAseq, JSON Lines": (GRAPHS, "jsonl", json_ld),
    "CEQL, JSON Lines": (TUPLES, "jsonl", event),
}


@contextmanager
def running(query: str, format: str) -> Iterator[tuple[socket.socket, IO[str]]]:
    """The socket that a child reads, and what it writes."""
    with TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        path = Path(folder, "query")
        path.write_text(query, encoding="utf-8")
        where = f"tcp://127.0.0.1:{server.getsockname()[1]}?format={format}"
        command = [sys.executable, "-m", "denota", "run", str(path), "--stream", f"S={where}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            writer, _ = server.accept()
            writer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with writer:
                yield writer, child.stdout


def processor_time(query: str, format: str, item: Callable[[int], str], items: int) -> float:
    """The seconds of a child that reads so many items of which none completes a match."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with running(query, format) as (writer, out):
        writer.sendall("".join(item(2 * number) for number in range(items)).encode())
        writer.close()
        out.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def answers(query: str, format: str, item: Callable[[int], str], wanted: int) -> list[float]:
    """Milliseconds from an item to the line that it makes certain."""
    found = []
    with running(query, format) as (writer, out):
        for number in range(wanted):
            writer.sendall(item(2 * number).encode())
            start = perf_counter()
            writer.sendall(item(2 * number + 1).encode())
            line = json.loads(out.readline())
            found.append((perf_counter() - start) * 1e3)
            assert line.get("time", line.get("end")) == 2 * number + 1
    return found[wanted // 10 :]  # the first ones find everything cold


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=500)
    asked = parser.parse_args()
    print(f"{'':20}{'items/s':>10}{'answer, median':>18}{'9 of 10 within':>18}")
    for name, (query, format, item) in KINDS.items():
        taken = processor_time(query, format, item, asked.items)
        speed = asked.items / (taken - processor_time(query, format, item, 1))
        times = answers(query, format, item, asked.answers)
        tenth = quantiles(times, n=10)[-1]
        print(f"{name:20}{speed:>10,.0f}{median(times):>15.2f} ms{tenth:>15.2f} ms", flush=True)


if __name__ == "__main__":
    main()
