"""What the update kernels share: union-lists by state, triggers, registers, and their helpers.

A *slot* is a state of one partition: `slot = partition · states + state`. The union-list of a slot
lies in the `width` cells of `lists` from `slot · width`, `lengths` says how many are used. `heads`
is the list's maximum; the list is empty where that is below the *floor*: no run is in the state, or
none that can still matter. `merged` remembers merge(ul) until the list changes, 0 if not known.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .compiled import inlined
from .tecs import NONE, ONE, Words, insert, maximum, merge, new_union

Codes = npt.NDArray[np.uint32]

# Registers, after those of the ring.
NEXT = 4  # the index of the first event of the batch that is not yet processed
TRIGGERS = 5  # how many triggers are recorded
LONGEST = 6  # no union-list is longer
EPOCH = 7  # how often CONSUME BY ANY has forgotten everything
MISSED_STATE = 8
MISSED_SYMBOL = 9
FORGOTTEN = 10  # nodes before this one have been consumed
ROOM = 11  # the id from which on there may not be room for what one event adds
REGISTERS = 12

# Why a kernel came back.
DONE = 0
MISS = 1  # a transition that is not determinised yet
SPACE = 2  # the ring is full
LISTS = 3  # a union-list may outgrow its cells
FULL = 4  # no room for another trigger

# A recorded trigger: an event whose arrival completes complex events inside the window.
TRIGGER_WORDS = np.uint64(3)  # its position, the root of its complex events, the window's least key

NOWHERE = np.uint64(0xFFFFFFFF)  # a target: the run ends; a partition: the event is in none

CONSUME_NONE, CONSUME_ANY, CONSUME_PARTITION = (np.uint64(i) for i in range(3))


@inlined
def merged_list(
    nodes: Words,
    registers: Words,
    lists: Words,
    lengths: Words,
    merged: Words,
    slot: np.uint64,
    width: np.uint64,
) -> np.uint64:
    """merge(T[q]), made once for a list that stays as it is."""
    length = lengths[slot]
    if length == ONE:
        only: np.uint64 = lists[slot * width]
        return only
    if merged[slot] == NONE:
        merged[slot] = merge(nodes, registers, lists, slot * width, length)
    result: np.uint64 = merged[slot]
    return result


@inlined
def add_solid(
    nodes: Words,
    registers: Words,
    lists: Words,
    lengths: Words,
    heads: Words,
    merged: Words,
    slot: np.uint64,
    width: np.uint64,
    floor: np.uint64,
    node: np.uint64,
    greatest: np.uint64,
) -> None:
    """Add of an output or bottom node with this maximum (CORE Algorithm 1).

    Where its maximum is not less than the list's, the node leads and the merged list follows. In
    the paper only a smaller or equal one comes, as runs are taken in order of their maxima; so they
    may come in any order, also that of start keys which do not rise with the positions, and equal
    maxima need no gadget.
    """
    start = slot * width
    if heads[slot] < floor:
        lists[start] = node
        lengths[slot] = ONE
        heads[slot] = greatest
    elif heads[slot] <= greatest:
        rest = merged_list(nodes, registers, lists, lengths, merged, slot, width)
        lists[start] = node
        lists[start + ONE] = rest
        lengths[slot] = ONE + ONE
        heads[slot] = greatest
    else:
        length = insert(nodes, registers, lists, start, lengths[slot], node)
        lengths[slot] = length
        if length > registers[LONGEST]:
            registers[LONGEST] = length
    merged[slot] = NONE


@inlined
def root_of(nodes: Words, registers: Words, outputs: Words, count: np.uint64) -> np.uint64:
    """One node for what several accepting transitions add, in order of their maxima."""
    i = ONE
    while i < count:
        node = outputs[i]
        greatest = maximum(nodes, registers, node)
        at = i
        while at > NONE and maximum(nodes, registers, outputs[at - ONE]) < greatest:
            outputs[at] = outputs[at - ONE]
            at -= ONE
        outputs[at] = node
        i += ONE
    at = count - ONE
    root: np.uint64 = outputs[at]
    while at > NONE:
        at -= ONE
        root = new_union(nodes, registers, outputs[at], root)
    return root


@inlined
def record(
    triggers: Words, registers: Words, position: np.uint64, root: np.uint64, least: np.uint64
) -> None:
    at = registers[TRIGGERS] * TRIGGER_WORDS
    triggers[at] = position
    triggers[at + ONE] = root
    triggers[at + ONE + ONE] = least
    registers[TRIGGERS] += ONE


