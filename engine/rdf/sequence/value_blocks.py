"""Blocks: groups next to each other in a chain that wait for one edge, with bounds of a value.

Where an edge compares a value of the partial match with one of the item, a block knows the least
and the greatest that its groups have, so that it is passed by if not even these will do (see
`passing`). A block takes in groups until it is full; its bounds are found when an item first comes
along after that, and hold until the next compaction: a group that leaves only makes them wider
than they need be.
"""

from __future__ import annotations

from typing import Final

from ...kernels import compiled
from .partial import (
    B_COUNT,
    B_LAST,
    B_LEAST,
    BLOCK,
    BLOCKS,
    FREE_BLOCKS,
    FULL,
    G_BLOCK,
    G_EDGE,
    G_FOLLOWING,
    G_PREVIOUS,
    GROUP,
    Partials,
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
    """A group, still in its chain, leaves its block; one that is empty is free."""
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
