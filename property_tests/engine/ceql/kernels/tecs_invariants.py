"""Invariants of a tECS after every operation (CORE section 4.2), read from its arrays.

`tecs` states the three invariants. They imply output-linear delay of enumeration, which is counted
here: enumeration visits at most `DELAY` nodes before it writes a complex event, for each of its
positions and for its start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from denota.engine.ceql.kernels import tecs
from denota.engine.ceql.kernels.store import Store
from denota.engine.ceql.output import enumeration
from denota.engine.ceql.output.counting import children_of, words_of

BOUND = 3
"""Unions to the left of a node until an output or bottom node, at most."""

DELAY = BOUND + 1
"""So many nodes are visited for one node of an open complex event, at most: it and its unions."""

_SOLID = int(tecs.SOLID)
_ROWS = 1 << 12
_ROOM = 1 << 16


class Member(NamedTuple):
    """An open complex event: its start, its positions, the label of each position."""

    start: int
    positions: tuple[int, ...]
    labels: tuple[int, ...]


class Enumerated(NamedTuple):
    """A complex event that enumeration writes, and the number of nodes visited for it."""

    member: Member
    visits: int

    @property
    def allowed(self) -> int:
        """The number of nodes that enumeration may visit for it."""
        return DELAY * (len(self.member.positions) + 1)


def unions_to_the_left(store: Store, node: int) -> int:
    """Return odepth(n)."""
    depth = 0
    while not words_of(store, node)[int(tecs.OTHER)] & _SOLID:
        depth += 1
        node = words_of(store, node)[int(tecs.LINK)]
    return depth


def is_safe(store: Store, node: int) -> bool:
    """Return True if union and insert accept the node.

    It is no union, or one of depth 1 whose right child, if it is not evicted, has at most depth 2.
    """
    _, other, _, _ = words_of(store, node)
    if other & _SOLID:
        return True
    if unions_to_the_left(store, node) != 1:
        return False
    return other < int(store.registers[tecs.TAIL]) or unions_to_the_left(store, other) <= 2


def broken_nodes(store: Store, root: int, least: int, seen: set[int] | None = None) -> list[str]:
    """Return violations at the nodes that starts from `least` on reach from this one."""
    broken = []
    tail, head = (int(store.registers[at]) for at in (tecs.TAIL, tecs.HEAD))
    seen = set() if seen is None else seen
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if not tail <= node < head:
            broken.append(f"{node} is reached from {root}, but not there")
            continue
        _, other, greatest, _ = words_of(store, node)
        children = children_of(store, node, least)
        waiting += children
        if any(child >= node for child in children):
            broken.append(f"{node} has a younger child")
        if any(not tail <= child < head for child in children):
            broken.append(f"{node} has a child that is not there")
            continue
        maxima = [words_of(store, child)[int(tecs.MAXIMUM)] for child in children]
        if maxima and maxima[0] != greatest:
            broken.append(f"{node} has not the maximum of its left child")
        if maxima[1:] > maxima[:1]:
            broken.append(f"{node} is not time-ordered")
        if not other & _SOLID and unions_to_the_left(store, node) > BOUND:
            broken.append(f"{node} is not {BOUND}-bounded")
    return broken


def broken_lists(store: Store, least: int) -> list[str]:
    """Return violations in the union-lists of all states, for starts from `least` on.

    An open complex event that is in a state twice is a violation, too.
    """
    broken: list[str] = []
    seen: set[int] = set()
    cells = store.lists.reshape(-1, store.width)
    for slot, head in enumerate(store.heads.tolist()):
        if head < max(least, 1):
            continue
        nodes = [int(cell) for cell in cells[slot][: int(store.lengths[slot])]]
        greatest = [words_of(store, node)[int(tecs.MAXIMUM)] for node in nodes]
        nodes = [node for node, maximum in zip(nodes, greatest, strict=True) if maximum >= least]
        for node in nodes:
            broken += broken_nodes(store, node, least, seen)
        if broken:
            continue
        if greatest[0] != head or head != max(greatest):
            broken.append(f"the first node of slot {slot} has not the greatest maximum")
        if any(one <= other for one, other in pairwise(greatest[1:])):
            broken.append(f"the maxima of slot {slot} do not fall")
        if not words_of(store, nodes[0])[int(tecs.OTHER)] & _SOLID:
            broken.append(f"the first node of slot {slot} is a union")
        unsafe = (node for node in nodes if not is_safe(store, node))
        broken += [f"{node} in slot {slot} is not safe" for node in unsafe]
        members = [each.member for node in nodes for each in enumerated(store, (0, node, least))]
        if len(members) != len(set(members)):
            broken.append(f"an open complex event is in slot {slot} twice")
    return broken


def broken_trigger(store: Store, trigger: tuple[int, int, int]) -> list[str]:
    """Return violations in the nodes of a trigger and in its enumeration."""
    _, root, least = trigger
    broken = broken_nodes(store, root, least)
    if broken:
        return broken
    members = set()
    for each in enumerated(store, trigger):
        if each.member in members:
            broken.append(f"{each.member} is enumerated twice")
        members.add(each.member)
        if each.visits > each.allowed:
            broken.append(f"{each.visits} nodes are visited before {each.member}")
    return broken


def enumerated(store: Store, trigger: Sequence[int]) -> Iterator[Enumerated]:
    """Enumerate the complex events of a trigger, with the number of nodes visited for each."""
    state = np.zeros(enumeration.REGISTERS, np.uint64)
    starts, ends, positions = (np.empty(_ROOM, np.int64) for _ in range(3))
    offsets, visits, labels = (np.zeros(_ROOM, np.int32) for _ in range(3))
    buffers = enumeration.Buffers(starts[:_ROWS], ends, offsets, positions, labels, visits)
    search = enumeration.Search(
        state, np.empty(_ROOM, np.uint64), np.empty(_ROOM, np.uint64)
    )
    status = enumeration.BUFFER
    while status == enumeration.BUFFER:
        state[enumeration.EVENTS] = state[enumeration.POSITIONS] = 0
        status = enumeration.enumerate_triggers(
            store.ring, np.array(trigger, np.uint64), np.uint64(1), np.uint64(0), search, buffers
        )
        for row in range(int(state[enumeration.EVENTS])):
            here = slice(int(offsets[row]), int(offsets[row + 1]))
            member = Member(
                int(starts[row]), tuple(positions[here].tolist()), tuple(labels[here].tolist())
            )
            yield Enumerated(member, int(visits[row]))
    if status != enumeration.DONE:
        raise OverflowError("an open complex event is too long to be checked")
