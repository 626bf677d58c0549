"""The program of a sequence for the kernels, as arrays of integers.

A *leaf* says which row an item has, over the leaf's columns; a row is ids, 0 for unbound. A
*source* lets an edge take rows of a leaf, or the lack of one. An edge leads from a state to a
state; a partial match in a state has a row over the state's *key columns*, which decide how it goes
on, and stands for past rows over its *carried columns*, which the answer is made of.

A column of what is joined is a pair (left, right): the place in the row of the partial match and
that in the row of the item, -1 for none; its value is the left one, if that is bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Place: TypeAlias = tuple[int, int]

STRICT, NEXT, ANY = 0, 1, 2
"""Contiguities: the very next instant, the next that joins, any later one."""

WHERE_ROW, WHERE_NONE, ALWAYS = 0, 1, 2
"""The condition under which a source gives a row to its edge: its leaf has a row; has none; the
item is of its stream (the last two give a row that binds nothing)."""

EQUAL, DIFFERENT, LESS, LESS_EQUAL, ASKED = range(5)
"""The comparisons of a condition; ASKED: none, so that its question is asked at once."""

# Words of an edge.
(
    E_SOURCE, E_TARGET, E_CONTIGUITY, E_FORGETS, E_GROUPED, E_FINAL, E_KEYS, E_JOINED, E_ORDERED,
) = range(9)
EDGE: Final = 9
# Words of a source.
S_EDGE, S_LEAF, S_WHEN, S_SHARED, S_BEGIN, S_END = range(6)
SOURCE: Final = 6
# Words of a state.
T_KEYS, T_CARRIED, T_BEGIN, T_END, T_LOOPS = range(5)
STATE: Final = 5
# Words of a condition.
C_SYMBOL, C_LEFT, C_RIGHT, C_CONSTANT, C_LEFT2, C_RIGHT2, C_CONSTANT2, C_QUESTION = range(8)
CONDITION: Final = 8


class Program(NamedTuple):
    """Tables, each a row after the other; those of places have `width` words a row."""

    edges: Integers
    sources: Integers
    states: Integers
    outgoing: Integers
    """the edges out of states, by T_BEGIN and T_END"""
    conditions: Integers
    to_key: Integers
    """by edge: of each key column of the edge, its place in the row of the source state"""
    hashed_left: Integers
    """by edge: places in the key row of what is shared and always bound"""
    hashed_right: Integers
    """by source: the same in the item's row"""
    shared_left: Integers
    shared_right: Integers
    """by source: places of what both rows may bind"""
    key_left: Integers
    key_right: Integers
    """by source: the target's key columns"""
    carried_left: Integers
    carried_right: Integers
    """by source: the target's carried columns, the left ones in the row carried by the source"""
    answer_left: Integers
    answer_right: Integers
    """by source: what is selected"""
    sizes: Integers
    """[width, edges, sources, selected, most edges out of a state]"""


WIDTH, EDGES, SOURCES, SELECTED, BRANCHES = range(5)


@dataclass(frozen=True, slots=True)
class Test:
    """A condition: a symbol between two operands, each a place and a constant, 0 for none; and
    the number of the question that is asked about the two where kernels do not know."""

    symbol: int
    one: tuple[int, int, int]
    other: tuple[int, int, int]
    question: int


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """The use of a leaf's rows by an edge. Of `shared`, the first `hashed` are always bound."""

    leaf: int
    when: int
    shared: Sequence[Place]
    hashed: int
    tests: Sequence[Test]
    key: Sequence[Place]
    carried: Sequence[Place]
    answer: Sequence[Place]


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """An edge. `forgets`: its carried columns are its key columns, so that no past is needed."""

    source: int
    target: int
    contiguity: int
    forgets: bool
    final: bool
    to_key: Sequence[int]
    """places, in the key columns of the source state, of the edge's key columns"""
    sources: Sequence[SourcePlan]


@dataclass(frozen=True, slots=True)
class StatePlan:
    """A state: how many columns its rows have. State 0 is the start. `loops`: it follows itself,
    and what a partial match in it stands for is kept once it has been found out."""

    keys: int
    carried: int
    loops: bool = False


def _ordered(edge: EdgePlan) -> int:
    """Return the place in the edge's key row of a value that is less or greater than one of the
    item; -1 for none. Groups that wait for a strict edge are gone at once."""
    for test in (test for source in edge.sources for test in source.tests):
        if edge.contiguity != STRICT and test.symbol in (LESS, LESS_EQUAL):
            for one, other in ((test.one, test.other), (test.other, test.one)):
                if one[0] >= 0 and one[1] < 0 and other[0] < 0 and other[1] >= 0:
                    return one[0]
    return -1


def program(
    states: Sequence[StatePlan], edges: Sequence[EdgePlan], leaves: Sequence[int], selected: int
) -> Program:
    """Return the program of a sequence; `leaves` are the leaves' numbers of columns."""
    width = max(
        1, selected, *leaves, *(max(state.keys, state.carried) for state in states),
        *(len(edge.to_key) for edge in edges),
        *(len(source.shared) for edge in edges for source in edge.sources),
    )  # fmt: skip
    edge_words: list[int] = []
    source_words: list[int] = []
    conditions: list[int] = []
    places: dict[str, list[int]] = {name: [] for name in Program._fields}

    def put(name: str, values: Sequence[int]) -> None:
        places[name] += [*values, *[-1] * (width - len(values))]

    for number, edge in enumerate(edges):
        hashed = edge.sources[0].hashed
        left = [one for one, _ in edge.sources[0].shared[:hashed]]
        grouped = set(left) == set(range(len(edge.to_key)))
        edge_words += [
            edge.source, edge.target, edge.contiguity, edge.forgets, grouped, edge.final,
            len(edge.to_key), hashed, -1 if grouped else _ordered(edge),
        ]  # fmt: skip
        put("to_key", edge.to_key)
        put("hashed_left", left)
        for source in edge.sources:
            begin = len(conditions) // CONDITION
            for test in source.tests:
                conditions += [test.symbol, *test.one, *test.other, test.question]
            source_words += [
                number, source.leaf, source.when, len(source.shared), begin,
                len(conditions) // CONDITION,
            ]  # fmt: skip
            put("hashed_right", [right for _, right in source.shared[:hashed]])
            for name in ("shared", "key", "carried", "answer"):
                pairs: Sequence[Place] = getattr(source, name)
                put(f"{name}_left", [one for one, _ in pairs])
                put(f"{name}_right", [other for _, other in pairs])
    state_words: list[int] = []
    outgoing: list[int] = []
    for number, state in enumerate(states):
        leaving = [place for place, edge in enumerate(edges) if edge.source == number]
        state_words += [
            state.keys, state.carried, len(outgoing), len(outgoing) + len(leaving), state.loops,
        ]  # fmt: skip
        outgoing += leaving
    branches = max(
        end - begin
        for begin, end in zip(state_words[T_BEGIN::STATE], state_words[T_END::STATE], strict=True)
    )
    places |= {
        "edges": edge_words, "sources": source_words, "states": state_words,
        "outgoing": outgoing or [0], "conditions": conditions or [0] * CONDITION,
        "sizes": [width, len(edges), len(source_words) // SOURCE, selected, branches],
    }
    return Program(*(np.array(places[name], np.int64) for name in Program._fields))
