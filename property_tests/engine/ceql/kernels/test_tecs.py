"""The tECS stays time-ordered, 3-bounded and duplicate-free; enumeration has output-linear delay.

After every operation, on its own as well as driven by queries.
"""

from __future__ import annotations

from itertools import islice, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.ceql.kernels import tecs
from denota.engine.ceql.kernels.store import Store
from denota.engine.ceql.output.counting import Counter, counts_below, numbered, words_of
from denota.engine.ceql.runtime import CeqlEngine, Path
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.tuples import EventTuple, Value, batches, of_one_type

from ....examples import examples
from .tecs_invariants import (
    Member,
    broken_lists,
    broken_nodes,
    broken_trigger,
    enumerated,
    is_safe,
)

SOLID = int(tecs.SOLID)


def represented(store: Store, node: int) -> list[Member]:
    return [each.member for each in enumerated(store, (0, node, 1))]


def all_sound(store: Store) -> bool:
    """Of every node that there is."""
    nodes = range(int(store.registers[tecs.TAIL]), int(store.registers[tecs.HEAD]))
    return not any(broken_nodes(store, node, 1) for node in nodes)


# --- the operations on their own ---


@examples(200)
@given(st.data())
def test_every_operation_keeps_the_invariants(data: st.DataObject) -> None:
    """Union-lists are built and merged at random; what a node represents is the union."""
    store = Store(1 << 12)
    ring = store.ring
    cells = np.zeros(64, np.uint64)
    zero = np.uint64(0)
    position = 0
    safe: list[int] = []
    for _ in range(data.draw(st.integers(1, 14))):
        position += 1
        here, key = np.uint64(position), np.uint64(position)
        bottom = tecs.new_bottom(ring, here, key)
        solid = [int(tecs.extend(ring, bottom, here, zero))]
        for node in data.draw(st.lists(st.sampled_from(safe), max_size=3)) if safe else []:
            solid.append(int(tecs.extend(ring, np.uint64(node), here, zero)))
        first, *others = sorted(solid, key=lambda n: -words_of(store, n)[int(tecs.MAXIMUM)])
        cells[0] = first
        length = np.uint64(1)
        members = represented(store, first)
        for node in others:
            more = represented(store, node)
            if set(more) & set(members):
                continue  # a state's runs are disjoint
            members += more
            length = tecs.insert(ring, cells, zero, length, np.uint64(node))
            maxima = [words_of(store, int(c))[int(tecs.MAXIMUM)] for c in cells[: int(length)]]
            assert maxima[0] >= max(maxima)
            assert all(a > b for a, b in pairwise(maxima[1:]))
            assert all(is_safe(store, int(c)) for c in cells[: int(length)])
            assert all_sound(store)
        merged = int(tecs.merge(ring, cells, zero, length))
        assert is_safe(store, merged)
        assert sorted(represented(store, merged)) == sorted(members)
        safe.append(merged)
        assert all_sound(store)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10))
def test_unions_of_equal_maxima(shapes: list[int]) -> None:
    """All four gadgets of Figure 5: nodes with the same maximum are united in turn."""
    store = Store(1 << 10)
    ring = store.ring
    zero, key = np.uint64(0), np.uint64(9)
    united = 0
    count = 0
    for number, shape in enumerate(shapes):
        position = np.uint64(20 + number)
        bottom = tecs.new_bottom(ring, np.uint64(8), key)
        node = tecs.extend(ring, bottom, position, zero)
        for lower in range(shape):
            old = tecs.new_bottom(ring, np.uint64(lower), np.uint64(lower + 1))
            right = tecs.extend(ring, old, position, zero)
            pair = np.array([node, right], np.uint64)
            if not words_of(store, int(node))[int(tecs.OTHER)] & SOLID:
                break
            node = tecs.merge(ring, pair, zero, np.uint64(2))
        count += len(represented(store, int(node)))
        united = int(
            node if not united else tecs.union(ring, np.uint64(united), node)
        )
        assert is_safe(store, united)
        members = represented(store, united)
        assert len(members) == len(set(members)) == count
        assert all_sound(store)


# --- driven by queries ---


