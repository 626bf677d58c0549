"""Why an RSEP-QL query has an answer, or has it not."""

from __future__ import annotations

from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main

CORPUS = Path(denota.__file__).resolve().parent / "corpus"


def explained(capsys, name, *options):
    assert main(["explain", str(CORPUS / f"{name}.case.yaml"), *options]) == 0
    return capsys.readouterr().out


def test_equal_answers_are_explained_by_their_intervals(capsys):
    out = explained(capsys, "papers/rsepql/example-08")
    assert "answer 3 of 3: at 8, ?x = :a2, ?y = :b2, ?z = :c2" in out
    for interval in ("[2, 6]", "[4, 6]", "[4, 8]"):
        assert out.count(f"MATCH finds it over {interval} (8)") == 1
    assert "EVENT :w2 { ?y :q ?z } matches :g4 at 8, with ?y = :b2, ?z = :c2 (4)" in out
    assert "The window :w2 holds the graphs at 4, 6, 8 (Def. 3)" in out


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("papers/rsepql/section-2-recent", "Of its rivals (2 events, rivals=same) the other is"),
        ("papers/rsepql/section-2-csparql", "SEQN (9), both are last"),
        ("rulings/rsepql/order-end-start", "It is the first of 4 events (order=end-start) (5)"),
        ("papers/rsepql/example-06", "The window :w2 holds the graphs at 8, 10 (Def. 3)"),
        ("rulings/rsepql/substitution-optional", "MATCH finds it over [0, 1] (8)"),
        ("rulings/rsepql/time-varying-graph-changes", "answer 2 of 2: at 6"),
    ],
)
def test_what_decides_is_said(capsys, case, says):
    assert says in explained(capsys, case)


@pytest.mark.parametrize(
    ("case", "row", "says"),
    [
        ("papers/rsepql/section-2-chronological", '{at: 10, x: ":a1"}',
         "EVENT :w1 { ?x :p ?y } matched at 2, but that was consumed (12)"),
        ("papers/rsepql/section-2-chronological", '{at: 9, x: ":a1"}',
         "not evaluated at 9 (Def. 5): it is at 8, 10"),
        ("papers/rsepql/section-2-chronological", '{at: 8, x: ":a3"}',
         "?x :p ?y is matched by :g1 at 2 (4), but ?x is :a1, not :a3"),
        ("papers/rsepql/section-2-chronological", '{at: 8, x: ":a1"}',
         "is there: it is in answer 1, at 8, ?x = :a1"),
        ("papers/rsepql/section-2-chronological", '{at: 8, z: ":c9"}',
         "?y :q ?z is matched by :g3 at 6 (4), but ?z is :c1, not :c9"),
        ("rulings/rsepql/naive-is-of-all", '{at: 3, x: ":a"}',
         "SEQN asks for the last of all (9)"),
        ("rulings/rsepql/ties-are-kept", '{at: 2, x: ":c"}', "but FIRST chooses another"),
        ("rulings/rsepql/filter-on-match", '{at: 3, n: 7, m: 4}',
         "FILTER (?n < ?m) is not true with ?m = 4, ?n = 7"),
        ("rulings/rsepql/consume-each-once", '{at: 5, x: ":a"}', "but that was consumed (12)"),
    ],
)
def test_what_is_missing(capsys, case, row, says):
    assert says in explained(capsys, case, "--missing", row)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("ask", "answer 1 of 2: at 0, no\n  The window :w holds no graph (Def. 3)\n"
         "  ?x :is :e is not matched in the window :w\n"),
        ("ask", "answer 2 of 2: at 1, yes\n"),
        ("istream", "ISTREAM reports it: it is not there"),
        ("dstream", "DSTREAM reports it: it is not there"),
        ("construct", "?predicate = "),
    ],
)
def test_what_stands_around_the_patterns_is_explained_too(capsys, case, says):
    assert says in explained(capsys, f"rulings/rsepql/{case}")


@pytest.mark.parametrize(
    "path", sorted((CORPUS / "papers" / "rsepql").glob("*.case.yaml")), ids=lambda path: path.name
)
def test_every_example_can_be_explained(capsys, path):
    assert main(["explain", str(path)]) == 0
    assert "answer" in capsys.readouterr().out
