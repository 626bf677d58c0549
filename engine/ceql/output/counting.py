"""The number of complex events of a node, without enumeration: each node is visited once.

Counts are exact. They are computed in 64 bits; a trigger whose count needs more is counted again in
Python's integers. From the counts of its nodes the n-th complex event of a trigger is found along
one path, without the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from ..kernels import tecs
from ..kernels.store import Store
from ..kernels.tables import TRIGGER_WORDS
from ..kernels.tecs import (
    LABEL,
    LINK,
    MASK,
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
from .records import Row

# Registers of a count.
TRIGGER = 0  # the next one
STAMP = 1  # what is remembered under an older stamp does not hold any more
LEAST = 2  # the window that the stamp stands for
REGISTERS = 4

DONE = 0
STACK = 1  # the stack must grow
LARGE = 2  # the next trigger's count needs more than 64 bits


# One function: a node's count and what is left to visit change together at every step.
@compiled
def count_triggers(
    ring: Ring,
    triggers: Words,
    count: np.uint64,
    state: Words,
    known: Words,  # by place in the ring: node, stamp, count
    stack: Words,
    totals: Words,
) -> int:
    """Return the number of complex events of each trigger, from register TRIGGER on."""
    three = np.uint64(3)
    trigger = state[TRIGGER]
    status = DONE
    while trigger < count:
        root = triggers[trigger * TRIGGER_WORDS + ONE]
        least = triggers[trigger * TRIGGER_WORDS + ONE + ONE]
        if least != state[LEAST] or state[STAMP] == NONE:
            state[LEAST] = least
            state[STAMP] += ONE
        stamp = state[STAMP]
        stack[0] = root
        depth = ONE
        while depth > NONE:
            node = stack[depth - ONE]
            at = base(ring, node)
            place = (node & ring.registers[MASK]) * three
            if known[place] == node and known[place + ONE] == stamp:
                depth -= ONE
                continue
            link = ring.nodes[at + LINK]
            other = ring.nodes[at + OTHER]
            total = ONE
            second = NONE
            if link != NONE:
                child = (link & ring.registers[MASK]) * three
                if known[child] != link or known[child + ONE] != stamp:
                    second = link
                total = known[child + ONE + ONE]
            if (
                other & SOLID == NONE
                and other >= ring.registers[TAIL]
                and ring.nodes[base(ring, other) + MAXIMUM] >= least
            ):
                child = (other & ring.registers[MASK]) * three
                if known[child] != other or known[child + ONE] != stamp:
                    if second != NONE:
                        if depth == np.uint64(stack.size):
                            status = STACK
                            break
                        stack[depth] = other
                        depth += ONE
                    else:
                        second = other
                before = total
                total = total + known[child + ONE + ONE]
                if second == NONE and total < before:
                    status = LARGE
                    break
            if second != NONE:
                if depth == np.uint64(stack.size):
                    status = STACK
                    break
                stack[depth] = second
                depth += ONE
                continue
            known[place] = node
            known[place + ONE] = stamp
            known[place + ONE + ONE] = total
            depth -= ONE
        if status != DONE:
            break
        totals[trigger] = known[(root & ring.registers[MASK]) * three + ONE + ONE]
        trigger += ONE
    state[TRIGGER] = trigger
    return status


@compiled
def find_numbered(
    ring: Ring,
    known: Words,
    root: np.uint64,
    number: np.uint64,
    path: Words,
) -> np.uint64:
    """Return the complex event with this number in a trigger that has just been counted.

    Pairs of a position and its label from the last to the first, and where it starts; returns how
    many words that is, 0 if there is no room for them.
    """
    three = np.uint64(3)
    length = NONE
    node = root
    while length + ONE < np.uint64(path.size):
        at = base(ring, node)
        link = ring.nodes[at + LINK]
        other = ring.nodes[at + OTHER]
        if other & SOLID == NONE:
            first = known[(link & ring.registers[MASK]) * three + ONE + ONE]
            if number < first:
                node = link
            else:
                number -= first
                node = other
            continue
        path[length] = other ^ SOLID
        if link == NONE:
            return length + ONE
        path[length + ONE] = ring.nodes[at + LABEL]
        length += ONE + ONE
        node = link
    return NONE


class Counter:
    """Counts the complex events of triggers, and finds them by their numbers."""

    def __init__(self) -> None:
        self._state = np.zeros(REGISTERS, np.uint64)
        self._known: Words = np.zeros(0, np.uint64)
        self._stack: Words = np.zeros(IN_USE.stack, np.uint64)
        self._path: Words = np.zeros(IN_USE.stack, np.uint64)
        self._large: dict[int, int] = {}  # by node, in Python's integers
        self._least = 0  # the window that they hold for

    def counts(self, store: Store, triggers: Words, count: int) -> list[int]:
        """Return the number of complex events of each of these triggers."""
        totals, large = self._counted(store, triggers, count)
        result: list[int] = totals.tolist()
        for number, total in large.items():
            result[number] = total
        return result

    def numbered(
        self, store: Store, trigger: tuple[int, int, int], numbers: Sequence[int]
    ) -> list[Row]:
        """Return a trigger's complex events with these numbers, in order of enumeration."""
        _, large = self._counted(store, np.array(trigger, np.uint64), 1)
        if large:
            return [numbered(store, self._large.__getitem__, trigger, n) for n in numbers]
        return [self._found(store, trigger, number) for number in numbers]

    def _found(self, store: Store, trigger: tuple[int, int, int], number: int) -> Row:
        end, root, _ = trigger
        while True:
            length = find_numbered(
                store.ring, self._known, np.uint64(root), np.uint64(number),
                self._path,
            )  # fmt: skip
            if length:
                break
            self._path = np.concatenate([self._path, self._path])
        *pairs, start = self._path[: int(length)].tolist()
        return Row(start, end, tuple(pairs[-2::-2]), tuple(pairs[:0:-2]))

    def _counted(
        self, store: Store, triggers: Words, count: int
    ) -> tuple[Words, dict[int, int]]:
        """Return the counts of triggers, those that need more than 64 bits by themselves."""
        if self._known.size != 3 * store.capacity:
            self._known = np.zeros(3 * store.capacity, np.uint64)
        KERNELS.charge(count * store.live)  # each may have a window of its own
        totals = np.zeros(count, np.uint64)
        large: dict[int, int] = {}
        state = self._state
        state[TRIGGER] = 0
        while True:
            status = count_triggers(
                store.ring, triggers, np.uint64(count), state, self._known,
                self._stack, totals,
            )  # fmt: skip
            if status == DONE:
                return totals, large
            if status == STACK:
                self._stack = np.concatenate([self._stack, self._stack])
                continue
            number = int(state[TRIGGER])
            _, root, least = triggers.reshape(-1, 3)[number].tolist()
            if least != self._least:
                self._large, self._least = {}, least
            large[number] = counts_below(store, root, least, self._large)[root]
            state[TRIGGER] += np.uint64(1)


