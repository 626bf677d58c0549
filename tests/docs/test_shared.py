"""The table of shared functions that compute something: they exist, and so do their tests."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import denota

ROOT = Path(denota.__file__).resolve().parent
ROW = re.compile(r"^\| `(?P<function>semantics\.[\w.]+:[\w.]+)` \|.*\|(?P<tests>[^|]*)\|$")
ROWS = [
    (match["function"], re.findall(r"`([^`]+)`", match["tests"]))
    for line in (ROOT / "docs" / "shared.md").read_text(encoding="utf-8").splitlines()
    if (match := ROW.match(line))
]


@pytest.mark.parametrize(("function", "tests"), ROWS, ids=[name for name, _ in ROWS])
def test_a_row_of_the_table(function: str, tests: list[str]) -> None:
    module, _, path = function.partition(":")
    found: object = import_module(f"denota.{module}")
    for name in path.split("."):
        found = getattr(found, name)
    assert callable(found)
    assert tests
    assert [test for test in tests if not (ROOT / test).exists()] == []


def test_there_are_rows() -> None:
    assert len(ROWS) >= 15
