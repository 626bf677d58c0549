"""Counting, sampling and writing many complex events without materialising them."""

from __future__ import annotations

from collections import Counter
from math import comb

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.engine.ceql.output import complex_events
from denota.engine.ceql.parquet import write_parquet
from denota.engine.ceql.runtime import CeqlEngine
from denota.engine.ceql.sampling import Sampler
from denota.semantics.ceql.parse import parse
from denota.semantics.ceql.readings import Readings

SUBSETS = parse("SELECT * FROM S WHERE A+")


def letters(types: str):
    return pa.RecordBatch.from_pydict({"type": list(types)})


def test_counts_beyond_64_bits_are_exact():
    engine = CeqlEngine(SUBSETS)
    assert engine.count(letters("A" * 40)) == 2**40 - 1
    assert engine.count(letters("A" * 60)) == 2**100 - 2**40


def test_a_hundred_million_are_counted():
    query = parse("SELECT * FROM S WHERE A ; A ; A")
    assert CeqlEngine(query).count(letters("A" * 845)) == comb(845, 3) > 10**8


def test_windows_and_limits_are_counted_as_enumerated():
    for clause in ("WITHIN 3 EVENTS", "LIMIT 5", "WITHIN 6 EVENTS LIMIT 7", "CONSUME BY ANY"):
        query = parse(f"SELECT * FROM S WHERE A+ ; B {clause}")
        batch = letters("AABABBAAAB")
        assert CeqlEngine(query).count(batch) == CeqlEngine(query).feed(batch).num_rows


def test_a_sample_of_more_than_there_is_is_everything():
    sampler = Sampler(CeqlEngine(SUBSETS), 100, seed=1)
    sampler.feed(letters("AAAA"))
    sampler.feed(letters("A"))
    table = CeqlEngine(SUBSETS).feed(letters("AAAAA"))
    everything = [e for batch in table.to_batches() for e in complex_events(batch)]
    assert sampler.seen == len(everything) == 31
    assert set(sampler.result()) == set(everything)


def test_samples_are_uniform():
    """χ² over 63 complex events, 500 draws of 3: beyond 110 once in ten thousand times."""
    drawn: Counter[object] = Counter()
    for seed in range(500):
        sampler = Sampler(CeqlEngine(SUBSETS), 3, seed=seed)
        sampler.feed(letters("AAA"))
        sampler.feed(letters("AAA"))
        sample = sampler.result()
        assert len(set(sample)) == 3
        drawn.update(sample)
    expected = 500 * 3 / 63
    assert len(drawn) == 63
    assert sum((n - expected) ** 2 / expected for n in drawn.values()) < 110


def test_a_sample_of_more_complex_events_than_could_ever_be_enumerated():
    sampler = Sampler(CeqlEngine(SUBSETS), 4, seed=7)
    sampler.feed(letters("A" * 300))
    assert sampler.seen == 2**300 - 1
    assert all(len(event.positions) > 80 for event in sampler.result())


@pytest.mark.parametrize("output", ["complex-event", "valuation"])
def test_parquet_is_written_as_it_is_found(tmp_path, output):
    query = parse("SELECT * FROM S WHERE A+ AS x ; B")
    engine = CeqlEngine(query, Readings(output=output), rows=8)
    path = tmp_path / "found.parquet"
    batches = [letters("AAAA"), letters("AB"), letters("C")]
    assert write_parquet(engine, batches, str(path)) == 31
    table = pq.read_table(path)
    assert table.num_rows == 31
    assert sorted(table["positions"].to_pylist())[0] == [0, 1, 2, 3, 4, 5]
    assert ("bindings" in table.column_names) is (output == "valuation")
    if output == "valuation":
        assert dict(table["bindings"].to_pylist()[0])["x"] == table["positions"].to_pylist()[0][:-1]
