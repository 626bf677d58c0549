"""Streams of tuples: files in every format, types, arrival times, merging, and clear errors."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from denota.semantics.model.errors import StreamError
from denota.semantics.model.tuples import EventTuple, batches, in_time_order, merged, of_one_type
from denota.semantics.model.tuples import rows as tuples_of
from denota.semantics.streams.tuples.reader import is_tuple_file, parse_tuples, read_tuples
from denota.semantics.streams.tuples.tables import row_batches

CSV = "type,name,price,closed\nSELL,MSFT,101.5,true\nBUY,,7,\n"
TUPLES = [
    EventTuple("SELL", {"name": "MSFT", "price": 101.5, "closed": True}),
    EventTuple("BUY", {"price": 7.0}),
]


def test_a_cell_that_is_empty_is_a_missing_attribute():
    assert list(parse_tuples(CSV)) == TUPLES


def test_a_quoted_empty_cell_is_an_empty_string():
    first, second = parse_tuples('type,name\nA,""\nA,\n')
    assert (first.get("name"), second.get("name")) == ("", None)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("s.csv", lambda text: text),
        ("s.csv.gz", gzip.compress),
        ("s.csv.zst", lambda text: zstandard.ZstdCompressor().compress(text)),
    ],
)
def test_files_may_be_compressed(tmp_path: Path, name: str, pack: Any):
    path = tmp_path / name
    path.write_bytes(pack(CSV.encode()))
    assert is_tuple_file(str(path))
    assert list(read_tuples(path)) == TUPLES


def test_every_format_says_the_same(tmp_path: Path):
    table = pa.table(
        {
            "type": ["SELL", "BUY"], "name": ["MSFT", None], "price": [101.5, 7.0],
            "closed": [True, None],
        }
    )
    pq.write_table(table, tmp_path / "s.parquet")
    with pa.OSFile(str(tmp_path / "s.arrow"), "wb") as file, pa.ipc.new_file(
        file, table.schema
    ) as writer:
        writer.write(table)
    with pa.OSFile(str(tmp_path / "s.arrows"), "wb") as file, pa.ipc.new_stream(
        file, table.schema
    ) as writer:
        writer.write(table)
    lines = [{"type": "SELL", "name": "MSFT", "price": 101.5, "closed": True},
             {"type": "BUY", "name": None, "price": 7}]
    (tmp_path / "s.jsonl").write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    for suffix in ("parquet", "arrow", "arrows", "jsonl"):
        assert list(read_tuples(tmp_path / f"s.{suffix}")) == TUPLES, suffix
    assert list(read_tuples(table)) == TUPLES
    assert list(read_tuples(io.BytesIO(CSV.encode()))) == TUPLES


def test_a_stream_can_be_read_again():
    stream = parse_tuples(CSV)
    assert list(stream) == list(stream)


# --- types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2"], [1, -2]),
        (["1", "2.5"], [1.0, 2.5]),
        (["1e3", ".5"], [1000.0, 0.5]),
        (["true", "False"], [True, False]),
        (["1", "x"], ["1", "x"]),
        (["2020-01-01", "2021-01-01"], ["2020-01-01", "2021-01-01"]),
        (["NA", "nan"], ["NA", "nan"]),
        (["123456789012345678901", "1"], [1.2345678901234568e20, 1.0]),
        (["1700000000123456789", "1"], [1700000000123456789, 1]),
        (["9223372036854775807", "-9223372036854775808"], [(1 << 63) - 1, -(1 << 63)]),
        (["9223372036854775808", "1"], [9.223372036854775808e18, 1.0]),
    ],
)
def test_a_column_has_the_first_type_that_suits_all_of_it(cells: list[str], values: list[Any]):
    text = "type,x\n" + "".join(f"A,{cell}\n" for cell in cells)
    found = [each.get("x") for each in parse_tuples(text)]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_a_type_that_the_first_rows_suggest_is_revised_by_the_rest_of_the_piece():
    rows = "".join(f"A,{number}\n" for number in range(2_000))
    found = [each.get("x") for each in parse_tuples(f"type,x\n{rows}A,0.5\n")]
    assert found[-1] == 0.5
    assert isinstance(found[0], float)


def test_a_declaration_fixes_types():
    declaration = "CREATE STREAM S { EVENT A { x:string, y:double } }"
    (found,) = parse_tuples("type,x,y\nA,01,1\n", declaration=declaration)
    assert found.attributes == {"x": "01", "y": 1.0}


def test_the_only_event_of_a_declaration_needs_no_column():
    (found,) = parse_tuples("x\n1\n", declaration="CREATE STREAM S { EVENT A { x:int } }")
    assert found == EventTuple("A", {"x": 1})


def test_another_column_may_hold_the_type():
    (found,) = parse_tuples("kind,x\nA,1\n", type_column="kind")
    assert found == EventTuple("A", {"x": 1})


def test_arrow_types_become_four(tmp_path: Path):
    table = pa.table(
        {
            "type": pa.array(["A"]).dictionary_encode(),
            "a": pa.array([1], pa.uint8()),
            "b": pa.array([1.5], pa.float32()),
            "c": pa.array(["x"], pa.large_string()),
            "d": pa.array([86_400], pa.timestamp("s")),
        }
    )
    (found,) = read_tuples(table)
    assert found.attributes == {"a": 1, "b": 1.5, "c": "x", "d": 86_400}


# --- arrival times --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "more", "time"),
    [
        ("type,x\nA,1\n", {}, None),
        ("type,time\nA,2\n", {}, 2_000_000_000),
        ("type,timestamp\nA,0.5\n", {}, 500_000_000),
        ("type,arrival_time\nA,1970-01-01T00:00:01Z\n", {}, 1_000_000_000),
        ("type,time\nA,1970-01-01 00:00:01\n", {}, 1_000_000_000),
        ("type,time\nA,morning\n", {}, None),
        ("type,x\nA,3\n", {"time_column": "x"}, 3_000_000_000),
        ("type,t\nA,3\n", {"declaration": "CREATE STREAM S { EVENT A { t:primary_time } }"}, 3),
    ],
)
def test_where_the_arrival_time_stands(text: str, more: dict[str, str], time: int | None):
    (found,) = parse_tuples(text, **more)
    assert found.time == time


def test_arrow_timestamps_are_arrival_times():
    table = pa.table({"type": ["A"], "time": pa.array([1_500], pa.timestamp("ms"))})
    (found,) = read_tuples(table)
    assert (found.time, found.get("time")) == (1_500_000_000, 1_500)


FINE = "2026-01-01T00:00:00.123456789Z"


def test_times_finer_than_a_microsecond_are_refused(tmp_path: Path):
    with pytest.raises(StreamError, match=f"2: .*'{FINE}' is finer than a microsecond"):
        list(parse_tuples(f"type,time\nA,{FINE}\n"))
    (tmp_path / "s.jsonl").write_text(f'{{"type": "A", "time": "{FINE}"}}\n')
    with pytest.raises(StreamError, match=f"1: .*'{FINE}' is finer than a microsecond"):
        list(read_tuples(tmp_path / "s.jsonl"))
    times = pa.array([1_000, None, 2_001], pa.timestamp("ns"))
    pq.write_table(pa.table({"type": ["A", "A", "A"], "time": times}), tmp_path / "s.parquet")
    with pytest.raises(StreamError, match=r"2001 nanoseconds .* a microsecond \(tuple 2\)"):
        list(read_tuples(tmp_path / "s.parquet"))


@pytest.mark.parametrize("moment", ["2026-01-01T00:00:00.123456789", "2026-01-01T00:00:00.5"])
def test_times_of_numpy_are_times(moment: str):
    rows = [{"type": "A", "time": np.datetime64(moment, "ns")}]
    if moment.endswith("789"):
        with pytest.raises(StreamError, match=r"tuple 0 is .*: that is finer"):
            list(row_batches(rows))
    else:
        (batch,) = row_batches(rows)
        assert next(tuples_of(batch)).time == 1_767_225_600_500_000_000


def test_streams_are_merged_by_arrival_time_and_then_in_the_order_of_from():
    streams = {
        "S": parse_tuples("type,time\nA,1\nB,2\n"),
        "T": parse_tuples("type,time\nC,0\nD,2\n"),
    }
    found = [(each.stream, each.type) for each in merged(streams, ("T", "S"))]
    assert found == [("T", "C"), ("S", "A"), ("T", "D"), ("S", "B")]


def test_streams_without_arrival_times_follow_one_another():
    streams = {"S": parse_tuples("type\nA\nB\n"), "T": parse_tuples("type\nC\n")}
    assert [each.type for each in merged(streams, ("T", "U", "S"))] == ["C", "A", "B"]
    assert [each.type for each in merged(streams)] == ["A", "B", "C"]


def test_streams_with_and_without_times_cannot_be_merged():
    streams = {"S": parse_tuples("type\nA\n"), "T": parse_tuples("type,time\nC,1\n")}
    with pytest.raises(StreamError, match="stream 'T' has arrival times and stream 'S' has none"):
        merged(streams)


def test_a_stream_is_in_the_order_of_its_times():
    with pytest.raises(StreamError, match=r"tuple 1 of stream 'S' \(B\) is out of order"):
        list(in_time_order([EventTuple("A", {}, 2), EventTuple("B", {}, 1)], "S"))
    with pytest.raises(StreamError, match=r"tuple 0 of the stream \(A\) has no arrival time"):
        list(in_time_order([EventTuple("A")]))


# --- batches --------------------------------------------------------------------------------------


def test_rows_become_batches_of_one_layout():
    tuples = [EventTuple("A", {"x": 1}, 5, "S"), EventTuple("B", {"x": 0.5})]
    first, second = batches(tuples, size=1)
    assert first.schema == second.schema
    assert first.schema.names == ["@type", "@time", "@stream", "x"]
    assert first.column("x").to_pylist() == [1.0]


def test_an_attribute_of_two_types_has_no_column():
    with pytest.raises(StreamError, match="'x' is a str in tuple 1, but a int before"):
        list(batches([EventTuple("A", {"x": 1}), EventTuple("A", {"x": "1"})]))


def test_runs_end_where_a_stream_has_an_attribute_of_another_type():
    values = (1, 0.5, "1", None, "2", True, 1)
    streams = ("S", "S", "T", "T", "T", "U", "S")
    tuples = [
        EventTuple("A", {} if value is None else {"x": value}, None, stream)
        for value, stream in zip(values, streams, strict=True)
    ]
    assert [[each.get("x") for each in run] for run in of_one_type(tuples)] == [
        [1, 0.5], ["1", None, "2"], [True], [1]
    ]
    assert list(of_one_type([])) == []


def test_large_integers_of_one_stream_need_be_no_doubles_of_another():
    tuples = [EventTuple("A", {"x": 2**53 + 1}, 1, "S"), EventTuple("A", {"x": 0.5}, 1, "T")]
    assert [[each.get("x") for each in run] for run in of_one_type(tuples)] == [[2**53 + 1], [0.5]]


@pytest.mark.parametrize("streams", [(None, None), ("S", "S"), ("S", "T", "S")])
def test_a_stream_has_no_attribute_of_two_types(streams):
    values = (1, "1", "1")
    tuples = [
        EventTuple("A", {"x": value}, None, stream)
        for value, stream in zip(values, streams, strict=False)
    ]
    message = f"'x' is a str in tuple {len(streams) + 6}, but a int before"
    with pytest.raises(StreamError, match=message):
        list(of_one_type(tuples, first=7))


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("", {}, "s.csv: the file is empty"),
        ("x\n1\n", {}, "s.csv:1: no column 'type' holds the event type .*--type-column"),
        ("type,x,x\n", {}, "s.csv:1: column 'x' is there twice"),
        ("type,@time\n", {}, "s.csv:1: no column can be called '@time'"),
        ("type,x\nA,1\nA,1,2\n", {}, "s.csv:3: the row has 3 cells, the first line names 2"),
        ("type,x\nA,1\n\nA\n", {}, "s.csv:4: the row has 1 cell"),
        ("type,x\nA,1\n,2\n", {}, "s.csv:3: tuple 1 has no event type"),
        (
            "type,x\nA,1\nA,two\n",
            {"declaration": "CREATE STREAM S { EVENT A { x:int } }"},
            "s.csv:3: 'two' in column 'x' is not of type int, which is declared",
        ),
        ("type,x\nA,\xff\n", {}, "s.csv:2: the text is not UTF-8"),
        ('type,x\nA,1\nA,"2\nA,3\n', {}, "s.csv:3: the file ends inside a quoted cell"),
        ("type,x\nA,1\n", {"time_column": "t"}, "s.csv:1: there is no column 't'"),
        (
            "type,t\nA,noon\n", {"time_column": "t"},
            "s.csv:2: column 't' cannot hold arrival times: 'noon' is not",
        ),
        (
            "type,x\nA,1\n",
            {"declaration": "CREATE STREAM S { EVENT A { x:int }, EVENT B { x:string } }"},
            "attribute 'x' is declared int in event A and string in event B",
        ),
    ],
)
def test_errors_in_csv_name_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, more: dict[str, str], message: str
):
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(StreamError, match=message):
        list(read_tuples("s.csv", **more))


def test_a_type_of_the_first_piece_holds_for_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("denota.semantics.streams.tuples.lines._PIECE", 1 << 17)
    text = "type,x\n" + "A,1\n" * 100_000 + "A,x\n"
    with pytest.raises(StreamError, match="s:100002: 'x' in column 'x' is not of type int, as its"):
        list(parse_tuples(text, source="s"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "A", "x": [1]}', r"s:1: 'x' holds \[1\]"),
        ('{"type": "A", "x": ', "s:1:20: not JSON"),
        ("[1]", "s:1: a tuple is a JSON object"),
        ('{"x": 1}', "s:1: no column 'type'"),
        ('{"type": 5}', "s:1: 5 in 'type' is not of type string"),
        ('{"type": "A", "x": 1}\n{"type": "A", "x": "1"}', 's:2: "1" in \'x\' is not of type int'),
    ],
)
def test_errors_in_json_lines_name_the_line(line: str, message: str):
    with pytest.raises(StreamError, match=message):
        list(parse_tuples(line, format="jsonl", source="s"))


@pytest.mark.parametrize("line", ["{", "[1]", '{"type": 5}', '{"type": "A", "x": "1"}', "{}"])
def test_what_stands_before_a_line_at_fault_is_read(line: str):
    text = f'{{"type": "A", "x": 1}}\n\n{{"type": "B"}}\n{line}\n{{"type": "C"}}\n'
    found: list[str] = []
    with pytest.raises(StreamError, match="s:4"):
        found.extend(each.type for each in parse_tuples(text, format="jsonl", source="s"))
    assert found == ["A", "B"]


def test_what_is_no_table_is_a_clear_error(tmp_path: Path):
    for name in ("s.parquet", "s.arrow"):
        (tmp_path / name).write_bytes(b"no table")
        with pytest.raises(StreamError, match=f"{name}: not a"):
            list(read_tuples(tmp_path / name))
    with pytest.raises(StreamError, match=r"s\.txt: the file is of no known format"):
        read_tuples(tmp_path / "s.txt")
    with pytest.raises(StreamError, match=r"no\.csv: cannot be read: no such file"):
        list(read_tuples(tmp_path / "no.csv"))
    nested = pa.table({"type": ["A"], "x": [[1]]})
    with pytest.raises(StreamError, match="column 'x' is of type list"):
        list(read_tuples(nested))


def test_cells_may_hold_line_ends_wherever_a_piece_is_cut(monkeypatch: pytest.MonkeyPatch):
    text = 'type,x\n' + 'A,"one\ntwo ""three""\n"\n' * 8 + "A,end\n"
    whole = list(parse_tuples(text))
    assert len(whole) == 9
    monkeypatch.setattr("denota.semantics.streams.tuples.lines._PIECE", 7)
    monkeypatch.setattr("denota.semantics.streams.tuples.lines._FIRST", 7)
    assert list(parse_tuples(text)) == whole
