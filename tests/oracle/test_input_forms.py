"""Every form that a stream may come in, and every type that Arrow's columns may have.

Engine and oracle read the same values from each, or both say what is wrong.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import denota
from denota.engine import ceql
from denota.semantics.ceql.core_extensions import evaluate
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.errors import StreamError
from denota.semantics.model.tuples import EventTuple
from denota.semantics.streams.tuples.reader import read_tuples

ROWS: list[dict[str, Any]] = [
    {"type": "SELL", "name": "MSFT", "price": 101.5, "volume": 10, "open": True, "time": 0},
    {"type": "SELL", "name": "INTL", "price": None, "volume": 7, "open": True, "time": 1},
    {"type": "BUY", "name": None, "price": 80.0, "volume": None, "open": None, "time": 1},
    {"type": "SELL", "name": "AMZN, Inc", "price": 1900.25, "volume": 3, "open": False, "time": 3},
    {"type": "OTHER", "name": "MSFT", "price": 1.0, "volume": 1, "open": False, "time": 3},
    {"type": "SELL", "name": "MSFT", "price": 80.0, "volume": -4, "open": True, "time": 6},
    {"type": "BUY", "name": "AMZN, Inc", "price": 80.0, "volume": 2, "open": True, "time": 8},
]
QUERIES = [
    "SELECT * FROM S WHERE SELL AS x ; (SELL OR BUY)+ AS y FILTER x[price > 80] AND y[volume < 9]",
    "SELECT * FROM S WHERE SELL ; BUY FILTER SELL[name LIKE '^[MA]'] WITHIN 5 SECONDS",
    "SELECT * FROM S WHERE SELL ; BUY FILTER SELL[open = FALSE] OR BUY[name IN {'MSFT'}]",
    "SELECT * FROM S WHERE SELL ; (BUY OR SELL) PARTITION BY [name]",
    "SELECT * FROM S WHERE SELL ; BUY WITHIN 4 [volume]",
]


def table() -> Any:
    return pa.Table.from_pylist(ROWS)


def as_tuples() -> list[EventTuple]:
    return [
        EventTuple(
            row["type"],
            {name: v for name, v in row.items() if name != "type" and v is not None},
            row["time"] * 1_000_000_000,
        )
        for row in ROWS
    ]


def text(delimiter: str) -> bytes:
    def cell(value: Any) -> str:
        if value is None:
            return ""
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        return f'"{shown}"' if delimiter in shown else shown

    lines = [delimiter.join(ROWS[0])]
    lines += [delimiter.join(map(cell, row.values())) for row in ROWS]
    return ("\n".join(lines) + "\n").encode()


def json_lines() -> bytes:
    return "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def written(path: Path, content: bytes) -> Path:
    compression = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
    with pa.output_stream(str(path), compression=compression) as file:
        file.write(content)
    return path


def parquet(path: Path, stored: Any) -> Path:
    pa.parquet.write_table(stored, path, row_group_size=3)
    return path


def arrow(path: Path, make: Callable[..., Any]) -> Path:
    with make(str(path), table().schema) as writer:
        for batch in table().to_batches(max_chunksize=3):
            writer.write_batch(batch)
    return path


def encoded() -> Any:
    columns = [
        c.dictionary_encode() if pa.types.is_string(c.type) else c for c in table().columns
    ]
    return pa.table(columns, names=table().column_names)


def chunked() -> Any:
    """Each chunk of a dictionary-encoded column has a dictionary of its own."""
    return pa.concat_tables([pa.Table.from_batches([b]) for b in pieces(encoded(), 2)])


def pieces(whole: Any, size: int) -> list[Any]:
    return [
        pa.Table.from_pylist(whole.slice(at, size).to_pylist(), whole.schema).to_batches()[0]
        for at in range(0, whole.num_rows, size)
    ]


FORMS: dict[str, Callable[[Path], Any]] = {
    "csv": lambda d: written(d / "s.csv", text(",")),
    "csv.gz": lambda d: written(d / "s.csv.gz", text(",")),
    "csv.zst": lambda d: written(d / "s.csv.zst", text(",")),
    "tsv": lambda d: written(d / "s.tsv", text("\t")),
    "jsonl": lambda d: written(d / "s.jsonl", json_lines()),
    "jsonl.gz": lambda d: written(d / "s.jsonl.gz", json_lines()),
    "ndjson.zst": lambda d: written(d / "s.ndjson.zst", json_lines()),
    "parquet": lambda d: parquet(d / "s.parquet", table()),
    "parquet, encoded": lambda d: parquet(d / "s.parquet", encoded()),
    "arrow file": lambda d: arrow(d / "s.arrow", pa.ipc.new_file),
    "arrow stream": lambda d: arrow(d / "s.arrows", pa.ipc.new_stream),
    "table": lambda d: table(),
    "encoded table": lambda d: encoded(),
    "chunked table": lambda d: chunked(),
    "record batch": lambda d: table().to_batches()[0],
    "reader": lambda d: table().to_reader(max_chunksize=2),
    "batches": lambda d: pieces(encoded(), 1),
    "generated tables": lambda d: (table().slice(at, 2) for at in range(0, 8, 2)),
    "dicts": lambda d: ROWS,
    "generated dicts": lambda d: iter(ROWS),
    "NumPy's scalars": lambda d: [
        {k: np.float64(v) if k == "price" and v is not None else v for k, v in row.items()}
        for row in ROWS
    ],
    "event tuples": lambda d: as_tuples(),
    "generated event tuples": lambda d: iter(as_tuples()),
}
"""A stream in every form; what is iterated over once is made anew for each question."""


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_stream(form: str, tmp_path: Path):
    for query in QUERIES:
        expected = evaluate(parse(query), as_tuples())
        assert expected
        assert Counter(denota.run(query, {"S": FORMS[form](tmp_path)})) == Counter(expected)
        assert denota.evaluate(query, {"S": FORMS[form](tmp_path)}) == expected
        assert denota.count(query, {"S": FORMS[form](tmp_path)}) == len(expected)


@pytest.mark.parametrize(
    "form",
    ["encoded table", "chunked table", "reader", "batches", "dicts", "generated event tuples"],
)
def test_the_engine_takes_them_too(form: str, tmp_path: Path):
    """Where nobody reads `time` as arrival times, which are asked for only once."""
    for query in (parse(QUERIES[n]) for n in (0, 2, 3, 4)):
        found = list(ceql.run(query, FORMS[form](tmp_path)))
        assert Counter(found) == Counter(evaluate(query, as_tuples()))


def test_rows_are_read_as_they_are_needed():
    def growing() -> Iterator[Mapping[str, Any]]:
        yield from ({"type": "A", "x": at} for at in range(5000))
        raise AssertionError("read on")

    first = denota.batches("SELECT * FROM S WHERE A ; A", {"S": growing()}, limit=100)
    assert sum(batch.num_rows for batch in first) == 100


# --- types ----------------------------------------------------------------------------------------

SIZE = 12
INTS = [None if i == 3 else i % 5 for i in range(SIZE)]
TEXTS = [None if i is None else "pqrst"[i] for i in INTS]
DAY = datetime.datetime(2026, 1, 1)
MOMENTS = [None if i is None else DAY + datetime.timedelta(seconds=i) for i in INTS]
LIMIT = 2**63


def dictionary(values: Any, indices: Any = None) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None] * 3, indices or pa.int32()), values
    )


COLUMNS: dict[str, Any] = {
    **{f"int{n}": pa.array(INTS, getattr(pa, f"int{n}")()) for n in (8, 16, 32, 64)},
    **{f"uint{n}": pa.array(INTS, getattr(pa, f"uint{n}")()) for n in (8, 16, 32, 64)},
    "float16": pa.array([None if i is None else np.float16(i) for i in INTS], pa.float16()),
    "float32": pa.array(INTS, pa.float32()),
    "double": pa.array(INTS, pa.float64()),
    "decimal": pa.array([None if i is None else Decimal(i) / 2 for i in INTS]),
    "decimal256": pa.array([None if i is None else Decimal(i) for i in INTS], pa.decimal256(9, 2)),
    "not a number": pa.array(
        [np.nan, 1, 2, np.inf, -np.inf, 0.0, -0.0, np.nan, None, 3, 2, 1], from_pandas=False
    ),
    "limits": pa.array(
        [-LIMIT, LIMIT - 1, -1, 0, 1, LIMIT - 1, -LIMIT, None, 5, 2**53 + 1, 2**53, LIMIT - 2]
    ),
    "limits of windows": pa.array(
        [1 - LIMIT, LIMIT - 2, -1, 0, 1, LIMIT - 2, 1 - LIMIT, None, 5, 2**53 + 1, 2**53, LIMIT - 3]
    ),
    "bool": pa.array([None if i is None else i > 2 for i in INTS]),
    "null": pa.nulls(SIZE),
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "encoded by int8": dictionary(pa.array(["p", "q", "r"]), pa.int8()),
    "encoded by uint16": dictionary(pa.array(["p", "q", "r"]), pa.uint16()),
    "encoded large_string": dictionary(pa.array(["p", "q", "r"], pa.large_string())),
    "encoded string_view": dictionary(pa.array(["p", "q", "r"], pa.string_view())),
    "encoded, null in the dictionary": dictionary(pa.array(["p", None, "r"])),
    "encoded, the same twice": dictionary(pa.array(["p", "q", "p"])),
    "encoded numbers": dictionary(pa.array([2, None, 1])),
    "encoded, empty": pa.DictionaryArray.from_arrays(pa.nulls(SIZE, pa.int32()), pa.array([""])),
    "date32": pa.array(MOMENTS, pa.date32()),
    "date64": pa.array(MOMENTS, pa.date64()),
    **{f"timestamp {u}": pa.array(MOMENTS, pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "timestamp with zone": pa.array(MOMENTS, pa.timestamp("us", "UTC")),
    "duration": pa.array(INTS, pa.duration("s")),
    "time32": pa.array(INTS, pa.time32("s")),
    "time64": pa.array(INTS, pa.time64("us")),
}
REFUSED = {
    "uint64 beyond 63 bits": (pa.array([0, 2**64 - 1], pa.uint64()), "not in range"),
    "binary": (pa.array([b"p", b"q"]), "of type binary"),
    "list": (pa.array([[1], [2]]), "of type list"),
    "struct": (pa.array([{"a": 1}] * 2), "of type struct"),
    "run-end encoded": (
        pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([1])),
        "of type run_end_encoded",
    ),
    "interval": (pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()), "of type month_day_nano"),
}
TYPED_QUERIES = [
    parse(f"SELECT * FROM S WHERE A AS x ; B AS y {clauses}")
    for clauses in (
        "FILTER (x[v > 1] OR x[v = 'p'] OR x[v = w]) AND y[v != 2]",
        "FILTER x[v IN {1, 2}] OR x[v IN {'q', 'r'}] OR x[v NOT IN {0} AND NOT v LIKE '[pq]']",
        "FILTER x[v + 1 > 2 OR NOT v - 1 < 2 OR v = TRUE] AND y[v % 2 = 1 OR v / 2 >= 1]",
        "PARTITION BY [v, w]",
        "WITHIN 1 [v]",
    )
]


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_of_arrow(name: str):
    stream = pa.table(
        {"type": ["A", "B", "A"] * 4, "v": COLUMNS[name], "w": [i % 2 for i in range(SIZE)]}
    )
    for query in TYPED_QUERIES:
        if name == "limits" and query.within is not None:
            continue  # the two integers that measure no window
        expected = evaluate(query, list(read_tuples(stream)))
        assert Counter(ceql.run(query, stream)) == Counter(expected)
        found = list(ceql.run(query, (stream.slice(at, 1) for at in range(SIZE))))
        assert Counter(found) == Counter(expected)
        assert Counter(ceql.run(query, read_tuples(stream))) == Counter(expected)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_value_is_refused(name: str):
    column, message = REFUSED[name]
    stream = pa.table({"type": ["A", "B"], "v": column})
    for given in (stream, read_tuples(stream)):
        with pytest.raises(StreamError, match=rf"column 'v' .*{message}"):
            list(ceql.run(TYPED_QUERIES[0], given))
    unread = parse("SELECT * FROM S WHERE A ; B")
    assert len(list(ceql.run(unread, stream))) == 1


TYPES = ["A", "B", "nothing known", "A", "B", ""]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(TYPES), pa.array(TYPES, pa.large_string()), pa.array(TYPES, pa.string_view()),
        pa.array(TYPES).dictionary_encode(), pa.array([1, 2, 3, 1, 2, 3]), pa.array([True] * 6),
    ],
    ids=lambda column: str(column.type),
)  # fmt: skip
def test_types_that_no_query_knows(column: Any):
    stream = pa.table({"type": column})
    for formula in ("A ; B", "NOT(A) ; B", "A ; NOT(B)", "A : A"):
        query = parse(f"SELECT * FROM S WHERE {formula}")
        found = list(ceql.run(query, stream))
        assert Counter(found) == Counter(evaluate(query, list(read_tuples(stream))))


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["A", None]), pa.array(["A", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["A", None])),
    ],
    ids=["string", "encoded", "null in the dictionary"],
)  # fmt: skip
def test_an_event_has_a_type(column: Any):
    stream = pa.table({"type": column})
    for given in (stream, [stream.slice(0, 1), stream.slice(1)], read_tuples(stream)):
        with pytest.raises(StreamError, match="tuple 1 has no event type"):
            list(ceql.run(parse("SELECT * FROM S WHERE NOT(A)"), given))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"type": "A"}, {"x": 1}], "tuple 1 has no event type"),
        ([{"x": 1}], "no column 'type' holds the event type"),
        ([{"type": "A", "x": 1}, {"type": "B", "x": "p"}], "'x' of tuple 1 is 'p', but numbers"),
        ([{"type": "A", "x": 2**63}], "'x' of tuple 0 is 9223372036854775808, which is no 64-bit"),
        ([{"type": "A", "x": 2**53 + 1}, {"type": "B", "x": 0.5}], "which is no double"),
        ([{"type": "A", "x": "\ud800"}], "'x' cannot be read: .* surrogates not allowed"),
        ([{"type": "A", "x": [1]}], r"'x' of tuple 0 is \[1\]: a value is a number"),
        ([{"type": "A", 3: 1}], "3 is no name of an attribute"),
        ([{"type": "A"}, EventTuple("B")], "tuple 1 is EventTuple"),
        ([EventTuple("A"), {"type": "B"}], r"tuple 1 is .*\{'type': 'B'\}"),
        ([EventTuple("A", {"x": 2**63})], "'x' of tuple 0 is 9223372036854775808, which is no 64"),
        ([EventTuple("A", {"x": 2**53 + 1}), EventTuple("A", {"x": 0.5})], "which is no double"),
        ([EventTuple("A", {"x": "\ud800"})], "which is no text"),
        ([EventTuple("A", {"x": [1]})], r"'x' of tuple 0 is \[1\]: a value is a number"),  # type: ignore[dict-item]
        ([EventTuple("A", {"x": 1}), EventTuple("A", {"x": "p"})], "'x' is a str in tuple 1"),
        ([3, 4], "3"),
    ],
)
def test_rows_that_are_none(rows: list[Any], message: str):
    for ask in (lambda r: ceql.run(parse("SELECT * FROM S WHERE A"), r), _asked):
        with pytest.raises(StreamError, match=message):
            list(ask(iter(rows)))


def _asked(rows: Iterable[Any]) -> Iterable[Any]:
    # Of an iterator, each row is answered before the next is read: no two are compared.
    return denota.run("SELECT * FROM S WHERE A", {"S": list(rows)})


def test_a_missing_value_may_be_none():
    query = "SELECT * FROM S WHERE A ; A FILTER A[x != 1]"
    for rows in (
        [{"type": "A", "x": None}, {"type": "A", "x": 2}, {"type": "A", "x": 3}],
        [EventTuple("A", {"x": None}), EventTuple("A", {"x": 2}), EventTuple("A", {"x": 3})],  # type: ignore[dict-item]
    ):
        found = denota.run(query, {"S": rows})
        assert {each.positions for each in found} == {(1, 2)}
