"""The arrays that the kernels work on: the ring of nodes and the union-lists by state.

They grow when a kernel asks for it. Nodes whose maximum has left the window are forgotten when the
ring is full, not before: until then a window that moves back finds what it needs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...checkpoints.state_schema import stateful
from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from . import tables, tecs
from .tables import FORGOTTEN, Slots, UnionLists
from .tecs import HEAD, NONE, ONE, TAIL, Ring, Words, maximum

_WORDS = int(tecs.WORDS)


@compiled
def prune(ring: Ring, lists: UnionLists, least: np.uint64) -> None:
    """Raise the tail to the first node in use; remove the nodes before it from the lists."""
    head = ring.registers[HEAD]
    tail = max(ring.registers[TAIL], min(ring.registers[FORGOTTEN], head))
    while tail < head and maximum(ring, tail) < least:
        tail += ONE
    ring.registers[TAIL] = tail
    for slot in range(np.uint64(lists.heads.size)):
        if lists.heads[slot] == NONE:
            continue
        start = slot * lists.width
        if lists.heads[slot] < least or lists.cells[start] < tail:
            lists.heads[slot] = NONE
            continue
        length = NONE  # maxima fall: what is left is a prefix
        while length < lists.lengths[slot]:
            node = lists.cells[start + length]
            if node < tail or maximum(ring, node) < least:
                break
            length += ONE
        if length != lists.lengths[slot]:
            lists.lengths[slot] = length
            lists.merged[slot] = NONE


@stateful(kept=(
    "registers", "nodes", "quota", "partitions", "states", "width", "changes", "lists", "lengths",
    "heads", "merged", "orders", "epochs", "contexts", "actives", "ordered", "falls",
), compiled=("_at_first",))
class Store:
    """A tECS with its union-lists, for a number of partitions and states."""

    def __init__(self, nodes: int | None = None) -> None:
        nodes = self._at_first = nodes or IN_USE.nodes
        self.registers = np.zeros(tables.REGISTERS, np.uint64)
        self.registers[tecs.HEAD] = self.registers[tecs.TAIL] = 1  # 0 is no node
        self.registers[tecs.MASK] = nodes - 1
        self.nodes: Words = np.zeros(nodes * _WORDS, np.uint64)
        self.quota = nodes * 3 // 4
        """The maximum number of nodes before nodes outside the window are evicted.

        The time of eviction, and with it the order of enumeration, depends only on the events so
        far: neither on the room that the kernels ask for, nor on the cuts of the stream.
        """
        self.partitions = 1
        self.states = 1
        self.width = 4
        self.changes = 0
        """The number of times that arrays have been replaced or nodes evicted."""
        self.ordered = False
        """True if the dense loop keeps the order of the active states."""
        self.falls = False
        """True if a key may be less than one before it in the dense loop."""
        self._allocate()
        self.epochs = np.zeros(1, np.uint64)
        self.contexts = np.zeros(1, np.uint64)
        self.actives = np.zeros(1, np.uint64)

    def clear(self) -> None:
        """Discard everything, but keep the capacity for partitions and states."""
        used = int(self.registers[tecs.HEAD]) * _WORDS
        self.nodes[:used] = 0
        self.registers[:] = 0
        self.registers[tecs.HEAD] = self.registers[tecs.TAIL] = 1
        self.registers[tecs.MASK] = self.nodes.size // _WORDS - 1
        if self.quota != self._at_first * 3 // 4:
            self.quota = self._at_first * 3 // 4
            self.changes += 1
        self.registers[tables.ROOM] = 1 + self.quota
        for array in (
            self.lists, self.lengths, self.heads, self.merged, self.orders, self.epochs,
            self.contexts, self.actives,
        ):
            array[:] = 0
        self.falls = False

    def _allocate(self) -> None:
        self.changes += 1
        slots = self.partitions * self.states
        self.lists: Words = np.zeros(slots * self.width, np.uint64)
        self.lengths: Words = np.zeros(slots, np.uint64)
        self.heads: Words = np.zeros(slots, np.uint64)
        self.merged: Words = np.zeros(slots, np.uint64)
        self.orders: Words = np.zeros(slots, np.uint64)

    # --- the layout of the lists ---

    def make_room(self, partitions: int, states: int, width: int) -> None:
        """Allocate at least these numbers of partitions, states and nodes of a list."""
        if (
            partitions <= self.partitions and states <= self.states and width <= self.width
        ):
            return
        old = (self.partitions, self.states, self.width)
        arrays = (self.lists, self.lengths, self.heads, self.merged, self.orders)
        self.partitions = _doubled(self.partitions, partitions)
        self.states = _doubled(self.states, states)
        self.width = _doubled(self.width, width)
        self._allocate()
        where = np.s_[: old[0], : old[1]]
        shape = (self.partitions, self.states)
        self.lists.reshape(*shape, self.width)[:, :, : old[2]][where] = arrays[0].reshape(old)
        for new, array in zip(
            (self.lengths, self.heads, self.merged, self.orders), arrays[1:], strict=True
        ):
            new.reshape(shape)[where] = array.reshape(old[:2])
        extra = self.partitions - old[0]
        if extra:
            nothing = np.zeros(extra, np.uint64)
            self.epochs = np.concatenate([self.epochs, nothing])
            self.contexts = np.concatenate([self.contexts, nothing])
            self.actives = np.concatenate([self.actives, nothing])

    def order_states(self) -> None:
        """Order the active states of each partition by falling maximum, as the dense loop needs."""
        heads = self.heads.reshape(self.partitions, self.states)
        self.orders = np.argsort(~heads, axis=1, kind="stable").astype(np.uint64).reshape(-1)
        self.actives = (heads > 0).sum(axis=1).astype(np.uint64)
        self.ordered = True
        self.changes += 1

    def resumed(self) -> None:
        """Raise ValueError where the arrays do not fit one another: kernels check no bounds."""
        slots = self.partitions * self.states
        by_slot = (self.lengths, self.heads, self.merged, self.orders)
        by_partition = (self.epochs, self.contexts, self.actives)
        capacity = self.capacity
        if (
            min(self.partitions, self.states, self.width) <= 0
            or capacity <= 0 or capacity & (capacity - 1)
            or not 0 < self.quota <= 4 * capacity  # it is doubled until it is enough
            or self.registers.shape != (tables.REGISTERS,)
            or self.nodes.shape != (capacity * _WORDS,)
            or self.lists.shape != (slots * self.width,)
            or any(array.shape != (slots,) for array in by_slot)
            or any(array.shape != (self.partitions,) for array in by_partition)
            or (self.lengths > self.width).any()
            or (self.orders >= self.states).any() or (self.actives > self.states).any()
        ):
            raise ValueError("the arrays of the store do not fit one another")

    def occupied(self, partitions: int, least: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the partitions with a run, or with runs that a later one must beat.

        Runs that start below `least` are none any more.
        """
        heads = self.heads.reshape(self.partitions, self.states)[:partitions]
        running = np.asarray((heads >= max(least, 1)).any(axis=1))
        result: npt.NDArray[np.bool_] = running | (self.contexts[:partitions] > 0)
        return result

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Keep these partitions only, numbered anew."""
        count = int(kept.sum())
        for array in (self.lists, self.lengths, self.heads, self.merged, self.orders):
            rows = array.reshape(self.partitions, -1)
            rows[:count] = rows[: kept.size][kept]
            rows[count:] = 0
        for array in (self.epochs, self.contexts, self.actives):
            array[:count] = array[: kept.size][kept]
            array[count:] = 0

    @property
    def union_lists(self) -> UnionLists:
        """The lists as the kernels take them."""
        return UnionLists(
            self.lists, self.lengths, self.heads, self.merged, np.uint64(self.width)
        )

    @property
    def slots(self) -> Slots:
        """The state of the partitions, as the kernels take it."""
        return Slots(
            np.uint64(self.states), self.epochs, self.orders, self.actives, self.contexts
        )

    # --- the ring ---

    @property
    def ring(self) -> Ring:
        """The ring as the kernels take it."""
        return Ring(self.nodes, self.registers)

    @property
    def capacity(self) -> int:
        return int(self.registers[tecs.MASK]) + 1

    def reserve(self, margin: int) -> None:
        """Allocate the nodes of the quota, and those that one event may add."""
        while self.capacity < self.quota + margin:
            self.grow()
        self.registers[tables.ROOM] = int(self.registers[tecs.TAIL]) + self.quota

    @property
    def live(self) -> int:
        """Nodes that are still there."""
        return int(self.registers[tecs.HEAD] - self.registers[tecs.TAIL])

    def forget(self, least: int) -> None:
        """Raise the tail over nodes that are consumed or whose maximum is below `least`."""
        KERNELS.charge(self.live + self.heads.size)
        prune(self.ring, self.union_lists, np.uint64(least))
        self.changes += 1

    def convert(self, keys: Callable[[Words], Words]) -> None:
        """Map every maximum by a function that keeps their order, and 0."""
        words = self.nodes.reshape(-1, _WORDS)
        at = int(tecs.MAXIMUM)
        words[:, at] = keys(words[:, at])
        self.heads[:] = keys(self.heads)

    def grow(self) -> None:
        """Double the capacity of the ring, with the same nodes."""
        old, mask = self.nodes.reshape(-1, _WORDS), self.registers[tecs.MASK]
        ids = np.arange(
            int(self.registers[tecs.TAIL]), int(self.registers[tecs.HEAD]), dtype=np.uint64
        )
        capacity = 2 * self.capacity
        grown = np.zeros((capacity, _WORDS), np.uint64)
        grown[ids & np.uint64(capacity - 1)] = old[ids & mask]
        self.nodes = grown.reshape(-1)
        self.changes += 1
        self.registers[tecs.MASK] = capacity - 1


def _doubled(size: int, least: int) -> int:
    while size < least:
        size *= 2
    return size
