"""The update of CORE's Algorithm 1, in place: an event touches only the states that it moves.

For automata that are small enough to be determinised for every symbol that has occurred, and in
which a ∘-transition leads from a state to itself or nowhere. Each symbol has a list of
instructions; most symbols of most queries have an empty one, and their events are left out. What
a state's list was before the event is read (MARK, REPORT) before it is changed (DROP, then the
additions).
"""

from __future__ import annotations

import numpy as np

from .compiled import compiled
from .tables import (
    CONSUME_ANY,
    CONSUME_NONE,
    DONE,
    EPOCH,
    FORGOTTEN,
    FULL,
    LISTS,
    LONGEST,
    NEXT,
    NOWHERE,
    ROOM,
    SPACE,
    TRIGGER_WORDS,
    TRIGGERS,
    Codes,
    add_solid,
    merged_list,
    record,
    root_of,
)
from .tecs import HEAD, NONE, ONE, SOLID, Words, maximum, new_node

INSTRUCTION_WORDS = np.uint64(5)  # kind, source, label, target, accepting

START_MARK = np.uint64(1)  # a run starts here and marks the event
START_SKIP = np.uint64(2)  # a run starts here and does not mark it
MARK = np.uint64(3)  # runs of the source mark the event and go on to the target
REPORT = np.uint64(4)  # runs of the source do not mark it, and are complete
DROP = np.uint64(5)  # the source has no ∘-transition: its runs end


@compiled
def touching(symbols: Codes, offsets: Words, which: Codes) -> int:
    """Which events have instructions: their indices are written, without a branch; how many."""
    found = NONE
    for i in range(np.uint64(symbols.size)):
        which[found] = np.uint32(i)
        symbol = np.uint64(symbols[i])
        found += ONE if offsets[symbol] != offsets[symbol + ONE] else NONE
    return int(found)


@compiled
def advance_sparse(
    which: Codes,  # the indices of the events that have instructions
    symbols: Codes,
    partitions: Codes,  # of these events; empty without PARTITION BY
    keys: Words,  # these four: see `windows.Measured`
    thresholds: Words,
    floors: Words,
    drops: bool,
    first_position: np.uint64,
    extent: np.uint64,
    nodes: Words,
    registers: Words,
    lists: Words,
    lengths: Words,
    heads: Words,
    merged: Words,
    epochs: Words,
    states: np.uint64,
    width: np.uint64,
    longest: np.uint64,  # a list may have before an event
    offsets: Words,  # by symbol: where its instructions begin
    program: Words,
    made: Words,  # scratch: nodes
    targets: Words,  # scratch: their slots
    outputs: Words,  # scratch: what is accepted
    triggers: Words,
    consume: np.uint64,
) -> int:
    """Process these events from register NEXT on; returns why it stopped."""
    count = np.uint64(which.size)
    keyed = keys.size > 0
    ranked = thresholds.size > 0
    floored = floors.size > 0
    partitioned = partitions.size > 0
    trigger_room = np.uint64(triggers.size) // TRIGGER_WORDS
    event = registers[NEXT]
    while event < count:
        i = np.uint64(which[event])
        slot = NONE
        if partitioned:
            partition = np.uint64(partitions[event])
            if partition == NOWHERE:
                event += ONE
                continue
            slot = partition * states
            if consume == CONSUME_ANY and epochs[partition] != registers[EPOCH]:
                epochs[partition] = registers[EPOCH]
                for state in range(states):
                    heads[slot + np.uint64(state)] = NONE
        if registers[HEAD] > registers[ROOM]:
            registers[NEXT] = event
            return SPACE
        if registers[TRIGGERS] == trigger_room:
            registers[NEXT] = event
            return FULL
        if registers[LONGEST] > longest:
            registers[NEXT] = event
            return LISTS

        symbol = np.uint64(symbols[i])
        at = offsets[symbol]
        end = offsets[symbol + ONE]
        position = first_position + i
        floor = ONE
        if ranked:
            key = keys[i]
            least = thresholds[i]
            if floored:
                floor = floors[i]
        else:
            key = keys[i] ^ SOLID if keyed else position + ONE
            least = key - extent if key > extent else ONE
            if drops:
                floor = least
        bottom = NONE
        additions = NONE
        accepted = NONE
        while at < end:
            kind = program[at]
            source = slot + program[at + ONE]
            target = program[at + np.uint64(3)]
            if kind <= START_SKIP:
                if key < floor:
                    at += INSTRUCTION_WORDS
                    continue
                if bottom == NONE:
                    bottom = new_node(nodes, registers, NONE, SOLID | position, key, NONE)
                node = bottom
                greatest = key
            else:
                greatest = heads[source]
                if greatest < floor or kind == DROP:
                    heads[source] = NONE
                    at += INSTRUCTION_WORDS
                    continue
                if target == NOWHERE and greatest < least:
                    at += INSTRUCTION_WORDS
                    continue
                node = merged_list(nodes, registers, lists, lengths, merged, source, width)
            if kind & ONE:  # START_MARK, MARK
                label = program[at + np.uint64(2)]
                node = new_node(nodes, registers, node, SOLID | position, greatest, label)
            if target != NOWHERE and kind != REPORT:
                made[additions] = node
                targets[additions] = slot + target
                additions += ONE
            if program[at + np.uint64(4)] != NONE and greatest >= least:
                outputs[accepted] = node
                accepted += ONE
            at += INSTRUCTION_WORDS

        j = NONE
        while j < additions:
            node = made[j]
            add_solid(
                nodes, registers, lists, lengths, heads, merged, targets[j], width, floor,
                node, maximum(nodes, registers, node),
            )  # fmt: skip
            j += ONE
        if accepted > NONE:
            record(
                triggers, registers, position, root_of(nodes, registers, outputs, accepted), least
            )
            if consume != CONSUME_NONE:
                for state in range(states):
                    heads[slot + np.uint64(state)] = NONE
                if consume == CONSUME_ANY:
                    registers[EPOCH] += ONE
                    registers[FORGOTTEN] = registers[HEAD]
                    if partitioned:
                        epochs[np.uint64(partitions[event])] = registers[EPOCH]
        event += ONE
    registers[NEXT] = event
    return DONE
