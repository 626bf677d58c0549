"""The timed enumerable compact set (tECS) as one flat integer array (CORE sections 4.1 and 4.2).

A node is four 64-bit words in a ring whose capacity is a power of two. Its id is the number of
nodes made before it, plus one: ids only grow, so a node is still there iff its id is at least the
tail's, and forgetting is raising the tail. Children are older than their parents.

    word        union node      output node         bottom node
    LINK        left child      its only child      0
    OTHER       right child     SOLID | position    SOLID | position
    MAXIMUM     the greatest start key of the open complex events that the node represents
    LABEL       0               the set of variables that the position is marked with (0: just ●)

A start key is what the window is measured in (position, time or attribute), made unsigned so that
order is kept. Three invariants hold for every node: it is *time-ordered* (the left child of a
union has no smaller maximum than the right one), *3-bounded* (no more than three unions to the
left until an output or bottom node), and *duplicate-free* (no two paths represent the same open
complex event).

A union-list n0, n1, … lies in consecutive cells of another array: n0 is no union, no maximum is
greater than n0's, and those of n1, n2, … fall strictly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernels import compiled, inlined

Words = npt.NDArray[np.uint64]

WORDS = np.uint64(4)  # a node
LINK, OTHER, MAXIMUM, LABEL = (np.uint64(i) for i in range(4))
SOLID = np.uint64(1 << 63)
NONE = np.uint64(0)
ONE = np.uint64(1)

# Registers of a ring, shared by the kernels and Python.
HEAD = 0  # the id of the next node
TAIL = 1  # the smallest id that is still there
MASK = 2  # capacity - 1
REGISTERS = 4


class Ring(NamedTuple):
    """A tECS, as the kernels take it: the words of its nodes, and its registers."""

    nodes: Words
    registers: Words


@inlined
def base(ring: Ring, node: np.uint64) -> np.uint64:
    """Return the index of the node's first word."""
    result: np.uint64 = (node & ring.registers[MASK]) * WORDS
    return result


@inlined
def maximum(ring: Ring, node: np.uint64) -> np.uint64:
    result: np.uint64 = ring.nodes[base(ring, node) + MAXIMUM]
    return result


@inlined
def new_node(
    ring: Ring,
    link: np.uint64,
    other: np.uint64,
    greatest: np.uint64,
    label: np.uint64,
) -> np.uint64:
    node: np.uint64 = ring.registers[HEAD]
    ring.registers[HEAD] = node + ONE
    at = base(ring, node)
    ring.nodes[at] = link
    ring.nodes[at + OTHER] = other
    ring.nodes[at + MAXIMUM] = greatest
    ring.nodes[at + LABEL] = label
    return node


@compiled
def new_bottom(ring: Ring, position: np.uint64, key: np.uint64) -> np.uint64:
    """new-bottom(i): a run starts at this position."""
    return new_node(ring, NONE, SOLID | position, key, NONE)


@compiled
def extend(ring: Ring, node: np.uint64, position: np.uint64, label: np.uint64) -> np.uint64:
    """extend(n, j): every open complex event of n with this position added."""
    greatest = maximum(ring, node)
    return new_node(ring, node, SOLID | position, greatest, label)


@inlined
def right_maximum(ring: Ring, right: np.uint64) -> np.uint64:
    """Return the maximum of a right child; the least key of all if the child was evicted."""
    if right < ring.registers[TAIL]:
        return NONE
    return maximum(ring, right)


@inlined
def new_union(ring: Ring, left: np.uint64, right: np.uint64) -> np.uint64:
    return new_node(ring, left, right, maximum(ring, left), NONE)


@compiled
def union(ring: Ring, n1: np.uint64, n2: np.uint64) -> np.uint64:
    """union(n1, n2) of two safe nodes with the same maximum (CORE Figure 5 a to d)."""
    at1 = base(ring, n1)
    at2 = base(ring, n2)
    if ring.nodes[at1 + OTHER] & SOLID:
        return new_union(ring, n1, n2)
    if ring.nodes[at2 + OTHER] & SOLID:
        return new_union(ring, n2, n1)
    left1, right1 = ring.nodes[at1], ring.nodes[at1 + OTHER]
    left2, right2 = ring.nodes[at2], ring.nodes[at2 + OTHER]
    max1 = right_maximum(ring, right1)
    max2 = right_maximum(ring, right2)
    if right1 < ring.registers[TAIL] and right2 < ring.registers[TAIL]:
        return new_union(ring, left1, left2)
    if max1 >= max2:
        lower = new_node(ring, right1, right2, max1, NONE)
    else:
        lower = new_node(ring, right2, right1, max2, NONE)
    middle = new_union(ring, left2, lower)
    return new_union(ring, left1, middle)


@compiled
def merge(ring: Ring, lists: Words, start: np.uint64, length: np.uint64) -> np.uint64:
    """merge(ul): one node for a whole union-list (CORE Figure 5 e)."""
    at = start + length - ONE
    merged: np.uint64 = lists[at]
    while at > start:
        at -= ONE
        merged = new_union(ring, lists[at], merged)
    return merged


@compiled
def insert(
    ring: Ring,
    lists: Words,
    start: np.uint64,
    length: np.uint64,
    node: np.uint64,
) -> np.uint64:
    """insert(ul, n) of a safe node with max(n) <= max(n0), in place; returns the new length."""
    greatest = maximum(ring, node)
    at = start + ONE
    end = start + length
    while at < end and maximum(ring, lists[at]) > greatest:
        at += ONE
    if at < end and maximum(ring, lists[at]) == greatest:
        lists[at] = union(ring, lists[at], node)
        return length
    to = end
    while to > at:
        lists[to] = lists[to - ONE]
        to -= ONE
    lists[at] = node
    return length + ONE
