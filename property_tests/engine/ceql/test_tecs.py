"""The tECS stays time-ordered, 3-bounded and duplicate-free; enumeration has output-linear delay.

After every operation, on its own as well as driven by queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.ceql import enumeration, tecs
from denota.engine.ceql.counting import children_of, counts_below, numbered, words_of
from denota.engine.ceql.runtime import CeqlEngine
from denota.engine.ceql.store import Store
from denota.oracle.ceql_case import CeqlCase
from denota.oracle.strategies.ceql import ceql_cases
from denota.semantics.streams.tuples import batches

SOLID = int(tecs.SOLID)


def union_depth(store: Store, node: int) -> int:
    """Unions to the left until an output or bottom node."""
    depth = 0
    while not words_of(store, node)[int(tecs.OTHER)] & SOLID:
        depth += 1
        node = words_of(store, node)[int(tecs.LINK)]
    return depth


def check_node(store: Store, node: int) -> None:
    """Time-ordered and 3-bounded."""
    link, other, greatest, _ = words_of(store, node)
    tail = int(store.registers[tecs.TAIL])
    assert union_depth(store, node) <= 3
    if not other & SOLID:
        assert words_of(store, link)[int(tecs.MAXIMUM)] == greatest
        if other >= tail:
            assert words_of(store, other)[int(tecs.MAXIMUM)] <= greatest
    elif link:
        assert words_of(store, link)[int(tecs.MAXIMUM)] == greatest


def is_safe(store: Store, node: int) -> bool:
    """A union of depth 1 whose right child is of depth 2 at most, or no union."""
    _, other, _, _ = words_of(store, node)
    if other & SOLID:
        return True
    if union_depth(store, node) != 1:
        return False
    return other < int(store.registers[tecs.TAIL]) or union_depth(store, other) <= 2


def represented(store: Store, node: int, least: int = 1) -> list[object]:
    counts = counts_below(store, node, least)
    assert counts[node] < 5000
    rows = (numbered(store, counts.__getitem__, (0, node, least), n) for n in range(counts[node]))
    return [(row.start, row.positions, row.labels) for row in rows]


def lists_of(store: Store, floor: int) -> Iterator[list[int]]:
    cells = store.lists.reshape(-1, store.width)
    for slot, head in enumerate(store.heads.tolist()):
        if head >= floor:
            yield [int(cell) for cell in cells[slot][: int(store.lengths[slot])]]


# --- the operations on their own ---


@settings(max_examples=200)
@given(st.data())
def test_every_operation_keeps_the_invariants(data: st.DataObject) -> None:
    """Union-lists are built and merged at random; what a node represents is the union."""
    store = Store(1 << 12)
    nodes, registers = store.nodes, store.registers
    cells = np.zeros(64, np.uint64)
    zero = np.uint64(0)
    position = 0
    safe: list[int] = []
    for _ in range(data.draw(st.integers(1, 14))):
        position += 1
        here, key = np.uint64(position), np.uint64(position)
        bottom = tecs.new_bottom(nodes, registers, here, key)
        solid = [int(tecs.extend(nodes, registers, bottom, here, zero))]
        for node in data.draw(st.lists(st.sampled_from(safe), max_size=3)) if safe else []:
            solid.append(int(tecs.extend(nodes, registers, np.uint64(node), here, zero)))
        first, *others = sorted(solid, key=lambda n: -words_of(store, n)[int(tecs.MAXIMUM)])
        cells[0] = first
        length = np.uint64(1)
        members = represented(store, first)
        for node in others:
            more = represented(store, node)
            if set(map(str, more)) & set(map(str, members)):
                continue  # a state's runs are disjoint
            members += more
            length = tecs.insert(nodes, registers, cells, zero, length, np.uint64(node))
            maxima = [words_of(store, int(c))[int(tecs.MAXIMUM)] for c in cells[: int(length)]]
            assert maxima[0] >= max(maxima)
            assert all(a > b for a, b in pairwise(maxima[1:]))
            assert all(is_safe(store, int(c)) for c in cells[: int(length)])
        merged = int(tecs.merge(nodes, registers, cells, zero, length))
        assert is_safe(store, merged)
        assert sorted(map(str, represented(store, merged))) == sorted(map(str, members))
        safe.append(merged)
        for node in range(1, int(registers[tecs.HEAD])):
            check_node(store, node)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10))
def test_unions_of_equal_maxima(shapes: list[int]) -> None:
    """All four gadgets of Figure 5: nodes with the same maximum are united in turn."""
    store = Store(1 << 10)
    nodes, registers = store.nodes, store.registers
    zero, key = np.uint64(0), np.uint64(9)
    united = 0
    count = 0
    for number, shape in enumerate(shapes):
        position = np.uint64(20 + number)
        bottom = tecs.new_bottom(nodes, registers, np.uint64(8), key)
        node = tecs.extend(nodes, registers, bottom, position, zero)
        for lower in range(shape):
            old = tecs.new_bottom(nodes, registers, np.uint64(lower), np.uint64(lower + 1))
            right = tecs.extend(nodes, registers, old, position, zero)
            pair = np.array([node, right], np.uint64)
            if not words_of(store, int(node))[int(tecs.OTHER)] & SOLID:
                break
            node = tecs.merge(nodes, registers, pair, zero, np.uint64(2))
        count += len(represented(store, int(node)))
        united = int(
            node if not united else tecs.union(nodes, registers, np.uint64(united), node)
        )
        assert is_safe(store, united)
        members = represented(store, united)
        assert len(members) == len(set(members)) == count
    for node_id in range(1, int(registers[tecs.HEAD])):
        check_node(store, node_id)


# --- driven by queries ---


@settings(max_examples=150)
@given(ceql_cases(), st.sampled_from(["auto", "dense"]))
def test_after_every_event(case: CeqlCase, path: str) -> None:
    """The ring, the union-lists of every state, and each trigger's root."""
    engine = CeqlEngine(case.query, case.readings, path=path)  # type: ignore[arg-type]
    for batch in batches(case.merged(), 1):
        for _ in engine.advancing(batch):
            for end, root, least in engine.triggers.reshape(-1, 3).tolist():
                check_trigger(engine.store, end, root, least)
        store = engine.store
        for node in range(int(store.registers[tecs.TAIL]), int(store.registers[tecs.HEAD])):
            check_node(store, node)
        for cells in lists_of(store, 1):
            maxima = [words_of(store, cell)[int(tecs.MAXIMUM)] for cell in cells]
            assert maxima[0] == max(maxima)
            assert all(a > b for a, b in pairwise(maxima[1:]))
            assert words_of(store, cells[0])[int(tecs.OTHER)] & SOLID
            assert all(is_safe(store, cell) for cell in cells)
            members = [member for cell in cells for member in represented(store, cell)]
            assert len(members) == len(set(members))


