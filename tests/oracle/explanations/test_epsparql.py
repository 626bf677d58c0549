"""denota explain speaks of EP-SPARQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.oracle.cli import main

CASE = """
title: the price falls, and falls again
language: epsparql
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?c ?p1 ?p2
  WHERE { { ?c :price ?p1 } SEQ { ?c :price ?p2 } FILTER (?p2 < ?p1 && getDURATION() < 5) }
streams:
  http://example.org/s: |
    :g1 prov:generatedAtTime 1 .  :g1 { :a :price 9 . }
    :g2 prov:generatedAtTime 2 .  :g2 { :a :price 7 . }
    :g3 prov:generatedAtTime 4 .  :g3 { :a :price 8 . }
    :g4 prov:generatedAtTime 9 .  :g4 { :b :price 8 . }
expect: {results: []}
"""


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{p1: 9, p2: 7}", "?p1 = 9, ?p2 = 7 is there: it is in solution 1"),
        ("{interval: [1, 4]}", "over [1, 4] is there: it is in solution 2"),
        ("{interval: [1, 3], p2: 7}", "It holds over [1, 2] instead."),
        ("{p1: 7, p2: 8}", "FILTER (?p2 < ?p1) is not true with ?p1 = 7, ?p2 = 8 over [2, 4]"),
        ("{p1: 7, p2: 9}", "SEQ wants the one to end before the other begins"),
        ("{c: ':z'}", "?c :price ?p1 is matched, but ?c is :a, not :z"),
        ("{c: ':b'}", "SEQ wants the one to end before the other begins"),
        ("{q: 1}", "The query does not return ?q."),
    ],
)
def test_why_a_solution_is_missing_or_that_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, message: str
) -> None:
    path = tmp_path / "falls.case.yaml"
    path.write_text(CASE, encoding="utf-8")
    assert main(["explain", str(path), "--missing", row]) == 0
    assert message in capsys.readouterr().out


def test_what_makes_a_solution(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "falls.case.yaml"
    path.write_text(CASE, encoding="utf-8")
    assert main(["explain", str(path), "--match", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("solution 1 of 2: ?c = :a, ?p1 = 9, ?p2 = 7 over [1, 2]\n")
    assert "?c :price ?p2 holds over [2, 2]" in out
