"""Enumeration of the rows of complete matches, by the links that lead to them.

Links are followed only from a complete match, and every way through them is one: key columns
decide whether a join is empty, so there are no dead ends. What several ways share is computed once.
"""

from __future__ import annotations

from ...kernels import compiled
from .join_conditions import merged
from .partial_matches import (
    ARENA,
    C_BEST,
    C_NODE,
    C_PREVIOUS,
    CELL,
    DONE,
    EVENT_STAMP,
    ITEM,
    ITEM_OUT,
    KEPT,
    KNOWN,
    L_CELL,
    L_FIRST,
    L_NEXT,
    L_SOURCE,
    LINK,
    LINKS,
    LINKS_BEGIN,
    LINKS_END,
    N_FIRST,
    N_LINKS,
    N_STATE,
    NODE,
    OLDEST,
    OUT,
    OUTPUT,
    STAMP,
    Partials,
    Scratch,
    mixed,
)
from .program import (
    E_FORGETS,
    EDGE,
    S_EDGE,
    SELECTED,
    SOURCE,
    STATE,
    T_CARRIED,
    T_LOOPS,
    WIDTH,
    Integers,
    Program,
)


@compiled
def answer(program: Program, held: Partials, scratch: Scratch, out: Integers) -> int:
    """Put the rows that the links of the present item stand for into `out`, each once, as
    (item, latest first time, what is selected). What is lacking, if anything is; ask again then."""
    registers = held.registers
    width, selected = program.sizes[WIDTH], program.sizes[SELECTED]
    registers[STAMP] += 1
    registers[ARENA] = 0
    begin, end = registers[LINKS_BEGIN], registers[LINKS_END]
    for link in range(begin, end):
        lacking = _settle_origins(program, held, scratch, link)
        if lacking:
            return lacking
    registers[EVENT_STAMP] += 1
    written = registers[OUT]
    size = 2 + selected
    # What the item has said by another source is not said again.
    said = registers[ITEM_OUT]
    if 4 * (written - said) > len(scratch.distinct):
        return KNOWN
    for place in range(said, written):
        _distinct(
            scratch, registers[EVENT_STAMP], out, place * size + 2, selected, size, 2, place
        )
    for link in range(begin, end):
        at = link * (LINK + 2 * width)
        edge = program.sources[held.links[at + L_SOURCE] * SOURCE + S_EDGE] * EDGE
        if program.edges[edge + E_FORGETS]:
            lacking = _put_row(
                program, held, scratch, out, written, link, held.links, at + LINK + width,
                held.links[at + L_FIRST],
            )  # fmt: skip
            if lacking:
                return lacking
            continue
        cell = held.links[at + L_CELL]
        while cell and held.cells[cell * CELL + C_BEST] >= registers[OLDEST]:
            node = held.cells[cell * CELL + C_NODE]
            if held.nodes[node * (NODE + width) + N_FIRST] >= registers[OLDEST]:
                for place in range(scratch.known[3 * node + 1], scratch.known[3 * node + 2]):
                    row = place * (1 + width)
                    if scratch.arena[row] >= registers[OLDEST]:
                        lacking = _put_row(
                            program, held, scratch, out, written, link, scratch.arena, row + 1,
                            scratch.arena[row],
                        )  # fmt: skip
                        if lacking:
                            return lacking
            cell = held.cells[cell * CELL + C_PREVIOUS]
    return DONE


@compiled
def _put_row(
    program: Program, held: Partials, scratch: Scratch, out: Integers, written: int, link: int,
    left: Integers, at_left: int, first: int,
) -> int:  # fmt: skip
    """Write one answer; those of the current item begin at `written`."""
    registers = held.registers
    width, selected = program.sizes[WIDTH], program.sizes[SELECTED]
    size = 2 + selected
    place = registers[OUT]
    at = place * size
    if at + size > len(out):
        registers[OUT] = written
        return OUTPUT
    if 4 * (place - registers[ITEM_OUT] + 1) > len(scratch.distinct):
        registers[OUT] = written
        return KNOWN
    at_link = link * (LINK + 2 * width)
    columns = held.links[at_link + L_SOURCE] * width
    for number in range(selected):
        out[at + 2 + number] = merged(
            program.answer_left[columns + number], program.answer_right[columns + number],
            left, at_left, held.links, at_link + LINK,
        )  # fmt: skip
    out[at] = registers[ITEM]
    out[at + 1] = first
    known = _distinct(scratch, registers[EVENT_STAMP], out, at + 2, selected, size, 2, place)
    if known == place:
        registers[OUT] = place + 1
    elif out[known * size + 1] < first:
        out[known * size + 1] = first
    return DONE


