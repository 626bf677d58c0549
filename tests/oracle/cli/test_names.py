"""A stream or an event type that is misspelt is an error with the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.oracle.cli import main

SPASEQ = (
    "SELECT ?x WITHIN 5 FROM STREAM Power <urn:power> "
    "WHERE { SEQ(A) DEFINE GPM A ON Power { ?y <urn:p> ?x } }"
)
RSEPQL = (
    "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:power> [RANGE 5 STEP 1] "
    "WHERE { WINDOW <urn:w> { ?y <urn:p> ?x } }"
)
CQELS = (
    "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:power> [RANGE 5] "
    "WHERE { WINDOW <urn:w> { ?y <urn:p> ?x } }"
)
EPSPARQL = "SELECT ?x {from} WHERE {{ ?y <urn:p> ?x }}"
DECLARED = "CREATE STREAM S { EVENT BUY { x:int }, EVENT SELL { x:int } } "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.trig").write_text("")
    (tmp_path / "s.csv").write_text("type,x\nSELL,1\nBUY,2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("language", "text", "written", "file", "message"),
    [
        ("spaseq", SPASEQ, "Powr", "s.trig", "names no stream 'Powr', did you mean 'Power'?"),
        ("spaseq", SPASEQ, "urn:powr", "s.trig", "did you mean 'urn:power'?"),
        ("spaseq", SPASEQ, "u:x", "s.trig", "names no stream 'u:x' (it names: Power)"),
        ("rsepql", RSEPQL, "urn:powre", "s.trig", "did you mean 'urn:power'?"),
        ("cqels", CQELS, "urn:powre", "s.trig", "did you mean 'urn:power'?"),
        (
            "epsparql", EPSPARQL.format(**{"from": "FROM STREAM <urn:power>"}), "urn:powre",
            "s.trig", "did you mean 'urn:power'?",
        ),
        ("ceql", "SELECT * FROM Stocks WHERE SELL", "Stock", "s.csv", "did you mean 'Stocks'?"),
        ("ceql", "SELECT * FROM S WHERE SELL; BYU", "S", "s.csv",
         "q:1:29: event type 'BYU' does not occur in the input, did you mean 'BUY'?"),
        ("ceql", DECLARED + "SELECT * FROM S WHERE SELL; BYU", "S", "s.csv",
         "declares an event 'BYU', did you mean 'BUY'?"),
    ],
)
def test_a_slip(
    language: str, text: str, written: str, file: str, message: str,
    folder: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "q").write_text(text)
    assert main(["run", "q", "--language", language, "--stream", f"{written}={file}"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("language", "text", "written", "file"),
    [
        ("spaseq", SPASEQ, "Power", "s.trig"),
        ("spaseq", SPASEQ, "urn:power", "s.trig"),
        ("epsparql", EPSPARQL.format(**{"from": ""}), "urn:any", "s.trig"),
        ("ceql", "SELECT * FROM S WHERE SELL; BUY", "S", "s.csv"),
        ("ceql", "SELECT * WHERE SELL; BUY", "Whatever", "s.csv"),
        ("ceql", "SELECT * FROM S WHERE SELL; SELL", "S", "s.csv"),
        ("ceql", "SELECT * FROM S WHERE SELL; HALTED", "S", "s.csv"),
        ("ceql", "SELECT * FROM S WHERE SELL; BUY; SELL; BYU", "S", "s.csv"),
    ],
)
def test_no_slip(language: str, text: str, written: str, file: str, folder: Path) -> None:
    (folder / "q").write_text(text)
    assert main(["run", "q", "--language", language, "--stream", f"{written}={file}"]) == 0
