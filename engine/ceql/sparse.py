"""The update of CORE's Algorithm 1, in place: an event touches only the states that it moves.

For automata that are small enough to be determinised for every symbol that has occurred, and in
which a ∘-transition leads from a state to itself or nowhere. Each symbol has a list of
instructions; most symbols of most queries have an empty one, and their events cost a look-up. What
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
def advance_sparse(
    symbols: Codes,
    partitions: Codes,  # empty without PARTITION BY
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
    """Process the events from register NEXT on; returns why it stopped."""
    count = np.uint64(symbols.size)
    keyed = keys.size > 0
    ranked = thresholds.size > 0
    floored = floors.size > 0
    partitioned = partitions.size > 0
    trigger_room = np.uint64(triggers.size) // TRIGGER_WORDS
    i = registers[NEXT]
    while i < count:
        symbol = np.uint64(symbols[i])
        at = offsets[symbol]
        end = offsets[symbol + ONE]
        if at == end:
            i += ONE
            continue
        slot = NONE
        if partitioned:
            partition = np.uint64(partitions[i])
            if partition == NOWHERE:
                i += ONE
                continue
            slot = partition * states
            if consume == CONSUME_ANY and epochs[partition] != registers[EPOCH]:
                epochs[partition] = registers[EPOCH]
                for state in range(states):
                    heads[slot + np.uint64(state)] = NONE
        if registers[HEAD] > registers[ROOM]:
            registers[NEXT] = i
            return SPACE
        if registers[TRIGGERS] == trigger_room:
            registers[NEXT] = i
            return FULL
        if registers[LONGEST] > longest:
            registers[NEXT] = i
            return LISTS

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
                        epochs[np.uint64(partitions[i])] = registers[EPOCH]
        i += ONE
    registers[NEXT] = i
    return DONE
