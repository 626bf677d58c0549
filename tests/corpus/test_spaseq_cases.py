"""The corpus: every case passes, and every example and ledger entry of the paper has its case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.reading import read_case
from denota.oracle.engines.own import Oracle, Production
from denota.oracle.judging.judge import judge

CORPUS = Path(denota.__file__).resolve().parent / "corpus"
CASES = sorted(path for path in CORPUS.rglob("*.case.yaml") if path.parent.name == "spaseq")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_both_evaluators_pass(path):
    case = read_case(path)
    for engine in (Oracle(), Production()):
        verdict = judge(case, engine)
        assert verdict.ok, f"{engine.name}: {verdict}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_a_case_says_what_it_is_about(path):
    case = read_case(path)
    assert case.language == "spaseq"
    assert case.title
    assert case.title != path.name
    assert case.cites
    kind = {"papers": "paper", "errata": "errata", "rulings": "ruling", "laws": "law"}.get(
        path.parent.parent.name)
    assert kind is None or kind in case.tags


def test_every_example_of_the_paper_has_a_case():
    names = {path.name for path in CASES if path.parent.parent.name == "papers"}
    for example in (3, 4, 5, 6, 7, 8, 9, 10, 11, 14):
        assert f"example-{example:02}.case.yaml" in names
    assert "example-02-query-1.case.yaml" in names
    assert names >= {f"query-{number}.case.yaml" for number in range(2, 7)}


def test_every_entry_of_the_ledger_has_a_case():
    names = [path.name for path in CASES if path.parent.parent.name == "errata"]
    entries = {int(match[1]) for name in names if (match := re.match(r"SPA-(\d+)\b", name))}
    assert entries >= set(range(1, 15))
