"""The engine by example: Figure 3, windows, partitions, consumption, input and output."""

from __future__ import annotations

import random
import sys
from typing import Any

import pyarrow as pa
import pytest

from denota.engine.ceql import CeqlEngine, run
from denota.engine.ceql.symbols.input_batches import batches_of
from denota.engine.tuning import IN_USE, capacities
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.model.errors import StreamError, UnsupportedError
from denota.semantics.model.tuples import EventTuple

FIGURE_1 = """
  SELECT * FROM Stock
  WHERE SELL as msft; SELL as intel; SELL as amzn
  FILTER msft[name = 'MSFT'] AND msft[price > 100]
     AND intel[name = 'INTL']
     AND amzn[name = 'AMZN'] AND amzn[price < 2000]
"""
FIGURE_3 = [
    ("SELL", "MSFT", 101), ("SELL", "MSFT", 102), ("SELL", "INTL", 80), ("BUY", "INTL", 80),
    ("SELL", "AMZN", 1900), ("SELL", "INTL", 81), ("SELL", "AMZN", 1920),
]  # fmt: skip
SIX_RUNS = {
    (0, 4, (0, 2, 4)), (0, 6, (0, 2, 6)), (0, 6, (0, 5, 6)),
    (1, 4, (1, 2, 4)), (1, 6, (1, 2, 6)), (1, 6, (1, 5, 6)),
}  # fmt: skip


def stocks() -> Any:
    types, names, prices = zip(*FIGURE_3, strict=True)
    return pa.RecordBatch.from_pydict(
        {"type": list(types), "name": list(names), "price": list(prices)}
    )


def events(types: str, **columns: list[Any]) -> Any:
    """One event a letter; attributes by name."""
    return pa.RecordBatch.from_pydict({"type": list(types), **columns})


def found(query: str, batch: Any, **readings: str) -> set[tuple[int, int, tuple[int, ...]]]:
    results = list(run(parse(query), [batch], Readings.of(readings)))
    assert len(results) == len(set(results))
    return {(each.start, each.end, each.positions) for each in results}


@pytest.mark.parametrize("path", ["auto", "dense"])
def test_the_six_runs_of_figure_3(path):
    engine = CeqlEngine(parse(FIGURE_1), path=path)
    table = engine.feed(stocks())
    assert table.schema.field("positions").type == pa.list_(pa.int64())
    rows = {(r["start"], r["end"], tuple(r["positions"])) for r in table.to_pylist()}
    assert rows == SIX_RUNS


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_batches_may_be_of_any_size(size):
    engine = CeqlEngine(parse(FIGURE_1))
    batch = stocks()
    rows = set()
    for at in range(0, 7, size):
        for row in engine.feed(batch.slice(at, size)).to_pylist():
            assert row["end"] < at + size
            rows.add((row["start"], row["end"], tuple(row["positions"])))
    assert rows == SIX_RUNS
    assert engine.position == 7


def test_strings_may_be_dictionary_encoded():
    batch = stocks()
    encoded = pa.RecordBatch.from_pydict(
        {
            "type": batch["type"].dictionary_encode(),
            "name": batch["name"].dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
            "price": batch["price"].cast(pa.int32()),
        }
    )
    assert found(FIGURE_1, encoded) == SIX_RUNS


def test_rows_may_become_batches_with_and_without_dictionaries():
    rows = [EventTuple(t, {"name": n, "price": p}) for t, n, p in FIGURE_3]
    with capacities(batch=2, plain=1):
        kinds = [
            {str(column.type).partition("<")[0] for column in batch.columns}
            for batch in batches_of(rows, frozenset())
        ]
        assert kinds == [{"string", "int64"}, {"dictionary"}] * 2
        assert len(list(run(parse(FIGURE_1), iter(rows)))) == 6
    assert len(list(run(parse(FIGURE_1), iter(rows)))) == 6


def test_a_dictionary_may_change_from_batch_to_batch():
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A ; A FILTER A[n = 'x']"))
    for names in (["y", "x"], ["x"], ["z", "x", "y"]):
        batch = pa.RecordBatch.from_pydict(
            {"type": ["A"] * len(names), "n": pa.array(names).dictionary_encode()}
        )
        last = engine.feed(batch)
    assert [tuple(p) for p in last["positions"].to_pylist()] == [(2, 4), (1, 4)]


# --- windows ----------------------------------------------------------------------------------


