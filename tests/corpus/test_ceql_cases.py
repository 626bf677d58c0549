"""CEQL's corpus: every case passes, and every entry of the ledger and every ruling has its case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.reading import read_case
from denota.oracle.engines.own import Oracle, Production
from denota.oracle.judging.judge import judge

ROOT = Path(denota.__file__).resolve().parent
PAGE = ROOT / "docs" / "semantics" / "ceql.md"
CASES = sorted(p for p in (ROOT / "corpus").rglob("*.case.yaml") if p.parent.name == "ceql")
KINDS = {"papers": "paper", "errata": "errata", "rulings": "ruling", "laws": "law"}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_both_evaluators_pass(path: Path):
    case = read_case(path)
    for engine in (Oracle(), Production()):
        verdict = judge(case, engine)
        assert verdict.ok, f"{engine.name}: {verdict}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_a_case_says_what_it_is_about(path: Path):
    case = read_case(path)
    assert case.language == "ceql"
    assert case.title != path.name
    assert case.cites
    kind = KINDS.get(path.parent.parent.name)
    assert kind is None or kind in case.tags


def test_every_entry_of_the_ledger_has_a_case():
    names = [path.name for path in CASES if path.parent.parent.name == "errata"]
    entries = {int(match[1]) for name in names if (match := re.match(r"COR-(\d+)\b", name))}
    assert entries >= set(range(1, 5))


def test_every_ruling_stands_on_the_page_of_the_language():
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of an installed package")
    links = re.compile(r"corpus/(?:rulings|papers)/ceql/([\w-]+)\.case\.yaml")
    there = {
        path.name.removesuffix(".case.yaml") for path in CASES
        if path.parent.parent.name in ("rulings", "papers")
    }
    assert set(links.findall(PAGE.read_text(encoding="utf-8"))) == there
