"""The step of one item: its rows are joined with the groups that wait for them, block by block."""

from __future__ import annotations

from typing import NamedTuple

from ...kernels import compiled
from .join_conditions import (
    DOUBLE,
    EXACT,
    FALSE,
    OPEN,
    TRUE,
    UNKNOWN,
    Values,
    compared,
    merged,
    tested,
)
from .match_enumeration import answer
from .partial_matches import (
    B_COUNT,
    B_FIRST,
    B_GREATEST,
    B_LAST,
    B_LEAST,
    BLOCK,
    CELL,
    CELLS,
    DONE,
    FOUND,
    FULL,
    G_BLOCK,
    G_CELL,
    G_EDGE,
    G_FIRST,
    G_FOLLOWING,
    G_JOINED,
    GROUP,
    GROUPS,
    INSTANT,
    ITEM,
    ITEM_OUT,
    JOINED,
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
    N_RANK,
    N_STATE,
    N_TIME,
    NO_BOUNDS,
    NODE,
    NODES,
    NOT_YET,
    OLDEST,
    OUT,
    PARTIALS,
    RANK,
    SCRATCH,
    SOURCE_AT,
    STAGE,
    STARTED,
    TIME,
    UNTOLD,
    Partials,
    Scratch,
    end_instant,
    leave,
    mixed,
    same_row,
    slot_of,
)
from .program import (
    BRANCHES,
    C_LEFT,
    C_LEFT2,
    C_RIGHT,
    C_RIGHT2,
    C_SYMBOL,
    CONDITION,
    E_CONTIGUITY,
    E_FINAL,
    E_FORGETS,
    E_JOINED,
    E_KEYS,
    E_ORDERED,
    E_SOURCE,
    E_TARGET,
    EDGE,
    LESS,
    LESS_EQUAL,
    S_BEGIN,
    S_EDGE,
    S_END,
    S_LEAF,
    S_SHARED,
    S_WHEN,
    SOURCE,
    SOURCES,
    STATE,
    STRICT,
    T_BEGIN,
    T_END,
    T_KEYS,
    WHERE_NONE,
    WHERE_ROW,
    WIDTH,
    Integers,
    Program,
)


