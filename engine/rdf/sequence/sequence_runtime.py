"""The runtime of a sequence: leaf tables in, rows out; arrays grow with the content of a window.

Partial matches that no window can complete are removed. What is younger refers to what is older. So
one pass from the youngest to the oldest finds what is needed, and one in the other direction copies
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from .item_step import Leaves, enter_nodes, step
from .join_conditions import KnownValues
from .partial_matches import (
    BLOCKS,
    C_BEST,
    C_NODE,
    C_PREVIOUS,
    CELL,
    CELLS,
    FREE,
    FREE_BLOCKS,
    G_BLOCK,
    G_CELL,
    G_EDGE,
    G_FIRST,
    G_MATE,
    G_SLOT,
    GROUP,
    GROUPS,
    INSTANT,
    ITEM,
    JOINED,
    L_CELL,
    L_FIRST,
    L_NEXT,
    LINK,
    LINKS,
    LIVE_GROUPS,
    N_FIRST,
    N_LINKS,
    NODE,
    NODES,
    OLDEST,
    OUT,
    OUTPUT,
    PARTIALS,
    REGISTERS,
    SCRATCH,
    UNTOLD,
    Partials,
    Scratch,
    enter,
    enter_block,
    partials,
    scratch,
    slot_of,
)
from .program import (
    BRANCHES,
    E_CONTIGUITY,
    E_JOINED,
    E_ORDERED,
    EDGE,
    SELECTED,
    STRICT,
    WIDTH,
    Integers,
    Program,
)


@compiled
def mark(program: Program, held: Partials, nodes: Integers, cells: Integers) -> int:
    """Mark with 1 in `nodes` and `cells` those that groups, or nodes of the current instant, need.

    Returns for how many partial matches there has to be room, once the instant has ended.
    """
    registers = held.registers
    width = program.sizes[WIDTH]
    oldest = registers[OLDEST]
    groups, links = 1, 1
    for group in range(1, registers[GROUPS]):
        at = group * (GROUP + width)
        if held.groups[at + G_EDGE] >= 0 and held.groups[at + G_FIRST] >= oldest:
            cells[held.groups[at + G_CELL]] = 1
            groups += 1
    for node in range(registers[INSTANT], registers[NODES]):
        nodes[node] = 1
    cell = registers[CELLS] - 1
    for node in range(registers[NODES] - 1, 0, -1):
        # Its cells, and then what only a younger node can still have marked, itself.
        while cell > 0 and held.cells[cell * CELL + C_NODE] >= node:
            if cells[cell] and held.cells[cell * CELL + C_BEST] >= oldest:
                origin = held.cells[cell * CELL + C_NODE]
                if held.nodes[origin * (NODE + width) + N_FIRST] >= oldest:
                    nodes[origin] = 1
                cells[held.cells[cell * CELL + C_PREVIOUS]] = 1
            cell -= 1
        if nodes[node]:
            link = held.nodes[node * (NODE + width) + N_LINKS]
            while link:
                at = link * (LINK + 2 * width)
                if held.links[at + L_FIRST] >= oldest:
                    cells[held.links[at + L_CELL]] = 1
                    links += 1
                link = held.links[at + L_NEXT]
    added = (registers[NODES] - registers[INSTANT]) * program.sizes[BRANCHES] + 1
    partial = max(nodes.sum() + 1, links)
    return int(max(partial, cells.sum() + added, groups + added))


@compiled
def copy(
    program: Program, held: Partials, nodes: Integers, cells: Integers, groups: Integers,
    new: Partials,
) -> None:  # fmt: skip
    """Copy what is marked into arrays that are empty; the marks become the new numbers."""
    registers, target = held.registers, new.registers
    width = program.sizes[WIDTH]
    for number in range(REGISTERS):
        target[number] = registers[number]
    target[NODES] = target[LINKS] = target[CELLS] = target[GROUPS] = target[BLOCKS] = 1
    target[FREE] = target[FREE_BLOCKS] = target[LIVE_GROUPS] = target[JOINED] = 0
    target[INSTANT] = 0
    cell = 1
    nodes[0] = cells[0] = 0
    for node in range(1, registers[NODES]):
        if node == registers[INSTANT]:
            target[INSTANT] = target[NODES]
        if nodes[node]:
            # Its links refer to cells of older nodes.
            while cell < registers[CELLS] and held.cells[cell * CELL + C_NODE] < node:
                _copy_cell(held, nodes, cells, new, cell, width)
                cell += 1
            _copy_node(held, nodes, cells, new, node, width)
    if target[INSTANT] == 0:
        target[INSTANT] = target[NODES]
    while cell < registers[CELLS]:
        _copy_cell(held, nodes, cells, new, cell, width)
        cell += 1
    for group in range(1, registers[GROUPS]):
        _copy_group(program, held, cells, groups, new, group)
    for number in range(registers[JOINED]):
        group = groups[held.joined[number]]
        if group:
            new.joined[target[JOINED]] = group
            target[JOINED] += 1


@compiled
def _copy_cell(
    held: Partials, nodes: Integers, cells: Integers, new: Partials, cell: int, width: int
) -> None:
    if cells[cell] == 0:
        return
    at = cell * CELL
    node, oldest = held.cells[at + C_NODE], held.registers[OLDEST]
    if held.cells[at + C_BEST] < oldest:
        cells[cell] = 0
    elif held.nodes[node * (NODE + width) + N_FIRST] < oldest:
        cells[cell] = cells[held.cells[at + C_PREVIOUS]]  # those behind it live
    else:
        number = new.registers[CELLS]
        new.registers[CELLS] = number + 1
        new.cells[number * CELL + C_NODE] = nodes[node]
        new.cells[number * CELL + C_PREVIOUS] = cells[held.cells[at + C_PREVIOUS]]
        new.cells[number * CELL + C_BEST] = held.cells[at + C_BEST]
        cells[cell] = number


@compiled
def _copy_node(
    held: Partials, nodes: Integers, cells: Integers, new: Partials, node: int, width: int
) -> None:
    number = new.registers[NODES]
    new.registers[NODES] = number + 1
    nodes[node] = number
    size = LINK + 2 * width
    begin, at = node * (NODE + width), number * (NODE + width)
    for word in range(NODE + width):
        new.nodes[at + word] = held.nodes[begin + word]
    new.nodes[at + N_LINKS] = 0
    previous = 0
    link = held.nodes[begin + N_LINKS]
    while link:
        if held.links[link * size + L_FIRST] >= held.registers[OLDEST]:
            made = new.registers[LINKS]
            new.registers[LINKS] = made + 1
            for word in range(size):
                new.links[made * size + word] = held.links[link * size + word]
            new.links[made * size + L_CELL] = cells[held.links[link * size + L_CELL]]
            new.links[made * size + L_NEXT] = 0
            if previous:
                new.links[previous * size + L_NEXT] = made
            else:
                new.nodes[at + N_LINKS] = made
            previous = made
        link = held.links[link * size + L_NEXT]


@compiled
def _copy_group(
    program: Program, held: Partials, cells: Integers, groups: Integers, new: Partials, group: int
) -> None:
    groups[group] = 0
    width = program.sizes[WIDTH]
    size = GROUP + width
    begin = group * size
    edge = held.groups[begin + G_EDGE]
    if edge < 0 or held.groups[begin + G_FIRST] < held.registers[OLDEST]:
        return
    number = new.registers[GROUPS]
    new.registers[GROUPS] = number + 1
    new.registers[LIVE_GROUPS] += 1
    groups[group] = number
    at = number * size
    for word in range(size):
        new.groups[at + word] = held.groups[begin + word]
    new.groups[at + G_CELL] = cells[held.groups[begin + G_CELL]]
    new.groups[at + G_SLOT] = slot_of(
        edge, program.edges[edge * EDGE + E_JOINED], program.hashed_left, edge * width,
        new.groups, at + GROUP, len(new.slots) - 1,
    )  # fmt: skip
    enter(new, number, width)
    new.groups[at + G_BLOCK] = 0
    if program.edges[edge * EDGE + E_ORDERED] >= 0:
        enter_block(new, number, width)
    if program.edges[edge * EDGE + E_CONTIGUITY] == STRICT:
        new.groups[at + G_MATE] = new.mates[edge]
        new.mates[edge] = number


_FOUND: Final = 64
"""Groups that an item joins, for which there is room at first."""
_STEPS: Final = 8
"""The cost of an item and a source, in the steps that kernels are charged."""


class Window(NamedTuple):
    """Windows [start + k·slide, start + k·slide + width], k ≥ 0, without the end if not `closed`;
    for a slide of 0 none are fixed, and a match spans at most the width."""

    slide: int
    start: int
    width: int
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """Answers: the item that completes each, the latest time at which it begins, its rows."""

    item: Integers
    first: Integers
    rows: Integers
    """[n, selected]"""


class SequenceRuntime:
    """Partial matches between two batches. All that it remembers is in `held`."""

    def __init__(self, program: Program, window: Window) -> None:
        self.program = program
        self.window = np.array(
            [window.slide, window.start, window.width, window.closed], np.int64
        )
        self._size = max(1, IN_USE.partial)
        self._pasts = max(1, IN_USE.pasts)
        self._found = min(_FOUND, self._pasts)
        self.held = partials(program, self._size)
        self._scratch = self._new_scratch()
        self._out = np.zeros(max(1, IN_USE.pasts) * self._answer, np.int64)

    @property
    def _answer(self) -> int:
        return 2 + int(self.program.sizes[SELECTED])

    def feed(
        self, times: Integers, ranks: Integers, places: Integers, words: Integers,
        known: KnownValues,
    ) -> Found:  # fmt: skip
        """Take in items, with their rows of each leaf; see `Leaves`."""
        registers = self.held.registers
        registers[ITEM] = registers[OUT] = 0
        leaves = Leaves(times, ranks, places, words, self.window)
        KERNELS.charge(_STEPS * len(times) * len(self.program.sources))
        while lacking := step(
            self.program, self.held, self._scratch, leaves, known.values, self._out
        ):
            if lacking == UNTOLD:
                known.answer()
            else:
                self._make_room(lacking)
        count = int(self.held.registers[OUT])
        table = self._out[: count * self._answer].reshape(count, self._answer).copy()
        return Found(
            np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]), table[:, 2:]
        )

    # --- room ------------------------------------------------------------------------------------

    def _make_room(self, lacking: int) -> None:
        if lacking == PARTIALS:
            self.compact()
            return
        if lacking == OUTPUT:
            self._out = np.concatenate((self._out, np.zeros_like(self._out)))
            return
        if lacking == SCRATCH:
            self._found *= 2
        else:
            self._pasts *= 2
        self._scratch = self._new_scratch()

    def make_room(self, size: int) -> None:
        """Allocate that many partial matches; none exists yet."""
        self._size = max(self._size, size)
        self.held = partials(self.program, self._size)

    def compact(self) -> None:
        """Evict partial matches that no window can complete; grow if more than half is left."""
        held = self.held
        nodes, cells, groups = (
            np.zeros(int(held.registers[each]) + 1, np.int64) for each in (NODES, CELLS, GROUPS)
        )
        KERNELS.charge(len(nodes) + len(cells) + len(groups))
        needed = mark(self.program, held, nodes, cells)
        while 2 * needed > self._size:
            self._size *= 2
        self.held = partials(self.program, self._size)
        copy(self.program, held, nodes, cells, groups, self.held)
        self._scratch = self._new_scratch()

    def _new_scratch(self) -> Scratch:
        registers = self.held.registers
        while self._found <= int(registers[NODES] - registers[INSTANT]):
            self._found *= 2  # the nodes of the present instant are entered
        made = scratch(self.program, self._size, self._found, self._pasts)
        enter_nodes(self.program, self.held, made)
        return made
