"""The update of CORE's Algorithm 1, in place: an event touches only the states that it moves.

For automata that are small enough to be determinised for every symbol that has occurred, and in
which a ∘-transition leads from a state to itself or nowhere. Each symbol has a list of
instructions; most symbols of most queries have an empty one, and their events are left out. What
a state's list was before the event is read (MARK, REPORT) before it is changed (DROP, then the
additions).
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
    NEXT,
    NOWHERE,
    Block,
    Codes,
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
from .tecs import NONE, ONE, SOLID, Ring, Words, maximum, new_node

INSTRUCTION_WORDS = np.uint64(5)
KIND, SOURCE, LABEL, TARGET, ACCEPTING = (np.uint64(i) for i in range(5))

START_MARK = np.uint64(1)  # a run starts here and marks the event
START_SKIP = np.uint64(2)  # a run starts here and does not mark it
MARK = np.uint64(3)  # runs of the source mark the event and go on to the target
REPORT = np.uint64(4)  # runs of the source do not mark it, and are complete
DROP = np.uint64(5)  # the source has no ∘-transition: its runs end


class SparseTables(NamedTuple):
    """A deterministic automaton as instructions."""

    offsets: Words  # by symbol: where its instructions begin
    program: Words
    most: int  # instructions of one symbol
    gains: int  # nodes that one event may add to one list


class Additions(NamedTuple):
    """Scratch: what the instructions of one event make, before it is added to the lists."""

    nodes: Words
    slots: Words  # whose lists they are added to
    outputs: Words  # nodes of what the event completes


@compiled
def touching(symbols: Codes, offsets: Words, which: Codes) -> int:
    """Write the indices of the events with instructions, without a branch; return their number."""
    found = NONE
    for i in range(np.uint64(symbols.size)):
        which[found] = np.uint32(i)
        symbol = np.uint64(symbols[i])
        found += ONE if offsets[symbol] != offsets[symbol + ONE] else NONE
    return int(found)


@inlined
def obey(
    ring: Ring,
    lists: UnionLists,
    tables: SparseTables,
    symbol: np.uint64,
    slot: np.uint64,
    made: Additions,
    position: np.uint64,
    key: np.uint64,
    least: np.uint64,
    floor: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """Follow a symbol's instructions in a partition: how many nodes are to be added, outputs."""
    program = tables.program
    at = tables.offsets[symbol]
    end = tables.offsets[symbol + ONE]
    bottom = NONE
    additions = NONE
    accepted = NONE
    while at < end:
        kind = program[at]
        source = slot + program[at + SOURCE]
        target = program[at + TARGET]
        if kind <= START_SKIP:
            if key < floor:
                at += INSTRUCTION_WORDS
                continue
            if bottom == NONE:
                bottom = new_node(ring, NONE, SOLID | position, key, NONE)
            node = bottom
            greatest = key
        else:
            greatest = lists.heads[source]
            if greatest < floor or kind == DROP:
                lists.heads[source] = NONE
                at += INSTRUCTION_WORDS
                continue
            if target == NOWHERE and greatest < least:
                at += INSTRUCTION_WORDS
                continue
            node = merged_list(ring, lists, source)
        if kind & ONE:  # START_MARK, MARK
            node = new_node(ring, node, SOLID | position, greatest, program[at + LABEL])
        if target != NOWHERE and kind != REPORT:
            made.nodes[additions] = node
            made.slots[additions] = slot + target
            additions += ONE
        if program[at + ACCEPTING] != NONE and greatest >= least:
            made.outputs[accepted] = node
            accepted += ONE
        at += INSTRUCTION_WORDS
    return additions, accepted


@compiled
def advance_sparse(
    which: Codes,  # the indices of the events that have instructions
    block: Block,  # its partitions are of these events alone
    measured: Measured,
    ring: Ring,
    lists: UnionLists,
    slots: Slots,
    longest: np.uint64,  # a list may have before an event
    tables: SparseTables,
    made: Additions,
    reporting: Reporting,
) -> int:
    """Process these events from register NEXT on; returns why it stopped."""
    registers = ring.registers
    partitioned = block.partitions.size > 0
    partition = NONE
    event = registers[NEXT]
    while event < np.uint64(which.size):
        i = np.uint64(which[event])
        if partitioned:
            partition = np.uint64(block.partitions[event])
            if partition == NOWHERE:
                event += ONE
                continue
            if (
                reporting.consume == CONSUME_ANY
                and slots.epochs[partition] != registers[EPOCH]
            ):
                slots.epochs[partition] = registers[EPOCH]
                forget_partition(lists, slots, partition)
        registers[NEXT] = event
        status = obstacle(ring, reporting, longest)
        if status != DONE:
            return status
        position = block.position + i
        key, least, floor = window_at(measured, reporting.extent, i, position)
        additions, accepted = obey(
            ring, lists, tables, np.uint64(block.symbols[i]), partition * slots.states, made,
            position, key, least, floor,
        )  # fmt: skip
        j = NONE
        while j < additions:
            node = made.nodes[j]
            add_solid(ring, lists, made.slots[j], floor, node, maximum(ring, node))
            j += ONE
        if accepted > NONE:
            root = root_of(ring, made.outputs, accepted)
            record(reporting.triggers, registers, position, root, least)
            if reporting.consume != CONSUME_NONE:
                forget_partition(lists, slots, partition)
                if reporting.consume == CONSUME_ANY:
                    consume_all(ring, slots, partition)
        event += ONE
    registers[NEXT] = event
    return DONE


@inlined
def forget_partition(lists: UnionLists, slots: Slots, partition: np.uint64) -> None:
    """Reset the partition, whose events have been consumed, to its initial state."""
    for state in range(slots.states):
        lists.heads[partition * slots.states + np.uint64(state)] = NONE
