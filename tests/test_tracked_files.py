"""No test changes a file of the project: another one may be reading it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import denota

README = Path(denota.__file__).resolve().with_name("README.md")
CHANGES: dict[str, Callable[[Path], object]] = {
    "append": lambda path: path.open("a"),
    "read and write": lambda path: os.open(path, os.O_RDWR),
    "replace": lambda path: os.replace(path.with_suffix(".no-such-file"), path),
}


@pytest.mark.skipif(not (README.parent / ".git").exists(), reason="not in a git working tree")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_tracked_file_is_not_changed(change: Callable[[Path], object]) -> None:
    assert README.read_text(encoding="utf-8")
    with pytest.raises(AssertionError, match=r"README\.md, which git tracks"):
        change(README)
