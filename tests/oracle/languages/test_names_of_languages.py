"""A language is named in its own folder: nobody else in the oracle asks for one by its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import denota
from denota.oracle.languages.registry import language, names

_ORACLE = Path(denota.__path__[0], "oracle")
_NAMES = frozenset(names())
_CALLED = _NAMES | {language(name).title for name in names()}

_FLOORS = frozenset({"semantics", "engine", "languages"})

_ALLOWED = {
    "api.py": "type checkers learn the type of a query from the literal name of its language",
    "cases/tuple_sources.py": "CREATE STREAM declares streams of tuples, whoever asks for them",
}
"""Who names a language all the same, and why."""


def named(source: str) -> Iterator[str]:
    """The languages that a module names as a value, or whose folders it imports from."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in _CALLED:
            yield str(node.value)
        elif isinstance(node, ast.ImportFrom) and node.module:
            path = node.module.split(".")
            for floor, inside in pairwise([*path, ""]):
                if floor in _FLOORS:
                    names = {alias.name for alias in node.names} if not inside else {inside}
                    yield from _NAMES & names


def test_nobody_else_names_a_language() -> None:
    found = {
        str(path.relative_to(_ORACLE)): languages
        for path in sorted(_ORACLE.rglob("*.py"))
        if path.relative_to(_ORACLE).parts[0] != "languages"
        # Recorded answers are those of RSP-QL's engines.
        and path.relative_to(_ORACLE).parts[0] != "recorded_output"
        and (languages := sorted(set(named(path.read_text(encoding="utf-8")))))
    }
    assert found.keys() == _ALLOWED.keys(), found


@pytest.mark.parametrize(
    "source",
    [
        'if task.language == "ceql": pass',
        'HOMES = {"spaseq": 1}',
        "from ..languages.cqels.case import CqelsCase",
        "from ..languages import rsepql",
        "from ...semantics.cqels.syntax import tree",
        "from ...engine import ceql",
        'match title:\n    case "EP-SPARQL": pass',
    ],
)
def test_a_name_is_found(source: str) -> None:
    assert list(named(source))
