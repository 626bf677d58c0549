"""docs/w3c.md says what the W3C's suites come to, and every test that is excluded by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    text = PAGE.read_text(encoding="utf-8")
    suites = re.findall(r"^\* \*\*(\S+) in all (\d+)/(\d+)\*\*: (.*)", text, re.M)
    assert [name for name, *_ in suites] == ["dawg-data-r2", "sparql11"]
    for _, *figures, categories in suites:
        of_categories = re.findall(r"[\w-]+ (\d+)/(\d+)(?:, |$)", categories)
        assert sums(of_categories) == list(map(int, figures))
    passed, excluded = sums([figures for _, *figures, _ in suites])
    assert passed > 700
    assert f"\n* **total {passed}/{excluded}**\n" in text
    assert "\nAfter each category: oracle passed, production passed / excluded.\n" in text
    assert "\nIn every category: oracle failed, production failed: 0.\n" in text
    reasons = [row for row in rows() if row[0].isdecimal()]
    assert sum(int(row[0]) for row in reasons) == excluded


def sums(figures: Iterable[Iterable[str]]) -> list[int]:
    return [sum(map(int, column)) for column in zip(*figures, strict=True)]


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
