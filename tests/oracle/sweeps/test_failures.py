"""Distinct failures: found among the failing cases, and shrunk, whatever the engine does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from denota.oracle.cases.reading import read_case
from denota.oracle.engines.naming import engine
from denota.oracle.judging.judge import judge
from denota.oracle.sweeps.corpus_file import read_corpus
from denota.oracle.sweeps.failures import Failures, distinct_failures, write_failures
from denota.oracle.sweeps.row_verdicts import (
    RowVerdict,
    judge_rows,
    verdict_batch,
)
from denota.oracle.sweeps.verdict_files import VERDICT_SCHEMA, VerdictFiles

MakeCorpus = Callable[..., Path]


def judged(corpus: Path, engine_name: str, directory: Path) -> VerdictFiles:
    """The verdicts of a sweep in one chunk, without Spark."""
    rows = list(read_corpus(corpus))
    files = VerdictFiles(directory / "verdicts")
    files.prepare()
    batch = verdict_batch(rows, judge_rows(rows, engine_name, 10.0))
    files.commit(0, pa.Table.from_batches([batch]))
    return files


def test_what_an_engine_does_is_a_verdict(make_corpus: MakeCorpus, engines: str) -> None:
    rows = list(read_corpus(make_corpus(("single", 1, 2, 180))))
    verdicts = list(judge_rows(rows, f"{engines}:troubled", 10.0))
    assert [v.outcome for v in verdicts].count("pass") == 175
    died = [row for row, v in zip(rows, verdicts, strict=True) if "exit code 7" in v.detail]
    assert ["SEQ(A+)" in row.query for row in died] == [True]


def test_each_kind_of_failure_is_shrunk(
    make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 2, 180))
    name = f"{engines}:troubled"
    failures = distinct_failures(corpus, judged(corpus, name, tmp_path), name, 10.0)
    write_failures(failures, tmp_path / "failures")
    told = sorted((f.verdict.outcome, f.case.title, f.explains) for f in failures.distinct)
    assert told == [
        ("crash", f"SEQ((A & A)): {name} crashes", 3),
        ("crash", f"SEQ(A+): {name} crashes", 1),
        ("timeout", f"SEQ(A!): {name} does not answer", 1),
    ]
    assert (failures.failing, failures.left) == (5, 0)
    for failure in failures.distinct:
        assert failure.path is not None
        case = read_case(failure.path)
        assert case.tags[0] == "sweep"
        assert judge(case, engine("oracle")).ok


def test_a_case_that_fails_only_once_stands_as_it_is(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    corpus = make_corpus(("single", 1, 1, 10))
    rows = list(read_corpus(corpus))
    verdicts = [RowVerdict("pass")] * 9 + [RowVerdict("fail", missing=2)]
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    files.commit(0, pa.Table.from_batches([verdict_batch(rows, verdicts)]))
    [failure] = distinct_failures(corpus, files, "production", 10.0).distinct
    assert failure.first == failure.case.title == rows[9].id
    assert "missing" in failure.signature
    write_failures(Failures([failure], 1, 1, 0), tmp_path / "failures")
    assert failure.path is not None
    assert judge(read_case(failure.path), engine("oracle")).ok


def test_no_more_than_asked_are_shrunk(
    make_corpus: MakeCorpus, tmp_path: Path, engines: str
) -> None:
    corpus = make_corpus(("single", 1, 2, 180))
    name = f"{engines}:troubled"
    seen: list[int] = []
    failures = distinct_failures(
        corpus, judged(corpus, name, tmp_path), name, 10.0, most_shrunk=1,
        progress=lambda found: seen.append(found.shrunk),
    )
    assert (failures.shrunk, len(failures.distinct), seen) == (1, 1, [1])
    assert failures.left == 5 - failures.distinct[0].explains


def test_half_written_verdicts_are_none(tmp_path: Path) -> None:
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    (tmp_path / "verdicts" / ".chunk-000003.parquet.unfinished").write_bytes(b"PAR1")
    assert files.finished() == {}
    files.prepare()
    assert list((tmp_path / "verdicts").iterdir()) == []


@pytest.mark.parametrize("column", ["streams", "kb", "readings", "expected"])
def test_a_malformed_row_is_unsupported(make_corpus: MakeCorpus, column: str) -> None:
    from dataclasses import replace

    row = next(read_corpus(make_corpus(("single", 0, 1, 1))))
    broken = replace(row, **{column: "[1]"})
    [verdict] = judge_rows([broken], "production", 10.0)
    assert verdict.outcome == "unsupported"
    assert verdict.detail == f"{row.id}: malformed row: not an object: [1]"


def test_verdicts_that_cannot_be_read_are_judged_again(tmp_path: Path) -> None:
    files = VerdictFiles(tmp_path / "verdicts")
    files.prepare()
    row = dict.fromkeys(VERDICT_SCHEMA.names)
    for chunk in (0, 1):
        files.commit(chunk, pa.Table.from_pylist([row] * 3, VERDICT_SCHEMA))
    whole = files.path(1).read_bytes()
    files.path(1).write_bytes(whole[: len(whole) // 2])
    assert files.finished() == {0: 3}
    assert not files.path(1).exists()
