"""Counting, sampling and writing many complex events without materialising them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import islice
from math import comb

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.engine.ceql import batches, count, run, sample
from denota.engine.ceql.output.records import ComplexEventFile, complex_events, write_parquet
from denota.engine.ceql.output.sampling import Sampler
from denota.engine.ceql.runtime import CeqlEngine
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.model.errors import StreamError

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
    window = parse("SELECT * FROM S WHERE A ; A ; A WITHIN 99 EVENTS")
    assert count(window, letters("A" * 50_000)) == 49_901 * comb(99, 2) + comb(100, 3) - comb(99, 2)


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
    """Of 2²⁵⁰ − 1 subsets: each position is in half of them, the first as well as the last."""
    sampler = Sampler(CeqlEngine(SUBSETS), 200, seed=7)
    sampler.feed(letters("A" * 250))
    assert sampler.seen == 2**250 - 1
    sample = sampler.result()
    assert len(set(sample)) == 200
    taken = Counter(position for event in sample for position in event.positions)
    assert all(60 <= taken[position] <= 140 for position in range(250))


def test_a_seed_takes_the_same_sample_however_the_stream_is_cut():
    stream = letters("ABACADABRA" * 20)
    query = parse("SELECT * FROM S WHERE A ; B ; A+ WITHIN 12 EVENTS")
    samples = []
    for size in (1, 7, 200):
        sampler = Sampler(CeqlEngine(query, nodes=64), 10, seed=3)
        for at in range(0, stream.num_rows, size):
            sampler.feed(stream.slice(at, size))
        samples.append(sampler.result())
    assert samples[0] == samples[1] == samples[2] == sample(query, stream, 10, seed=3)
    assert samples[0] != sample(query, stream, 10, seed=4)
    everything = list(run(query, stream))
    assert len(everything) == count(query, stream)
    assert set(samples[0]) < set(everything)


def test_what_a_strategy_takes_inside_the_window_is_sampled():
    query = parse("SELECT LAST * FROM S WHERE A+ ; B WITHIN 4 EVENTS")
    readings = Readings(strategy="after-within")
    stream = letters("AABAAABAB")
    everything = list(run(query, stream, readings))
    assert count(query, stream, readings) == len(everything) == 3
    assert sample(query, stream, 9, readings) == everything
    assert sample(query, stream, 1, readings, seed=1)[0] in everything


def test_nothing_is_read_after_the_limit():
    def growing():
        yield letters("AAAB")
        yield letters("B")
        raise AssertionError("read on")

    query = parse("SELECT * FROM S WHERE A ; B")
    assert sum(batch.num_rows for batch in batches(query, growing(), limit=5)) == 5
    assert len(list(islice(run(query, growing()), 3))) == 3
    assert list(batches(query, growing(), limit=0)) == []
    limited = parse("SELECT * FROM S WHERE A ; B LIMIT 4")
    assert count(limited, growing(), Readings(limit="query")) == 4
    assert len(sample(limited, growing(), 9, Readings(limit="query"))) == 4


def test_a_limit_makes_no_more_than_it_takes():
    query = parse("SELECT * FROM S WHERE A+")
    (first,) = batches(query, letters("A" * 300), limit=3)  # of 2³⁰⁰
    assert first["positions"].to_pylist() == [[0], [1], [0, 1]]


@pytest.mark.parametrize("output", ["complex-event", "valuation"])
def test_parquet_is_written_as_it_is_found(tmp_path, output):
    query = parse("SELECT * FROM S WHERE A+ AS x ; B")
    engine = CeqlEngine(query, Readings(output=output), rows=8)
    path = tmp_path / "found.parquet"
    pieces = [letters("AAAA"), letters("AB"), letters("C")]
    assert write_parquet(engine, pieces, str(path)) == 31
    table = pq.read_table(path)
    assert table.num_rows == 31
    assert sorted(table["positions"].to_pylist())[0] == [0, 1, 2, 3, 4, 5]
    assert ("bindings" in table.column_names) is (output == "valuation")
    if output == "valuation":
        assert dict(table["bindings"].to_pylist()[0])["x"] == table["positions"].to_pylist()[0][:-1]
    whole = CeqlEngine(query, Readings(output=output)).feed(letters("AAAAABC"))
    columns = ["start", "end", "positions"]
    assert table.select(columns).to_pylist() == whole.select(columns).to_pylist()


def test_small_batches_share_a_row_group_and_long_ones_are_cut(tmp_path):
    path = tmp_path / "found.parquet"
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A ; B"))
    assert write_parquet(engine, [letters("AB"), *[letters("B")] * 99], str(path)) == 100
    assert pq.ParquetFile(path).num_row_groups == 1
    with ComplexEventFile(path, bindings=False, rows=30) as file:
        for _ in range(2):
            file.write(CeqlEngine(SUBSETS).feed(letters("AAAAAA")).to_batches()[0])
    stored = pq.ParquetFile(path).metadata
    sizes = [stored.row_group(n).num_rows for n in range(stored.num_row_groups)]
    assert sum(sizes) == 2 * 63
    assert max(sizes) == 30


def test_what_was_found_before_an_error_is_in_the_file(tmp_path):
    path = tmp_path / "found.parquet"
    engine = CeqlEngine(parse("SELECT * FROM S WHERE A FILTER A[x > 0]"))
    good, bad = ({"type": ["A"], "x": [x]} for x in (1, [1]))
    with pytest.raises(StreamError, match="column 'x'"):
        write_parquet(engine, map(pa.RecordBatch.from_pydict, (good, bad)), str(path))
    assert pq.read_table(path).num_rows == 1


WRITING = """
import resource, sys
import pyarrow as pa
from denota.engine.ceql import write_parquet
from denota.semantics.ceql.syntax.parse import parse

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

query = parse("SELECT * FROM S WHERE A ; A ; B")
def stream(matching):
    return pa.RecordBatch.from_pydict({"type": ["A"] * 1001 + ["B"] * matching})
write_parquet(query, stream(1), sys.argv[1])
before = peak()
print(write_parquet(query, stream(10), sys.argv[1]), peak() - before)
"""


def test_five_million_are_written_in_little_memory(tmp_path):
    """200 MB as complex events; what is measured is beyond what half a million take."""
    told = subprocess.run(
        [sys.executable, "-c", WRITING, str(tmp_path / "found.parquet")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    count, megabytes = map(int, told.stdout.split())
    assert count == 10 * comb(1001, 2)
    assert pq.ParquetFile(tmp_path / "found.parquet").metadata.num_rows == count
    assert megabytes < 40
