"""What a sweep says when it cannot start; no Spark is started here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.oracle.cli import main
from denota.oracle.sweeps.case_sources import Chunk, CorpusSource
from denota.oracle.sweeps.corpus_file import CorpusRow, CorpusWriter, read_corpus
from denota.oracle.sweeps.manifest import Manifest, SweepError, begin, locked, write_manifest
from denota.semantics.model.errors import CaseError

MakeCorpus = Callable[..., Path]

ROW = CorpusRow("1", "spaseq", "SELECT …", "{}", "{}")
MANIFEST = Manifest("c.parquet", "f00", 10, "production", 10.0, None, 5, "0.1.0")


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command line that fails, and returns its one line of complaint."""

    def of(*words: str | Path) -> str:
        assert main(["sweep", *map(str, words)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    return of


def test_the_extra_is_named_when_it_is_missing(
    make_corpus: MakeCorpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    complaint: Callable[..., str],
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    corpus = make_corpus(("single", 0, 1, 3))
    error = complaint(corpus, "-o", tmp_path / "out", "--baseline", "0")
    assert "pip install 'denota[spark]'" in error
    assert not (tmp_path / "out").exists()


def test_what_is_no_corpus_is_said(tmp_path: Path, complaint: Callable[..., str]) -> None:
    text = tmp_path / "text.parquet"
    text.write_text("no")
    assert "not a Parquet file" in complaint(text, "-o", tmp_path / "out")
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"number": [1]}), other)
    assert "it has no column 'id'" in complaint(other, "-o", tmp_path / "out")
    wrong = tmp_path / "wrong.parquet"
    pq.write_table(pa.table({"number": ["1"]}), wrong)
    assert "its column 'number' is string, not int64" in complaint(wrong, "-o", tmp_path)
    assert "no such file" in complaint(tmp_path / "none.parquet", "-o", tmp_path / "out")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a corpus, or --enumerate LANGUAGE"),
        (["c.parquet", "--max-operators", "1"], "--max-operators requires --enumerate"),
        (["c.parquet", "--enumerate", "ceql"], "--enumerate is not allowed with a corpus"),
        (["--enumerate", "ceql", "--max-operators", "1"],
            "--enumerate requires --max-operators and --max-events"),
        (["--enumerate", "esper", "--max-operators", "1", "--max-events", "1"],
            "there is no language 'esper'"),
        (["--enumerate", "ceql", "--max-operators", "1", "--max-events", "1", "--slide", "2"],
            "no SLIDE"),
        (["c.parquet", "--alphabet", "keys"], "--alphabet requires --enumerate"),
        (["--enumerate", "rsepql", "--max-operators", "1", "--max-events", "1",
          "--alphabet", "keys"],
         "unknown alphabet 'keys' for RSEP-QL (choose from: steps, gaps"),
    ],
)
def test_a_corpus_or_an_enumeration_is_named(
    words: list[str], said: str, tmp_path: Path, complaint: Callable[..., str]
) -> None:
    assert said in complaint(*words, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_damaged_corpus_is_not_begun(
    make_corpus: MakeCorpus, tmp_path: Path, complaint: Callable[..., str]
) -> None:
    corpus = make_corpus(("keys", 1, 2, 200))
    whole = corpus.read_bytes()
    flipped = bytearray(whole)
    flipped[200] ^= 1  # in a page
    for damaged in (whole[: len(whole) // 2], flipped):
        corpus.write_bytes(damaged)
        assert str(corpus) in complaint(corpus, "-o", tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_ids_are_different(tmp_path: Path, complaint: Callable[..., str]) -> None:
    with CorpusWriter(tmp_path / "twice.parquet") as writer:
        writer.extend([ROW, ROW])
    error = complaint(tmp_path / "twice.parquet", "-o", tmp_path / "out")
    assert "two cases have the id '1'" in error


def test_an_empty_corpus_is_said(tmp_path: Path, complaint: Callable[..., str]) -> None:
    with CorpusWriter(tmp_path / "empty.parquet"):
        pass
    assert "there is no case" in complaint(tmp_path / "empty.parquet", "-o", tmp_path / "out")


def test_nothing_is_overwritten(
    make_corpus: MakeCorpus, tmp_path: Path, complaint: Callable[..., str]
) -> None:
    corpus = make_corpus(("single", 0, 1, 3))
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.tex").write_text("…")
    assert "the directory is not empty" in complaint(corpus, "-o", full)
    assert "the directory is not empty" in complaint(corpus, "-o", full, "--resume")
    swept = tmp_path / "swept"
    swept.mkdir()
    write_manifest(MANIFEST, swept)
    assert "--resume" in complaint(corpus, "-o", swept)
    assert "the corpus has changed" in complaint(corpus, "-o", swept, "--resume")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"engine": "oracle"}, "engine has changed .* it was 'production', it is 'oracle'"),
        ({"limit": 3}, "limit has changed .* it was None, it is 3"),
        ({"fingerprint": "f01"}, "corpus has changed since the sweep began$"),
        ({"timeout": 1.0}, "timeout has changed"),
    ],
)
def test_only_the_same_sweep_goes_on(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    from dataclasses import replace

    with pytest.raises(SweepError, match=said):
        replace(MANIFEST, **change).check_resumable(MANIFEST, tmp_path)  # type: ignore[arg-type]


def test_the_same_sweep_goes_on_wherever_its_corpus_is(tmp_path: Path) -> None:
    from dataclasses import replace

    replace(MANIFEST, corpus="moved.parquet", chunk=7).check_resumable(MANIFEST, tmp_path)
    write_manifest(MANIFEST, tmp_path)
    assert begin(tmp_path, resume=True) == MANIFEST


def test_a_directory_has_one_sweep_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(SweepError, match="another sweep"), locked(tmp_path):
        pass
    with locked(tmp_path):
        assert begin(tmp_path, resume=False) is None


def test_chunks_are_ranges_of_numbers(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(("single", 1, 1, 10))
    planned = CorpusSource(corpus).plan(4, None)
    assert planned.chunks == (Chunk(0, 0, 4, 4), Chunk(1, 4, 8, 4), Chunk(2, 8, 10, 2))
    assert planned.rows == 10
    assert CorpusSource(corpus).plan(4, 5).chunks == (Chunk(0, 0, 4, 4), Chunk(1, 4, 5, 1))


def test_a_part_of_a_corpus_is_a_corpus(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    corpus = make_corpus(("single", 1, 1, 10))
    some = pq.read_table(corpus).take([9, 0, 5])
    pq.write_table(some, tmp_path / "some.parquet")
    assert [row.number for row in read_corpus(tmp_path / "some.parquet")] == [9, 0, 5]
    planned = CorpusSource(tmp_path / "some.parquet").plan(4, None)
    assert planned.chunks == (Chunk(0, 0, 4, 1), Chunk(1, 4, 8, 1), Chunk(2, 8, 10, 1))
    pq.write_table(pa.concat_tables([some, some]), tmp_path / "twice.parquet")
    with pytest.raises(CaseError, match="two cases have the id"):
        CorpusSource(tmp_path / "twice.parquet").plan(4, None)
