"""How partial matches that are objects are handed to arrays."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from ...rdf.sequence.partial import (
    C_BEST,
    CELLS,
    G_CELL,
    G_EDGE,
    G_FIRST,
    G_JOINED,
    GROUP,
    GROUPS,
    INSTANT,
    JOINED,
    KEPT,
    LINKS,
    NODES,
    OLDEST,
    RANK,
    STARTED,
    TIME,
)
from ...rdf.sequence.program import WIDTH
from ..automaton import Edge
from ..joins import Row, Rows
from ..runs import Group, Link, Node
from .columnar_runs import ColumnarRuns
from .objects import Objects
from .planning import places

_NOTHING_YET: Rows = frozenset({()})


def to_arrays(runs: Objects, columns: ColumnarRuns) -> bool:
    """Give to `columns`, which have seen nothing, what `runs` remember; whether they can."""
    writer = _Writer(runs, columns)
    if not writer.fits():
        return False
    writer.write()
    columns.sequence.compact()
    return True


class _Writer:
    """Writes what runs remember, the oldest first."""

    def __init__(self, runs: Objects, columns: ColumnarRuns) -> None:
        self._runs = runs
        self._columns = columns
        self._plan = columns.plan
        self._width = int(columns.plan.program.sizes[WIDTH])
        self._oldest = runs.oldest
        found = {id(n): n for n in runs.past() if n.first >= runs.oldest}
        self._nodes = sorted(found.values(), key=attrgetter("time", "rank"))
        self._numbers = {id(node): number for number, node in enumerate(self._nodes, 1)}

    def fits(self) -> bool:
        """Whether every partial match is one row of plain ids; those that are compared are looked
        up."""
        rows: dict[int, list[Row]] = {}
        for node in self._nodes:
            if not _single(node.rows) or not all(map(_single, node.carried or ())):
                return False
            rows.setdefault(node.state, []).extend(node.rows)
            for link in node.links:
                if not _single(link.rows) or not _single(link.event.rows):
                    return False
                if self._source(link) is None:
                    return False
        for state, found in rows.items():
            table = np.array(found, np.int64).reshape(len(found), -1)
            for place in self._plan.compared(self._plan.automaton.states[state].key_columns):
                self._columns.values.find(table[:, place])
        return True

    def _source(self, link: Link) -> int | None:
        for number, given in enumerate(self._plan.given):
            if (
                given.edge is link.edge
                and given.pending == link.event.pending
                and link.event.bindable == given.bindable
            ):
                return number
        return None

    def write(self) -> None:
        sequence, width = self._columns.sequence, self._width
        cells, heads = self._cells()
        groups = self._groups(heads)
        links: list[list[int]] = []
        nodes: list[list[int]] = []
        for node in self._nodes:
            before = 0
            for link in node.links:
                if link.first >= self._oldest:
                    links.append(self._link(link, before, heads))
                    before = len(links)
            for rows, first in (node.carried or {}).items():
                if first >= self._oldest:
                    past = _padded(next(iter(rows)), width)
                    links.append([KEPT, first, 0, before, *[0] * width, *past])
                    before = len(links)
            row = _padded(next(iter(node.rows)), width)
            nodes.append([node.state, node.time, node.rank, node.first, before, *row])
        sequence.make_room(max(len(nodes), len(links), len(cells), len(groups[0])))
        held, instant = sequence.held, self._runs.instant
        assert instant is not None
        for array, table in (
            (held.nodes, nodes), (held.links, links), (held.cells, cells), (held.groups, groups[0])
        ):  # fmt: skip
            if table:
                size = len(table[0])
                array[size : size * (len(table) + 1)] = np.array(table, np.int64).reshape(-1)
        held.joined[: len(groups[1])] = groups[1]
        present = sum(id(node) in self._numbers for node in self._runs.present())
        registers = held.registers
        registers[[NODES, LINKS, CELLS, GROUPS]] = [
            len(nodes) + 1, len(links) + 1, len(cells) + 1, len(groups[0]) + 1,
        ]  # fmt: skip
        registers[INSTANT] = len(nodes) + 1 - present
        registers[[JOINED, STARTED, OLDEST]] = [len(groups[1]), 1, self._oldest]
        registers[[TIME, RANK]] = [instant.time, instant.rank]

    def _link(self, link: Link, before: int, heads: dict[tuple[int, int], int]) -> list[int]:
        number = self._source(link)
        assert number is not None
        given = self._plan.given[number]
        row = next(iter(link.event.rows))
        back = places(given.leaf.columns if given.matches else (), link.edge.atom.columns)
        event = _padded(tuple(row[place] for place in back), self._width)
        left = _padded(next(iter(link.rows)), self._width)
        head = heads.get((id(link.origins), link.count), 0)
        return [number, link.first, head, before, *event, *left]

    def _cells(self) -> tuple[list[list[int]], dict[tuple[int, int], int]]:
        """The cells, and by a list of nodes and how many of it: the first cell of these."""
        wanted: dict[int, tuple[list[Node], int]] = {}
        for node in self._nodes:
            for link in node.links:
                known = wanted.get(id(link.origins), (link.origins, 0))
                wanted[id(link.origins)] = link.origins, max(known[1], link.count)
        for group in self._groups_waiting():
            wanted[id(group.nodes)] = group.nodes, len(group.nodes)
        entries = sorted(
            (self._numbers[id(node)], key, place)
            for key, (origins, count) in wanted.items()
            for place, node in enumerate(origins[:count])
            if id(node) in self._numbers
        )
        cells: list[list[int]] = []
        latest: dict[int, int] = {}
        at: dict[tuple[int, int], int] = {}
        for number, key, place in entries:
            before = latest.get(key, 0)
            best = self._nodes[number - 1].first
            if before:
                best = max(best, cells[before - 1][C_BEST])
            cells.append([number, before, best])
            latest[key] = at[key, place] = len(cells)
        heads: dict[tuple[int, int], int] = {}
        for key, (_, count) in wanted.items():
            head = 0
            for place in range(count):
                head = max(head, at.get((key, place), 0))  # nodes of an instant are in any order
                heads[key, place + 1] = head
        return cells, heads

    def _groups_waiting(self) -> list[Group]:
        return [group for waiting in self._runs.waiting for group in waiting]

    def _groups(self, heads: dict[tuple[int, int], int]) -> tuple[list[list[int]], list[int]]:
        """The groups, and those of them that an item of the present instant has joined."""
        groups: list[list[int]] = []
        joined: list[int] = []
        for waiting in self._runs.waiting:
            for group in waiting:
                if group.first >= self._oldest:
                    head = heads.get((id(group.nodes), len(group.nodes)), 0)
                    self._enter(waiting.edge, group, head, groups, joined)
        return groups, joined

    def _enter(
        self, edge: Edge, group: Group, head: int, groups: list[list[int]], joined: list[int]
    ) -> None:
        row = _padded(next(iter(group.rows)), self._width)
        words = [0] * GROUP
        words[G_EDGE], words[G_FIRST], words[G_CELL] = edge.number, group.first, head
        groups.append([*words, *row])
        if group.joined:
            groups[-1][G_JOINED] = 1
            joined.append(len(groups))


def _single(rows: Rows) -> bool:
    if len(rows) != 1:
        return False
    (row,) = rows
    return all(isinstance(entry, int) and entry >= 0 for entry in row)


def _padded(row: Row, width: int) -> list[int]:
    entries = [entry for entry in row if isinstance(entry, int)]
    return entries + [0] * (width - len(entries))
