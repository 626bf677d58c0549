"""The corpus: every case passes, and every example and ledger entry of the paper has its case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.reading import read_case
from denota.oracle.engines.own import Oracle, Production
from denota.oracle.judging.judge import judge

ROOT = Path(denota.__file__).resolve().parent
CASES = sorted(p for p in (ROOT / "corpus").rglob("*.case.yaml") if p.parent.name == "rsepql")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_both_evaluators_pass(path):
    case = read_case(path)
    for engine in (Oracle(), Production()):
        verdict = judge(case, engine)
        assert verdict.ok, f"{engine.name}: {verdict}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.removesuffix(".case.yaml"))
def test_a_case_says_what_it_is_about(path):
    case = read_case(path)
    assert case.language == "rsepql"
    assert case.title
    assert case.title != path.name
    assert case.cites
    kind = {"papers": "paper", "errata": "errata", "rulings": "ruling", "laws": "law"}.get(
        path.parent.parent.name)
    assert kind is None or kind in case.tags


def test_every_example_of_the_paper_has_a_case():
    names = {path.name for path in CASES if path.parent.parent.name == "papers"}
    for example in range(1, 12):
        assert any(name.startswith(f"example-{example:02}") for name in names)
    for policy in ("unrestricted", "chronological", "recent", "csparql"):
        assert f"section-2-{policy}.case.yaml" in names


def test_every_entry_of_the_ledger_has_a_case():
    names = [path.name for path in CASES if path.parent.parent.name == "errata"]
    entries = {int(match[1]) for name in names if (match := re.match(r"RSE-(\d+)\b", name))}
    assert entries >= set(range(1, 7))


def test_every_ruling_is_on_the_page_of_the_language():
    page = ROOT / "docs" / "semantics" / "rsepql.md"
    if not page.is_file():
        pytest.skip("docs/ is not part of an installed package")
    shown = set(re.findall(r"corpus/rulings/rsepql/([\w-]+)\.case\.yaml", page.read_text("utf-8")))
    rulings = {
        path.name.removesuffix(".case.yaml")
        for path in CASES if path.parent.parent.name == "rulings"
    }
    assert shown == rulings
