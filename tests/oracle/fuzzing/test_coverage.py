"""The coverage of a language's grammar by generated queries."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from random import Random

import pytest
from lark import Lark

from denota.oracle.cli import main
from denota.oracle.fuzzing.coverage import Coverage, grammar_pairs
from denota.oracle.fuzzing.rounds import random_cases
from denota.oracle.inputs.swarms import random_swarm
from denota.oracle.languages.registry import language, names
from denota.semantics.model.errors import DenotaError

GRAMMAR = """
query: _body limit?
_body: "(" (term ",")* term ")" | choice
?choice: sum | sum "|" sum
sum: term ("+" term)* -> total
?term: NUMBER | "-" term -> minus | choice
limit: NUMBER
%import common.NUMBER
"""

def test_grammar_pairs_follow_how_parse_trees_are_made() -> None:
    parser = Lark(GRAMMAR, start="query", parser="earley")
    assert grammar_pairs(parser, "query") == {
        ("query", "total"), ("query", "minus"), ("query", "choice"), ("query", "limit"),
        ("choice", "total"), ("total", "total"), ("total", "minus"), ("total", "choice"),
        ("minus", "total"), ("minus", "minus"), ("minus", "choice"),
    }


@pytest.mark.parametrize("name", sorted(names()))
def test_every_rule_of_the_parser_has_a_reason_or_is_drawn_and_none_is_refused(name: str) -> None:
    of = language(name)
    of.load()
    coverage, swarms = Coverage(), Random("1")
    missing: set[str] | None = None
    refused: list[str] = []

    def parse(text: str) -> None:
        try:
            of.parse(text)
        except DenotaError as error:
            refused.append(f"{error}: {text}")

    for number in range(16):
        if missing == set():
            break
        swarm = random_swarm(swarms)
        for case in random_cases(name, f"coverage {number}", 50, swarm):
            text = case.query if isinstance(case.query, str) else of.print(case.query)
            coverage.count(partial(parse, text), answered=True)
        rules = {rule for _, rule in coverage.possible}
        missing = rules - {rule for _, rule in coverage.cases}
    assert (missing, refused) == (set(), [])


def test_the_table_has_all_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.csv"
    words = ["fuzz", "-l", "ceql", "-n", "30", "--seed", "1", "--coverage", str(path)]
    assert main(words) == 0
    table = [*csv.DictReader(path.open(encoding="utf-8"))]
    assert {row["cases"] for row in table if row["reason"]} <= {"0"}
    rows = [row for row in table if not row["reason"]]
    seen = [row for row in rows if row["cases"] != "0"]
    assert f"{len(seen)} of {len(rows)} pairs of grammar rules seen" in capsys.readouterr().out
    [select] = [row for row in rows if (row["rule"], row["inside"]) == ("select", "query")]
    assert int(select["cases"]) >= 30
    assert all(int(row["with_results"]) <= int(row["cases"]) for row in rows)
