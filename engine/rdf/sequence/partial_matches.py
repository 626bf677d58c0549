"""Partial matches in arrays: nodes, links, cells and groups, each some words in a row.

A *node* stands for all partial matches that end in one state at one instant and agree on the
state's key columns. A *link* says how they came about: by a source, with an item's row, from any
node in a list. A list is made of *cells*, the newest first; it only grows at its head, so a link
keeps the head that it saw. A link without a source says no more than one past row of its node,
which stands where the key row does. Nodes that wait for one edge with one key row form a *group*.

Numbers begin at 1, 0 is none. What is younger refers to what is older, and a cell to a node no
younger than itself: `compaction` rests on it.

Where an edge compares a value of the partial match with one of the item, a block knows the least
and the greatest that its groups have, so that it is passed by if not even these will do (see
`item_step`). A block takes in groups until it is full; its bounds are computed for the first item
after that, and hold until the next compaction: removed groups only leave them wider than needed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ...kernels import compiled
from ...tuning import IN_USE
from .program import (
    E_CONTIGUITY,
    E_GROUPED,
    E_JOINED,
    E_KEYS,
    E_ORDERED,
    EDGE,
    EDGES,
    NEXT,
    STATE,
    STRICT,
    T_BEGIN,
    T_END,
    WIDTH,
    Integers,
    Program,
)

# Words of a node; its key row follows.
N_STATE, N_TIME, N_RANK, N_FIRST, N_LINKS = range(5)
NODE: Final = 5
# Words of a link; the item's row follows, then the key row that it was joined with.
L_SOURCE, L_FIRST, L_CELL, L_NEXT = range(4)
LINK: Final = 4
KEPT: Final = -1
"""the source of a link that says a past row"""
# Words of a cell. BEST is the latest first time of its node and all behind it.
C_NODE, C_PREVIOUS, C_BEST = range(3)
CELL: Final = 3
# Words of a group; its key row follows. Of a free one the edge is -1, and NEXT the next free one.
G_EDGE, G_FIRST, G_CELL, G_SLOT, G_PREVIOUS, G_FOLLOWING, G_MATE, G_JOINED, G_BLOCK = range(9)
GROUP: Final = 9
# Words of a block; see the module. Of a free one LAST is the next free one.
B_LAST, B_COUNT, B_FIRST, B_LEAST, B_GREATEST = range(5)
BLOCK: Final = 5

# Registers.
(
    NODES, LINKS, CELLS, GROUPS, FREE, LIVE_GROUPS, INSTANT, JOINED, TIME, RANK, STARTED, OLDEST,
    STAMP, ITEM, SOURCE_AT, STAGE, LINKS_BEGIN, FOUND, OUT, ARENA, EVENT_STAMP, ITEM_OUT, LINKS_END,
    BLOCKS, FREE_BLOCKS, FULL,
) = range(26)
REGISTERS: Final = 26

# What a kernel lacks when it comes back early; DONE: nothing.
DONE, PARTIALS, SCRATCH, KNOWN, OUTPUT, UNTOLD = range(6)


class Partials(NamedTuple):
    """The partial matches. `registers` and the first four say all; the rest is found from these."""

    registers: Integers
    nodes: Integers
    links: Integers
    cells: Integers
    groups: Integers
    joined: Integers
    """the groups that an item of the present instant has joined"""
    slots: Integers
    """by hash: the first group of a chain"""
    mates: Integers
    """by edge: the first of the groups that wait for a strict one"""
    blocks: Integers
    """groups in a row in a chain, by what is compared"""


class Scratch(NamedTuple):
    """Room to work in; nothing in it is remembered."""

    found: Integers
    """the groups that the present item joins"""
    of_instant: Integers
    """by hash: (stamp, node), for the nodes of the present instant"""
    known: Integers
    """by node: (stamp, begin, end) of its past rows in the arena"""
    arena: Integers
    """past rows, each after the latest first time of it"""
    distinct: Integers
    """by hash: (stamp, place), to tell rows apart"""
    stack: Integers


def partials(program: Program, size: int) -> Partials:
    """Return empty arrays for that many partial matches."""
    width = int(program.sizes[WIDTH])
    registers = np.zeros(REGISTERS, np.int64)
    registers[[NODES, LINKS, CELLS, GROUPS, INSTANT, BLOCKS]] = 1
    registers[FULL] = IN_USE.compared
    registers[OLDEST] = -(1 << 62)

    def words(count: int) -> Integers:
        return np.zeros((size + 1) * count, np.int64)

    slots = 1 << (2 * size - 1).bit_length()
    return Partials(
        registers, words(NODE + width), words(LINK + 2 * width), words(CELL),
        words(GROUP + width), words(1), np.zeros(slots, np.int64),
        np.zeros(len(program.edges), np.int64), words(BLOCK),
    )  # fmt: skip


def scratch(program: Program, size: int, found: int, known: int) -> Scratch:
    """Return scratch arrays for that many partial matches, joined groups and past rows."""
    width = int(program.sizes[WIDTH])
    return Scratch(
        np.zeros(found, np.int64),
        np.zeros(2 << (2 * found - 1).bit_length(), np.int64),
        np.zeros(3 * (size + 1), np.int64),
        np.zeros(known * (1 + width), np.int64),
        np.zeros(2 << (2 * known - 1).bit_length(), np.int64),
        np.zeros(known, np.int64),
    )


NOT_YET: Final = 0
NO_BOUNDS: Final = -1
"""Least values of blocks that have none: not looked at, or not of numbers of one kind."""


@compiled
def enter_block(held: Partials, group: int, width: int) -> None:
    """Put a group at the head of a chain into the block behind it, or into a new one."""
    registers, groups, blocks = held.registers, held.groups, held.blocks
    size = GROUP + width
    following = groups[group * size + G_FOLLOWING]
    block = 0
    if following and groups[following * size + G_EDGE] == groups[group * size + G_EDGE]:
        block = groups[following * size + G_BLOCK]
        if blocks[block * BLOCK + B_COUNT] >= registers[FULL]:
            block = 0
    if block == 0:
        block = registers[FREE_BLOCKS]
        if block:
            registers[FREE_BLOCKS] = blocks[block * BLOCK + B_LAST]
        else:
            block = registers[BLOCKS]
            registers[BLOCKS] = block + 1
        blocks[block * BLOCK + B_LAST] = group
        blocks[block * BLOCK + B_COUNT] = 0
        blocks[block * BLOCK + B_LEAST] = NOT_YET
    blocks[block * BLOCK + B_COUNT] += 1
    groups[group * size + G_BLOCK] = block


@compiled
def leave_block(held: Partials, group: int, width: int) -> None:
    """Remove a group, still in its chain, from its block; free the block if it is empty."""
    groups, size = held.groups, GROUP + width
    block = groups[group * size + G_BLOCK]
    at = block * BLOCK
    if held.blocks[at + B_LAST] != group:
        return
    previous = groups[group * size + G_PREVIOUS]
    if previous and groups[previous * size + G_BLOCK] == block:
        held.blocks[at + B_LAST] = previous
    else:
        held.blocks[at + B_LAST] = held.registers[FREE_BLOCKS]
        held.registers[FREE_BLOCKS] = block


@compiled
def mixed(hashed: int, value: int) -> int:
    """Return the hash with one more value; at most 2^60, to avoid overflows."""
    return ((hashed ^ (hashed >> 15)) * 1000003 + value) & 0xFFFFFFFFFF


@compiled
def slot_of(
    edge: int, count: int, places: Integers, begin: int, row: Integers, at: int, mask: int
) -> int:
    """Return the slot by the hash of an edge and of the values at some places of a row."""
    hashed = edge + 1
    for number in range(count):
        hashed = mixed(hashed, row[at + places[begin + number]])
    return (hashed ^ (hashed >> 17)) & mask


@compiled
def same_row(one: Integers, at: int, other: Integers, begin: int, count: int) -> bool:
    for number in range(count):  # noqa: SIM110 - a kernel has no generators
        if one[at + number] != other[begin + number]:
            return False
    return True


@compiled
def enter(held: Partials, group: int, width: int) -> None:
    """Put a group at the head of the chain of its slot."""
    groups, slots = held.groups, held.slots
    at = group * (GROUP + width)
    slot = groups[at + G_SLOT]
    following = slots[slot]
    groups[at + G_PREVIOUS] = 0
    groups[at + G_FOLLOWING] = following
    if following:
        groups[following * (GROUP + width) + G_PREVIOUS] = group
    slots[slot] = group


@compiled
def leave(held: Partials, group: int, width: int) -> None:
    """Remove a waiting group; its nodes stay alive where links hold them."""
    groups, registers = held.groups, held.registers
    size = GROUP + width
    at = group * size
    if groups[at + G_BLOCK]:
        leave_block(held, group, width)
    previous, following = groups[at + G_PREVIOUS], groups[at + G_FOLLOWING]
    if previous:
        groups[previous * size + G_FOLLOWING] = following
    else:
        held.slots[groups[at + G_SLOT]] = following
    if following:
        groups[following * size + G_PREVIOUS] = previous
    groups[at + G_EDGE] = -1
    groups[at + G_FOLLOWING] = registers[FREE]
    registers[FREE] = group
    registers[LIVE_GROUPS] -= 1


@compiled
def end_instant(program: Program, held: Partials) -> None:
    """End the instant after its last item and apply its decisions.

    There is room for a cell and a group for every edge out of each node of the instant.
    """
    registers, groups = held.registers, held.groups
    width = program.sizes[WIDTH]
    size = GROUP + width
    for number in range(registers[JOINED]):
        group = held.joined[number]
        at = group * size
        groups[at + G_JOINED] = 0
        if program.edges[groups[at + G_EDGE] * EDGE + E_CONTIGUITY] == NEXT:
            leave(held, group, width)
    registers[JOINED] = 0
    for edge in range(program.sizes[EDGES]):
        group = held.mates[edge]
        while group:
            mate = groups[group * size + G_MATE]
            leave(held, group, width)
            group = mate
        held.mates[edge] = 0
    for node in range(registers[INSTANT], registers[NODES]):
        state = held.nodes[node * (NODE + width) + N_STATE] * STATE
        for number in range(program.states[state + T_BEGIN], program.states[state + T_END]):
            _wait(program, held, node, program.outgoing[number])
    registers[INSTANT] = registers[NODES]


@compiled
def _wait(program: Program, held: Partials, node: int, edge: int) -> None:
    """Add the node to those that wait for the edge."""
    registers, groups, nodes = held.registers, held.groups, held.nodes
    width = program.sizes[WIDTH]
    size = GROUP + width
    at_node = node * (NODE + width)
    row = at_node + NODE
    first = nodes[at_node + N_FIRST]
    keys = program.edges[edge * EDGE + E_KEYS]
    # The key row is put where a new group would have it.
    new = registers[FREE]
    if new == 0:
        new = registers[GROUPS]
    at = new * size
    for number in range(keys):
        groups[at + GROUP + number] = nodes[row + program.to_key[edge * width + number]]
    slot = slot_of(
        edge, program.edges[edge * EDGE + E_JOINED], program.hashed_left, edge * width,
        groups, at + GROUP, len(held.slots) - 1,
    )  # fmt: skip
    group = 0
    if program.edges[edge * EDGE + E_GROUPED]:
        group = held.slots[slot]
        while group and not (
            groups[group * size + G_EDGE] == edge
            and same_row(groups, group * size + GROUP, groups, at + GROUP, keys)
        ):
            group = groups[group * size + G_FOLLOWING]
    if group == 0:
        if new == registers[FREE]:
            registers[FREE] = groups[at + G_FOLLOWING]
        else:
            registers[GROUPS] += 1
        registers[LIVE_GROUPS] += 1
        group = new
        groups[at + G_EDGE] = edge
        groups[at + G_FIRST] = first
        groups[at + G_CELL] = 0
        groups[at + G_SLOT] = slot
        groups[at + G_JOINED] = 0
        groups[at + G_MATE] = 0
        groups[at + G_BLOCK] = 0
        enter(held, group, width)
        if program.edges[edge * EDGE + E_ORDERED] >= 0:
            enter_block(held, group, width)
        if program.edges[edge * EDGE + E_CONTIGUITY] == STRICT:
            groups[at + G_MATE] = held.mates[edge]
            held.mates[edge] = group
    at = group * size
    previous = groups[at + G_CELL]
    cell = registers[CELLS]
    registers[CELLS] = cell + 1
    held.cells[cell * CELL + C_NODE] = node
    held.cells[cell * CELL + C_PREVIOUS] = previous
    best = first
    if previous:
        best = max(best, held.cells[previous * CELL + C_BEST])
    held.cells[cell * CELL + C_BEST] = best
    groups[at + G_CELL] = cell
    groups[at + G_FIRST] = max(groups[at + G_FIRST], first)
