"""Passing by whole blocks of groups when not even the bounds of a block will do."""

from __future__ import annotations

from ...kernels import compiled
from .comparing import DOUBLE, EXACT, FALSE, TRUE, UNKNOWN, Values, compared
from .partial import (
    B_COUNT,
    B_FIRST,
    B_GREATEST,
    B_LAST,
    B_LEAST,
    BLOCK,
    FULL,
    G_BLOCK,
    G_EDGE,
    G_FIRST,
    G_FOLLOWING,
    GROUP,
    OLDEST,
    Partials,
)
from .program import (
    C_LEFT,
    C_LEFT2,
    C_RIGHT,
    C_RIGHT2,
    C_SYMBOL,
    CONDITION,
    E_ORDERED,
    EDGE,
    LESS,
    LESS_EQUAL,
    S_BEGIN,
    S_EDGE,
    S_END,
    SOURCE,
    WIDTH,
    Integers,
    Program,
)
from .value_blocks import NO_BOUNDS, NOT_YET


@compiled
def first_in_question(
    program: Program, held: Partials, words: Integers, values: Values, number: int, place: int,
    group: int,
) -> int:  # fmt: skip
    """The first group, from this one on, whose block may have one that is joined with a source's
    row; 0 for none. The group is the first of its block.

    A block that no window holds is not passed by, so that it is dropped.
    """
    registers, groups, blocks = held.registers, held.groups, held.blocks
    size = GROUP + program.sizes[WIDTH]
    source = number * SOURCE
    edge = program.sources[source + S_EDGE]
    ordered = program.edges[edge * EDGE + E_ORDERED]
    while group and groups[group * size + G_EDGE] == edge:
        at = groups[group * size + G_BLOCK] * BLOCK
        if at == 0 or blocks[at + B_COUNT] < registers[FULL]:
            break
        if blocks[at + B_LEAST] == NOT_YET:
            _bound(groups, blocks, values, group, ordered, size)
        if blocks[at + B_LEAST] == NO_BOUNDS or blocks[at + B_FIRST] < registers[OLDEST]:
            break
        passed = False
        for condition in range(program.sources[source + S_BEGIN], program.sources[source + S_END]):
            test = condition * CONDITION
            symbol = program.conditions[test + C_SYMBOL]
            left, right = program.conditions[test + C_LEFT], program.conditions[test + C_RIGHT]
            left2, right2 = program.conditions[test + C_LEFT2], program.conditions[test + C_RIGHT2]
            told = TRUE
            if symbol not in (LESS, LESS_EQUAL):
                continue
            if left == ordered and right < 0 and left2 < 0 and right2 >= 0:
                told = compared(symbol, blocks[at + B_LEAST], words[place + right2], values)
            elif left2 == ordered and right2 < 0 and left < 0 and right >= 0:
                told = compared(symbol, words[place + right], blocks[at + B_GREATEST], values)
            if told == FALSE:
                passed = True
                break
        if not passed:
            break
        group = groups[blocks[at + B_LAST] * size + G_FOLLOWING]
    return group


@compiled
def _bound(
    groups: Integers, blocks: Integers, values: Values, group: int, ordered: int, size: int
) -> None:
    """Find the bounds of the block that begins with a group.

    Numbers of one kind have one order; beside doubles exact ones are rounded.
    """
    at = groups[group * size + G_BLOCK] * BLOCK
    last = blocks[at + B_LAST]
    first = groups[group * size + G_FIRST]
    least = greatest = groups[group * size + GROUP + ordered]
    kind = UNKNOWN
    if 0 < least < len(values.kinds):
        kind = values.kinds[least]
    blocks[at + B_LEAST] = NO_BOUNDS
    if kind not in (EXACT, DOUBLE):
        return
    while True:
        value = groups[group * size + GROUP + ordered]
        if not 0 < value < len(values.kinds) or values.kinds[value] != kind:
            return
        if values.doubles[value] != values.doubles[value]:
            return  # not a number
        if compared(LESS, value, least, values):
            least = value
        if compared(LESS, greatest, value, values):
            greatest = value
        first = max(first, groups[group * size + G_FIRST])
        if group == last:
            break
        group = groups[group * size + G_FOLLOWING]
    blocks[at + B_LEAST], blocks[at + B_GREATEST] = least, greatest
    blocks[at + B_FIRST] = first
