"""Enumeration of the complex events of triggers (CORE Algorithm 2), resumable at any output.

The set of a trigger is enumerated depth first, left before right, skipping right children whose
maximum lies before the window. Positions are met from the last to the first and written in
ascending order. When an output buffer is full the kernel comes back and goes on from the same
complex event at the next call: its stack and path live in arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernels import compiled
from ..kernels.tables import TRIGGER_WORDS
from ..kernels.tecs import (
    LABEL,
    LINK,
    MAXIMUM,
    NONE,
    ONE,
    OTHER,
    SOLID,
    TAIL,
    Ring,
    Words,
    base,
)

Integers = npt.NDArray[np.int64]
Offsets = npt.NDArray[np.int32]

# Registers of an enumeration.
TRIGGER = 0  # which one is being enumerated
DEPTH = 1  # pairs on the stack
LENGTH = 2  # positions on the path
NODE = 3  # where to go on, 0: pop the stack
EMITTED = 4  # of this trigger
EVENTS = 5  # complex events in the buffers
POSITIONS = 6  # positions in the buffers
VISITS = 7  # nodes visited since the last output
REGISTERS = 8

DONE = 0
BUFFER = 1  # an output buffer is full
STACK = 2  # the stack or the path must grow

_POSITION = np.uint64((1 << 63) - 1)


class Buffers(NamedTuple):
    """The buffers for complex events: at most as many as the length of `starts`."""

    starts: Integers
    ends: Integers
    offsets: Offsets  # where the positions of each begin, and where the last ones end
    positions: Integers
    labels: Offsets  # of the positions; empty unless they are asked for
    visits: Offsets  # empty unless the delay is measured


class Search(NamedTuple):
    """The state of an enumeration between calls."""

    state: Words  # the registers
    stack: Words  # pairs: node, length of the path
    path: Words  # pairs: position, label


# One long function: its registers are local variables while it runs, and each step uses most.
@compiled
def enumerate_triggers(
    ring: Ring,
    triggers: Words,
    count: np.uint64,
    limit: np.uint64,  # complex events of one trigger; 0: all
    search: Search,
    buffers: Buffers,
) -> int:
    """Write complex events into the buffers until these or the triggers are exhausted."""
    state, stack, path = search.state, search.stack, search.path
    starts, positions, labels = buffers.starts, buffers.positions, buffers.labels
    tail = ring.registers[TAIL]
    event_room = np.uint64(starts.size)
    position_room = np.uint64(positions.size)
    stack_room = np.uint64(stack.size)
    path_room = np.uint64(path.size)
    labelled = labels.size > 0
    measured = buffers.visits.size > 0
    trigger = state[TRIGGER]
    depth = state[DEPTH]
    length = state[LENGTH]
    node = state[NODE]
    emitted = state[EMITTED]
    events = state[EVENTS]
    written = state[POSITIONS]
    visited = state[VISITS]
    status = DONE
    while trigger < count:
        end = triggers[trigger * TRIGGER_WORDS]
        least = triggers[trigger * TRIGGER_WORDS + ONE + ONE]
        if node == NONE and depth == NONE and emitted == NONE:
            node = triggers[trigger * TRIGGER_WORDS + ONE]
        while True:
            if node == NONE:
                if depth == NONE or (limit != NONE and emitted >= limit):
                    break
                depth -= ONE + ONE
                node = stack[depth]
                length = stack[depth + ONE]
            at = base(ring, node)
            link = ring.nodes[at + LINK]
            other = ring.nodes[at + OTHER]
            if other & SOLID:
                if link != NONE:
                    if length + ONE >= path_room:
                        status = STACK
                        break
                    path[length] = other & _POSITION
                    path[length + ONE] = ring.nodes[at + LABEL]
                    length += ONE + ONE
                    node = link
                    visited += ONE
                    continue
                size = length >> ONE
                if events == event_room or written + size > position_room:
                    status = BUFFER
                    break
                starts[events] = np.int64(other & _POSITION)
                buffers.ends[events] = np.int64(end)
                into = length
                while into > NONE:
                    into -= ONE + ONE
                    positions[written] = np.int64(path[into])
                    if labelled:
                        labels[written] = np.int32(path[into + ONE])
                    written += ONE
                visited += ONE
                if measured:
                    buffers.visits[events] = np.int32(visited)
                    visited = NONE
                events += ONE
                buffers.offsets[events] = np.int32(written)
                emitted += ONE
                node = NONE
            else:
                if other >= tail and ring.nodes[base(ring, other) + MAXIMUM] >= least:
                    if depth + ONE >= stack_room:
                        status = STACK
                        break
                    stack[depth] = other
                    stack[depth + ONE] = length
                    depth += ONE + ONE
                node = link
                visited += ONE
        if status != DONE:
            break
        trigger += ONE
        depth = NONE
        length = NONE
        emitted = NONE
        node = NONE
    state[TRIGGER] = trigger
    state[DEPTH] = depth
    state[LENGTH] = length
    state[NODE] = node
    state[EMITTED] = emitted
    state[EVENTS] = events
    state[POSITIONS] = written
    state[VISITS] = visited
    return status