def counts_below(
    store: Store, root: int, least: int, known: dict[int, int] | None = None
) -> dict[int, int]:
    """Return the counts of all nodes that a trigger's enumeration visits, in Python's integers.

    Those that are `known` for the same window are not counted again; the others join them.
    """
    counts: dict[int, int] = {} if known is None else known
    waiting = [root]
    while waiting:
        node = waiting[-1]
        children = children_of(store, node, least)
        missing = [child for child in children if child not in counts]
        if missing:
            waiting += missing
        else:
            counts[node] = sum(counts[child] for child in children) if children else 1
            waiting.pop()
    return counts


def numbered(
    store: Store, count: Callable[[int], int], trigger: tuple[int, int, int], number: int
) -> Row:
    """Return the complex event of a trigger with this number; `count` tells those of a node."""
    end, node, least = trigger
    path: list[tuple[int, int]] = []
    while True:
        children = children_of(store, node, least)
        _, other, _, label = words_of(store, node)
        if not children:
            break
        if other & int(SOLID):
            path.append((other ^ int(SOLID), label))
        node = children[0]
        if number >= (here := count(node)):
            number -= here
            node = children[1]
    path.reverse()
    positions = tuple(position for position, _ in path)
    return Row(other ^ int(SOLID), end, positions, tuple(label for _, label in path))


def children_of(store: Store, node: int, least: int) -> list[int]:
    """Return the children of a node that lead to a start inside the window, left before right."""
    link, other, _, _ = words_of(store, node)
    if other & int(SOLID):
        return [link] if link else []
    if other >= int(store.registers[TAIL]) and words_of(store, other)[int(MAXIMUM)] >= least:
        return [link, other]
    return [link]


def words_of(store: Store, node: int) -> list[int]:
    at = (node & int(store.registers[MASK])) * int(tecs.WORDS)
    words: list[int] = store.nodes[at : at + int(tecs.WORDS)].tolist()
    return words
