"""Conversions of partial matches between objects and arrays, and the batches that need them.

Batches run on arrays, single items on objects; both remember the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Protocol

import numpy as np

from ....semantics.model.errors import Impossible
from ...rdf.columns.batch import GraphBatch
from ...rdf.data.dictionary import Dictionary
from ...rdf.sequence.join_conditions import KnownValues
from ...rdf.sequence.partial_matches import (
    C_BEST,
    C_NODE,
    C_PREVIOUS,
    CELL,
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
    L_CELL,
    L_FIRST,
    L_NEXT,
    L_SOURCE,
    LINK,
    LINKS,
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
from ...tuning import IN_USE
from ..atoms import Instant
from ..automaton import Automaton, Edge
from ..joins import EventSolutions, Row, Rows
from ..runs import Group, Link, Node, Waiting
from ..windows import MatchWindows, SlidingWindows, WindowPolicy
from .columnar_runs import ColumnarRuns, ColumnMatches, SolvedBatch, Tables, leaf_tables
from .plan_builder import places, plan

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
        """Return the nodes that wait from the next instant on."""
        ...

    def past(self) -> Iterator[Node]:
        """Return those, the waiting ones, and those from which these came."""
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
        """Return the links of a node; where its past rows are kept, these."""
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
    """Return by cell: a list of nodes, and how many of it are the cell's and those behind it."""
    lists: list[tuple[list[Node], int]] = [([], 0)]
    for cell in range(1, count):
        at = cell * CELL
        origins, length = lists[cells[at + C_PREVIOUS]]
        if length != len(origins) or length == 0:  # a list of its own: it begins, or it forks
            origins = origins[:length]
        origins.append(nodes[cells[at + C_NODE] - 1])
        lists.append((origins, length + 1))
    return lists




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
        """Return True if every partial match is one row of plain ids; look up the compared ones."""
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
        """Return the cells, and by a list of nodes and how many of it: the first cell of these."""
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
        """Return the groups, and those of them that an item of the present instant has joined."""
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


class Batches:
    """Partial matches in arrays while batches come, and nothing while single items do."""

    def __init__(self, automaton: Automaton, dictionary: Dictionary) -> None:
        self._automaton = automaton
        self._plan = plan(automaton, dictionary)
        self._dictionary = dictionary
        self._values = KnownValues(dictionary, self._plan.questions if self._plan else ())
        self.runs: ColumnarRuns | None = None

    def solved(self, batch: GraphBatch) -> SolvedBatch | None:
        """Return the batch with the leaves' matches; None where it must be fed item by item."""
        if batch.dictionary is not self._dictionary or not _in_order(batch):
            return None
        if self.runs is None and len(batch) < IN_USE.handed:
            return None  # to hand over costs more
        return SolvedBatch(self._automaton, batch)

    def tables(self, solved: SolvedBatch, start: int) -> Tables | None:
        """Return the kernels' tables of the batch from a time on; None if they do not take it."""
        if self._plan is None or solved.batch.time[-1] < start:
            return None
        return leaf_tables(self._plan, solved, self._values, start)

    def import_state(self, policy: WindowPolicy, objects: Objects | None) -> bool:
        """Have the partial matches in arrays, if that is possible."""
        if self.runs is not None:
            return True
        if self._plan is None or not isinstance(policy, SlidingWindows | MatchWindows):
            return False
        runs = ColumnarRuns(self._plan, policy, self._dictionary, self._values)
        if objects is not None and not to_arrays(objects, runs):
            return False
        self.runs = runs
        return True

    def feed(self, batch: GraphBatch, tables: Tables) -> ColumnMatches:
        """Return the matches of a batch, after `import_state`."""
        if self.runs is None:
            raise Impossible("a batch without its partial matches")
        return self.runs.feed(batch, tables)

    def export_state(self, objects: Objects) -> None:
        """Have the partial matches as objects again."""
        if self.runs is None:
            raise Impossible("there are no partial matches in arrays")
        to_objects(self.runs, objects)
        self.runs = None


def _in_order(batch: GraphBatch) -> bool:
    """Return True if no item comes after a later one: an error is reported item by item."""
    time, rank = batch.time, batch.rank
    earlier = (time[1:] < time[:-1]) | ((time[1:] == time[:-1]) & (rank[1:] < rank[:-1]))
    return not bool(earlier.any())
