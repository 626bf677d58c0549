"""docs/w3c.md says what the W3C's suites come to, and every test that is excluded by name."""

from __future__ import annotations

from pathlib import Path

import pytest

import denota
from denota.oracle.manifests.reading import exclusions
from denota.oracle.manifests.running import NAMES, run_manifest, subject
from denota.studies.w3c import MANIFESTS, page

ROOT = Path(denota.__file__).resolve().parent
PAGE = ROOT / "docs" / "w3c.md"

if not PAGE.is_file():
    pytest.skip("docs/ is not part of an installed package", allow_module_level=True)


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.strip("| ").replace("*", "").split(" | ") for line in lines if line[:1] == "|"]


def test_the_totals_are_the_sums_of_the_categories_and_nothing_fails() -> None:
    figures = [row for row in rows() if row[0].count("/") == 1 and row[1].isdecimal()]
    sums = [sum(int(row[k]) for row in figures) for k in (1, 2)]
    (totals,) = (row for row in rows() if row[0] == "total")
    assert sums == list(map(int, totals[1:]))
    passed, excluded = sums
    assert passed > 700
    text = PAGE.read_text(encoding="utf-8")
    assert "| suite and category | oracle passed, production passed | excluded |" in text
    assert "\nIn every category: oracle failed, production failed: 0.\n" in text
    reasons = [row for row in rows() if row[0].isdecimal()]
    assert sum(int(row[0]) for row in reasons) == excluded


def test_every_test_that_is_excluded_by_name_is_listed_with_its_reason() -> None:
    listed = {row[1]: row[2] for row in rows() if row[0].isdecimal()}
    for iri, reason in exclusions().tests.items():
        assert f"`{iri.rpartition('#')[2]}`" in listed[reason]


def test_the_page_is_what_the_suites_come_to() -> None:
    manifests = [ROOT / "build" / "w3c" / name for name in MANIFESTS]
    if not all(manifest.exists() for manifest in manifests):
        pytest.skip("the W3C's suites are not there; make w3c fetches them")
    judged = {
        name: [v for path in manifests for v in run_manifest(path, subject(name))]
        for name in NAMES
    }
    assert page(judged) == PAGE.read_text(encoding="utf-8"), (
        "run: make w3c W3C='--page docs/w3c.md'"
    )
