"""Faults as data: what a named function does wrong, and the source of the module that does so.

A fault survives refactoring as long as the function does: it names no line. What it finds is
Python, an expression or statements, and is compared as a syntax tree, so that layout and comments
do not matter; it must stand in the function exactly once, or the fault says which one it means.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from denota.oracle.cases.yaml_nodes import loader_type

CATALOGUE = Path(__file__).with_name("catalogue")
ROOT = Path(__file__).parents[2]

_KEYS = {"name", "kind", "module", "function", "find", "replace", "occurrence", "edits", "why"}
_OPTIONAL = {"equivalent", "mechanical", "hard"}
_READERS = {
    "streams", "live_query", "block_reader", "nquads_reader", "nquads_scanner", "batch_merge",
    "tokens",
}
"""Names in the paths of modules that read files and live input."""


class FaultError(ValueError):
    """A fault that cannot be read, or that is no longer where it was planted."""


@dataclass(frozen=True)
class Edit:
    """One piece of source and what stands there instead; the `occurrence`th (from 1) of several."""

    find: str
    replace: str
    occurrence: int | None = None


@dataclass(frozen=True)
class Fault:
    """A mistake in the engine.

    `part` is the file of the catalogue that it stands in: a language, or `graphs`. `module` is
    below the package, `function` a qualified name in it (None: the module's own level). `why` says
    what an implementer gets wrong. `equivalent` is the reason why no input shows it, if there is
    one; `hard` is why fuzzing is not expected to find it. A `mechanical` fault was made by
    `mechanical.py`, the others by hand.
    """

    part: str
    name: str
    kind: str
    module: str
    function: str | None
    edits: tuple[Edit, ...]
    why: str
    equivalent: str | None = None
    mechanical: bool = False
    hard: str | None = None

    @property
    def path(self) -> Path:
        """The module's file, from the root."""
        plain = Path(*self.module.split("."))
        return plain / "__init__.py" if (ROOT / plain).is_dir() else plain.with_suffix(".py")

    @property
    def area(self) -> str:
        """The part of the engine that a schedule reaches: items, columns, checkpoints, input."""
        names = {*self.module.split(".")}
        if _READERS & names:
            return "files and live input"
        if self.kind == "checkpoint":
            return "checkpoints"
        in_columns = {"columnar", "columns", "sequence", "symbols"} & names
        return "columns" if in_columns else "item by item"


def catalogue(folder: Path = CATALOGUE) -> list[Fault]:
    """All faults, by file and in the order of the files; raises FaultError."""
    faults = [fault for path in sorted(folder.glob("*.yaml")) for fault in _in_file(path)]
    names = [fault.name for fault in faults]
    if twice := {name for name in names if names.count(name) > 1}:
        raise FaultError(f"two faults of one name: {', '.join(sorted(twice))}")
    return faults


def _in_file(path: Path) -> Iterator[Fault]:
    part = path.stem.removesuffix("-mechanical")
    for entry in yaml.load(path.read_text(encoding="utf-8"), loader_type()) or ():
        yield _fault(part, entry, f"{path.name}: {entry.get('name', '?')}")


def _fault(part: str, entry: dict[str, Any], where: str) -> Fault:
    unknown = entry.keys() - _KEYS - _OPTIONAL
    missing = {"name", "kind", "module"} - entry.keys()
    if not entry.get("mechanical", False):
        missing |= {"why"} - entry.keys()
    if unknown or missing:
        raise FaultError(f"{where}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    changed = tuple(
        Edit(str(edit["find"]), str(edit["replace"]), edit.get("occurrence"))
        for edit in entry.get("edits") or [entry]
    )
    return Fault(
        part,
        entry["name"],
        entry["kind"],
        entry["module"],
        entry.get("function"),
        changed,
        entry.get("why") or "; ".join(f"`{edit.find}` became `{edit.replace}`" for edit in changed),
        entry.get("equivalent"),
        entry.get("mechanical", False),
        entry.get("hard"),
    )


def planted(source: str, fault: Fault) -> str:
    """The source of a module with the fault in it; raises FaultError where it does not fit."""
    for edit in fault.edits:
        tree = _tree(source)
        function = _function(tree, fault)
        old, new = _parsed(edit, fault)
        found = list(_places(function, old))
        if (len(found) != 1) if edit.occurrence is None else (len(found) < edit.occurrence):
            raise FaultError(
                f"{fault.name}: {edit.find!r} stands {len(found)} times in {_at(fault)}"
            )
        source = _replaced(source, found[(edit.occurrence or 1) - 1], new)
    ast.parse(source)
    return source


@lru_cache(maxsize=64)
def _tree(source: str) -> ast.Module:
    """The tree of a source, which nobody changes."""
    return ast.parse(source)


def _at(fault: Fault) -> str:
    return f"{fault.module}:{fault.function or 'its own level'}"


def _function(tree: ast.Module, fault: Fault) -> ast.AST:
    here: ast.AST = tree
    for name in (fault.function or "").split("."):
        if not name or name == "<locals>":
            continue
        inner = [
            node for node in ast.walk(here)
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        ]
        if not inner:
            raise FaultError(f"{fault.name}: there is no {_at(fault)}")
        here = inner[0]
    return here


Code = ast.expr | list[ast.stmt]


def _parsed(edit: Edit, fault: Fault) -> tuple[Code, str]:
    """What is looked for, and the text that replaces it, both as expressions or as statements."""
    try:
        find = ast.parse(textwrap.dedent(edit.find)).body
        replace = ast.parse(textwrap.dedent(edit.replace)).body
    except SyntaxError as error:
        raise FaultError(f"{fault.name}: {error}") from error
    if _is_expression(find) and _is_expression(replace):
        assert isinstance(find[0], ast.Expr)
        return find[0].value, f"({edit.replace.strip()})"
    return find, textwrap.dedent(edit.replace).strip("\n") or "pass"


def _is_expression(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Expr)


def _places(function: ast.AST, old: Code) -> Iterator[list[Any]]:
    """The nodes of each place where it stands."""
    if isinstance(old, ast.expr):
        wanted = _as_loaded(old)
        for node in ast.walk(function):
            if isinstance(node, ast.expr) and _as_loaded(node) == wanted:
                yield [node]
        return
    dumps = [ast.dump(statement) for statement in old]
    for body in _bodies(function):
        for first in range(len(body) - len(dumps) + 1):
            run = body[first : first + len(dumps)]
            if [ast.dump(statement) for statement in run] == dumps:
                yield run


def _as_loaded(node: ast.expr) -> str:
    """The tree of an expression as text, whether it is read, assigned to or deleted."""
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()").replace("ctx=Del()", "ctx=Load()")


def _bodies(function: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body:
                yield body


def _replaced(source: str, nodes: Sequence[Any], new: str) -> str:
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    raw = source.encode()
    first, last = nodes[0], nodes[-1]
    begin = starts[first.lineno - 1] + first.col_offset
    end = starts[last.end_lineno - 1] + last.end_col_offset
    if isinstance(first, ast.stmt):
        if decorators := getattr(first, "decorator_list", None):
            begin = starts[decorators[0].lineno - 1] + first.col_offset
        new = textwrap.indent(new, " " * first.col_offset).lstrip(" ")
    return (raw[:begin] + new.encode() + raw[end:]).decode()


def sampled(faults: Sequence[Fault], every: int = 1) -> list[Fault]:
    """Of the faults of each part that some input shows, the first and every so manieth after it."""
    shown = [fault for fault in faults if fault.equivalent is None]
    parts = dict.fromkeys(fault.part for fault in shown)
    return [
        fault for part in parts
        for fault in [each for each in shown if each.part == part][::every]
    ]


def of_parts(faults: Iterable[Fault], parts: Sequence[str]) -> list[Fault]:
    """Those of some parts; of all if none is named."""
    return [fault for fault in faults if not parts or fault.part in parts]
