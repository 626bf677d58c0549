"""The operations of the tECS, one by one (CORE sections 4.1 and 4.2)."""

from __future__ import annotations

import numpy as np

from denota.engine.ceql.kernels import tecs
from denota.engine.ceql.kernels.store import Store
from denota.engine.ceql.output.counting import counts_below, numbered


def word(number: int) -> np.uint64:
    return np.uint64(number)


def bottom(store: Store, position: int) -> np.uint64:
    key = word(position + 1)
    return tecs.new_bottom(store.ring, word(position), key)


def extended(store: Store, node: np.uint64, position: int) -> np.uint64:
    return tecs.extend(store.ring, node, word(position), word(0))


def represented(store: Store, node: np.uint64, least: int = 0) -> list[tuple[int, tuple[int, ...]]]:
    """The open complex events of a node in the order of enumeration."""
    counts = counts_below(store, int(node), least)
    trigger = (99, int(node), least)
    rows = (numbered(store, counts.__getitem__, trigger, n) for n in range(counts[int(node)]))
    return [(row.start, row.positions) for row in rows]


def test_extend_adds_a_position():
    store = Store(64)
    node = extended(store, extended(store, bottom(store, 0), 0), 4)
    assert represented(store, node) == [(0, (0, 4))]


def test_figure_4():
    """⟦4⟧ and ⟦6⟧ of the paper's Example 4.1"""
    store = Store(64)
    zero = extended(store, bottom(store, 0), 0)
    one = extended(store, bottom(store, 1), 1)
    both = tecs.merge(
        store.ring, np.array([one, zero], np.uint64), word(0), word(2)
    )
    two, five = extended(store, both, 2), extended(store, both, 5)
    four = extended(store, two, 4)
    assert set(represented(store, four)) == {(0, (0, 2, 4)), (1, (1, 2, 4))}
    later = tecs.merge(
        store.ring, np.array([five, two], np.uint64), word(0), word(2)
    )
    six = extended(store, later, 6)
    assert set(represented(store, six)) == {
        (0, (0, 2, 6)), (0, (0, 5, 6)), (1, (1, 2, 6)), (1, (1, 5, 6))
    }  # fmt: skip


def test_a_window_prunes_what_started_too_early():
    store = Store(64)
    zero, one = (extended(store, bottom(store, i), i) for i in (0, 1))
    both = tecs.merge(
        store.ring, np.array([one, zero], np.uint64), word(0), word(2)
    )
    assert represented(store, both, least=2) == [(1, (1,))]


def test_a_full_ring_forgets_from_its_tail_and_goes_on():
    store = Store(8)
    nodes = [extended(store, bottom(store, i), i) for i in range(4)]
    assert store.live == 8
    store.forget(word(3))  # keys are positions plus one: what started at 2 or later stays
    assert store.live == 4
    assert represented(store, nodes[3]) == [(3, (3,))]
    more = extended(store, nodes[2], 9)
    assert represented(store, more) == [(2, (2, 9))]


def test_growing_keeps_every_node():
    store = Store(4)
    first = extended(store, bottom(store, 0), 0)
    second = extended(store, bottom(store, 1), 1)
    store.grow()
    assert represented(store, extended(store, first, 5)) == [(0, (0, 5))]
    assert represented(store, second) == [(1, (1,))]
    assert store.capacity == 8
