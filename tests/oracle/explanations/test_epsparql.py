"""denota explain speaks of EP-SPARQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cli import main
from denota.oracle.explanations.explain_case import explanation_lines
from denota.oracle.languages.epsparql.explain import EXPLAINER
from denota.semantics.epsparql.closure import Closure

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
        ("{p1: 9, p2: 7}", "?p1 = 9, ?p2 = 7 is a result: see solution 1"),
        ("{interval: [1, 4]}", "over [1, 4] is a result: see solution 2"),
        ("{interval: [1, 3], p2: 7}", "A solution exists over [1, 2]."),
        ("{p1: 7, p2: 8}", "FILTER (?p2 < ?p1) is not true with ?p1 = 7, ?p2 = 8 over [2, 4]"),
        ("{p1: 7, p2: 9}", "SEQ requires the first operand to end before the second starts"),
        ("{c: ':z'}", "?c :price ?p1 matches, but ?c is :a, not :z"),
        ("{c: ':b'}", "SEQ requires the first operand to end before the second starts"),
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
    assert out.startswith("Solution 1 of 2: ?c = :a, ?p1 = 9, ?p2 = 7 over [1, 2]\n")
    assert "?c :price ?p2 holds over [2, 2]" in out


RULES = """
title: what is constructed is matched again
language: epsparql
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  CONSTRUCT { ?y :k :a }
  WHERE { ?x ?r ?y . ?x ?r ?y . ?x ?r ?y . ?x ?r ?y . ?x ?r ?y }
streams:
  http://example.org/s: |
    :g1 prov:generatedAtTime 0 .  :g1 { :a :p :c . :b :p :c . }
    :g2 prov:generatedAtTime 1 .  :g2 { :a :p :c . :b :p :c . }
    :g3 prov:generatedAtTime 2 .  :g3 { :c :p :b . }
    :g4 prov:generatedAtTime 3 .  :g4 { :c :p :b . }
    :g5 prov:generatedAtTime 4 .  :g5 { :a :k :b ; :p :b ; :q :b . }
    :g6 prov:generatedAtTime 5 .  :g6 { :a :k :b ; :q :b . }
expect: {results: []}
"""


def test_of_many_choices_of_occurrences_one_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = 0
    instances = Closure.instances

    def counted(*arguments: Any) -> Any:
        nonlocal applied
        applied += 1
        return instances(*arguments)

    explainer = EXPLAINER(parse_case(RULES))
    assert len(explainer.results) == 30
    assert explainer.patterns.rules.before
    monkeypatch.setattr(Closure, "instances", counted)
    proofs = [explainer.presence(number + 1).proof for number in range(30)]
    assert all(proof.holds for proof in proofs)
    assert applied < 500
    assert max(sum(1 for _ in proof.parts()) for proof in proofs) < 100


def test_what_a_rule_constructs_is_derived_over_its_interval() -> None:
    explainer = EXPLAINER(parse_case(RULES))
    for number, result in enumerate(explainer.results, start=1):
        rule = explanation_lines(explainer.presence(number).proof)[-1]
        over = f"over [{result.interval[0]}, {result.interval[1]}]"
        assert rule.startswith("Rule 1 constructs")
        assert rule.endswith(over)
        lines = explanation_lines(explainer.presence(number).proof)
        body = [line for line in lines if "holds" in line][-1]
        assert over in body
