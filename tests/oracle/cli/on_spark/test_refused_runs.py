"""What is wrong with a run on Spark is one line, before Spark is started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")

from denota.oracle.cli import main
from denota.oracle.cli.run.on_spark import spark_run

QUERY = "SELECT * FROM S WHERE A ; B PARTITION BY [m] WITHIN 20 EVENTS"


class Started(Exception):
    """Spark would be started now."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def started(*_: object) -> None:
        raise Started

    monkeypatch.setattr(spark_run, "spark_session", started)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(QUERY)
    (tmp_path / "s.csv").write_text("type,m\nA,1\nB,1\n")
    (tmp_path / "file").touch()
    return tmp_path


def run(*words: str, query: str = "q", stream: str = "S=s.csv") -> int:
    return main(["run", query, "--language", "ceql", "--stream", stream, "--spark", *words])


PARQUET = ("--format", "parquet", "-o")


@pytest.mark.parametrize("words, said", [
    ("--checkpoint-interval 0", "argument --checkpoint-interval: '0' is not a positive number"),
    ("--key-groups 0", "argument --key-groups: '0' is not a positive number"),
    ("--format csv", "--spark writes jsonl or parquet, not csv"),
    ("-o found", "-o FOLDER is for --format parquet"),
    ("--format parquet", "-o FOLDER is for --format parquet"),
    ("--format parquet -o file", "-o: 'file' is no folder"),
    ("--format parquet -o file/found", "-o: 'file/found' cannot be written to: Not a directory"),
    ("--format parquet -o used", "-o: 'used' has the results of another run"),
    ("-o kafka://127.0.0.1:9/", "expected a broker and a topic"),
    ("--checkpoint file", "the checkpoint is not a writable directory"),
    ("--checkpoint torn",
        "torn: cannot resume: the checkpoint was not written by 'denota run --spark'"),
    ("--checkpoint list",
        "list: cannot resume: the checkpoint was not written by 'denota run --spark'"),
    ("--checkpoint alien",
        "alien: cannot resume: the checkpoint was not written by 'denota run --spark'"),
    ("--reading nothing=x", "nothing"),
    ("--kb x", "--kb"),
    ("--at 8", "--at is not allowed with --spark"),
])
def test_one_line_says_it(
    words: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("torn", '{"asked": '), ("list", "[1]")):
        (folder / name).mkdir()
        (folder / name / "denota-run.json").write_text(text)
    (folder / "alien/spark").mkdir(parents=True)
    (folder / "used/_spark_metadata").mkdir(parents=True)
    assert run(*words.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


@pytest.mark.parametrize("stream, said", [
    ("S=-", "after a kill '-' cannot be read again"),
    ("S=tcp://127.0.0.1:9", "after a kill 'tcp://127.0.0.1:9' cannot be read again"),
    ("S=none.csv", "none.csv: cannot be read: no such file or directory"),
    ("S=none/", "none/: cannot be read: no such file or directory"),
    ("T=s.csv", "the query names no stream 'T'"),
])
def test_of_streams_too(
    stream: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(stream=stream) == 2
    assert said in capsys.readouterr().err


def test_a_run_goes_on_only_as_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r").write_text(QUERY.replace("20", "21"))
    for _ in range(2):
        with pytest.raises(Started):
            run("--checkpoint", "state", *PARQUET, "found")
    assert json.loads((folder / "state/denota-run.json").read_text())["groups"] is None
    for words, query, said in (
        ((*PARQUET, "found"), "r", "another query"),
        ((*PARQUET, "other"), "q", "its results in another place"),
        ((), "q", "its results in another place"),
        ((*PARQUET, "found", "--key-groups", "3"), "q", "other --key-groups"),
        ((*PARQUET, "found", "--max-out-of-orderness", "1"), "q",
            "other options for reading its streams"),
    ):
        assert run("--checkpoint", "state", *words, query=query) == 2
        assert capsys.readouterr().err == (
            f"state: cannot resume: the checkpoint belongs to a run with {said}\n"
        )