@compiled
def first_in_question(
    program: Program, held: Partials, words: Integers, values: Values, number: int, place: int,
    group: int,
) -> int:  # fmt: skip
    """Return the first group from this one on whose block may contain a join partner of a source's
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


ABSENT, ELSEWHERE = -1, -2
"""The markers of a leaf without a row for an item, and of an item of another stream."""

W_SLIDE, W_START, W_WIDTH, W_CLOSED = range(4)


class Leaves(NamedTuple):
    """Items, with their rows of every leaf."""

    times: Integers
    ranks: Integers
    places: Integers
    """by leaf, then by item: where its row begins in `words`, or ABSENT, or ELSEWHERE"""
    words: Integers
    """the rows, each `width` words; the first binds nothing"""
    window: Integers
    """[slide, start, width, closed]; a slide of 0: no fixed windows"""


@compiled
def step(
    program: Program, held: Partials, scratch: Scratch, leaves: Leaves, values: Values,
    out: Integers,
) -> int:  # fmt: skip
    """Take in the items from register ITEM on. What is lacking, if anything is: ask again then."""
    registers = held.registers
    items = len(leaves.times)
    sources = program.sizes[SOURCES]
    while registers[ITEM] < items:
        item = registers[ITEM]
        if registers[STAGE] == 0:
            if not _begin(program, held, leaves, item):
                return PARTIALS
            registers[STAGE] = 1
            registers[SOURCE_AT] = 0
            registers[ITEM_OUT] = registers[OUT]
        while registers[SOURCE_AT] < sources:
            number = registers[SOURCE_AT]
            if registers[STAGE] == 1:
                at = number * SOURCE
                place = leaves.places[program.sources[at + S_LEAF] * items + item]
                when = program.sources[at + S_WHEN]
                if when == WHERE_ROW:
                    if place < 0:
                        registers[SOURCE_AT] += 1
                        continue
                elif place == ELSEWHERE or (when == WHERE_NONE and place >= 0):
                    registers[SOURCE_AT] += 1
                    continue
                else:
                    place = 0
                lacking = _take(program, held, scratch, leaves, values, number, place)
                if lacking:
                    return lacking
                edge = program.sources[at + S_EDGE] * EDGE
                if program.edges[edge + E_FINAL] and registers[LINKS_BEGIN] < registers[LINKS]:
                    registers[LINKS_END] = registers[LINKS]
                    registers[STAGE] = 2
            if registers[STAGE] == 2:
                lacking = answer(program, held, scratch, out)
                if lacking:
                    return lacking
                target = program.edges[program.sources[number * SOURCE + S_EDGE] * EDGE + E_TARGET]
                state = target * STATE
                done = program.states[state + T_BEGIN] == program.states[state + T_END]
                if done and registers[LINKS] == registers[LINKS_END]:
                    registers[LINKS] = registers[LINKS_BEGIN]
                registers[STAGE] = 1
            registers[SOURCE_AT] += 1
        registers[STAGE] = 0
        registers[ITEM] = item + 1
    return DONE


@compiled
def _begin(program: Program, held: Partials, leaves: Leaves, item: int) -> bool:
    """Begin the item's instant if it is new; return False if the previous one does not fit."""
    registers = held.registers
    time, rank = leaves.times[item], leaves.ranks[item]
    if registers[STARTED] and time == registers[TIME] and rank == registers[RANK]:
        return True
    width = program.sizes[WIDTH]
    most = (registers[NODES] - registers[INSTANT]) * program.sizes[BRANCHES]
    if (registers[CELLS] + most) * CELL > len(held.cells):
        return False
    # One more: a key row is put where a group would begin.
    if (registers[GROUPS] + most + 1) * (GROUP + width) > len(held.groups):
        return False
    end_instant(program, held)
    registers[STARTED] = 1
    registers[TIME] = time
    registers[RANK] = rank
    slide, extent = leaves.window[W_SLIDE], leaves.window[W_WIDTH]
    if slide == 0:
        registers[OLDEST] = time - extent
    else:
        start = leaves.window[W_START]
        over = time - start - extent
        if leaves.window[W_CLOSED]:
            index = -((-over) // slide)
        else:
            index = over // slide + 1
        registers[OLDEST] = start + max(0, index) * slide
    return True


@compiled
def _take(
    program: Program, held: Partials, scratch: Scratch, leaves: Leaves, values: Values,
    number: int, place: int,
) -> int:  # fmt: skip
    """Join a row at one edge with every group that waits there."""
    registers = held.registers
    at = number * SOURCE
    edge = program.sources[at + S_EDGE]
    initial = program.edges[edge * EDGE + E_SOURCE] == 0
    registers[LINKS_BEGIN] = registers[LINKS]
    if initial:
        registers[FOUND] = 1
        told = tested(
            program.conditions, program.sources[at + S_BEGIN], program.sources[at + S_END],
            leaves.words, 0, leaves.words, place, values,
        )  # fmt: skip
        if told != TRUE:
            return DONE if told == FALSE else UNTOLD
    else:
        lacking = _find(program, held, scratch, leaves, values, number, place)
        if lacking:
            return lacking
    count = registers[FOUND]
    if count == 0:
        return DONE
    width = program.sizes[WIDTH]
    if (registers[LINKS] + count) * (LINK + 2 * width) > len(held.links):
        return PARTIALS
    if (registers[NODES] + count) * (NODE + width) > len(held.nodes):
        return PARTIALS
    if 2 * (registers[NODES] + count - registers[INSTANT]) > len(scratch.of_instant) // 2:
        return SCRATCH
    if initial:
        _reach(program, held, scratch, leaves, number, place, 0)
        return DONE
    for each in range(count):
        group = scratch.found[each]
        joined = group * (GROUP + width) + G_JOINED
        if held.groups[joined] == 0:
            held.groups[joined] = 1
            held.joined[registers[JOINED]] = group
            registers[JOINED] += 1
        _reach(program, held, scratch, leaves, number, place, group)
    return DONE


@compiled
def _find(
    program: Program, held: Partials, scratch: Scratch, leaves: Leaves, values: Values,
    number: int, place: int,
) -> int:  # fmt: skip
    """Write the groups that a row joins to `scratch.found`; return what is lacking, if anything.

    What no window holds any more is dropped on the way.
    """
    registers, groups = held.registers, held.groups
    width = program.sizes[WIDTH]
    at = number * SOURCE
    edge = program.sources[at + S_EDGE]
    begin, end = program.sources[at + S_BEGIN], program.sources[at + S_END]
    shared = program.sources[at + S_SHARED]
    strict = program.edges[edge * EDGE + E_CONTIGUITY] == STRICT
    slot = slot_of(
        edge, program.edges[edge * EDGE + E_JOINED], program.hashed_right, number * width,
        leaves.words, place, len(held.slots) - 1,
    )  # fmt: skip
    count, lacking, block = 0, DONE, 0
    group = held.slots[slot]
    while group:
        if groups[group * (GROUP + width) + G_BLOCK] != block:
            group = first_in_question(program, held, leaves.words, values, number, place, group)
            if group == 0:
                break
            block = groups[group * (GROUP + width) + G_BLOCK]
        at_group = group * (GROUP + width)
        following = groups[at_group + G_FOLLOWING]
        if groups[at_group + G_EDGE] == edge:
            if groups[at_group + G_FIRST] < registers[OLDEST]:
                # One that has joined is dropped when the instant ends, a strict one anyway.
                if not strict and groups[at_group + G_JOINED] == 0:
                    leave(held, group, width)
            else:
                same = True
                for pair in range(shared):
                    left = groups[at_group + GROUP + program.shared_left[number * width + pair]]
                    right = leaves.words[place + program.shared_right[number * width + pair]]
                    if left != right and left != 0 and right != 0:
                        same = False
                        break
                told = FALSE
                if same:
                    told = tested(
                        program.conditions, begin, end, groups, at_group + GROUP, leaves.words,
                        place, values,
                    )  # fmt: skip
                if told == OPEN:
                    lacking = UNTOLD  # the others are looked at, so that all is asked at once
                elif told == TRUE:
                    if count == len(scratch.found):
                        return SCRATCH
                    scratch.found[count] = group
                    count += 1
        group = following
    registers[FOUND] = count
    return lacking


@compiled
def _reach(
    program: Program, held: Partials, scratch: Scratch, leaves: Leaves, number: int, place: int,
    group: int,
) -> None:  # fmt: skip
    """Add a link from a group (0: the start) to a node, if any edge continues from there."""
    registers, links, nodes = held.registers, held.links, held.nodes
    width = program.sizes[WIDTH]
    edge = program.sources[number * SOURCE + S_EDGE]
    link = registers[LINKS]
    registers[LINKS] = link + 1
    at = link * (LINK + 2 * width)
    row = group * (GROUP + width) + GROUP
    first = registers[TIME]
    if group:
        first = held.groups[row - GROUP + G_FIRST]
        for place_in in range(program.edges[edge * EDGE + E_KEYS]):
            links[at + LINK + width + place_in] = held.groups[row + place_in]
    links[at + L_SOURCE] = number
    links[at + L_FIRST] = first
    links[at + L_CELL] = 0
    links[at + L_NEXT] = 0
    if group and program.edges[edge * EDGE + E_FORGETS] == 0:
        links[at + L_CELL] = held.groups[row - GROUP + G_CELL]
    for place_in in range(width):
        links[at + LINK + place_in] = leaves.words[place + place_in]
    target = program.edges[edge * EDGE + E_TARGET]
    state = target * STATE
    if program.states[state + T_BEGIN] == program.states[state + T_END]:
        return
    node = registers[NODES]
    at_node = node * (NODE + width)
    keys = program.states[state + T_KEYS]
    for key in range(keys):
        nodes[at_node + NODE + key] = merged(
            program.key_left[number * width + key], program.key_right[number * width + key],
            held.groups, row, leaves.words, place,
        )  # fmt: skip
    nodes[at_node + N_STATE] = target
    known = node_of_instant(held, scratch, node, keys, width)
    if known == node:
        registers[NODES] = node + 1
        nodes[at_node + N_TIME] = registers[TIME]
        nodes[at_node + N_RANK] = registers[RANK]
        nodes[at_node + N_FIRST] = first
        nodes[at_node + N_LINKS] = 0
    at_node = known * (NODE + width)
    links[at + L_NEXT] = nodes[at_node + N_LINKS]
    nodes[at_node + N_LINKS] = link
    nodes[at_node + N_FIRST] = max(nodes[at_node + N_FIRST], first)


@compiled
def enter_nodes(program: Program, held: Partials, scratch: Scratch) -> None:
    """Enter the nodes of the present instant into a table that is empty."""
    width = program.sizes[WIDTH]
    for node in range(held.registers[INSTANT], held.registers[NODES]):
        state = held.nodes[node * (NODE + width) + N_STATE] * STATE
        node_of_instant(held, scratch, node, program.states[state + T_KEYS], width)


@compiled
def node_of_instant(held: Partials, scratch: Scratch, node: int, keys: int, width: int) -> int:
    """Return the current instant's node with the state and key row of this one, or itself."""
    registers, nodes, table = held.registers, held.nodes, scratch.of_instant
    at = node * (NODE + width)
    hashed = nodes[at + N_STATE]
    for key in range(keys):
        hashed = mixed(hashed, nodes[at + NODE + key])
    mask = len(table) // 2 - 1
    slot = (hashed ^ (hashed >> 17)) & mask
    # An instant is told by the number of its first node, which no other has meanwhile.
    while table[2 * slot] == registers[INSTANT]:
        known: int = table[2 * slot + 1]
        begin = known * (NODE + width)
        if nodes[begin + N_STATE] == nodes[at + N_STATE] and same_row(
            nodes, begin + NODE, nodes, at + NODE, keys
        ):
            return known
        slot = (slot + 1) & mask
    table[2 * slot] = registers[INSTANT]
    table[2 * slot + 1] = node
    return node