@compiled
def _distinct(
    scratch: Scratch, stamp: int, rows: Integers, at: int, count: int, size: int, head: int,
    place: int,
) -> int:  # fmt: skip
    """Return the place of an equal row with the same stamp, or this place after adding it."""
    table = scratch.distinct
    mask = len(table) // 2 - 1
    hashed = 1
    for number in range(count):
        hashed = mixed(hashed, rows[at + number])
    slot = (hashed ^ (hashed >> 17)) & mask
    while table[2 * slot] == stamp:
        known: int = table[2 * slot + 1]
        begin = known * size + head
        same = True
        for number in range(count):
            if rows[begin + number] != rows[at + number]:
                same = False
                break
        if same:
            return known
        slot = (slot + 1) & mask
    table[2 * slot] = stamp
    table[2 * slot + 1] = place
    return place


@compiled
def _settle_origins(program: Program, held: Partials, scratch: Scratch, link: int) -> int:
    """Find the past rows of all nodes that a link comes from; what is lacking, if anything."""
    registers, stack, known = held.registers, scratch.stack, scratch.known
    width = program.sizes[WIDTH]
    stamp = registers[STAMP]
    height = _push_origins(program, held, scratch, link, 0)
    if height < 0:
        return KNOWN
    while height > 0:
        node = stack[height - 1]
        if known[3 * node] == stamp:
            height -= 1
            continue
        before = height
        each = held.nodes[node * (NODE + width) + N_LINKS]
        while each:
            height = _push_origins(program, held, scratch, each, height)
            if height < 0:
                return KNOWN
            each = held.links[each * (LINK + 2 * width) + L_NEXT]
        if height > before:
            continue
        lacking = _settle(program, held, scratch, node)
        if lacking:
            return lacking
        height -= 1
    return DONE


@compiled
def _push_origins(
    program: Program, held: Partials, scratch: Scratch, link: int, height: int
) -> int:
    """Push the nodes that a link comes from and that are not settled; -1 without room."""
    registers = held.registers
    width = program.sizes[WIDTH]
    at = link * (LINK + 2 * width)
    if held.links[at + L_SOURCE] == KEPT:
        return height
    edge = program.sources[held.links[at + L_SOURCE] * SOURCE + S_EDGE] * EDGE
    if program.edges[edge + E_FORGETS]:
        return height
    stack, oldest = scratch.stack, registers[OLDEST]
    cell = held.links[at + L_CELL]
    while cell and held.cells[cell * CELL + C_BEST] >= oldest:
        node = held.cells[cell * CELL + C_NODE]
        if (
            scratch.known[3 * node] != registers[STAMP]
            and held.nodes[node * (NODE + width) + N_FIRST] >= oldest
        ):
            if height == len(stack):
                return -1
            stack[height] = node
            height += 1
        cell = held.cells[cell * CELL + C_PREVIOUS]
    return height


