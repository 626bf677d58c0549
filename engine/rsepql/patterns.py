"""Graph patterns with WINDOW and MATCH (RSEP-QL 4.1), on the compiler of SPARQL's.

WINDOW w { P } is compiled as GRAPH is, with a snapshot for the graph; MATCH { E } as VALUES, with
the rows that the event pattern has at the evaluation time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from ...semantics.model.terms import URIRef, Variable
from ...semantics.model.trees import changed, find, has
from ...semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    InlineData,
    NamedGraphPattern,
    TriplesBlock,
)
from ...semantics.rsepql.syntax.tree import Event, EventPattern, MatchPattern, WindowPattern
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.graphs import IndexedGraph
from ..rdf.data.layout import IdRow, Layout, Rows, Step
from ..rdf.groups import GroupCompiler
from ..rdf.joins import Join
from ..rdf.variables import certain
from .windows.snapshots import Snapshot

_ANYTHING = URIRef("")

Tree = TypeVar("Tree")


@dataclass(frozen=True, slots=True)
class InWindow(NamedGraphPattern):
    """WINDOW name { P }"""


@dataclass(frozen=True, slots=True)
class Matched(InlineData):
    """MATCH { E }: `number` says which; `rows` has one row, None where a solution may be unbound"""

    number: int = 0


EventMapping: TypeAlias = tuple[IdRow, int, int]
"""(μ, t1, t2), μ as a row"""


@stateful(
    kept=("_counts", "_rows", "gained", "lost", "version"), compiled=("only_grows",)
)
class MatchRows:
    """The solutions of one MATCH at the evaluation time, over its variables: a bag.

    A set of event mappings, without their intervals. `gained` and `lost` are the difference to the
    evaluation before. `version` changes if they are not empty.
    """

    __slots__ = ("_counts", "_rows", "gained", "lost", "only_grows", "version")

    def __init__(self) -> None:
        self.only_grows = False
        """True if only `gained` is used: no mapping is lost and none is gained twice."""
        self._counts: dict[EventMapping, int] = {}
        self._rows: Rows | None = []
        self.gained: Rows = []
        self.lost: Rows = []
        self.version = 0

    def pretending(self, rows: Rows, then: Callable[[], Rows]) -> Rows:
        """Return the result of `then` if these were all solutions."""
        held, self._rows = self._rows, rows
        try:
            return then()
        finally:
            self._rows = held

    @property
    def rows(self) -> Rows:
        """All solutions."""
        if self._rows is None:
            self._rows = [row for row, _, _ in self._counts]
        return self._rows

    @property
    def events(self) -> list[EventMapping]:
        """All solutions with their intervals, (μ, t1, t2)."""
        return list(self._counts)

    def change(self, added: Iterable[EventMapping], removed: Iterable[EventMapping]) -> None:
        """Add or remove one way per change to find an event mapping."""
        if self.only_grows:
            self.gained = [row for row, _, _ in dict.fromkeys(added)]
            return
        counts = self._counts
        before: dict[EventMapping, int] = {}
        for each in added:
            count = counts.get(each, 0)
            before.setdefault(each, count)
            counts[each] = count + 1
        for each in removed:
            count = counts[each]
            before.setdefault(each, count)
            if count == 1:
                del counts[each]
            else:
                counts[each] = count - 1
        self.gained = [each[0] for each, count in before.items() if not count and each in counts]
        self.lost = [each[0] for each, count in before.items() if count and each not in counts]
        if self.gained or self.lost:
            self._rows = None
            self.version += 1

    def begin_anew(self, events: Iterable[EventMapping]) -> None:
        """Begin with these solutions, each with its multiplicity, without a delta."""
        self._counts = dict(Counter(events))
        self._rows = None
        self.gained, self.lost = [], []

    def ids(self) -> Iterator[int]:
        """Return the term ids that are held, with repetitions."""
        return (number for row, _, _ in self._counts for number in row)


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
            and not has(pattern, InWindow, Matched)
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
    """Return the tree with `InWindow` for WINDOW and `Matched` for MATCH, which go to `matches`."""

    def change(part: object) -> object:
        match part:
            case WindowPattern(name, pattern, position):
                return InWindow(name, pattern, position)
            case MatchPattern():
                variables = part.variables()
                matches.append((part, variables))
                sure = frozenset().union(
                    *(certain(event.pattern) for event in find(part.event, Event))
                )
                return matched(variables, sure, len(matches) - 1)
        return part

    return changed(tree, change, but=(EventPattern, TriplesBlock))


def matched(
    variables: tuple[Variable, ...], sure: Collection[Variable], number: int
) -> Matched:
    """Return the stand-in for a pattern with these variables, of which some are bound for sure."""
    bound = frozenset(sure)
    row = tuple(_ANYTHING if variable in bound else None for variable in variables)
    return Matched(variables, (row,), number)