def check(engine: CeqlEngine, batch: Any, least: int = 1) -> None:
    """Feed one event; nothing is broken in what it completes, and for starts from `least` on."""
    for _ in engine.advancing(batch):
        for end, root, least in engine.triggers.reshape(-1, 3).tolist():
            assert broken_trigger(engine.store, (end, root, least)) == []
            counts = counts_below(engine.store, root, least)
            members = [each.member for each in enumerated(engine.store, (end, root, least))]
            assert len(members) == counts[root]
            some = sorted({0, len(members) // 2, len(members) - 1})
            rows = Counter().numbered(engine.store, (end, root, least), some)
            for number, row in zip(some, rows, strict=True):
                assert (row.start, row.positions, row.labels) == members[number]
                slowly = numbered(engine.store, counts.__getitem__, (end, root, least), number)
                assert row == slowly
    assert broken_lists(engine.store, least) == []


@examples(150)
@given(ceql_cases(), st.sampled_from(["auto", "dense"]))
def test_after_every_event(case: CeqlCase, path: Path) -> None:
    """The union-lists of every state, and what each event completes."""
    engine = CeqlEngine(case.query, case.readings, path=path)
    for alike in of_one_type(case.merged()):
        for batch in batches(alike, 1):
            check(engine, batch)


FORMULAS = (
    "A+", "A ; B+ ; A", "(A OR B)+ ; C", "(A ; B+)+ ; C", "A ; B:+ ; C", "(A+ ; B) OR (B+ ; C)",
    "A ; B ; C", "A ; NOT(B) ; C", "(A FILTER A[n > 0])+ ; B FILTER B[n < 2]", "A : (B ; A)+",
)
CLAUSES = (
    "", "PARTITION BY [k]", "PARTITION BY [k], [n]", "CONSUME BY ANY", "PARTITION BY [k] CONSUME"
    " BY PARTITION", "PARTITION BY [k] CONSUME BY ANY",
)  # fmt: skip
WINDOWS = ("WITHIN 7 EVENTS", "WITHIN 3 SECONDS", "WITHIN 4 [t]", "WITHIN 0 [t]")


@examples(50)
@given(
    st.sampled_from(FORMULAS), st.sampled_from(CLAUSES), st.sampled_from(WINDOWS),
    st.sampled_from(["", "", "", "NEXT", "LAST", "MAX", "STRICT", "ANY"]),
    st.sampled_from(["auto", "dense"]), st.sampled_from([16, 64]),
    st.integers(0, 1 << 32).map(Random),
)  # fmt: skip
def test_where_the_ring_is_often_full(
    formula: str, clauses: str, window: str, strategy: str, path: Path, nodes: int, chance: Random
) -> None:
    """Streams of many windows: nodes are forgotten, their places are taken by others."""
    partition, _, consume = clauses.partition("CONSUME")
    parts = ["SELECT", strategy, "* FROM S WHERE", formula, partition, window]
    query = parse(" ".join([*parts, f"CONSUME{consume}" if consume else ""]))
    engine = CeqlEngine(query, path=path, nodes=nodes)
    for event in stream(chance, 50):
        (batch,) = batches([event], 1)
        check(engine, batch, least_key(window, engine.position, event))


def least_key(window: str, position: int, event: EventTuple) -> int:
    """The key of the earliest start that an event may end (see `windows`)."""
    _, size, unit = window.split()
    measured = {"EVENTS": position + 1, "SECONDS": event.time, "[t]": event.get("t")}[unit]
    assert isinstance(measured, int)
    scale, bias = {"EVENTS": (1, 0), "SECONDS": (10**9, 1 << 63), "[t]": (1, 1 << 63)}[unit]
    return max(1, measured - int(size) * scale + bias)


def stream(chance: Random, size: int) -> list[EventTuple]:
    """Random events; time and `t` rise or stay."""
    tuples, moment = [], 0
    for _ in range(size):
        moment += chance.choice((0, 0, 1, 1, 2))
        attributes: dict[str, Value] = {"t": moment}
        attributes |= {name: chance.randrange(3) for name in "kn" if chance.random() < 0.9}
        tuples.append(EventTuple(chance.choice("AAABBBCCD"), attributes, moment * 1_000_000_000))
    return tuples


@pytest.mark.parametrize("formula", ["A+ ; B", "A ; A ; A ; B", "(A ; A)+ ; B", "(A OR C)+ ; B"])
@pytest.mark.parametrize("path", ["auto", "dense"])
def test_the_delay_of_the_first_thousands_of_astronomically_many(formula: str, path: Path) -> None:
    chance = Random(formula)
    engine = CeqlEngine(parse(f"SELECT * FROM S WHERE {formula}"), path=path)
    tuples = [EventTuple(chance.choice("AAAC")) for _ in range(300)]
    for batch in batches([*tuples, EventTuple("B")], 301):
        for _ in engine.advancing(batch):
            for trigger in engine.triggers.reshape(-1, 3).tolist():
                for each in islice(enumerated(engine.store, trigger), 5000):
                    assert each.visits <= each.allowed
