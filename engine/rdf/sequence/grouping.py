"""Groups that wait: how they are found, how nodes join them at the end of an instant."""

from __future__ import annotations

from ...kernels import compiled
from .partial import (
    C_BEST,
    C_NODE,
    C_PREVIOUS,
    CELL,
    CELLS,
    FREE,
    G_BLOCK,
    G_CELL,
    G_EDGE,
    G_FIRST,
    G_FOLLOWING,
    G_JOINED,
    G_MATE,
    G_PREVIOUS,
    G_SLOT,
    GROUP,
    GROUPS,
    INSTANT,
    JOINED,
    LIVE_GROUPS,
    N_FIRST,
    N_STATE,
    NODE,
    NODES,
    Partials,
)
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
from .value_blocks import enter_block, leave_block


@compiled
def mixed(hashed: int, value: int) -> int:
    """One more value hashed; never above 2^60, so that nothing overflows."""
    return ((hashed ^ (hashed >> 15)) * 1000003 + value) & 0xFFFFFFFFFF


@compiled
def slot_of(
    edge: int, count: int, places: Integers, begin: int, row: Integers, at: int, mask: int
) -> int:
    """By hash of an edge and of the values at some places of a row."""
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
    """The group waits no longer; its nodes live on where links hold them."""
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
    """No item of this instant is left: what it decided takes effect.

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
    """The node begins to wait for the edge."""
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
