"""The corpus: every case passes, and what papers, the ledger and the pages name has its case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.cases.schedule import FIXED
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle, Production
from denota.oracle.languages.registry import language

ROOT = Path(denota.__file__).resolve().parent
CASES = sorted((ROOT / "corpus").glob("*/*/*.case.yaml"))
KINDS = {"papers": "paper", "errata": "errata", "rulings": "ruling", "laws": "law"}

of_each_case = pytest.mark.parametrize(
    "path", CASES, ids=lambda path: f"{path.parent.name}-{path.name.removesuffix('.case.yaml')}"
)


def names(kind: str, language: str) -> set[str]:
    """The names of the cases of a kind in a language."""
    return {
        path.name.removesuffix(".case.yaml")
        for path in (ROOT / "corpus" / kind / language).glob("*.case.yaml")
    }


@of_each_case
def test_a_case_passes(path: Path) -> None:
    """On both evaluators; batches and checkpoints change no result. It says what it is about."""
    case = read_case(path)
    if path.parent.parent.name != "peers":  # whose folders are engines
        assert case.language == path.parent.name
    assert case.title
    assert case.title != path.name
    assert case.cites
    kind = KINDS.get(path.parent.parent.name)
    assert kind is None or kind in case.tags
    for engine in (Oracle(), Production("schedules=4")):
        verdict = check_case(case, engine, timeout=None)
        assert verdict.ok, f"{engine.name}: {verdict}"


@pytest.mark.slow
@of_each_case
def test_the_production_engine_passes_under_every_fixed_schedule(path: Path) -> None:
    """Batches, checkpoints, files, live input, full buffers and earlier runs change no result."""
    verdict = check_case(read_case(path), Production(f"schedules={1 + len(FIXED)}"), timeout=None)
    assert verdict.ok, verdict


@pytest.mark.parametrize(("language", "examples"), [
    ("spaseq", [
        *(f"example-{n:02}" for n in (3, 4, 5, 6, 7, 8, 9, 10, 11, 14)), "example-02-query-1",
        *(f"query-{n}" for n in range(2, 7)),
    ]),
    ("rsepql", [
        *(f"section-2-{each}" for each in ("unrestricted", "chronological", "recent", "csparql")),
    ]),
    ("epsparql", [*(f"query-{n}" for n in range(1, 5)), "queries-5-and-6"]),
])
def test_every_example_of_the_paper_has_a_case(language: str, examples: list[str]) -> None:
    assert names("papers", language) >= set(examples)


@pytest.mark.parametrize(("language", "last"), [("rsepql", 11), ("cqels", 9)])
def test_every_number_of_an_example_has_a_case(language: str, last: int) -> None:
    found = [re.match(r"example-0*(\d+)", name) for name in names("papers", language)]
    assert {int(match[1]) for match in found if match} == set(range(1, last + 1))


@pytest.mark.parametrize(("language", "entry", "last"), [
    ("spaseq", "SPA", 14), ("rsepql", "RSE", 6), ("cqels", "CQE", 2), ("epsparql", "EPS", 11),
    ("ceql", "COR", 4),
])
def test_every_entry_of_the_ledger_has_a_case(language: str, entry: str, last: int) -> None:
    found = [re.match(rf"{entry}-(\d+)\b", name) for name in names("errata", language)]
    assert {int(match[1]) for match in found if match} >= set(range(1, last + 1))


@pytest.mark.parametrize(("language", "kinds"), [
    ("rsepql", ["rulings"]), ("cqels", ["rulings", "papers", "laws"]), ("epsparql", ["rulings"]),
    ("ceql", ["rulings", "papers"]),
])
def test_every_ruling_stands_on_the_page_of_the_language(language: str, kinds: list[str]) -> None:
    text = page(f"semantics/{language}.md")
    links = re.findall(rf"corpus/(?:{'|'.join(kinds)})/{language}/([\w-]+)\.case\.yaml", text)
    assert set(links) == set().union(*(names(kind, language) for kind in kinds))


def test_the_readings_are_on_the_page_of_readings() -> None:
    section = page("readings.md").split("## EP-SPARQL")[1].split("\n## ")[0]
    for name, values in language("epsparql").readings_type.choices().items():  # type: ignore[attr-defined]
        assert f"`{name}`" in section
        for value in values:
            assert f"| `{value}` |" in section


def page(name: str) -> str:
    """The text of a page of the docs."""
    path = ROOT / "docs" / name
    if not path.is_file():
        pytest.skip("docs/ is not part of an installed package")
    return path.read_text(encoding="utf-8")
