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
    assert out.splitlines()[:5] == [
        "solution 1 of 1: ?v = :a1, ?s = :m over [10, 16]",
        "  It is found at 16 (case (1)).",
        "  { ?v :delayAt ?s } matches over [10, 10] (case (16))",
        "  { ?v :delayAt ?s } matches over [16, 16] (case (16))",
        "  !{ ?v :arriveAt ?s }: nothing that agrees has started afterwards (NO_TAIL)",
    ]
    assert "unchanged since ever (case (17))" in out


def test_what_is_projected_away_is_found_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert "matches over [10, 10]" in said(capsys, PAPERS, "example-01", "--match", "1")


@pytest.mark.parametrize(("name", "missing", "reason"), [
    ("without-closed", "{interval: [1, 5], x: 1, y: 2}",
     "!{ ?v :n ?z } is against it: ?v = :v, ?z = 0 over [3, 5]"),
    ("seq-touching", "{interval: [1, 5], x: 1, y: 2}",
     "What matches does not come in this order, t2 < t3 (SEQ)"),
    ("seq", "{interval: [1, 4], x: 1, y: 9}", "{ ?v :b ?y } matches no item that agrees"),
    ("range", "{interval: [1, 1], s: \":a\"}",
     "The window :W [RANGE 5] holds :g4 over [4, 4], :g9 over [9, 9]"),
    ("at-open", "{interval: [1, 9], s: \":b\"}", "It holds over [1, 5] instead."),
    ("background-changes", "{interval: [2, 6], s: \":b\"}", "It holds over [4, 6] instead."),
    ("windows-without", "{interval: [1, 6], v: \":v\", x: 1, z: 9}", "!:W2 is against it"),
])
def test_why_one_is_missing(
    capsys: pytest.CaptureFixture[str], name: str, missing: str, reason: str
) -> None:
    out = said(capsys, RULINGS, name, "--missing", missing)
    assert out.startswith("not a solution: ")
    assert reason in out


def test_the_background_may_be_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    row = "{interval: [12, 14], v: \":d1\", s: \":h\"}"
    assert "The background has no ?v" in said(capsys, PAPERS, "example-06", "--missing", row)


def test_what_is_there_is_not_missing(capsys: pytest.CaptureFixture[str]) -> None:
    row = "{interval: [10, 16], v: \":a1\", s: \":m\"}"
    assert said(capsys, PAPERS, "example-06", "--missing", row) .startswith(
        "?v = :a1, ?s = :m over [10, 16] is there: it is in solution 1, "
    )


def test_a_query_without_solutions(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, RULINGS, "stream-absent").startswith("There is no solution.")


def test_every_case_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted((*PAPERS.glob("*.yaml"), *RULINGS.glob("*.yaml"))):
        if path.name.startswith("error-") or path.name == "policy-error.case.yaml":
            continue
        if path.name.startswith(("construct", "stream-")) and path.stem != "stream-absent.case":
            assert main(["explain", str(path)]) == 2
            assert "SELECT without a stream operator" in capsys.readouterr().err
            continue
        assert main(["explain", str(path)]) == 0
        assert "solution" in capsys.readouterr().out
