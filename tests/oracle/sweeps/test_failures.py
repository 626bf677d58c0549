"""Distinct failures: found among the failing cases, and shrunk, whatever the engine does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.engine_specs import engine
from denota.oracle.sweeps.case_sources import CorpusSource
from denota.oracle.sweeps.corpus_file import read_corpus
from denota.oracle.sweeps.failures import Failures, distinct_failures, write_failures
from denota.oracle.sweeps.row_verdicts import (
    RowVerdict,
    check_rows,
    verdict_batch,
)
from denota.oracle.sweeps.verdict_files import VerdictFiles
from denota.oracle.sweeps.verdict_sum import VerdictSum

MakeCorpus = Callable[..., Path]


def judged(corpus: Path, engine_name: str, directory: Path) -> VerdictFiles:
    """The verdicts of a sweep in one chunk, without Spark."""
    rows = list(read_corpus(corpus))
    files = VerdictFiles(directory / "verdicts")
    files.prepare()
    batch = verdict_batch(rows, check_rows(rows, engine_name, 10.0))
    files.commit(0, VerdictSum.of(batch, "all"))
    return files


def test_what_an_engine_does_is_a_verdict(make_corpus: MakeCorpus, engines: str) -> None:
    rows = list(read_corpus(make_corpus(("single", 1, 2, 180))))
    verdicts = list(check_rows(rows, f"{engines}:troubled", 10.0))
    assert [v.outcome for v in verdicts].count("pass") == 175
    died = [row for row, v in zip(rows, verdicts, strict=True) if "exit code 7" in v.detail]
    assert ["SEQ(A+)" in row.query for row in died] == [True]


def test_each_kind_of_failure_is_shrunk(
    make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 2, 180))
    name = f"{engines}:troubled"
    failures = distinct_failures(CorpusSource(corpus), judged(corpus, name, tmp_path), name, 10.0)
    write_failures(failures, tmp_path / "failures")
    told = sorted((f.verdict.outcome, f.case.title, f.explains) for f in failures.distinct)
    assert told == [
        ("crash", f"SEQ((A & A)): {name}: crash", 3),
        ("crash", f"SEQ(A+): {name}: crash", 1),
        ("timeout", f"SEQ(A!): {name}: timeout", 1),
    ]
    assert (failures.failing, failures.left) == (5, 0)
    for failure in failures.distinct:
        assert failure.path is not None
        case = read_case(failure.path)
        assert case.tags[0] == "sweep"
        assert check_case(case, engine("oracle")).ok


def test_a_case_that_fails_only_once_stands_as_it_is(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    corpus = make_corpus(("single", 1, 1, 10))
    rows = list(read_corpus(corpus))
    verdicts = [RowVerdict("pass")] * 9 + [RowVerdict("fail", missing=2)]
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    files.commit(0, VerdictSum.of(verdict_batch(rows, verdicts), "all"))
    [failure] = distinct_failures(CorpusSource(corpus), files, "production", 10.0).distinct
    assert failure.first == failure.case.title == rows[9].id
    assert "missing" in failure.signature
    write_failures(Failures([failure], 1, 1, 0), tmp_path / "failures")
    assert failure.path is not None
    assert check_case(read_case(failure.path), engine("oracle")).ok


def test_no_more_than_asked_are_shrunk(
    make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 2, 180))
    name = f"{engines}:troubled"
    seen: list[int] = []
    failures = distinct_failures(
        CorpusSource(corpus), judged(corpus, name, tmp_path), name, 10.0, most_shrunk=1,
        progress=lambda found: seen.append(found.shrunk),
    )
    assert (failures.shrunk, len(failures.distinct), seen) == (1, 1, [1])
    assert failures.left == 5 - failures.distinct[0].explains


def test_half_written_verdicts_are_none(tmp_path: Path) -> None:
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    (tmp_path / "verdicts" / ".chunk-000003.parquet.unfinished").write_bytes(b"PAR1")
    assert files.finished() == ({}, [])
    files.prepare()
    assert list((tmp_path / "verdicts").iterdir()) == []


@pytest.mark.parametrize("column", ["streams", "kb", "readings", "expected"])
def test_a_malformed_row_is_unsupported(make_corpus: MakeCorpus, column: str) -> None:
    from dataclasses import replace

    row = next(read_corpus(make_corpus(("single", 0, 1, 1))))
    broken = replace(row, **{column: "[1]"})
    [verdict] = check_rows([broken], "production", 10.0)
    assert verdict.outcome == "unsupported"
    assert verdict.detail == f"{row.id}: malformed row: not an object: [1]"


def test_verdicts_that_cannot_be_read_are_judged_again(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    rows = list(read_corpus(make_corpus(("single", 0, 1, 3))))
    batch = verdict_batch(rows, [RowVerdict("fail", detail="word")] * 3)
    for chunk in range(4):
        files.commit(chunk, VerdictSum.of(batch, "all"))
    whole = files.path(0).read_bytes()
    for chunk, damaged in enumerate((
        whole[: len(whole) // 2],  # cut off
        whole.replace(b"\x04\x00\x00\x00word", b"\x04\x00\x00\x00ward"),  # in a page
        whole.replace(b'"digest": "', b'"digest": "f', 1),  # in the sum
    ), start=1):
        assert damaged != whole
        files.path(chunk).write_bytes(damaged)
    found, removed = files.finished()
    assert found == {0: 3}
    assert [f"chunk-00000{k}" in reason for k, reason in enumerate(removed, 1)] == [True] * 3
    assert [files.path(chunk).exists() for chunk in range(4)] == [True, False, False, False]
