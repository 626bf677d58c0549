"""The errata pages agree with their cases, and every case of the errata is on its page."""

from __future__ import annotations

import importlib.util
import re
import runpy
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import denota

ROOT = Path(denota.__file__).resolve().parent
DOCS = ROOT / "docs"

if not (DOCS / "errata" / "pages.py").is_file():
    pytest.skip("docs/ is not part of an installed package", allow_module_level=True)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("errata_pages", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


errata = load(DOCS / "errata" / "pages.py")
PAGES = errata.pages()


@pytest.mark.parametrize("page", [*PAGES, DOCS / "errata" / "index.md"], ids=lambda page: page.stem)
def test_a_page_agrees_with_its_cases(page):
    assert errata.rendered(page) == page.read_text(encoding="utf-8"), (
        "run: python docs/errata/pages.py"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_all_cases_of_its_entry_and_no_others(page):
    entry = re.compile(rf"{page.stem}(-[a-z0-9-]+)?")
    cases = {
        case
        for case in (ROOT / "corpus" / "errata").rglob("*.case.yaml")
        if entry.fullmatch(case.name.removesuffix(".case.yaml"))
    }
    assert cases
    assert set(errata.cases_of(page)) == cases


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_text_definitions_and_decision(page):
    name, _, _ = errata.heading(page)
    assert name == page.stem
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^\*\*(.+?)\.\*\* \S", text, re.MULTILINE)
    assert found == ["Text", "Definitions", "Decision"]


def test_every_case_of_the_errata_is_on_a_page():
    shown = {case for page in PAGES for case in errata.cases_of(page)}
    assert shown == set((ROOT / "corpus" / "errata").rglob("*.case.yaml"))


def test_the_entries_are_numbered_without_gaps():
    numbers: dict[str, list[int]] = {}
    for page in PAGES:
        language, number = page.stem.split("-")
        numbers.setdefault(language, []).append(int(number))
    assert len(numbers["SPA"]) >= 14
    text = (DOCS / "errata" / "index.md").read_text(encoding="utf-8")
    withdrawn = {(name, int(number)) for name, number in re.findall(
        r"([A-Z]+)-([0-9]+) is withdrawn", text
    )}
    assert withdrawn == {("SPA", 15)}
    for language, found in numbers.items():
        gone = [number for name, number in withdrawn if name == language]
        assert sorted(found + gone) == list(range(1, len(found) + len(gone) + 1))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_site_shows_each_case_in_full(page):
    rendered = runpy.run_path(str(DOCS / "site" / "hooks.py"))["rendered"]
    text = page.read_text(encoding="utf-8")
    shown = rendered(text, f"errata/{page.name}")
    prose, _, _ = text.partition("* [")
    assert shown.startswith(prose)
    sections = shown.removeprefix(prose).split("\n### ")[1:]
    for path, section in zip(errata.cases_of(page), sections, strict=True):
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert case["title"][1:] in section
        assert case["query"].rstrip() in section
        assert f"{path.name})" in section
        answer = section.partition("\nAnswer")[2]
        if "error" in case["expect"]:
            assert case["expect"]["error"] in answer
        elif table := answer.partition("| --- ")[2]:
            assert table.count("\n| ") == rows_of(case)
        else:
            assert (rows_of(case), answer.strip()) == (0, ": nothing.")


def rows_of(case):
    """Return the number of rows that a table of the results has."""
    results = case["expect"]["results"]
    return sum(len(result.get("solutions", [None])) for result in results)


def test_a_stale_page_is_found(tmp_path):
    shutil.copytree(DOCS / "errata", tmp_path / "docs" / "errata")
    shutil.copytree(ROOT / "corpus" / "errata", tmp_path / "corpus" / "errata")
    copy = load(tmp_path / "docs" / "errata" / "pages.py")
    assert copy.main(["--check"]) == 0
    case = tmp_path / "corpus" / "errata" / "spaseq" / "SPA-2.case.yaml"
    text = yaml.safe_load(case.read_text(encoding="utf-8"))
    for changed in ({"title": "another title"}, {"readings": {"kleene": "join"}}):
        case.write_text(yaml.safe_dump({**text, **changed}), encoding="utf-8")
        assert copy.main(["--check"]) == 1
        assert copy.main([]) == 0
        assert copy.main(["--check"]) == 0
    page = (tmp_path / "docs" / "errata" / "SPA-2.md").read_text(encoding="utf-8")
    assert "SPA-2.case.yaml) (`kleene=join`)" in page
    case.write_text(yaml.safe_dump({**text, "query": "SELECT"}), encoding="utf-8")
    assert "```sparql\nSELECT\n```" in copy.with_cases(page)


@pytest.mark.parametrize("folder", ["rulings", "laws"])
def test_every_ruling_of_spaseq_is_on_its_page(folder):
    text = (DOCS / "semantics" / "spaseq.md").read_text(encoding="utf-8")
    named = set(re.findall(rf"corpus/{folder}/spaseq/([\w-]+)\.case\.yaml", text))
    cases = (ROOT / "corpus" / folder / "spaseq").glob("*.case.yaml")
    assert named == {case.name.removesuffix(".case.yaml") for case in cases}
