"""Compaction of partial matches: those that no window can complete are removed.

What is younger refers to what is older. So one pass from the youngest to the oldest finds what is
needed, and one in the other direction copies it.
"""

from __future__ import annotations

from ...kernels import compiled
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
    REGISTERS,
    Partials,
    enter,
    enter_block,
    slot_of,
)
from .program import (
    BRANCHES,
    E_CONTIGUITY,
    E_JOINED,
    E_ORDERED,
    EDGE,
    STRICT,
    WIDTH,
    Integers,
    Program,
)


@compiled
def mark(program: Program, held: Partials, nodes: Integers, cells: Integers) -> int:
    """1 in `nodes` and `cells` for those that groups, or nodes of the present instant, need.

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
