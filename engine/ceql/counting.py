"""How many complex events a node represents, without enumerating them: each node is visited once.

Counts are exact. They are computed in 64 bits; a trigger whose count needs more is counted again in
Python's integers.
"""

from __future__ import annotations

import numpy as np

from . import tecs
from .compiled import compiled
from .store import Store
from .tables import TRIGGER_WORDS
from .tecs import LINK, MASK, MAXIMUM, NONE, ONE, OTHER, SOLID, TAIL, Words, base

# Registers of a count.
TRIGGER = 0  # the next one
STAMP = 1  # what is remembered under an older stamp does not hold any more
LEAST = 2  # the window that the stamp stands for
REGISTERS = 4

DONE = 0
STACK = 1  # the stack must grow
LARGE = 2  # the next trigger's count needs more than 64 bits


@compiled
def count_triggers(
    nodes: Words,
    ring: Words,
    triggers: Words,
    count: np.uint64,
    state: Words,
    known: Words,  # by place in the ring: node, stamp, count
    stack: Words,
    totals: Words,
) -> int:
    """The number of complex events of each trigger, from register TRIGGER on."""
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
            place = (node & ring[MASK]) * three
            if known[place] == node and known[place + ONE] == stamp:
                depth -= ONE
                continue
            link = nodes[at + LINK]
            other = nodes[at + OTHER]
            total = ONE
            second = NONE
            if link != NONE:
                child = (link & ring[MASK]) * three
                if known[child] != link or known[child + ONE] != stamp:
                    second = link
                total = known[child + ONE + ONE]
            if (
                other & SOLID == NONE
                and other >= ring[TAIL]
                and nodes[base(ring, other) + MAXIMUM] >= least
            ):
                child = (other & ring[MASK]) * three
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
        totals[trigger] = known[(root & ring[MASK]) * three + ONE + ONE]
        trigger += ONE
    state[TRIGGER] = trigger
    return status


class Counter:
    """Counts the complex events of triggers."""

    def __init__(self) -> None:
        self._state = np.zeros(REGISTERS, np.uint64)
        self._known: Words = np.zeros(0, np.uint64)
        self._stack: Words = np.zeros(1024, np.uint64)

    def counts(self, store: Store, triggers: Words, count: int) -> list[int]:
        """The number of complex events of each of these triggers."""
        if self._known.size != 3 * store.capacity:
            self._known = np.zeros(3 * store.capacity, np.uint64)
        totals = np.zeros(count, np.uint64)
        large: dict[int, int] = {}
        state = self._state
        state[TRIGGER] = 0
        while True:
            status = count_triggers(
                store.nodes, store.registers, triggers, np.uint64(count), state, self._known,
                self._stack, totals,
            )  # fmt: skip
            if status == DONE:
                break
            if status == STACK:
                self._stack = np.concatenate([self._stack, self._stack])
                continue
            number = int(state[TRIGGER])
            _, root, least = triggers.reshape(-1, 3)[number].tolist()
            large[number] = counts_below(store, root, least)[root]
            state[TRIGGER] += np.uint64(1)
            state[STAMP] += np.uint64(1)
        result: list[int] = totals.tolist()
        for number, total in large.items():
            result[number] = total
        return result


def counts_below(store: Store, root: int, least: int) -> dict[int, int]:
    """The count of every node that the enumeration of a trigger visits, in Python's integers."""
    counts: dict[int, int] = {}
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


def children_of(store: Store, node: int, least: int) -> list[int]:
    """The children of a node from which a start inside the window is reached, left before right."""
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
