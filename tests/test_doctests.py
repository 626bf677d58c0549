"""Every example in a docstring is true. Modules are imported by their name in the package."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import denota

ROOT = Path(denota.__file__).resolve().parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> list[str]:
    """The modules whose sources show a prompt, so that the others need not be imported."""
    paths = [*ROOT.glob("*.py")]
    for room in ("semantics", "engine", "oracle", "peers", "studies", "examples"):
        paths.extend((ROOT / room).rglob("*.py"))
    names = []
    for path in paths:
        if path.name != "setup.py" and ">>> " in path.read_text(encoding="utf-8"):
            parts = ("denota", *path.relative_to(ROOT).with_suffix("").parts)
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(names)


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(name), optionflags=OPTIONS)
    assert result.attempted > 0, f"no example of {name} was run"
    assert result.failed == 0


def test_there_are_examples() -> None:
    assert "denota.semantics.model.errors" in modules_with_examples()
