"""The update of CORE's Algorithm 1 as it stands: an event takes every active state on.

For every automaton, also where a ∘-transition changes state. As in the paper, states are taken in
the order in which they were reached, which is that of falling maxima as long as start keys rise
with the positions; where they do not, the lists are right all the same (see `add_solid`).

Runs start in a *context*: what the stream so far means for a new run. There is one context, unless
a selection strategy compares a run with those that started before it.
"""

from __future__ import annotations

import numpy as np

from .compiled import compiled, inlined
from .tables import (
    CONSUME_ANY,
    CONSUME_NONE,
    DONE,
    EPOCH,
    FORGOTTEN,
    FULL,
    LISTS,
    LONGEST,
    MISS,
    MISSED_STATE,
    MISSED_SYMBOL,
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
from .tecs import HEAD, NONE, ONE, SOLID, Words, insert, merge, new_node

TRANSITION_WORDS = np.uint64(4)  # marking, label, target, accepting
ROW_WORDS = np.uint64(2)  # where the transitions by a symbol begin and end; NOWHERE: unknown
CONTEXT_MISSED = np.uint64(1 << 32)  # added to the number of a context in MISSED_STATE


@inlined
def add_list(
    nodes: Words,
    registers: Words,
    lists: Words,
    lengths: Words,
    heads: Words,
    merged: Words,
    source: np.uint64,
    new_lists: Words,
    new_lengths: Words,
    new_heads: Words,
    new_merged: Words,
    target: np.uint64,
    width: np.uint64,
) -> None:
    """Add of a union-list that a ∘-transition leaves as it is."""
    start = target * width
    length = NONE
    rest = NONE
    if new_heads[target] != NONE:
        length = new_lengths[target]
        if new_heads[target] >= heads[source]:
            rest = merged_list(nodes, registers, lists, lengths, merged, source, width)
        else:
            rest = merge(nodes, registers, new_lists, start, length)
            length = NONE
    if length == NONE:
        length = lengths[source]
        for cell in range(length):
            new_lists[start + np.uint64(cell)] = lists[source * width + np.uint64(cell)]
        new_heads[target] = heads[source]
        new_merged[target] = merged[source]
    if rest != NONE:
        length = insert(nodes, registers, new_lists, start, length, rest)
        new_merged[target] = NONE
        if length > registers[LONGEST]:
            registers[LONGEST] = length
    new_lengths[target] = length


@compiled
def advance_dense(
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
    orders: Words,  # by partition: its active states in the order in which they were reached
    actives: Words,  # by partition: how many they are
    contexts: Words,  # by partition
    states: np.uint64,
    width: np.uint64,
    longest: np.uint64,  # a list may have before an event
    symbol_room: np.uint64,
    rows: Words,  # by state and symbol
    start_rows: Words,  # by context and symbol
    next_contexts: Words,  # by context and symbol
    transitions: Words,
    new_lists: Words,
    new_lengths: Words,
    new_heads: Words,
    new_merged: Words,
    new_order: Words,
    outputs: Words,
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
    partition = NONE
    slot = NONE
    i = registers[NEXT]
    while i < count:
        symbol = np.uint64(symbols[i])
        if partitioned:
            partition = np.uint64(partitions[i])
            if partition == NOWHERE:
                i += ONE
                continue
            slot = partition * states
            if consume == CONSUME_ANY and epochs[partition] != registers[EPOCH]:
                epochs[partition] = registers[EPOCH]
                actives[partition] = NONE
                contexts[partition] = NONE
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
        reached = NONE
        accepted = NONE
        missed = False
        active = actives[partition]
        context = contexts[partition] * symbol_room + symbol
        if next_contexts[context] == NOWHERE:
            registers[MISSED_STATE] = CONTEXT_MISSED + contexts[partition]
            registers[MISSED_SYMBOL] = symbol
            registers[NEXT] = i
            return MISS
        begin = start_rows[context * ROW_WORDS]
        end = start_rows[context * ROW_WORDS + ONE]
        if begin < end and key >= floor:
            bottom = new_node(nodes, registers, NONE, SOLID | position, key, NONE)
            while begin < end:
                target = transitions[begin + np.uint64(2)]
                node = bottom
                if transitions[begin] != NONE:
                    label = transitions[begin + ONE]
                    node = new_node(nodes, registers, bottom, SOLID | position, key, label)
                if target != NOWHERE:
                    if new_heads[target] == NONE:
                        new_order[reached] = target
                        reached += ONE
                    add_solid(
                        nodes, registers, new_lists, new_lengths, new_heads, new_merged,
                        target, width, ONE, node, key,
                    )  # fmt: skip
                if transitions[begin + np.uint64(3)] != NONE and key >= least:
                    outputs[accepted] = node
                    accepted += ONE
                begin += TRANSITION_WORDS

        for j in range(active):
            state = orders[slot + np.uint64(j)]
            source = slot + state
            greatest = heads[source]
            if greatest < floor:
                continue
            row = (state * symbol_room + symbol) * ROW_WORDS
            begin = rows[row]
            if begin == NOWHERE:
                registers[MISSED_STATE] = state
                registers[MISSED_SYMBOL] = symbol
                missed = True
                break
            end = rows[row + ONE]
            while begin < end:
                target = transitions[begin + np.uint64(2)]
                accepting = transitions[begin + np.uint64(3)] != NONE
                if target != NOWHERE and new_heads[target] == NONE:
                    new_order[reached] = target
                    reached += ONE
                accepting = accepting and greatest >= least
                if transitions[begin] != NONE:
                    node = merged_list(nodes, registers, lists, lengths, merged, source, width)
                    label = transitions[begin + ONE]
                    node = new_node(nodes, registers, node, SOLID | position, greatest, label)
                    if target != NOWHERE:
                        add_solid(
                            nodes, registers, new_lists, new_lengths, new_heads, new_merged,
                            target, width, ONE, node, greatest,
                        )  # fmt: skip
                    if accepting:
                        outputs[accepted] = node
                        accepted += ONE
                else:
                    if target != NOWHERE:
                        add_list(
                            nodes, registers, lists, lengths, heads, merged, source,
                            new_lists, new_lengths, new_heads, new_merged, target, width,
                        )  # fmt: skip
                    if accepting:
                        node = merged_list(nodes, registers, lists, lengths, merged, source, width)
                        outputs[accepted] = node
                        accepted += ONE
                begin += TRANSITION_WORDS
        if missed:
            for j in range(reached):
                new_heads[new_order[j]] = NONE
            registers[NEXT] = i
            return MISS

        for j in range(active):
            heads[slot + orders[slot + np.uint64(j)]] = NONE
        for j in range(reached):
            state = new_order[j]
            target = slot + state
            orders[slot + np.uint64(j)] = state
            for cell in range(new_lengths[state]):
                lists[target * width + np.uint64(cell)] = new_lists[
                    state * width + np.uint64(cell)
                ]
            lengths[target] = new_lengths[state]
            heads[target] = new_heads[state]
            merged[target] = new_merged[state]
            new_heads[state] = NONE
        actives[partition] = reached
        contexts[partition] = next_contexts[context]
        if accepted > NONE:
            record(
                triggers, registers, position, root_of(nodes, registers, outputs, accepted), least
            )
            if consume != CONSUME_NONE:
                for j in range(reached):
                    heads[slot + orders[slot + np.uint64(j)]] = NONE
                actives[partition] = NONE
                contexts[partition] = NONE
                if consume == CONSUME_ANY:
                    registers[EPOCH] += ONE
                    registers[FORGOTTEN] = registers[HEAD]
                    if partitioned:
                        epochs[partition] = registers[EPOCH]
        i += ONE
    registers[NEXT] = i
    return DONE
