"""The same stream by other ways through the engine: what comes out is the same."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.ceql.output.records import ComplexEventFile, complex_events
from denota.engine.ceql.output.sampling import Sampler
from denota.engine.ceql.runtime import CeqlEngine, Path
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries
from denota.semantics.ceql.core_extensions import choices, nearest
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import CeqlQuery, Strategy, WindowUnit
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import Value, batches, of_one_type

from ...examples import examples

PATHS: tuple[Path, ...] = ("auto", "dense")


def of(engine: CeqlEngine, pieces: list[Any]) -> list[ComplexEvent]:
    return [e for piece in pieces for found in engine.batches(piece) for e in complex_events(found)]


def as_one(case: CeqlCase) -> list[Any]:
    """As few batches as the types of the attributes allow."""
    return [
        batch for alike in of_one_type(case.merged()) for batch in batches(alike, len(alike))
    ]


def _measures_an_attribute(query: CeqlQuery) -> bool:
    return query.within is not None and query.within.unit is WindowUnit.ATTRIBUTE


def cut(batch: Any, sizes: list[int]) -> list[Any]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(batch.slice(at, size))
        at += size
    return [*pieces, batch.slice(at)]


@examples(200)
@given(ceql_cases(), st.lists(st.integers(1, 4), max_size=8))
def test_the_dense_loop_agrees_with_the_definitions(case: CeqlCase, sizes: list[int]) -> None:
    pieces = [piece for batch in as_one(case) for piece in cut(batch, sizes)]
    found = of(CeqlEngine(case.query, case.readings, path="dense"), pieces)
    assert len(found) == len(set(found))
    assert set(found) == set(nearest(case.choices(), found))


@examples(150)
@given(ceql_cases(), st.lists(st.integers(0, 4), max_size=8))
def test_every_split_gives_the_same_in_the_same_order(case: CeqlCase, sizes: list[int]) -> None:
    whole = as_one(case)
    pieces = [piece for batch in whole for piece in cut(batch, sizes)]
    assert of(CeqlEngine(case.query, case.readings), whole) == of(
        CeqlEngine(case.query, case.readings), pieces
    )


@examples(100)
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


@examples(150)
@given(ceql_cases())
def test_counting_and_sampling_are_as_enumerating(case: CeqlCase) -> None:
    counter = CeqlEngine(case.query, case.readings)
    counted = sum(counter.count(batch) for batch in as_one(case))
    found = of(CeqlEngine(case.query, case.readings), as_one(case))
    assert counted == len(found)
    for size in (counted, 2):
        sampler = Sampler(CeqlEngine(case.query, case.readings), size, seed=counted)
        for batch in as_one(case):
            sampler.feed(batch)
        sample = sampler.result()
        assert sampler.seen == counted
        assert len(set(sample)) == min(size, counted)
        assert set(sample) <= set(found)


@examples(50)
@given(ceql_cases(), st.sampled_from([1, 3, 1000]))
def test_what_is_stored_is_what_was_found(case: CeqlCase, rows: int) -> None:
    engine = CeqlEngine(case.query, case.readings)
    found = of(CeqlEngine(case.query, case.readings), as_one(case))
    with_bindings = engine.readings.output == "valuation"
    sink = pa.BufferOutputStream()
    with ComplexEventFile(sink, bindings=with_bindings, rows=rows) as file:
        for batch in as_one(case):
            for piece in engine.feed(batch).to_batches():
                file.write(piece)
    stored = pq.read_table(pa.BufferReader(sink.getvalue()))
    assert [
        ComplexEvent(
            row["end"], row["start"], tuple(row["positions"]),
            tuple((x, tuple(places)) for x, places in row["bindings"]) if with_bindings else None,
        )
        for row in stored.to_pylist()
    ] == found  # fmt: skip


LIMIT = 1 << 63
EXTREMES: dict[str, tuple[Value, ...]] = {
    **dict.fromkeys("nk", (-LIMIT, 1 - LIMIT, LIMIT - 1, LIMIT - 2, 2**53, 2**53 + 1, 0, -1)),
    "t": (1 - LIMIT, LIMIT - 2, 2**53, 2**53 + 1, 0, -1),
    "d": (math.nan, math.inf, -math.inf, 0.0, -0.0, 2.0**53, 2.0**63, 1e308, 5e-324),
    "s": ("é", "\0", "p\nq", "q" * 300, "\U0001d518"),
}


@examples(100)
@given(ceql_cases(), st.integers(0, 1 << 32).map(Random))
def test_extreme_values(case: CeqlCase, chance: Random) -> None:
    """All at once, and event by event, where the columns' types may change, too."""
    merged = case.merged()
    kinds: dict[str, set[type]] = defaultdict(set)
    for each in merged:
        for name, value in each.attributes.items():
            kinds[name].add(type(value))

    def extreme(name: str, value: Value) -> Value:
        # Of an attribute's one type: what is a string in one stream may be an int in another.
        choices = [far for far in EXTREMES.get(name, ()) if {type(far)} == kinds[name]]
        return chance.choice(choices) if choices and chance.random() < 0.5 else value

    tuples = [
        replace(each, attributes={a: extreme(a, value) for a, value in each.attributes.items()})
        for each in merged
    ]
    right = choices(case.query, tuples, case.readings)
    alike = [list(run) for run in of_one_type(tuples)]
    for size in (8, 1):
        pieces = (batch for run in alike for batch in batches(run, size))
        found = of(CeqlEngine(case.query, case.readings), list(pieces))
        assert len(found) == len(set(found))
        assert set(found) == set(nearest(right, found))


