"""One name, one thing.

On one floor a public class has a name of its own, and so has a module of the oracle: only the
folders of languages, each with its `syntax` apart, may call their own things as another calls its.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import denota

ROOT = Path(denota.__file__).resolve().parent
FLOORS = ("semantics", "engine", "oracle")


def languages() -> frozenset[str]:
    """The folders of languages, with SPARQL's."""
    folders = (ROOT / "semantics").glob("*/syntax")
    return frozenset(folder.parent.name for folder in folders)


def place(path: Path) -> tuple[str, ...]:
    """Within what a name is taken: a floor, a language's folder on it, its syntax."""
    floor, *folders = path.relative_to(ROOT).parts[:-1]
    if floor == "oracle":
        folders = folders[1:] if folders[:1] == ["languages"] else []
    if not folders or folders[0] not in languages():
        return (floor,)
    return (floor, folders[0], "syntax") if "syntax" in folders[1:2] else (floor, folders[0])


def taken_twice(names: list[tuple[str, tuple[str, ...]]]) -> set[str]:
    """Names that stand twice in one place, or on a floor and in a language's folder on it."""
    counted = Counter(names)
    floors = {(name, where[0]) for name, where in counted if len(where) == 1}
    return {
        name for (name, where), times in counted.items()
        if times > 1 or (len(where) > 1 and (name, where[0]) in floors)
    }


@cache
def classes() -> list[tuple[str, tuple[str, ...]]]:
    return [
        (node.name, place(path))
        for floor in FLOORS
        for path in sorted((ROOT / floor).rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def modules() -> list[tuple[str, tuple[str, ...]]]:
    """The oracle's; the modules of `cli` are called as what they are commands for."""
    inside = [path for path in sorted((ROOT / "oracle").rglob("*.py")) if path.parent.name != "cli"]
    named = [(path.parent if path.stem == "__init__" else path) for path in inside]
    return [
        (path.stem, where) for path in named
        if path.stem not in ("__main__", "oracle") and len(where := place(path)) == 1
    ]


def test_no_two_classes_of_one_name() -> None:
    assert sorted(taken_twice(classes())) == []


def test_no_two_modules_of_one_name() -> None:
    assert sorted(taken_twice(modules())) == []


def test_what_is_taken_twice_is_found() -> None:
    assert taken_twice([("A", ("oracle",)), ("A", ("oracle",))]) == {"A"}
    assert taken_twice([("A", ("engine",)), ("A", ("engine", "ceql"))]) == {"A"}
    assert taken_twice([("A", ("engine", "ceql")), ("A", ("engine", "cqels"))]) == set()
    assert taken_twice([("A", ("engine",)), ("A", ("semantics",))]) == set()
    assert ("Case", ("oracle",)) in classes()
    assert ("RsepqlQuery", ("semantics", "rsepql", "syntax")) in classes()
