"""Partial matches in arrays: nodes, links, cells and groups, each some words in a row.

A *node* stands for all partial matches that end in one state at one instant and agree on the
state's key columns. A *link* says how they came about: by a source, with an item's row, from any
node in a list. A list is made of *cells*, the newest first; it only grows at its head, so a link
keeps the head that it saw. A link without a source says no more than one past row of its node,
which stands where the key row does. Nodes that wait for one edge with one key row form a *group*.

Numbers begin at 1, 0 is none. What is younger refers to what is older, and a cell to a node no
younger than itself: `compacting` rests on it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ...capacities import IN_USE
from .program import WIDTH, Integers, Program

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
# Words of a block; see `value_blocks`. Of a free one LAST is the next free one.
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
    """What is remembered. `registers` and the first four say all; the rest is found from these."""

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
    """Room for so many partial matches; none is there."""
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
    """Room beside so many partial matches, for items that join so many, for past rows."""
    width = int(program.sizes[WIDTH])
    return Scratch(
        np.zeros(found, np.int64),
        np.zeros(2 << (2 * found - 1).bit_length(), np.int64),
        np.zeros(3 * (size + 1), np.int64),
        np.zeros(known * (1 + width), np.int64),
        np.zeros(2 << (2 * known - 1).bit_length(), np.int64),
        np.zeros(known, np.int64),
    )