# --- streams of many windows ---


def long_stream(chance: Random, attribute: str | None, falls: int = 0) -> Any:
    """A few hundred events, arrival times and `attribute` rising but for falls of so much."""
    size = chance.randint(100, 300)
    columns: dict[str, list[Any]] = {"@type": [chance.choice("ABC") for _ in range(size)]}
    for name in "ndsk":
        columns[name] = [chance.choice([None, 0, 1, 2, 3]) for _ in range(size)]
    time = 0
    times = []
    for _ in range(size):
        time += chance.choice([0, 1, 1_000_000_000])
        times.append(time)
    columns["@time"] = times
    if attribute is not None:
        columns[attribute] = [t // 500_000_000 - chance.randint(0, falls) for t in times]
    return pa.RecordBatch.from_pydict(columns)


WINDOWED = ceql_queries().filter(
    lambda q: q.within is not None
    and q.limit is None
    and q.within.value < (10**10 if q.within.unit is WindowUnit.TIME else 20)
)


def pieces_of(stream: Any, size: int) -> list[Any]:
    return cut(stream, [size] * (stream.num_rows // size))


def first_of(engine: CeqlEngine, pieces: list[Any]) -> list[ComplexEvent]:
    """The first thousand complex events, in their order."""
    engine.remaining = 1000
    return of(engine, pieces)


@examples(30)
@given(WINDOWED, st.integers(0, 1 << 32).map(Random), st.sampled_from([1, 7, 50]))
def test_forgetting_changes_nothing(query: CeqlQuery, chance: Random, size: int) -> None:
    """A ring that is too small and one that never forgets; whole streams and pieces of them.

    The order depends on how small the ring is, but not on how the stream is cut.
    """
    assert query.within is not None
    stream = long_stream(chance, query.within.attribute)
    counts, found = [], []
    for path, nodes in product(PATHS, (1 << 16, 32, 16)):
        orders = []
        for pieces in ([stream], pieces_of(stream, size)):
            counted = CeqlEngine(query, nodes=nodes, path=path)
            counts.append(sum(counted.count(piece) for piece in pieces))
            orders.append(first_of(CeqlEngine(query, nodes=nodes, path=path), pieces))
        assert orders[0] == orders[1]
        found.append(frozenset(orders[0]))
    assert len(set(counts)) == 1
    assert counts[0] > 1000 or query.strategy is Strategy.ANY or len(set(found)) == 1


@examples(30)
@given(
    WINDOWED.filter(_measures_an_attribute), st.integers(0, 1 << 32).map(Random),
    st.sampled_from([1, 7, 300]),
)  # fmt: skip
def test_an_attribute_that_falls(query: CeqlQuery, chance: Random, size: int) -> None:
    """Either the same complex events or an error, the same for every split.

    There is none where the disorder is bounded as it is.
    """
    assert query.within is not None
    stream = long_stream(chance, query.within.attribute, falls := chance.choice([1, 5, 40]))
    expected = frozenset(first_of(CeqlEngine(query, nodes=1 << 16), [stream]))
    some = len(expected) == 1000 or query.strategy is Strategy.ANY
    for path in PATHS:
        told = []
        for pieces in ([stream], pieces_of(stream, size)):
            bounded = CeqlEngine(query, nodes=16, path=path, disorder=falls)
            assert some or set(first_of(bounded, pieces)) == expected
            told.append(outcome(CeqlEngine(query, nodes=16, path=path), pieces))
        assert told[0] == told[1]
        assert some or isinstance(told[0], str) or set(told[0]) == expected


def outcome(engine: CeqlEngine, pieces: list[Any]) -> list[ComplexEvent] | str:
    try:
        return first_of(engine, pieces)
    except UnsupportedError as error:
        return str(error)
