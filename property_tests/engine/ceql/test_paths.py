"""The same stream by other ways through the engine: what comes out is the same."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from denota.engine.ceql.output import complex_events
from denota.engine.ceql.runtime import CeqlEngine
from denota.oracle.ceql_case import CeqlCase
from denota.oracle.strategies.ceql import ceql_cases, ceql_queries
from denota.semantics.ceql.choices import nearest
from denota.semantics.ceql.readings import Readings
from denota.semantics.ceql.results import ComplexEvent
from denota.semantics.ceql.syntax import CeqlQuery, Strategy, WindowUnit
from denota.semantics.streams.tuples import batches


def of(engine: CeqlEngine, pieces: list[Any]) -> list[ComplexEvent]:
    return [e for piece in pieces for found in engine.batches(piece) for e in complex_events(found)]


def as_one(case: CeqlCase) -> list[Any]:
    stream = case.merged()
    return list(batches(stream, len(stream))) if stream else []


def cut(batch: Any, sizes: list[int]) -> list[Any]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(batch.slice(at, size))
        at += size
    return [*pieces, batch.slice(at)]


@settings(max_examples=300)
@given(ceql_cases(), st.lists(st.integers(1, 4), max_size=8))
def test_the_dense_loop_agrees_with_the_definitions(case: CeqlCase, sizes: list[int]) -> None:
    pieces = [piece for batch in as_one(case) for piece in cut(batch, sizes)]
    found = of(CeqlEngine(case.query, case.readings, path="dense"), pieces)
    assert len(found) == len(set(found))
    assert set(found) == set(nearest(case.choices(), found))


@settings(max_examples=200)
@given(ceql_cases(), st.lists(st.integers(1, 4), max_size=8))
def test_every_split_gives_the_same_in_the_same_order(case: CeqlCase, sizes: list[int]) -> None:
    whole = as_one(case)
    pieces = [piece for batch in whole for piece in cut(batch, sizes)]
    assert of(CeqlEngine(case.query, case.readings), whole) == of(
        CeqlEngine(case.query, case.readings), pieces
    )


@settings(max_examples=100)
@given(ceql_cases())
def test_encoded_strings_and_small_buffers_change_nothing(case: CeqlCase) -> None:
    whole = as_one(case)
    encoded = [
        pa.RecordBatch.from_arrays(
            [
                column.dictionary_encode() if pa.types.is_string(column.type) else column
                for column in batch.columns
            ],
            names=batch.schema.names,
        )
        for batch in whole
    ]
    expected = of(CeqlEngine(case.query, case.readings), whole)
    assert of(CeqlEngine(case.query, case.readings, rows=1), encoded) == expected


@settings(max_examples=150)
@given(ceql_cases())
def test_counting_is_the_length_of_enumerating(case: CeqlCase) -> None:
    counter = CeqlEngine(case.query, case.readings)
    counted = sum(counter.count(batch) for batch in as_one(case))
    assert counted == len(of(CeqlEngine(case.query, case.readings), as_one(case)))


def long_stream(draw: st.DrawFn, query: CeqlQuery) -> Any:
    """A few hundred events, attributes rising: many windows, and a small ring is filled often."""
    size = draw(st.integers(100, 300))
    seed = draw(st.randoms(use_true_random=False))
    attribute = query.within.attribute if query.within is not None else None
    columns: dict[str, list[Any]] = {"@type": [seed.choice("ABC") for _ in range(size)]}
    for name in "xyz":
        columns[name] = [seed.choice([None, 0, 1, 2, 3]) for _ in range(size)]
    time = 0
    times = []
    for _ in range(size):
        time += seed.choice([0, 1, 1_000_000_000])
        times.append(time)
    columns["@time"] = times
    if attribute is not None:
        columns[attribute] = [time // 500_000_000 for time in times]
    return pa.RecordBatch.from_pydict(columns)


@settings(max_examples=150)
@given(st.data())
def test_forgetting_changes_nothing(data: st.DataObject) -> None:
    """A ring that is too small and one that never forgets, on streams of many windows."""
    query = data.draw(ceql_queries().filter(lambda q: q.within is not None and q.limit is None))
    assert query.within is not None
    assume(query.within.unit is not WindowUnit.TIME or query.within.value < 10**10)
    assume(query.within.value < 20 or query.within.unit is WindowUnit.TIME)
    assume(query.strategy is not Strategy.ANY)
    stream = data.draw(st.composite(lambda draw: long_stream(draw, query))())
    size = data.draw(st.sampled_from([7, 50, 1000]))
    pieces = cut(stream, [size] * (stream.num_rows // size))
    counts = []
    for nodes, path in ((1 << 16, "auto"), (1 << 16, "dense"), (32, "auto"), (32, "dense")):
        engine = CeqlEngine(query, Readings(), nodes=nodes, path=path)  # type: ignore[arg-type]
        counts.append([engine.count(piece) for piece in pieces])
    assert all(count == counts[0] for count in counts)
