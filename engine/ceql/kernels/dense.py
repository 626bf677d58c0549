"""The update of CORE's Algorithm 1 as it stands: an event takes every active state on.

For every automaton, also where a ∘-transition changes state. As in the paper, states are taken in
the order in which they were reached, which is that of falling maxima as long as start keys rise
with the positions; where they do not, the lists are right all the same (see `add_solid`).

Runs start in a *context*: what the stream so far means for a new run. There is one context, unless
a selection strategy compares a run with those that started before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels import compiled, inlined
from .tables import (
    CONSUME_ANY,
    CONSUME_NONE,
    DONE,
    EPOCH,
    LONGEST,
    MISS,
    MISSED_STATE,
    MISSED_SYMBOL,
    NEXT,
    NOWHERE,
    Block,
    Measured,
    Reporting,
    Slots,
    UnionLists,
    add_solid,
    consume_all,
    merged_list,
    obstacle,
    record,
    root_of,
    window_at,
)
from .tecs import NONE, ONE, SOLID, Ring, Words, insert, merge, new_node

TRANSITION_WORDS = np.uint64(4)  # marking, label, target, accepting
LABEL, TARGET, ACCEPTING = (np.uint64(i) for i in (1, 2, 3))
ROW_WORDS = np.uint64(2)  # where the transitions by a symbol begin and end; NOWHERE: unknown
CONTEXT_MISSED = np.uint64(1 << 32)  # added to the number of a context in MISSED_STATE


class DenseTables(NamedTuple):
    """A deterministic automaton, as far as it is known: rows of transitions."""

    symbol_room: np.uint64
    rows: Words  # by state and symbol
    start_rows: Words  # by context and symbol
    next_contexts: Words  # by context and symbol
    transitions: Words
    most: int  # transitions taken at one event


class After(NamedTuple):
    """Scratch: what one event leads to, before it takes the place of what was."""

    lists: UnionLists  # by state
    order: Words  # the states in the order in which they are reached
    outputs: Words  # nodes of what it completes


@inlined
def reach(after: After, target: np.uint64, reached: np.uint64) -> np.uint64:
    """Note that a state is reached, if it is a state and the first time; how many there are."""
    if target != NOWHERE and after.lists.heads[target] == NONE:
        after.order[reached] = target
        reached += ONE
    return reached


@inlined
def add_list(
    ring: Ring, lists: UnionLists, source: np.uint64, after: UnionLists, target: np.uint64
) -> None:
    """Add of a union-list that a ∘-transition leaves as it is."""
    start = target * lists.width
    length = NONE
    rest = NONE
    if after.heads[target] != NONE:
        length = after.lengths[target]
        if after.heads[target] >= lists.heads[source]:
            rest = merged_list(ring, lists, source)
        else:
            rest = merge(ring, after.cells, start, length)
            length = NONE
    if length == NONE:
        length = lists.lengths[source]
        for cell in range(length):
            after.cells[start + np.uint64(cell)] = lists.cells[
                source * lists.width + np.uint64(cell)
            ]
        after.heads[target] = lists.heads[source]
        after.merged[target] = lists.merged[source]
    if rest != NONE:
        length = insert(ring, after.cells, start, length, rest)
        after.merged[target] = NONE
        if length > ring.registers[LONGEST]:
            ring.registers[LONGEST] = length
    after.lengths[target] = length


@inlined
def start_runs(
    ring: Ring,
    tables: DenseTables,
    context: np.uint64,
    after: After,
    position: np.uint64,
    key: np.uint64,
    least: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """Start runs at an event, in a context and by its symbol; return states reached and outputs."""
    reached = NONE
    accepted = NONE
    transitions = tables.transitions
    at = tables.start_rows[context * ROW_WORDS]
    end = tables.start_rows[context * ROW_WORDS + ONE]
    bottom = NONE
    if at < end:
        bottom = new_node(ring, NONE, SOLID | position, key, NONE)
    while at < end:
        node = bottom
        if transitions[at] != NONE:
            node = new_node(ring, bottom, SOLID | position, key, transitions[at + LABEL])
        target = transitions[at + TARGET]
        if target != NOWHERE:
            reached = reach(after, target, reached)
            add_solid(ring, after.lists, target, ONE, node, key)
        if transitions[at + ACCEPTING] != NONE and key >= least:
            after.outputs[accepted] = node
            accepted += ONE
        at += TRANSITION_WORDS
    return reached, accepted


@inlined
def go_on(
    ring: Ring,
    lists: UnionLists,
    tables: DenseTables,
    row: np.uint64,
    source: np.uint64,
    after: After,
    reached: np.uint64,
    accepted: np.uint64,
    position: np.uint64,
    least: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """Take the transitions of a row for the runs in a slot; return states and outputs so far."""
    transitions = tables.transitions
    greatest = lists.heads[source]
    at = tables.rows[row]
    end = tables.rows[row + ONE]
    while at < end:
        target = transitions[at + TARGET]
        accepting = transitions[at + ACCEPTING] != NONE and greatest >= least
        node = NONE
        reached = reach(after, target, reached)
        if transitions[at] != NONE:
            node = merged_list(ring, lists, source)
            node = new_node(ring, node, SOLID | position, greatest, transitions[at + LABEL])
            if target != NOWHERE:
                add_solid(ring, after.lists, target, ONE, node, greatest)
        else:
            if target != NOWHERE:
                add_list(ring, lists, source, after.lists, target)
            if accepting:
                node = merged_list(ring, lists, source)
        if accepting:
            after.outputs[accepted] = node
            accepted += ONE
        at += TRANSITION_WORDS
    return reached, accepted


@inlined
def settle(
    lists: UnionLists, slots: Slots, partition: np.uint64, after: After, reached: np.uint64
) -> None:
    """Replace the previous union-lists by those that an event has led to."""
    slot = partition * slots.states
    for j in range(slots.actives[partition]):
        lists.heads[slot + slots.orders[slot + np.uint64(j)]] = NONE
    for j in range(reached):
        state = after.order[j]
        target = slot + state
        slots.orders[slot + np.uint64(j)] = state
        for cell in range(after.lists.lengths[state]):
            lists.cells[target * lists.width + np.uint64(cell)] = after.lists.cells[
                state * lists.width + np.uint64(cell)
            ]
        lists.lengths[target] = after.lists.lengths[state]
        lists.heads[target] = after.lists.heads[state]
        lists.merged[target] = after.lists.merged[state]
        after.lists.heads[state] = NONE
    slots.actives[partition] = reached


@inlined
def forget_partition(lists: UnionLists, slots: Slots, partition: np.uint64) -> None:
    """Reset the partition, whose events have been consumed, to its initial state."""
    slot = partition * slots.states
    for j in range(slots.actives[partition]):
        lists.heads[slot + slots.orders[slot + np.uint64(j)]] = NONE
    slots.actives[partition] = NONE
    slots.contexts[partition] = NONE


# The loop itself; what it does to runs is in the functions above.
@compiled
def advance_dense(
    block: Block,
    measured: Measured,
    ring: Ring,
    lists: UnionLists,
    slots: Slots,
    longest: np.uint64,  # a list may have before an event
    tables: DenseTables,
    after: After,
    reporting: Reporting,
) -> int:
    """Process the events from register NEXT on; returns why it stopped."""
    registers = ring.registers
    partitioned = block.partitions.size > 0
    partition = NONE
    i = registers[NEXT]
    while i < np.uint64(block.symbols.size):
        symbol = np.uint64(block.symbols[i])
        if partitioned:
            partition = np.uint64(block.partitions[i])
            if partition == NOWHERE:
                i += ONE
                continue
            if (
                reporting.consume == CONSUME_ANY
                and slots.epochs[partition] != registers[EPOCH]
            ):
                slots.epochs[partition] = registers[EPOCH]
                slots.actives[partition] = NONE
                slots.contexts[partition] = NONE
        registers[NEXT] = i
        status = obstacle(ring, reporting, longest)
        if status != DONE:
            return status
        position = block.position + i
        key, least, floor = window_at(measured, reporting.extent, i, position)

        context = slots.contexts[partition] * tables.symbol_room + symbol
        if tables.next_contexts[context] == NOWHERE:
            registers[MISSED_STATE] = CONTEXT_MISSED + slots.contexts[partition]
            registers[MISSED_SYMBOL] = symbol
            return MISS
        reached = NONE
        accepted = NONE
        if key >= floor:
            reached, accepted = start_runs(ring, tables, context, after, position, key, least)
        slot = partition * slots.states
        for j in range(slots.actives[partition]):
            state = slots.orders[slot + np.uint64(j)]
            if lists.heads[slot + state] < floor:
                continue
            row = (state * tables.symbol_room + symbol) * ROW_WORDS
            if tables.rows[row] == NOWHERE:
                for k in range(reached):
                    after.lists.heads[after.order[k]] = NONE
                registers[MISSED_STATE] = state
                registers[MISSED_SYMBOL] = symbol
                return MISS
            reached, accepted = go_on(
                ring, lists, tables, row, slot + state, after, reached, accepted, position, least
            )
        settle(lists, slots, partition, after, reached)
        slots.contexts[partition] = tables.next_contexts[context]
        if accepted > NONE:
            root = root_of(ring, after.outputs, accepted)
            record(reporting.triggers, registers, position, root, least)
            if reporting.consume != CONSUME_NONE:
                forget_partition(lists, slots, partition)
                if reporting.consume == CONSUME_ANY:
                    consume_all(ring, slots, partition)
        i += ONE
    registers[NEXT] = i
    return DONE