FALLING = {"x": [9, 1, 4, 6]}
RISING = {"x": [1, 2, 8, 10], "@time": [0, 1, 2, 3_000_000_001]}
MISSING = {"x": [1, None, None, 2]}
TWO_KEYS = {"k": ["x", "y", "x", "x"], "m": [1, 1, 1, None]}
KEYS = {"k": ["x", "y", "x", "y", "x", "x"]}


@pytest.mark.parametrize(
    ("query", "types", "columns", "expected"),
    [
        ("A ; B WITHIN 2 EVENTS", "AAAB", RISING, {(1, 3), (2, 3)}),
        ("A ; B WITHIN 3 SECONDS", "AAAB", RISING, {(1, 3), (2, 3)}),
        ("A ; B WITHIN 8 [x]", "AAAB", RISING, {(1, 3), (2, 3)}),
        # an attribute that falls is measured by its values
        ("A ; B WITHIN 2 [x]", "AAAB", FALLING, {(0, 3), (2, 3)}),
        # an event without the attribute neither starts nor ends
        ("A ; B WITHIN 9 [x]", "AABB", MISSING, {(0, 3)}),
        ("A ; B PARTITION BY [k], [m]", "AABB", TWO_KEYS, {(0, 2)}),
        ("A ; B PARTITION BY [k]", "AABB", TWO_KEYS, {(0, 2), (0, 3)}),
        # neighbours in a partition are contiguous
        ("A : B PARTITION BY [k]", "ABB", {"k": ["x", "y", "x"]}, {(0, 2)}),
        ("A ; B PARTITION BY [k] CONSUME BY NONE", "AABBAB", KEYS,
         {(0, 2), (1, 3), (0, 5), (4, 5)}),
        ("A ; B PARTITION BY [k] CONSUME BY PARTITION", "AABBAB", KEYS, {(0, 2), (1, 3), (4, 5)}),
        ("A ; B PARTITION BY [k] CONSUME BY ANY", "AABBAB", KEYS, {(0, 2), (4, 5)}),
    ],
)
def test_windows_partitions_and_consumption(query, types, columns, expected):
    pairs = {(start, end, (start, end)) for start, end in expected}
    assert found(f"SELECT * FROM S WHERE {query}", events(types, **columns)) == pairs


def test_the_window_of_core_starts_behind_its_edge():
    query = "SELECT * FROM S WHERE A ; B WITHIN 8 [x]"
    assert found(query, events("AAAB", **RISING), within="core") == {(2, 3, (2, 3))}


def test_integers_that_become_floats_are_measured_on():
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A ; B WITHIN 2 [x]"))
    engine.feed(events("AA", x=[1, 2]))
    engine.feed(events("A", x=[2.5]))
    rows = engine.feed(events("B", x=[4.25])).to_pylist()
    assert [row["start"] for row in rows] == [2]


def test_falling_below_what_is_forgotten_is_an_error_unless_the_disorder_is_bounded():
    query = parse("SELECT * FROM S WHERE A ; B WITHIN 10 [x]")
    rising = events("A" * 3000, x=list(range(3000)))
    late = events("B", x=[2900])
    engine = CeqlEngine(query, nodes=64)
    engine.feed(rising)
    with pytest.raises(UnsupportedError, match=r"attribute 'x' .* falls at tuple 3000"):
        engine.feed(late)
    engine = CeqlEngine(query, nodes=64, disorder=200)
    engine.feed(rising)
    assert engine.store.capacity <= 2048  # all nodes would need 16384
    assert engine.feed(late).num_rows == 110  # all that are not more than 10 before, also later
    engine = CeqlEngine(query)  # with room for everything nothing has been forgotten
    engine.feed(rising)
    assert engine.feed(late).num_rows == 110


def test_an_arrival_time_that_falls_or_is_missing_is_an_error():
    query = parse("SELECT * FROM S WHERE A ; B WITHIN 3 SECONDS")
    engine = CeqlEngine(query)
    engine.feed(events("AA", **{"@time": [1, 5]}))
    with pytest.raises(StreamError, match="tuple 3 is out of order"):
        engine.feed(events("AA", **{"@time": [6, 4]}))
    with pytest.raises(StreamError, match="tuple 1 has no arrival time"):
        CeqlEngine(query).feed(events("AA", **{"@time": pa.array([6, None])}))


def test_memory_does_not_grow_with_the_stream():
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A ; A ; B WITHIN 50 EVENTS"), nodes=512)
    batch = events("A" * 1000)
    for _ in range(30):
        engine.skip(batch)
    assert engine.store.capacity <= 1024


# --- partitions and consumption -----------------------------------------------------------------


