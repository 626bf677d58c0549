"""No test changes a file of the project: another one may be reading it."""

from __future__ import annotations

import os
import shutil
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


def test_a_folder_that_has_the_names_of_the_project_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(README.parent)
    folder = tmp_path / "copied"
    folder.mkdir()
    (folder / "README.md").write_text("another", encoding="utf-8")
    shutil.rmtree(folder)
    assert not folder.exists()
    assert README.exists()
