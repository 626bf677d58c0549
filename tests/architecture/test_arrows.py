"""The arrows of the house run one way: oracle -> engine -> semantics.

The engine and the definitions of a language share trees, readings and the data model, and no
evaluation code: if they shared any, their agreement would prove nothing. Read from the sources, so
that an import inside a function counts too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx
import pytest

import denota

ROOT = Path(denota.__file__).resolve().parent
ROOMS = ("semantics", "engine", "oracle", "peers", "studies", "examples")


def is_shared(module: str) -> bool:
    """What of `semantics` stands on the engine's floor, too: of a language, its `syntax` alone."""
    match module.split("."):
        case ["semantics"] | ["semantics", _]:
            return True  # a package; what stands in it is asked for by itself
        case ["semantics", "model" | "streams", *_] | ["semantics", _, "syntax", *_]:
            return True
    return False


@dataclass(frozen=True)
class Import:
    """`importer` takes `name` (or the whole module, if it is "") from `module`."""

    importer: str
    module: str
    name: str
    line: int

    def __str__(self) -> str:
        taken = f"{self.module}.{self.name}" if self.name else self.module
        return f"{self.importer}:{self.line} imports {taken}"


def modules_of(root: Path) -> dict[str, Path]:
    """Every module of the rooms by its name inside the package: `semantics.rdf.terms`, …"""
    found = {}
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(
    module: str, source: str, *, package: bool, modules: Iterable[str]
) -> Iterator[Import]:
    """The imports of other modules of the package, as names inside it; the root is ""."""
    known = set(modules)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package_name, _, inside = alias.name.partition(".")
                if package_name == "denota":
                    yield Import(module, inside, "", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            path = node.module.split(".") if node.module else []
            if node.level:
                here = module.split(".") if package else module.split(".")[:-1]
                target = ".".join([*here[: len(here) - (node.level - 1)], *path])
            elif path[0] == "denota":
                target = ".".join(path[1:])
            else:
                continue
            for alias in node.names:
                inner = f"{target}.{alias.name}".lstrip(".")
                if inner in known:
                    yield Import(module, inner, "", node.lineno)
                else:
                    yield Import(module, target, alias.name, node.lineno)
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in {"import_module", "__import__"}:
                yield Import(module, "(computed)", ast.unparse(node), node.lineno)


def graph_of(sources: dict[str, tuple[str, bool]]) -> dict[str, list[Import]]:
    return {
        module: list(imports_of(module, source, package=package, modules=sources))
        for module, (source, package) in sources.items()
    }


def room_of(module: str) -> str:
    return module.split(".")[0]


def against_the_arrows(graph: dict[str, list[Import]]) -> list[Import]:
    """Imports from a room that its importer must not know."""
    forbidden = {
        "semantics": {"engine", "oracle", "peers", "studies", "examples", "(computed)"},
        "engine": {"oracle", "peers", "studies", "examples", "(computed)"},
        "oracle": {"peers", "studies", "examples"},
        "peers": {"studies", "examples"},
        "studies": {"peers", "examples"},
        "examples": {"peers", "studies"},
    }

    def wrong(link: Import) -> bool:
        room = room_of(link.importer)
        # The public names at the root lead anywhere.
        through_the_root = link.module == "" and link.name != "__version__"
        return room_of(link.module) in forbidden[room] or (
            through_the_root and room in {"semantics", "engine"}
        )

    return [link for links in graph.values() for link in links if wrong(link)]


def shared_evaluation(graph: dict[str, list[Import]]) -> list[str]:
    """Imports of what only the definitions may use: by the engine, or by what it shares."""
    return [
        str(link)
        for module, links in graph.items()
        if room_of(module) == "engine" or is_shared(module)
        for link in links
        if room_of(link.module) == "semantics" and not is_shared(link.module)
    ]


@pytest.fixture(scope="module")
def house() -> dict[str, list[Import]]:
    return graph_of({
        module: (path.read_text(encoding="utf-8"), path.name == "__init__.py")
        for module, path in modules_of(ROOT).items()
    })


def test_the_house_is_seen(house: dict[str, list[Import]]) -> None:
    assert {"semantics.rdf.mapping_sets", "engine.spaseq", "oracle.cli"} <= set(house)
    found = {(link.module, link.name) for link in house["semantics.rdf.mapping_sets"]}
    assert ("semantics.model.mappings", "Solutions") in found


def test_arrows_run_one_way(house: dict[str, list[Import]]) -> None:
    assert [str(link) for link in against_the_arrows(house)] == []


def test_the_engine_shares_no_evaluation_code(house: dict[str, list[Import]]) -> None:
    assert shared_evaluation(house) == []


def circles(graph: dict[str, list[Import]]) -> list[list[str]]:
    """Modules that import one another, however late or for types alone."""
    links = networkx.DiGraph(
        (module, link.module)
        for module, found in graph.items() for link in found
        if link.module in graph and link.module != module
    )
    components = networkx.strongly_connected_components(links)
    return sorted(sorted(several) for several in components if len(several) > 1)


def test_no_modules_import_one_another(house: dict[str, list[Import]]) -> None:
    assert circles(house) == []


def test_the_engine_joins_mappings_by_itself() -> None:
    uses = [
        f"{module}:{node.lineno}"
        for module, path in modules_of(ROOT).items()
        if room_of(module) == "engine"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "compatible"
    ]
    assert uses == []


@pytest.mark.parametrize("source", [
    "from ..oracle import cases",
    "from denota.oracle.cases.case_reader import read",
    "import denota.oracle.cases.case_reader",
    "def late():\n    from ..oracle.cases import read",
    "from importlib import import_module\nimport_module('denota.oracle')",
    "from .. import evaluate",
])
def test_a_wrong_arrow_is_found(source: str) -> None:
    graph = graph_of({"engine.planted": (source, False), "oracle.cases": ("", False)})
    assert against_the_arrows(graph)


@pytest.mark.parametrize("source", [
    "from ..semantics.rdf.evaluation import evaluate",
    "from ..semantics.rdf import evaluation",
    "from ..semantics.spaseq import denotation",
    "from ..semantics.rdf.mapping_sets import join",
    "from ..semantics.rdf import mapping_sets",
    "from ..semantics.rdf.syntax.parse import parse_group",
])
def test_shared_evaluation_is_found(source: str) -> None:
    graph = graph_of({
        "engine.planted": (source, False),
        "semantics.rdf.mapping_sets": ("", False),
        "semantics.rdf.evaluation": ("", False),
        "semantics.rdf.syntax.parse": ("from ..evaluation import evaluate", False),
        "semantics.spaseq.denotation": ("", False),
    })
    assert shared_evaluation(graph)


@pytest.mark.parametrize("source", [
    "from .other import name",
    "from . import other",
    "from denota.oracle import other",
    "import denota.oracle.other",
    "def late():\n    from .other import name",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .other import Name",
    "from .third import name",
    "from .package import name",
])
def test_a_circle_is_found(source: str) -> None:
    graph = graph_of({
        "oracle.planted": (source, False),
        "oracle.other": ("from .planted import name", False),
        "oracle.third": ("from .other import name", False),
        "oracle.package": ("from .inside import name", True),
        "oracle.package.inside": ("from ..planted import name", False),
    })
    (circle,) = circles(graph)
    assert "oracle.planted" in circle


def test_what_is_below_is_no_circle() -> None:
    graph = graph_of({
        "oracle.above": ("from .below import name\nfrom . import below", False),
        "oracle.below": ("", False),
    })
    assert circles(graph) == []


def test_shared_data_is_allowed() -> None:
    graph = graph_of({
        "engine.planted": (
            "from ..semantics.model.mappings import SolutionMapping\n"
            "from ..semantics.spaseq.syntax.tree import SpaseqQuery",
            False,
        ),
    })
    assert against_the_arrows(graph) == []
    assert shared_evaluation(graph) == []
