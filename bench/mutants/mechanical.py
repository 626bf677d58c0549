"""Mechanical faults: each a small change of one comparison, number, operator or statement.

    python bench/mutants/mechanical.py engine/spaseq --part spaseq --count 10 --seed 1

prints a sample as entries of the catalogue. They are kept there as data: what is measured does not
change with the sample. The mutators at hand were no use here: mutmut and cosmic-ray identify a
mutant by its place in the file, and mutmut calls every mutant through a trampoline, which Numba
does not compile.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}

Change = tuple[str, ast.AST, str]
"""The kind of a change, what it changes, the source that stands there instead."""


def changes(function: ast.AST) -> Iterator[Change]:
    """Every mechanical change of a function."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left, [operator], [right]) if type(operator) in _COMPARED:
                instead = ast.Compare(left, [_COMPARED[type(operator)]()], [right])
                yield "comparison", node, ast.unparse(instead)
            case ast.BoolOp(operator, values):
                other = ast.And() if isinstance(operator, ast.Or) else ast.Or()
                yield "connective", node, ast.unparse(ast.BoolOp(other, values))
            case ast.UnaryOp(ast.Not(), operand):
                yield "negation", node, ast.unparse(operand)
            case ast.BinOp(left, operator, right) if _computes(operator, right):
                instead_of = ast.BinOp(left, _COMPUTED[type(operator)](), right)
                yield "arithmetic", node, ast.unparse(instead_of)
            case ast.Constant(bool() as value):
                yield "truth", node, repr(not value)
            case ast.Constant(int() as value) if -2 <= value <= 2:
                yield "number", node, repr(value + 1)
            case ast.Continue():
                yield "loop", node, "break"
            case ast.Break():
                yield "loop", node, "continue"
            case ast.Expr(ast.Call()) | ast.AugAssign():
                yield "statement", node, "pass"
            case _:
                pass


def _computes(operator: ast.operator, right: ast.expr) -> bool:
    """Whether the other operator can stand there: texts are not subtracted, types not met."""
    text = isinstance(right, ast.JoinedStr) or isinstance(getattr(right, "value", None), str)
    named = isinstance(right, ast.Name) and right.id[:1].isupper() and not right.id.isupper()
    return type(operator) in _COMPUTED and not text and not named


def entries(path: Path) -> Iterator[dict[str, object]]:
    """Every mechanical fault of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    for name, function in _functions(tree):
        annotations = {
            id(inner) for node in ast.walk(function) for outer in _annotations(node)
            for inner in ast.walk(outer)
        }
        seen: Counter[str] = Counter()
        if name.endswith(("statistics", "__repr__", "__str__")):
            continue  # says something of the engine, computes nothing
        for kind, node, instead in changes(function):
            find = ast.unparse(node)
            seen[find] += 1  # annotations count, too: the fault is looked for among all places
            if id(node) in annotations:
                continue
            entry: dict[str, object] = {
                "name": "", "kind": kind, "module": module, "function": name,
                "find": find, "replace": instead, "occurrence": seen[find], "mechanical": True,
            }
            yield entry


def _where(entry: dict[str, object]) -> tuple[object, ...]:
    return entry["module"], entry["function"], entry["find"]


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("annotation", "returns"):
        found = getattr(node, field, None)
        if found is not None:
            yield found


def main() -> int:
    parser = argparse.ArgumentParser(description="Print a sample of mechanical faults as YAML.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--part", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = [
        entry
        for folder in arguments.folders
        for path in (sorted(folder.rglob("*.py")) if folder.is_dir() else [folder])
        for entry in entries(path)
    ]
    chance = random.Random(arguments.seed)
    by_kind: dict[str, list[dict[str, object]]] = {}
    for entry in found:
        by_kind.setdefault(str(entry["kind"]), []).append(entry)
    sample = []
    for number in range(min(arguments.count, len(found))):
        kinds = sorted(kind for kind, left in by_kind.items() if left)
        kind = kinds[number % len(kinds)]
        entry = chance.choice(by_kind[kind])
        by_kind[kind].remove(entry)
        entry["name"] = f"{arguments.part}-{kind}-{number + 1}"
        if not any(each is not entry and _where(each) == _where(entry) for each in found):
            del entry["occurrence"]
        sample.append(entry)
    yaml.safe_dump(sample, sys.stdout, sort_keys=False, allow_unicode=True, width=96)
    return 0


if __name__ == "__main__":
    sys.exit(main())
