"""Partial matches as objects, and how those in arrays are handed to them.

Batches run on arrays, single items on objects; both remember the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ...rdf.sequence.partial import (
    C_NODE,
    C_PREVIOUS,
    CELL,
    CELLS,
    G_CELL,
    G_EDGE,
    GROUP,
    GROUPS,
    INSTANT,
    JOINED,
    KEPT,
    L_CELL,
    L_FIRST,
    L_NEXT,
    L_SOURCE,
    LINK,
    N_FIRST,
    N_LINKS,
    N_RANK,
    N_STATE,
    N_TIME,
    NODE,
    NODES,
    OLDEST,
    RANK,
    STARTED,
    TIME,
)
from ...rdf.sequence.program import WIDTH
from ..atoms import Instant
from ..joins import EventSolutions, Rows
from ..runs import Group, Link, Node, Waiting
from .columnar_runs import ColumnarRuns

_NOTHING_YET: Rows = frozenset({()})


class Objects(Protocol):
    """Partial matches as objects: `runtime.Runs`."""

    @property
    def waiting(self) -> Sequence[Waiting]: ...

    @property
    def instant(self) -> Instant | None: ...

    @property
    def oldest(self) -> int: ...

    def present(self) -> Iterable[Node]:
        """The nodes that wait from the next instant on."""
        ...

    def past(self) -> Iterator[Node]:
        """Those, those that wait, and those that these came from."""
        ...

    def resume(
        self,
        instant: Instant,
        oldest: int,
        present: dict[tuple[int, Rows], Node],
        joined: list[tuple[Waiting, Group]],
    ) -> None:
        """Go on in the midst of an instant; what waits has been added."""
        ...


def to_objects(columns: ColumnarRuns, runs: Objects) -> None:
    """Give to `runs`, which have seen nothing, what `columns` remember."""
    columns.sequence.compact()
    held = columns.sequence.held
    registers = held.registers.tolist()
    if not registers[STARTED]:
        return
    reader = _Reader(columns)
    nodes = [reader.node(number) for number in range(1, registers[NODES])]
    lists = _lists(held.cells.tolist(), registers[CELLS], nodes)
    for number, node in enumerate(nodes, 1):
        node.links, node.carried = reader.links(number, lists)
    by_number: dict[int, Group] = {}
    width = int(columns.plan.program.sizes[WIDTH])
    words = held.groups.tolist()
    waiting = runs.waiting
    for number in range(1, registers[GROUPS]):
        at = number * (GROUP + width)
        origins, count = lists[words[at + G_CELL]]
        for node in origins[:count]:
            by_number[number] = waiting[words[at + G_EDGE]].add(node)
    instant = Instant(registers[TIME], registers[RANK])
    present = {(n.state, n.rows): n for n in nodes[registers[INSTANT] - 1 :]}
    joined = []
    for number in held.joined[: registers[JOINED]].tolist():
        group = by_number[number]
        if not group.joined:
            group.joined = True
            joined.append((waiting[words[number * (GROUP + width) + G_EDGE]], group))
    runs.resume(instant, registers[OLDEST], present, joined)


class _Reader:
    """Reads nodes and links out of arrays."""

    def __init__(self, columns: ColumnarRuns) -> None:
        held = columns.sequence.held
        self._plan = columns.plan
        self._width = int(columns.plan.program.sizes[WIDTH])
        self._nodes = held.nodes.tolist()
        self._links = held.links.tolist()
        self._places = [given.places for given in columns.plan.given]

    def node(self, number: int) -> Node:
        words, at = self._nodes, number * (NODE + self._width)
        state = self._plan.automaton.states[words[at + N_STATE]]
        row = tuple(words[at + NODE : at + NODE + len(state.key_columns)])
        return Node(
            state.number, words[at + N_TIME], words[at + N_RANK], frozenset({row}),
            words[at + N_FIRST], [],
        )  # fmt: skip

    def links(
        self, number: int, lists: Sequence[tuple[list[Node], int]]
    ) -> tuple[list[Link], dict[Rows, int] | None]:
        """The links of a node; where its past rows are kept, these."""
        found = []
        carried: dict[Rows, int] = {}
        state = self._plan.automaton.states[self._nodes[number * (NODE + self._width) + N_STATE]]
        link = self._nodes[number * (NODE + self._width) + N_LINKS]
        while link:
            at = link * (LINK + 2 * self._width)
            if self._links[at + L_SOURCE] == KEPT:
                begin = at + LINK + self._width
                row = tuple(self._links[begin : begin + len(state.carried_columns)])
                carried[frozenset({row})] = self._links[at + L_FIRST]
            else:
                found.append(self._link(at, lists))
            link = self._links[at + L_NEXT]
        return found, carried or None

    def _link(self, at: int, lists: Sequence[tuple[list[Node], int]]) -> Link:
        words = self._links
        given = self._plan.given[words[at + L_SOURCE]]
        edge = given.edge
        begin = at + LINK
        bound = self._places[words[at + L_SOURCE]]
        row = tuple(words[begin + place] if place >= 0 else 0 for place in bound)
        before: Rows = _NOTHING_YET
        if not edge.initial:
            begin += self._width
            before = frozenset({tuple(words[begin : begin + len(edge.key_columns)])})
        origins, count = lists[words[at + L_CELL]]
        event = EventSolutions(frozenset({row}), given.pending, given.bindable)
        return Link(edge, event, before, words[at + L_FIRST], origins, count)


def _lists(cells: list[int], count: int, nodes: Sequence[Node]) -> list[tuple[list[Node], int]]:
    """By cell: a list of nodes, and how many of it are the cell's and those behind it."""
    lists: list[tuple[list[Node], int]] = [([], 0)]
    for cell in range(1, count):
        at = cell * CELL
        origins, length = lists[cells[at + C_PREVIOUS]]
        if length != len(origins) or length == 0:  # a list of its own: it begins, or it forks
            origins = origins[:length]
        origins.append(nodes[cells[at + C_NODE] - 1])
        lists.append((origins, length + 1))
    return lists
