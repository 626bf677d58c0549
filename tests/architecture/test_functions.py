"""A function is a screenful; a longer one says why in a comment above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import denota

ROOT = Path(denota.__file__).parent
LONGEST = 60


def long_functions(source: str) -> Iterator[str]:
    """The names of those that are longer and say nothing."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        assert node.end_lineno is not None
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        said = lines[first - 2].strip().startswith("#") if first > 1 else False
        if node.end_lineno - node.lineno + 1 > LONGEST and not said:
            yield node.name


def test_long_functions_say_why() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for room in ("semantics", "engine", "oracle", "peers", "studies")
        for path in sorted((ROOT / room).rglob("*.py"))
        for name in long_functions(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_a_long_function_is_noticed() -> None:
    long = "def wordy():\n" + "    pass\n" * LONGEST
    assert list(long_functions(long)) == ["wordy"]
    assert list(long_functions(f"# One table.\n{long}")) == []
    assert list(long_functions("def brief():\n    pass\n")) == []
