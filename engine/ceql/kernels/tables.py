"""The arrays that the update kernels share: union-lists by state, triggers, registers, and helpers.

A *slot* is a state of one partition: `slot = partition · states + state`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernels import inlined, sealed
from .tecs import HEAD, NONE, ONE, SOLID, Ring, Words, insert, maximum, merge, new_union

Codes = npt.NDArray[np.uint32]

_EMPTY = sealed(np.zeros(0, np.uint64))

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


class Block(NamedTuple):
    """Events that come together, from `position` on.

    `partitions` is empty without PARTITION BY, and NOWHERE for an event that is in none.
    """

    symbols: Codes
    partitions: Codes
    position: np.uint64


class Measured(NamedTuple):
    """Keys and thresholds of some events, as the kernels take them.

    Without `keys`, a key is the position plus one. Without `thresholds`, `keys` are integers as
    they are, and a threshold is the key less the window's extent. Starts below the *floor* need not
    be kept: that is the threshold if it `drops`, or `floors` where there are thresholds; else none.
    """

    keys: Words = _EMPTY
    thresholds: Words = _EMPTY
    floors: Words = _EMPTY
    drops: bool = False


class UnionLists(NamedTuple):
    """The union-list of each slot, in the `width` cells from `slot · width`.

    `lengths` says how many cells are used. `heads` is the list's maximum; the list is empty where
    that is below the *floor*: no run is in the state, or none that can still matter. `merged`
    remembers merge(ul) until the list changes, 0 if it is not known.
    """

    cells: Words
    lengths: Words
    heads: Words
    merged: Words
    width: np.uint64


class Slots(NamedTuple):
    """The state of each partition, beside its union-lists.

    `epochs` counts how often CONSUME BY ANY had forgotten everything when it was last looked at.
    The dense loop has its active states in the order in which they were reached (`orders`, from its
    first slot on; `actives` says how many) and what its stream so far means for a run that starts
    (`contexts`).
    """

    states: np.uint64
    epochs: Words
    orders: Words
    actives: Words
    contexts: Words


class Reporting(NamedTuple):
    """The array of triggers, the extent of a window, and the consumption of a trigger."""

    triggers: Words
    extent: np.uint64
    consume: np.uint64


@inlined
def obstacle(ring: Ring, reporting: Reporting, longest: np.uint64) -> int:
    """Return the obstacle to taking the next event; DONE if there is none.

    A list may have `longest` nodes now.
    """
    registers = ring.registers
    status = DONE
    if registers[HEAD] > registers[ROOM]:
        status = SPACE
    elif registers[TRIGGERS] == np.uint64(reporting.triggers.size) // TRIGGER_WORDS:
        status = FULL
    elif registers[LONGEST] > longest:
        status = LISTS
    return status


@inlined
def window_at(
    measured: Measured, extent: np.uint64, i: np.uint64, position: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the `i`th event's key, the least key of the window that it ends, and the floor."""
    floor = ONE
    if measured.thresholds.size > 0:
        key = measured.keys[i]
        least = measured.thresholds[i]
        if measured.floors.size > 0:
            floor = measured.floors[i]
    else:
        key = measured.keys[i] ^ SOLID if measured.keys.size > 0 else position + ONE
        least = key - extent if key > extent else ONE
        if measured.drops:
            floor = least
    return key, least, floor


@inlined
def merged_list(ring: Ring, lists: UnionLists, slot: np.uint64) -> np.uint64:
    """Return merge(T[q]), made once for a list that stays as it is."""
    length = lists.lengths[slot]
    if length == ONE:
        only: np.uint64 = lists.cells[slot * lists.width]
        return only
    if lists.merged[slot] == NONE:
        lists.merged[slot] = merge(ring, lists.cells, slot * lists.width, length)
    result: np.uint64 = lists.merged[slot]
    return result


@inlined
def add_solid(
    ring: Ring,
    lists: UnionLists,
    slot: np.uint64,
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
    start = slot * lists.width
    if lists.heads[slot] < floor:
        lists.cells[start] = node
        lists.lengths[slot] = ONE
        lists.heads[slot] = greatest
    elif lists.heads[slot] <= greatest:
        rest = merged_list(ring, lists, slot)
        lists.cells[start] = node
        lists.cells[start + ONE] = rest
        lists.lengths[slot] = ONE + ONE
        lists.heads[slot] = greatest
    else:
        length = insert(ring, lists.cells, start, lists.lengths[slot], node)
        lists.lengths[slot] = length
        if length > ring.registers[LONGEST]:
            ring.registers[LONGEST] = length
    lists.merged[slot] = NONE


@inlined
def root_of(ring: Ring, outputs: Words, count: np.uint64) -> np.uint64:
    """Return one node for the additions of several accepting transitions, by their maxima."""
    i = ONE
    while i < count:
        node = outputs[i]
        greatest = maximum(ring, node)
        at = i
        while at > NONE and maximum(ring, outputs[at - ONE]) < greatest:
            outputs[at] = outputs[at - ONE]
            at -= ONE
        outputs[at] = node
        i += ONE
    at = count - ONE
    root: np.uint64 = outputs[at]
    while at > NONE:
        at -= ONE
        root = new_union(ring, outputs[at], root)
    return root


@inlined
def record(
    triggers: Words, registers: Words, position: np.uint64, root: np.uint64, least: np.uint64
) -> None:
    """Note that the event at this position completes what the root represents."""
    at = registers[TRIGGERS] * TRIGGER_WORDS
    triggers[at] = position
    triggers[at + ONE] = root
    triggers[at + ONE + ONE] = least
    registers[TRIGGERS] += ONE


@inlined
def consume_all(ring: Ring, slots: Slots, partition: np.uint64) -> None:
    """Begin a new epoch without events (CONSUME BY ANY)."""
    ring.registers[EPOCH] += ONE
    ring.registers[FORGOTTEN] = ring.registers[HEAD]
    slots.epochs[partition] = ring.registers[EPOCH]


