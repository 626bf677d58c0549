"""denota explain speaks of CQELS-CEP."""

from __future__ import annotations

from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main

CORPUS = Path(denota.__file__).resolve().parent / "corpus"
PAPERS, RULINGS = CORPUS / "papers" / "cqels", CORPUS / "rulings" / "cqels"


def said(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str, *more: str
) -> str:
    assert main(["explain", str(folder / f"{name}.case.yaml"), *more]) == 0
    return capsys.readouterr().out


def test_why_a_solution_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, PAPERS, "example-06")
    lines = out.splitlines()
    assert lines[:6] == [
        "Solution 1 of 1: ?v = :a1, ?s = :m over [10, 16]",
        "  1. { ?v :delayAt ?s } matches :g10 over [10, 10] (case (16))",
        "     ?v :delayAt ?s matches :a1 :delayAt :m",
        "  2. { ?v :delayAt ?s } matches :g16 over [16, 16] (case (16))",
        "     ?v :delayAt ?s matches :a1 :delayAt :m",
        "  Negation !{ ?v :arriveAt ?s }: no compatible match starts afterwards (NO_TAIL)",
    ]
    assert lines[6].endswith("unchanged from the start (case (17))")
    assert " matches " in lines[7]
    assert "  It is a solution at 16 (case (1))" in lines


def test_what_is_projected_away_is_found_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert "matches :g10 over [10, 10]" in said(capsys, PAPERS, "example-01", "--match", "1")


@pytest.mark.parametrize(("name", "missing", "reason"), [
    ("without-closed", "{interval: [1, 5], x: 1, y: 2}",
     "!{ ?v :n ?z }: violated by ?v = :v, ?z = 0 over [3, 5]"),
    ("seq-touching", "{interval: [1, 5], x: 1, y: 2}",
     "[1, 3] does not end before [3, 5] starts, t2 < t3 (SEQ)"),
    ("seq", "{interval: [1, 4], x: 1, y: 9}",
     "?v :b ?y matches :g2_4 (case (16)), but ?y is 3, not 9"),
    ("range", "{interval: [1, 1], s: \":a\"}",
     "The window :W [RANGE 5] contains :g4 over [4, 4], :g9 over [9, 9]"),
    ("at-open", "{interval: [1, 9], s: \":b\"}", "A solution exists over [1, 5]."),
    ("background-changes", "{interval: [2, 6], s: \":b\"}", "A solution exists over [4, 6]."),
    ("windows-without", "{interval: [1, 6], v: \":v\", x: 1, z: 9}", "Negation !:W2: violated by"),
])
def test_why_one_is_missing(
    capsys: pytest.CaptureFixture[str], name: str, missing: str, reason: str
) -> None:
    out = said(capsys, RULINGS, name, "--missing", missing)
    assert out.startswith("Not a solution: ")
    assert reason in out


def test_the_background_may_be_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    row = "{interval: [12, 14], v: \":d1\", s: \":h\"}"
    out = said(capsys, PAPERS, "example-06", "--missing", row)
    assert "?s (^:beg/[:means :subway]/:end)+ :c matches, but ?s is :b, not :h" in out


@pytest.mark.parametrize(("name", "row", "reason"), [
    ("stream-istream", None, "ISTREAM emits it: it was not a solution"),
    ("stream-dstream", None, "DSTREAM emits it at"),
    ("construct", None, "It is a solution at"),
])
def test_what_stands_around_the_pattern_is_explained_too(
    capsys: pytest.CaptureFixture[str], name: str, row: str | None, reason: str
) -> None:
    assert reason in said(capsys, RULINGS, name)


def test_what_is_there_is_not_missing(capsys: pytest.CaptureFixture[str]) -> None:
    row = "{interval: [10, 16], v: \":a1\", s: \":m\"}"
    assert said(capsys, PAPERS, "example-06", "--missing", row) .startswith(
        "?v = :a1, ?s = :m over [10, 16] is a result: see solution 1, "
    )


def test_a_query_without_solutions(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, RULINGS, "stream-absent").startswith("There is no solution.")


def test_every_case_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted((*PAPERS.glob("*.yaml"), *RULINGS.glob("*.yaml"))):
        if path.name.startswith("error-") or path.name == "policy-error.case.yaml":
            continue
        assert main(["explain", str(path)]) == 0
        assert "olution" in capsys.readouterr().out
