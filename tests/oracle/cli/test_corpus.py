"""`denota corpus`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from denota.oracle.cases.case_reader import parse_case, read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.engines.engine_specs import engine
from denota.oracle.sweeps.corpus_file import read_corpus
from denota.oracle.sweeps.row_verdicts import check_rows


@pytest.fixture
def corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Path]:
    """Makes a corpus by a command line."""

    def make(*words: str) -> Path:
        path = tmp_path / "corpus.parquet"
        assert main(["corpus", *words, "-o", str(path)]) == 0
        assert f"written to {path}" in capsys.readouterr().out
        return path

    return make


@pytest.fixture
def complaint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command line that fails, and returns its one line of complaint."""

    def of(*words: str) -> str:
        assert main(["corpus", *words]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert list(tmp_path.iterdir()) == []
        return error

    return of


def test_enumerate_within_bounds(corpus: Callable[..., Path]) -> None:
    rows = list(read_corpus(corpus("enumerate", "--max-operators", "1", "--max-events", "2")))
    assert len(rows) == 1_938
    assert [row.number for row in rows] == list(range(1_938))
    assert {row.operators for row in rows} == {0, 1}
    assert {row.events for row in rows} == {0, 1, 2}


def test_enumerate_the_first(corpus: Callable[..., Path]) -> None:
    rows = list(read_corpus(corpus("enumerate", "--limit", "50")))
    assert len(rows) == 50
    assert rows[0].id == "keys-0-0-0000000"


def test_more_than_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "c.parquet")
    assert main(["corpus", "enumerate", "--max-operators", "0", "--limit", "1000", "-o", path]) == 0
    assert "489 cases written" in (told := capsys.readouterr().out)
    assert "there are no more within these bounds" in told


def test_the_window_of_choice(corpus: Callable[..., Path]) -> None:
    words = ("enumerate", "--alphabet", "single", "--max-operators", "0")
    assert all("WITHIN 2 EVENTS\n" in row.query
               for row in read_corpus(corpus(*words, "--within", "2 events")))
    rows = list(read_corpus(corpus(*words, "--within", "3", "--slide", "2",
                                   "--reading", "ties=merge")))
    assert all("WITHIN 3\nSLIDE 2\n" in row.query for row in rows)
    assert {row.readings for row in rows} == {'{"ties":"merge"}'}


def test_epsparql_s_window_is_a_filter(corpus: Callable[..., Path]) -> None:
    rows = list(read_corpus(corpus(
        "enumerate", "--language", "epsparql", "--max-operators", "1", "--max-events", "1",
        "--within", "3",
        "--reading", "leftjoin=paper",
    )))
    assert {row.readings for row in rows} == {'{"leftjoin":"paper"}'}
    filtered = [row for row in rows if "FILTER" in row.query]
    assert filtered
    assert all("GETDURATION() <= 3" in row.query for row in filtered)


def test_counting(capsys: pytest.CaptureFixture[str]) -> None:
    bounds = ["--max-operators", "1", "--max-events", "2"]
    assert main(["corpus", "enumerate", "--count", *bounds]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1", "2", "1,650", "1,938"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--within", "soon"], "--within: expected N or 'N EVENTS', got 'soon'"),
        (["--within", "0"], "--within: expected N or 'N EVENTS', got '0'"),
        (["--max-operators", "-1"], "'-1' is not a natural number"),
        (["--alphabet", "latin"],
         "unknown alphabet 'latin' for SPAseq (choose from: keys, values, edges, single"),
        (["--language", "ceql", "--alphabet", "keys"],
         "unknown alphabet 'keys' for CEQL (choose from: types, attributes"),
        (["--language", "cqels", "--alphabet", "keys"],
         "unknown alphabet 'keys' for CQELS-CEP (choose from: steps, gaps"),
        (["--reading", "kleene"], "--reading: expected K=V or letter, got 'kleene'"),
        (["--reading", "kleene=first"], "reading 'kleene' has no value 'first'"),
        (["--reading", "window=sliding"], "needs a SLIDE"),
        (["--language", "esper"], "there is no language 'esper'"),
        (["--language", "epsparql", "--slide", "1"], "EP-SPARQL has FILTER"),
        (["--language", "epsparql", "--reading", "kleene=join"], "no reading 'kleene'"),
    ],
)
def test_bad_options(
    words: list[str], said: str, tmp_path: Path, complaint: Callable[..., str]
) -> None:
    assert said in complaint("enumerate", *words, "-o", str(tmp_path / "c.parquet"))


def test_an_output_is_needed(complaint: Callable[..., str]) -> None:
    assert "-o" in complaint("enumerate")
    assert "-o" in complaint("generate")


def test_generate_the_same_cases_from_the_same_seed(corpus: Callable[..., Path]) -> None:
    first = list(read_corpus(corpus("generate", "-n", "40", "--seed", "7")))
    assert list(read_corpus(corpus("generate", "-n", "40", "--seed", "7"))) == first
    assert list(read_corpus(corpus("generate", "-n", "40", "--seed", "8"))) != first
    assert len({row.id for row in first}) == 40
    assert {v.outcome for v in check_rows(first, "oracle", 10.0)} == {"pass"}


def test_generated_expectations_are_the_oracle_s(corpus: Callable[..., Path]) -> None:
    rows = list(read_corpus(corpus("generate", "-n", "60", "--seed", "3", "--with-expected")))
    assert all(row.expected is not None for row in rows)
    assert any('"solutions":[{' in (row.expected or "") for row in rows)
    assert {v.outcome for v in check_rows(rows, "oracle", 10.0)} == {"pass"}


def test_show_prints_cases(
    corpus: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus("enumerate", "--max-operators", "1", "--max-events", "3")
    assert main(["corpus", "show", str(path), "--limit", "3"]) == 0
    assert [case["title"] for case in yaml.safe_load_all(capsys.readouterr().out)] == [
        "keys-0-0-0000000", "keys-0-1-0000000", "keys-0-1-0000001"
    ]
    assert main(["corpus", "show", str(path), "--id", "keys-1-3-0000100", "--with-expected"]) == 0
    case = parse_case(capsys.readouterr().out)
    assert case.title == "keys-1-3-0000100"
    assert check_case(case, engine("production")).ok


def test_show_says_what_is_not_there(
    corpus: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus("enumerate", "--limit", "5")
    assert main(["corpus", "show", str(path), "--id", "keys-9"]) == 2
    assert capsys.readouterr().err == f"{path}: there is no case 'keys-9'\n"


def test_exported_cases_are_case_files(
    corpus: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus("generate", "-n", "12", "--seed", "5")
    assert main(["corpus", "export", str(path), "-o", str(tmp_path / "cases")]) == 0
    assert capsys.readouterr().out == f"12 cases written to {tmp_path / 'cases'}\n"
    cases = [read_case(file) for file in sorted((tmp_path / "cases").iterdir())]
    assert [case.title for case in cases] == [f"random-5-{k:07d}" for k in range(12)]
    assert all(check_case(case, engine("oracle")).ok for case in cases)


def test_an_unfinished_corpus_is_no_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from denota.oracle.sweeps import corpus_file

    def interrupted(self: object, rows: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(corpus_file.CorpusWriter, "extend", interrupted)
    assert main(["corpus", "enumerate", "-o", str(tmp_path / "c.parquet")]) == 130
    assert list(tmp_path.iterdir()) == []
