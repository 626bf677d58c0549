"""`denota fuzz`: exit codes, what is printed where, and how it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from denota.oracle.cli import main
from denota.oracle.fuzzing import differential
from denota.oracle.fuzzing.fuzz_report import FuzzReport
from denota.oracle.reports.fuzz_summary import brief_summary, summary
from denota.oracle.sparql_evaluators.evaluator_comparison import Disagreement
from denota.oracle.sparql_evaluators.pattern_cases import Question

from .children import fork

ENGINES = '''
from denota.oracle.languages.spaseq.case import SpaseqCase

def silent(query, **rest):
    return []

def honest(query, **rest):
    return SpaseqCase(query, **rest).matches()

class OneLanguage:
    languages = ("ceql",)

    def run(self, task):
        assert task.language == "ceql" and {"ceql": 1}[task.language]
        return task.language.run(
            task.tree, streams=task.streams, kb=task.kb, readings=task.readings,
            evaluation=task.evaluation,
        )

class NoLanguage(OneLanguage):
    languages = ("sql",)

def angry(query, **rest):
    raise RuntimeError("leave me alone")
'''

SILENT = ["fuzz", "-l", "spaseq", "-e", "python:fuzzed_engines:silent", "-n", "10", "--seed", "1"]


@pytest.fixture(autouse=True)
def _engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fuzzed_engines.py").write_text(ENGINES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "fuzzed_engines", raising=False)


@pytest.mark.parametrize("engine", ["production", "oracle", "python:fuzzed_engines:honest"])
def test_agreement(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fuzz", "--language", "spaseq", "--engine", engine, "--cases", "25", "--seed", "3"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "vs. oracle: no discrepancy" in out
    assert "25 cases" in out
    assert "seed 3" in out
    assert err == ""


def test_a_discrepancy_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SILENT) == 1
    out, err = capsys.readouterr()
    assert "1 cluster" in out
    assert "definitions: SPAseq Def. 7" in out
    assert "title:" in out
    assert err == ""


def test_an_engine_gets_its_own_languages_only(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fuzz", "-e", "python:fuzzed_engines:OneLanguage", "-n", "20", "--seed", "1",
             "--timeout", "600"]  # kernels may have to be compiled
    assert main(words) == 0
    assert "20 cases" in (out := capsys.readouterr().out)
    assert "(ceql)" in out
    assert "0 unsupported" in out
    assert main([*words, "-l", "ceql", "-l", "spaseq"]) == 0
    assert "does not support spaseq (supported: ceql)" in capsys.readouterr().out
    assert main([*words, "-l", "spaseq"]) == 3
    out = capsys.readouterr().out
    assert "no cases were run" in out
    assert "does not support spaseq (supported: ceql)" in out


def test_a_child_is_asked_for_its_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    served = "-m denota.oracle.engines.adapter --engine python:fuzzed_engines:OneLanguage"
    engine = f"command:{sys.executable} {served}"
    assert main(["fuzz", "-e", engine, "-n", "5", "--seed", "1", "--timeout", "600"]) == 0
    assert "(ceql)" in capsys.readouterr().out


def test_nothing_judged_is_no_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "-e", "python:fuzzed_engines:NoLanguage", "-n", "20"]) == 3
    out = capsys.readouterr().out
    assert "no cases were run" in out
    assert "(supported: sql)" in out
    assert "no discrepancy" not in out


def test_what_a_crashing_engine_said_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fuzz", "-l", "spaseq", "-e", "python:fuzzed_engines:angry", "-n", "5", "--seed", "1"]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert "1 cluster" in out
    assert "       RuntimeError: leave me alone" in out.splitlines()


def test_a_discrepancy_is_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SILENT, "--save-failures", str(tmp_path / "found")]) == 1
    saved, *_ = sorted((tmp_path / "found").glob("*.case.yaml"))
    assert f"saved to {saved}" in capsys.readouterr().out
    assert main(["check", str(saved)]) == 0
    assert main(["check", str(saved), "--engine", "python:fuzzed_engines:silent"]) == 1
    assert capsys.readouterr().out.count("SPAseq Def. 7") == 1  # of what decides it


@pytest.mark.parametrize(
    "words",
    [
        ["--cases", "0"],
        ["--cases", "many"],
        ["--time-limit", "-1"],
        ["--time-limit", "nan"],
        ["--seed", "x"],
        ["--language", "cypher"],
        ["--engine", "productoin"],
        ["--engine", "python:no_such_module:engine"],
        ["--unknown"],
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fuzz", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_directory_that_cannot_be_made_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["fuzz", "-n", "1", "--save-failures", str(tmp_path / "file" / "found")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def interrupted(
    folder: Path, how: signal.Signals, *words: str
) -> subprocess.CompletedProcess[str]:
    """A run that gets a signal after 8 cases."""
    begun = differential._Run.one

    def one(run: Any, *asked: Any) -> None:
        begun(run, *asked)
        if run.report.examples == 8:
            os.kill(os.getpid(), how)

    def run() -> int:
        differential._Run.one = one  # type: ignore[method-assign]
        return main(["fuzz", "-l", "spaseq", "-e", "oracle", "--seed", "1", *words])

    running = fork(run, folder)
    out, err = running.communicate()
    return subprocess.CompletedProcess(words, running.returncode, out, err)


def test_an_interruption_ends_with_a_summary(tmp_path: Path) -> None:
    ended = interrupted(tmp_path, signal.SIGINT, "--time-limit", "1000")
    assert ended.returncode == 130, ended.stderr
    assert "8 cases" in ended.stdout
    assert "no discrepancy" in ended.stdout
    assert "(interrupted)" in ended.stdout
    assert ended.stderr == ""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_without_an_end_it_goes_on_until_it_is_asked_to_stop(
    how: signal.Signals, tmp_path: Path
) -> None:
    ended = interrupted(tmp_path, how)
    assert ended.returncode == 0, ended.stderr
    assert "8 cases" in ended.stdout
    assert "no discrepancy" in ended.stdout
    assert "(interrupted)" not in ended.stdout
    assert ended.stderr == ""


@pytest.mark.parametrize("files", [[], ["--coverage", "pairs.csv"], ["--save-failures", "saved"]])
def test_on_a_terminal_there_are_at_most_ten_lines(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    languages = ["-l", "spaseq", "-l", "ceql"]
    assert main(["fuzz", *languages, *SILENT[3:5], "-n", "60", "--seed", "1", *files]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert 5 < len(lines) <= 10
    assert "failing cases" in lines[0]
    assert lines[1].startswith("  60 cases in ")
    assert lines[2].startswith("  pairs of grammar rules covered: ")
    assert lines[3].startswith("  1. ")
    assert not any("title:" in line for line in lines)
    assert ("written: pairs.csv" in lines[-1]) is ("pairs.csv" in files)
    repeat = [line for line in lines if "--seed 1 --cases" in line]
    assert len(repeat) == ("saved" not in files)
    if "saved" in files:
        assert lines[-2].endswith(" in saved")
        assert lines[-2].split()[0] == str(len(list(Path("saved").iterdir())))


@pytest.mark.parametrize("saved", [None, "saved"])
def test_graph_patterns_have_at_most_ten_lines_on_a_terminal(
    saved: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")

    def wrong(opinion: Any, question: Question) -> Disagreement:
        return Disagreement("production", question, Counter(), None)

    monkeypatch.setattr("denota.oracle.sparql_evaluators.evaluator_comparison.disagreement", wrong)
    words = ["fuzz", "--language", "sparql", "-n", "20", "--seed", "1"]
    assert main([*words, *(["--save-failures", saved] if saved else [])]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert 5 < len(lines) <= 10
    assert all(len(line) <= 80 for line in lines[2:])
    assert lines[0].endswith(" new discrepancies")
    assert lines[1].startswith("  20 graph patterns in ")
    assert lines[2].startswith("  1. SELECT")
    if saved:
        assert lines[-2].split()[0] == str(len(list(Path(saved).iterdir())))


@pytest.mark.parametrize("wanted, told", [(None, "3"), (100, "3 of 100")])
def test_a_time_limit_says_how_many_cases_were_completed(wanted: int | None, told: str) -> None:
    report = FuzzReport(
        "some", ("ceql",), 1, examples=3, seconds=2.1, wanted=wanted, time_limit=2.0
    )
    assert f"(time limit of 2 s: {told} completed)" in summary(report)
    assert f"{told} completed" in brief_summary(report, "some", 80)
    report.interrupted = True
    assert "time limit" not in summary(report)
    complete = FuzzReport("some", ("ceql",), 1, examples=3, wanted=3, time_limit=2.0)
    assert "time limit" not in summary(complete)
