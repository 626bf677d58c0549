"""`denota run --limit`, `--count`, `--sample`; complex events written batch by batch."""

import json
from math import comb

import pyarrow.parquet as pq
import pytest

from denota.oracle.cli import main

U1, U2 = "http://example.org/u1", "http://example.org/u2"


@pytest.fixture
def subsets(tmp_path):
    """`run` on a query with a complex event for each pair of thousand As."""
    (tmp_path / "q.ceql").write_text("SELECT * FROM S WHERE A ; A", encoding="utf-8")
    (tmp_path / "s.csv").write_text("type\n" + "A\n" * 1000, encoding="utf-8")
    return ["run", str(tmp_path / "q.ceql"), "--stream", f"S={tmp_path / 's.csv'}"]


@pytest.fixture
def pairs(files):
    """`run` on a SPAseq query with two results."""
    return [
        "run", str(files / "q.rq"),
        "--stream", f"{U1}={files / 'u1.trig'}", "--stream", f"{U2}={files / 'u2.trig'}",
    ]


def printed(words, capsys):
    assert main(words) == 0
    return capsys.readouterr().out.splitlines()


def test_complex_events_are_counted(tmp_path, subsets, capsys):
    assert printed([*subsets, "--count"], capsys) == [str(comb(1000, 2))]
    (tmp_path / "q.ceql").write_text("SELECT * FROM S WHERE A+", encoding="utf-8")
    assert printed([*subsets, "--count"], capsys) == [str(2**1000 - 1)]
    assert main([*subsets, "--count", "-o", str(tmp_path / "n")]) == 0
    assert (tmp_path / "n").read_text(encoding="utf-8") == f"{2**1000 - 1}\n"


def test_the_first_ones(tmp_path, subsets, capsys):
    first = printed([*subsets, "--limit", "3"], capsys)
    assert [json.loads(line)["positions"] for line in first] == [[0, 1], [1, 2], [0, 2]]
    (tmp_path / "q.ceql").write_text("SELECT * FROM S WHERE A+", encoding="utf-8")
    assert len(printed([*subsets, "--limit", "7", "--format", "csv"], capsys)) == 8
    assert printed([*subsets, "--limit", "0"], capsys) == []


def test_a_sample(subsets, capsys):
    words = [*subsets, "--sample", "5", "--seed"]
    sample = printed([*words, "1"], capsys)
    assert len(set(sample)) == 5
    assert sample == printed([*words, "1"], capsys) != printed([*words, "2"], capsys)
    csv = printed([*words, "1", "--format", "csv"], capsys)
    assert csv[1:] == [
        f"{each['start']},{each['end']},{' '.join(map(str, each['positions']))}"
        for each in map(json.loads, sample)
    ]


@pytest.mark.parametrize("readings", [[], ["--reading", "output=valuation"]])
def test_every_format_says_the_same(tmp_path, subsets, readings, capsys):
    """As the oracle's results, which are written one by one, for the same stream."""
    (tmp_path / "q.ceql").write_text(
        "SELECT * FROM S WHERE A AS x ; A+ AS y ; B WITHIN 5 EVENTS", encoding="utf-8"
    )
    (tmp_path / "s.csv").write_text("type\n" + "A\nA\nB\n" * 5, encoding="utf-8")
    for form in ("jsonl", "csv"):
        ours = printed([*subsets, *readings, "--format", form], capsys)
        oracles = printed([*subsets, *readings, "--format", form, "--engine", "oracle"], capsys)
        assert sorted(ours) == sorted(oracles)
        assert len(ours) > 10
    tables = []
    for engine in ("production", "oracle"):
        path = tmp_path / f"{engine}.parquet"
        words = [*subsets, *readings, "--format", "parquet", "-o", str(path)]
        assert main([*words, "--engine", engine]) == 0
        tables.append(pq.read_table(path))
    assert tables[0].schema == tables[1].schema
    assert sorted(map(str, tables[0].to_pylist())) == sorted(map(str, tables[1].to_pylist()))


@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_other_languages_too(pairs, engine, capsys):
    words = [*pairs, "--engine", engine]
    everything = printed(words, capsys)
    assert printed([*words, "--count"], capsys) == ["2"]
    assert printed([*words, "--limit", "1"], capsys) == everything[:1]
    assert printed([*words, "--sample", "5"], capsys) == everything
    (one,) = printed([*words, "--sample", "1", "--seed", "1"], capsys)
    assert one in everything


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "--limit", "3"], "--count is not allowed with --limit"),
        (["--sample", "3", "--count"], "--sample is not allowed with --count"),
        (["--seed", "3"], "--seed requires --sample"),
        (["--limit", "-1"], "--limit: '-1' is not a natural number"),
        (["--sample", "many"], "--sample: 'many' is not a natural number"),
        (["--count", "--format", "csv"], "--count writes a number, no csv"),
    ],
)
def test_what_makes_no_sense_is_said(subsets, options, message, capsys):
    assert main([*subsets, *options]) == 2
    assert message in capsys.readouterr().err