@compiled
def _settle(program: Program, held: Partials, scratch: Scratch, node: int) -> int:
    """Find the past rows of a node whose origins are settled."""
    registers = held.registers
    width = program.sizes[WIDTH]
    registers[EVENT_STAMP] += 1
    begin = registers[ARENA]
    at_node = node * (NODE + width)
    carried = program.states[held.nodes[at_node + N_STATE] * STATE + T_CARRIED]
    link = held.nodes[at_node + N_LINKS]
    while link:
        at = link * (LINK + 2 * width)
        alone = held.links[at + L_SOURCE] == KEPT
        if not alone:
            edge = program.sources[held.links[at + L_SOURCE] * SOURCE + S_EDGE]
            alone = program.edges[edge * EDGE + E_FORGETS] != 0
        if held.links[at + L_FIRST] >= registers[OLDEST]:
            if alone:
                if not _keep(
                    program, held, scratch, begin, carried, link, held.links, at + LINK + width,
                    held.links[at + L_FIRST],
                ):  # fmt: skip
                    return KNOWN
            else:
                cell = held.links[at + L_CELL]
                while cell and held.cells[cell * CELL + C_BEST] >= registers[OLDEST]:
                    origin = held.cells[cell * CELL + C_NODE]
                    if held.nodes[origin * (NODE + width) + N_FIRST] >= registers[OLDEST]:
                        last = scratch.known[3 * origin + 2]
                        for place in range(scratch.known[3 * origin + 1], last):
                            row = place * (1 + width)
                            if not _keep(
                                program, held, scratch, begin, carried, link, scratch.arena,
                                row + 1, scratch.arena[row],
                            ):  # fmt: skip
                                return KNOWN
                    cell = held.cells[cell * CELL + C_PREVIOUS]
        link = held.links[at + L_NEXT]
    scratch.known[3 * node] = registers[STAMP]
    scratch.known[3 * node + 1] = begin
    scratch.known[3 * node + 2] = registers[ARENA]
    if program.states[held.nodes[at_node + N_STATE] * STATE + T_LOOPS]:
        _keep_pasts(held, scratch, node, width)
    return DONE


@compiled
def _keep_pasts(held: Partials, scratch: Scratch, node: int, width: int) -> None:
    """Keep the past rows of this iteration for the next one, and not the chain behind it.

    Where there is no room it is found out again.
    """
    registers, links = held.registers, held.links
    size = LINK + 2 * width
    begin, end = scratch.known[3 * node + 1], scratch.known[3 * node + 2]
    at_node = node * (NODE + width)
    kept = held.nodes[at_node + N_LINKS]
    if kept == 0 or links[kept * size + L_SOURCE] == KEPT:
        return
    if (registers[LINKS] + end - begin) * size > len(links):
        return
    before = 0
    for place in range(begin, end):
        link = registers[LINKS]
        registers[LINKS] = link + 1
        at = link * size
        for word in range(size):
            links[at + word] = 0
        links[at + L_SOURCE] = KEPT
        links[at + L_FIRST] = scratch.arena[place * (1 + width)]
        links[at + L_NEXT] = before
        for word in range(width):
            links[at + LINK + width + word] = scratch.arena[place * (1 + width) + 1 + word]
        before = link
    held.nodes[at_node + N_LINKS] = before


@compiled
def _keep(
    program: Program, held: Partials, scratch: Scratch, begin: int, carried: int, link: int,
    left: Integers, at_left: int, first: int,
) -> bool:  # fmt: skip
    """Keep one past row of the node that is being settled; return False without room."""
    registers, arena = held.registers, scratch.arena
    width = program.sizes[WIDTH]
    place = registers[ARENA]
    at = place * (1 + width)
    if at + 1 + width > len(arena) or 4 * (place - begin + 1) > len(scratch.distinct):
        return False
    at_link = link * (LINK + 2 * width)
    columns = held.links[at_link + L_SOURCE] * width
    kept = held.links[at_link + L_SOURCE] == KEPT
    for number in range(carried):
        if kept:
            arena[at + 1 + number] = left[at_left + number]
        else:
            arena[at + 1 + number] = merged(
                program.carried_left[columns + number], program.carried_right[columns + number],
                left, at_left, held.links, at_link + LINK,
            )  # fmt: skip
    for number in range(carried, width):
        arena[at + 1 + number] = 0
    arena[at] = first
    known = _distinct(
        scratch, registers[EVENT_STAMP], arena, at + 1, carried, 1 + width, 1, place
    )
    if known == place:
        registers[ARENA] = place + 1
    elif arena[known * (1 + width)] < first:
        arena[known * (1 + width)] = first
    return True
