"""Graph patterns with WINDOW and MATCH (RSEP-QL 4.1), on the compiler of SPARQL's.

WINDOW w { P } is compiled as GRAPH is, with a snapshot for the graph; MATCH { E } as VALUES, with
the rows that the event pattern has at the evaluation time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from ...semantics.rdf.syntax import (
    Element,
    EmbeddedPattern,
    Exists,
    GroupGraphPattern,
    InlineData,
    NamedGraphPattern,
)
from ...semantics.rdf.terms import URIRef, Variable
from ...semantics.rsepql.syntax import MatchPattern, WindowPattern, events
from ..rdf.dictionary import UNBOUND, Dictionary
from ..rdf.graphs import IndexedGraph
from ..rdf.groups import GroupCompiler
from ..rdf.joins import Join
from ..rdf.layout import Layout, Rows, Step
from ..rdf.variables import certain
from .snapshots import Snapshot

_ANYTHING = URIRef("")

Tree = TypeVar("Tree")


@dataclass(frozen=True, slots=True)
class InWindow(NamedGraphPattern):
    """WINDOW name { P }"""


@dataclass(frozen=True, slots=True)
class Matched(InlineData):
    """MATCH { E }: `number` says which; `rows` has one row, None where a solution may be unbound"""

    number: int = 0


class MatchRows:
    """The solutions of one MATCH at the evaluation time, over its variables."""

    __slots__ = ("rows", "version")

    def __init__(self) -> None:
        self.rows: Rows = []
        self.version = 0

    def become(self, rows: Rows) -> None:
        """The solutions have changed."""
        self.rows = rows
        self.version += 1


class PatternCompiler(GroupCompiler):
    """Compiles patterns whose WINDOW and MATCH have been replaced by `InWindow` and `Matched`."""

    def __init__(
        self,
        dictionary: Dictionary,
        graphs: Mapping[URIRef, IndexedGraph],
        windows: Mapping[URIRef, Snapshot],
        matches: list[MatchRows],
        *,
        varying: bool,
    ) -> None:
        super().__init__(dictionary, graphs)
        self._varying = varying
        self._windows = {
            dictionary.encode(name, permanent=True): snapshot for name, snapshot in windows.items()
        }
        self._matches = matches

    def lasts(self, pattern: GroupGraphPattern | Element) -> bool:
        return (
            not self._varying
            and super().lasts(pattern)
            and not any(isinstance(part, (InWindow, Matched)) for part in parts(pattern))
        )

    def extension(self, element: Element, layout: Layout) -> tuple[Step, Layout]:
        match element:
            case InWindow(URIRef() as name, pattern):
                inner, after = self.group(pattern, layout)
                snapshot = self._windows[self.dictionary.encode(name, permanent=True)]
                return lambda graph, rows: inner(snapshot, rows), after
            case InWindow(Variable() as name, pattern):
                return self.in_some_graph(name, pattern, layout, self._windows)
            case _:
                return super().extension(element, layout)

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[Step, Layout]:
        if not isinstance(data, Matched):
            return super().inline_data(data, layout)
        found = self._matches[data.number]
        join = Join(layout, Layout(data.variables, certain(data)))
        checks = [
            (column, layout.injections[variable])
            for column, variable in enumerate(data.variables)
            if variable in layout.injected
        ]

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            if len(rows) == 1 and not rows[0]:
                return found.rows
            answers = found.rows
            if checks:
                first = rows[0]
                answers = [
                    row
                    for row in answers
                    if all(row[column] in (UNBOUND, first[at]) for column, at in checks)
                ]
            return join.inner(rows, join.table(answers))

        return step, join.layout


def replaced(tree: Tree, matches: list[tuple[MatchPattern, tuple[Variable, ...]]]) -> Tree:
    """The tree with `InWindow` for WINDOW and `Matched` for MATCH, which are noted in `matches`."""
    found: Any = _replaced(tree, matches)
    return found  # type: ignore[no-any-return]


def _replaced(tree: Any, matches: list[tuple[MatchPattern, tuple[Variable, ...]]]) -> Any:
    match tree:
        case WindowPattern(name, pattern, position):
            return InWindow(name, _replaced(pattern, matches), position)
        case MatchPattern():
            variables = tree.variables()
            matches.append((tree, variables))
            return Matched(variables, (_certainty(tree),), len(matches) - 1)
        case EmbeddedPattern():
            return tree
        case tuple():
            items = tuple(_replaced(each, matches) for each in tree)
            return items if any(a is not b for a, b in zip(items, tree, strict=True)) else tree
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    changes: dict[str, Any] = {}
    for field in fields(tree):
        value = getattr(tree, field.name)
        new = _replaced(value, matches)
        if new is not value:
            changes[field.name] = new
    return replace(tree, **changes) if changes else tree


def _certainty(pattern: MatchPattern) -> tuple[URIRef | None, ...]:
    """An entry a variable of MATCH: None if a solution may leave it unbound."""
    bound = frozenset().union(*(certain(event.pattern) for event in events(pattern.event)))
    return tuple(_ANYTHING if variable in bound else None for variable in pattern.variables())


def parts(tree: object) -> Iterator[object]:
    """The tree and everything inside it."""
    yield tree
    if isinstance(tree, tuple):
        for each in tree:
            yield from parts(each)
    elif is_dataclass(tree) and not isinstance(tree, type):
        for field in fields(tree):
            yield from parts(getattr(tree, field.name))


def has_exists(tree: object) -> bool:
    """Whether EXISTS stands anywhere in the tree."""
    return any(isinstance(part, Exists) for part in parts(tree))
