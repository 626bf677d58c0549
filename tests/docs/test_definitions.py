"""The table of definitions in semantics/README.md: every name is there, and no file is missing."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import denota

SEMANTICS = Path(denota.__file__).resolve().parent / "semantics"
LINK = re.compile(r"\[[\w/]+\.py\]\((?P<path>[\w/]+)\.py\)(?P<names>(?:,? `[\w.]+`)+)")
ROWS = [
    (match["path"], re.findall(r"`([\w.]+)`", match["names"]))
    for line in (SEMANTICS / "README.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
    for match in LINK.finditer(line)
]
LANGUAGES = [path.parent for path in SEMANTICS.glob("*/syntax")]


@pytest.mark.parametrize(("path", "names"), ROWS, ids=[f"{p} {n[0]}" for p, n in ROWS])
def test_a_definition_is_where_the_table_says(path: str, names: list[str]) -> None:
    module = import_module(f"denota.semantics.{path.replace('/', '.')}")
    for name in names:
        found: object = module
        for part in name.split("."):
            found = getattr(found, part)
        if inspect.isfunction(found) or inspect.isclass(found):
            assert found.__module__ == module.__name__, f"{name} is in {found.__module__}"
            assert found.__doc__, f"{name} does not say what it defines"


@pytest.mark.parametrize("folder", LANGUAGES, ids=lambda folder: folder.name)
def test_every_file_of_a_meaning_is_in_the_table(folder: Path) -> None:
    listed = {path for path, _ in ROWS}
    files = {
        path.relative_to(SEMANTICS).with_suffix("").as_posix()
        for path in folder.glob("*.py") if path.name != "__init__.py"
    }
    assert sorted(files - listed) == []
