"""Tuples that are out of order: the error names the line and the times as they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import denota
from denota.oracle.cli import main
from denota.semantics.model.tuples import OutOfOrderError, UntimedError
from denota.semantics.streams.tuples.reader import read_tuples

ONE = "SELECT * FROM S WHERE A ; B WITHIN 9 SECONDS"
TWO = "SELECT * FROM S, T WHERE A ; B WITHIN 9 EVENTS"
FILES = {
    "s.csv": 'type,time,x\nA,2026-01-01 00:00:05Z,"a\nb"\n\nB,2026-01-01 00:00:03Z,c\n',
    "t.csv": "type,time\nA,5.5\nB,3\n",
    "s.jsonl": '{"type": "A", "time": 5}\n{"type": "A", "time": 6}\n{"type": "A", "time": 2}\n',
    "in-order.csv": "type,time\nA,5\nB,6\n",
}
AS_WRITTEN = (
    "tuple 1 is out of order: 2026-01-01 00:00:03Z after 2026-01-01 00:00:05Z;"
    " set --max-out-of-orderness"
)
Evaluated = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    return tmp_path


def listed(*arguments: Any) -> list[Any]:
    return list(denota.run(*arguments))


@pytest.mark.parametrize("evaluated", [listed, denota.evaluate])
@pytest.mark.parametrize(("query", "streams", "message"), [
    (ONE, {"S": "s.csv"}, f"s.csv:5: {AS_WRITTEN}"),
    (ONE, {"S": "s.jsonl"},
        "s.jsonl:3: tuple 2 is out of order: 2 s after 6 s; set --max-out-of-orderness"),
    (TWO, {"S": "in-order.csv", "T": "t.csv"},
     "t.csv:3: tuple 1 is out of order: 3 s after 5.5 s; set --max-out-of-orderness"),
])
def test_the_line_and_the_times_are_named(
    evaluated: Evaluated, query: str, streams: dict[str, str], message: str, folder: Path
) -> None:
    with pytest.raises(denota.StreamError) as raised:
        evaluated(query, streams)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("evaluated", [listed, denota.evaluate])
def test_a_batch_that_begins_too_early(evaluated: Evaluated) -> None:
    early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
    first = pa.record_batch({"type": ["A", "A"], "time": [early, late]})
    second = pa.record_batch({"type": ["B"], "time": [early]})
    with pytest.raises(denota.StreamError, match=rf"tuple 2 .*: {early} after {late};"):
        evaluated(ONE, {"S": pa.Table.from_batches([first, second])})


@pytest.mark.parametrize("evaluated", [listed, denota.evaluate])
def test_the_order_does_not_matter_where_no_arrival_time_is_measured(
    evaluated: Evaluated, folder: Path
) -> None:
    (found,) = evaluated(ONE.replace("9 SECONDS", "9 EVENTS"), {"S": "s.csv"})
    assert found.positions == (0, 1)


@pytest.mark.parametrize("text", ["A,\nA,9\nB,5\n", "A,9\nA,\nB,5\n"])
def test_a_tuple_without_a_time_is_another_error(text: str, folder: Path) -> None:
    Path("s.csv").write_text("type,time\n" + text)
    for evaluated in (listed, denota.evaluate):
        with pytest.raises(denota.StreamError, match="no arrival time"):
            evaluated(ONE, {"S": "s.csv"})


def test_live_streams(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.csv").write_text("type,time\nA,4\n@heartbeat,4\nA,5\nB,3.5\n")
    Path("q.ceql").write_text(TWO)
    words = ["run", "q.ceql", "--follow", "--stream", "S=s.csv", "--stream", "T=in-order.csv"]
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("s.csv:5: tuple 3 is out of order: 3.5 s after 5 s")


@pytest.mark.parametrize(("rows", "alone", "merged"), [
    ("A,5|@heartbeat,3|B,4", "s.csv:4: tuple 2 is out of order: 4 s after 5 s", None),
    ("A,5|@heartbeat,3|A,6|B,3", "s.csv:5: tuple 3 is out of order: 3 s after 6 s", None),
    ("A,5|@heartbeat,9|B,7|B,6", "s.csv:5: tuple 3 is out of order: 6 s after 7 s",
     "s.csv:4: tuple 2 is out of order: 7 s after 9 s"),
    ("@heartbeat,9|B,7|B,6", "s.csv:4: tuple 2 is out of order: 6 s after 7 s",
     "s.csv:3: tuple 1 is out of order: 7 s after 9 s"),
    ("A,2|@heartbeat,5|A,3|A,5|B,3", "s.csv:6: tuple 4 is out of order: 3 s after 5 s",
     "s.csv:4: tuple 2 is out of order: 3 s after 5 s"),
])
def test_heartbeats_matter_where_live_streams_are_merged(
    rows: str, alone: str, merged: str | None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.csv").write_text("type,time\n" + rows.replace("|", "\n") + "\n")
    words = ["run", "q.ceql", "--stream", "S=s.csv"]
    for query, more, message in (
        (ONE, [], alone), (ONE, ["--engine", "oracle"], alone), (ONE, ["--follow"], alone),
        (TWO, ["--stream", "T=in-order.csv"], alone),
        (TWO, ["--stream", "T=in-order.csv", "--follow"], merged or alone),
    ):
        Path("q.ceql").write_text(query)
        assert main([*words, *more]) == 2
        assert capsys.readouterr().err.startswith(f"{message}; set --max-out-of-orderness"), more


@pytest.mark.parametrize("words", [[], ["--engine", "oracle"], ["--idle-timeout", "9"]])
@pytest.mark.parametrize(("second", "message"), [
    ("A,6|B,5.5", "2.csv:3: tuple 1 is out of order: 5.5 s after 6 s; set --max-out-of-orderness"),
    ("B,4", "2.csv:2: tuple 0 is out of order: 4 s after 5 s; set --max-out-of-orderness"),
    ("@heartbeat,4|A,4.5",
        "2.csv:3: tuple 1 is out of order: 4.5 s after 5 s; set --max-out-of-orderness"),
])
def test_the_files_of_a_folder(
    second: str, message: str, words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q.ceql").write_text(ONE)
    Path("in").mkdir()
    for number, rows in enumerate(("A,1|A,5", second), start=1):
        Path(f"in/{number}.csv").write_text("type,time\n" + rows.replace("|", "\n") + "\n")
        os.utime(f"in/{number}.csv", (number, number))
    assert main(["run", "q.ceql", "--stream", "S=in", *words]) == 2
    assert capsys.readouterr().err.startswith(f"in/{message}")


BAD_DATE = [{"type": "A", "time": "2026-01-01T00:00:00Z"}, {"type": "B", "time": "2026-13-01"}]


@pytest.mark.parametrize("form", [list, iter, pa.Table.from_pylist])
def test_a_time_that_cannot_be_read_is_told_with_its_place(form: Callable[..., Any]) -> None:
    message = r"^stream S: column 'time' cannot .*: '2026-13-01' is not .*\(tuple 1\)$"
    with pytest.raises(denota.StreamError, match=message):
        listed(ONE, {"S": form(BAD_DATE)})


def test_an_empty_time_is_told_with_its_line(folder: Path) -> None:
    Path("e.csv").write_text("type,time\nA,5\nB,\n")
    message = "^e.csv:3: tuple 1 has no arrival time: column 'time' is empty$"
    with pytest.raises(denota.StreamError, match=message):
        listed(ONE, {"S": "e.csv"})


def test_a_column_without_times_does_not_hide_disorder_against_a_heartbeat() -> None:
    text = b"type,time,timestamp\nA,x,10\n@heartbeat,,20\nA,x,15\n"
    stream = read_tuples(BytesIO(text), live=True, source="S")
    assert sum(map(len, stream.batches())) == 3
    assert [(type(each), each.line) for each in stream.disorder] == [
        (UntimedError, 2), (OutOfOrderError, 4),
    ]