def check_trigger(store: Store, end: int, root: int, least: int) -> None:
    """No duplicates; enumeration follows the numbering; its delay is linear in the output."""
    counts = counts_below(store, root, least)
    members = represented(store, root, least)
    assert len(members) == len(set(members)) == counts[root]
    state = np.zeros(enumeration.REGISTERS, np.uint64)
    starts, ends = np.zeros(5000, np.int64), np.zeros(5000, np.int64)
    offsets, visits = np.zeros(5001, np.int32), np.zeros(5000, np.int32)
    positions, labels = np.zeros(100_000, np.int64), np.zeros(100_000, np.int32)
    status = enumeration.enumerate_triggers(
        store.nodes, store.registers, np.array([end, root, least], np.uint64), np.uint64(1),
        np.uint64(0), state, np.zeros(4096, np.uint64), np.zeros(4096, np.uint64),
        starts, ends, offsets, positions, labels, visits,
    )  # fmt: skip
    assert status == enumeration.DONE
    found = []
    for row in range(counts[root]):
        begin, stop = offsets[row], offsets[row + 1]
        found.append(
            (starts[row], tuple(positions[begin:stop].tolist()), tuple(labels[begin:stop].tolist()))
        )
        # At most three unions before each of its nodes, the bottom node among them.
        assert visits[row] <= 4 * (stop - begin + 1)
    assert [(start, data) for start, data, _ in found] == [m[:2] for m in members]  # type: ignore[index]
    assert children_of(store, root, least) or counts[root] == 1
