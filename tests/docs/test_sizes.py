"""The table of sizes in CONTRIBUTING.md is up to date."""

from __future__ import annotations

import pytest

sizes = pytest.importorskip("denota.docs.sizes", reason="docs/ is not in an installed package")

TABLE = "| Folder | Lines |\n|---|--:|\n| `semantics` | {} |\n| all | 9 |\n"


@pytest.fixture(autouse=True)
def _in_a_working_tree() -> None:
    if not (sizes.ROOT / ".git").exists():
        pytest.skip("not in a git working tree")


def test_the_table_is_up_to_date() -> None:
    stale = sizes.stale(sizes.PAGE.read_text(encoding="utf-8"))
    assert stale == [], "run: python docs/sizes.py"


def test_stale_figures_are_found_and_renewed() -> None:
    page = TABLE.format("1")
    assert sizes.stale(page) == ["semantics", "all"]
    renewed = sizes.written(page)
    assert sizes.stale(renewed) == []
    assert renewed.startswith("| Folder | Lines |\n|---|--:|\n| `semantics` | ")
