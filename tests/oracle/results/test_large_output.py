"""Counting, sampling, record batches and Parquet from Python, in every language."""

from math import comb

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import denota

PAIRS = "SELECT * FROM S WHERE A ; A"
U1, U2 = "http://example.org/u1", "http://example.org/u2"


@pytest.fixture
def stream():
    return pa.table({"type": ["A"] * 400})


@pytest.fixture
def spaseq(files):
    query = (files / "q.rq").read_text(encoding="utf-8")
    return query, {U1: str(files / "u1.trig"), U2: str(files / "u2.trig")}


def test_complex_events(stream, tmp_path):
    assert denota.count(PAIRS, {"S": stream}) == comb(400, 2)
    assert denota.count("SELECT * FROM S WHERE A+", {"S": stream}) == 2**400 - 1
    sample = denota.sample(PAIRS, {"S": stream}, size=5, seed=1)
    assert len(set(sample)) == 5
    assert sample == denota.sample(PAIRS, {"S": stream}, size=5, seed=1)
    path = tmp_path / "found.parquet"
    assert denota.write_parquet(PAIRS, {"S": stream}, path) == comb(400, 2)
    table = pq.read_table(path)
    batches = list(denota.batches(PAIRS, {"S": stream}))
    assert table.equals(pa.Table.from_batches(batches))
    assert table.num_rows == comb(400, 2)
    (first,) = denota.batches(PAIRS, {"S": stream}, limit=7)
    assert table.slice(0, 7).equals(pa.Table.from_batches([first]))
    assert denota.write_parquet(PAIRS, {"S": stream}, path, limit=7) == 7


def test_a_language_without_a_shorter_way(spaseq, tmp_path):
    everything = list(denota.run(*spaseq))
    assert denota.count(*spaseq) == len(everything) == 2
    assert denota.sample(*spaseq, size=5) == everything
    (one,) = denota.sample(*spaseq, size=1, seed=1)
    assert one in everything
    assert {denota.sample(*spaseq, size=1, seed=seed)[0] for seed in range(20)} == set(everything)
    path = tmp_path / "found.parquet"
    assert denota.write_parquet(*spaseq, path, limit=1) == 1
    assert set(pq.read_table(path)["result"].to_pylist()) == {0}
    [batch] = denota.batches(*spaseq, limit=1)
    assert pq.read_table(path).equals(pa.Table.from_batches([batch]))