@pytest.mark.parametrize("window", ["30 EVENTS", "30 SECONDS", "30 [t]"])
@pytest.mark.parametrize("clause", ["[k]", "[s]", "[k], [s]", "[s, f, k]"])
def test_partitions_that_are_empty_again_are_forgotten(clause, window, monkeypatch):
    """With the same results as where all are kept."""
    chance = random.Random(clause)
    query = parse(f"SELECT * FROM S WHERE A ; B+ PARTITION BY {clause} WITHIN {window}")
    batches = [
        events(
            "".join(chance.choice("AB") for _ in range(50)),
            k=[at // 10 + chance.randrange(3) for at in range(start, start + 50)],
            s=[f"v{at // 20 + chance.randrange(2)}" for at in range(start, start + 50)],
            f=[0.5 * (at // 10) for at in range(start, start + 50)],
            t=list(range(start, start + 50)),
            **{"@time": [at * 1_000_000_000 for at in range(start, start + 50)]},
        )
        for start in range(0, 1000, 50)
    ]
    patient = CeqlEngine(query)
    expected = [patient.feed(batch) for batch in batches]
    monkeypatch.setattr(IN_USE, "partitions", 4)
    engine = CeqlEngine(query, nodes=64)
    assert [engine.feed(batch) for batch in batches] == expected
    assert engine.partitions.count < patient.partitions.count / 2


def test_limits():
    batch = events("AAABB")
    query = parse("SELECT * FROM S WHERE A ; B LIMIT 2")
    assert CeqlEngine(query).feed(batch).num_rows == 4
    assert CeqlEngine(query, Readings(limit="query")).feed(batch).num_rows == 2
    assert CeqlEngine(query).count(batch) == 4
    assert CeqlEngine(query, Readings(limit="query")).count(batch) == 2


# --- output -------------------------------------------------------------------------------------


def test_valuations():
    query = parse("SELECT * FROM S WHERE (A OR B) AS x ; B AS y")
    table = CeqlEngine(query, Readings(output="valuation")).feed(events("AB"))
    (row,) = table.to_pylist()
    assert row["bindings"] == {"A": [0], "B": [1], "x": [0], "y": [1]}


def test_projection_forgets_positions_but_not_the_interval():
    assert found("SELECT y FROM S WHERE A AS x ; B AS y ; C", events("ABC")) == {(0, 2, (1,))}


def test_nothing_is_an_empty_table():
    table = CeqlEngine(parse("SELECT * FROM S WHERE A")).feed(events("B"))
    assert table.num_rows == 0
    assert table.column_names == ["start", "end", "positions"]


def test_a_complex_event_longer_than_the_buffers():
    """Enumeration comes back and goes on with larger ones."""
    length = 300_000
    engine = CeqlEngine(parse("SELECT * FROM S WHERE B : A:+ : C"))
    table = engine.feed(pa.RecordBatch.from_pydict({"type": ["B", *["A"] * length, "C"]}))
    assert table["positions"].to_pylist() == [list(range(length + 2))]


def test_enumeration_goes_on_where_a_buffer_was_full():
    batch = events("A" * 12)
    query = parse("SELECT * FROM S WHERE A+")
    whole = CeqlEngine(query).feed(batch)
    pieces = list(CeqlEngine(query, rows=7).batches(batch))
    assert max(piece.num_rows for piece in pieces) == 7
    assert pa.Table.from_batches(pieces).combine_chunks().equals(whole)
    assert whole.num_rows == 2**12 - 1


def test_an_iteration_that_is_given_up_does_not_harm():
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A ; B"), rows=1)
    next(engine.batches(events("AAAB")))
    assert [r["start"] for r in engine.feed(events("B")).to_pylist()] == [2, 1, 0]


# --- errors and cost ----------------------------------------------------------------------------


def test_a_batch_without_types_is_an_error():
    with pytest.raises(StreamError, match="no column 'type' holds the event type"):
        CeqlEngine(parse("SELECT * FROM S WHERE A")).feed(pa.RecordBatch.from_pydict({"x": [1]}))
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A FILTER A[x > 1]"))
    with pytest.raises(StreamError, match="column 'x' is of type list"):
        engine.feed(pa.RecordBatch.from_pydict({"type": ["A"], "x": [[1]]}))


def test_the_package_alone_loads_neither_numba_nor_arrow():
    import subprocess

    code = (
        "import sys, denota.engine.ceql, denota.oracle.languages.ceql.draw;"
        "print([m for m in ('numba', 'pyarrow') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
