"""`denota.stream` and `denota.restore`: items are pushed, and a run goes on in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.semantics.model.tuples import EventTuple

EX = "http://example.org/"
SPASEQ = """PREFIX : <http://example.org/> SELECT ?m ?a ?b WITHIN 30
    FROM STREAM S :s FROM STREAM T :t WHERE { SEQ(A; B)
    DEFINE GPM A ON S { ?m :a ?a } DEFINE GPM B ON T { ?m :b ?b } }"""
SPASEQ_ON_S = SPASEQ.replace("FROM STREAM T :t", "").replace("ON T", "ON S")
CEQL = "SELECT * FROM S WHERE A ; B PARTITION BY [m] WITHIN 20 EVENTS"


def said(property: str, value: int) -> str:
    return f"<{EX}m> <{EX}{property}> {value} ."


def test_streams_that_come_apart_wait_for_one_another() -> None:
    running = denota.stream(SPASEQ, independent_streams=True)
    assert running.push("T", (20, said("b", 20))) == []
    again = denota.restore(running.state(), SPASEQ, apart=True)
    assert again.push("S", (10, said("a", 10))) == []
    [pair] = again.advance(25, "S")
    assert pair.time == 20
    assert again.finish() == []


def test_items_of_all_streams_come_in_one_order_unless_they_come_apart() -> None:
    running = denota.stream(SPASEQ)
    assert running.push("S", (10, said("a", 10))) == []
    assert running.push("T", (20, said("b", 20))) == []  # of S one at 20 would stand before it
    with pytest.raises(denota.StreamError, match="an item at 15 comes after 20"):
        running.push("S", (15, said("a", 15)))
    assert [pair.time for pair in running.push(EX + "t", (21, said("b", 21)))] == [20]
    assert running.advance(22) == []


def test_what_is_held_back_is_in_the_checkpoint() -> None:
    inputs: dict[str, Any] = {"max_out_of_orderness": 10, "reorder_buffer_size": 3}
    running = denota.stream(SPASEQ, **inputs)
    running.push("T", (20, said("b", 20)))
    running.push("S", (12, said("a", 12)))
    again = denota.restore(running.state(), SPASEQ, **inputs)
    again.push("S", (5, said("a", 5)))
    assert again.late == {EX + "s": 1}
    assert [pair.time for pair in again.push("S", (40, said("a", 40)))] == [20]
    with pytest.raises(denota.CheckpointError, match="other options for reading its streams"):
        denota.restore(running.state(), SPASEQ)


def test_what_is_certain_before_an_item_that_is_refused_comes_with_the_next_call() -> None:
    running = denota.stream(SPASEQ_ON_S)
    running.push("S", (10, said("a", 10)))
    with pytest.raises(denota.StreamError, match="comes after 20"):
        running.push_batch("S", [(20, said("b", 20)), (19, said("b", 19))])
    with pytest.raises(denota.DenotaError, match="the next push returns them"):
        running.state()
    assert [pair.time for pair in running.push("S", (21, said("a", 21)))] == [20]


def test_what_cannot_be_pushed_is_refused_in_a_line() -> None:
    running = denota.stream(SPASEQ)
    with pytest.raises(denota.StreamError, match=r"unknown stream 'U' \(known: S, T, http"):
        running.push("U", (1, ""))
    with pytest.raises(denota.StreamError, match="holds over an interval, expected an instant"):
        running.push("S", (1, 2, ""))
    running.push("S", (1, ""))
    with pytest.raises(denota.StreamError, match="dateTime times, and those before it integer"):
        running.push("S", ("2026-01-01T00:00:00Z", ""))
    running.finish()
    with pytest.raises(denota.DenotaError, match="is finished"):
        running.push("S", (9, ""))
    tuples = denota.stream(CEQL)
    tuples.push("S", EventTuple("A", {"m": 1}))
    with pytest.raises(denota.StreamError, match="has arrival times, and those before it no"):
        tuples.push("S", EventTuple("A", {"m": 1}, 5))
    with pytest.raises(denota.DenotaError, match="say which there are"):
        denota.stream("PREFIX : <urn:> SELECT * WHERE { ?a :p ?b }", language="epsparql")


def test_a_checkpoint_of_another_query_is_refused(tmp_path: Path) -> None:
    running = denota.stream(CEQL)
    running.checkpoint(tmp_path / "state")
    message = "state: cannot resume: the checkpoint belongs to a run with"
    with pytest.raises(denota.CheckpointError, match=message):
        denota.restore(tmp_path / "state", CEQL.replace("20", "21"))
    (tmp_path / "state").write_bytes(running.state()[:-1])
    with pytest.raises(denota.CheckpointError, match="the checkpoint is truncated"):
        denota.restore(tmp_path / "state", CEQL)


def test_many_items_at_once_go_by_columns_and_give_the_same() -> None:
    items = [(n, said("ab"[n % 2], n)) for n in range(200)]
    query = SPASEQ_ON_S
    singly, together = denota.stream(query), denota.stream(query, ["S"])
    found = [pair for item in items for pair in singly.push("S", item)]
    assert set(together.push_batch("S", items)) == set(found)
    assert len(found) == 100
    again = denota.restore(together.state(), query, ["S"])
    assert again.push("S", (201, said("b", 1))) == singly.push("S", (201, said("b", 1)))


def test_another_process_goes_on(tmp_path: Path) -> None:
    running = denota.stream(CEQL)
    assert running.push("S", {"type": "A", "m": 1}) == []
    running.checkpoint(tmp_path / "state")
    program = (
        "import denota, json, sys\n"
        "running = denota.restore(sys.argv[1], sys.argv[2])\n"
        "found = running.push('S', {'type': 'B', 'm': 1})\n"
        "print(json.dumps([each.positions for each in found]))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "state"), CEQL]
    answer = subprocess.run(command, capture_output=True, check=True)
    assert json.loads(answer.stdout) == [[0, 1]]
