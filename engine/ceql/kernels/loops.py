"""The two loops over the events of a block, with the arrays that they work on.

What a loop is called with changes rarely: arrays are gathered anew when the store or the automaton
has changed, not for every block.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..automaton.deterministic import Automaton, DenseTables, SparseTables
from ..windows import Measured
from .dense import advance_dense
from .sparse import advance_sparse, touching
from .store import Store
from .tables import Codes
from .tecs import Words


class Loop(Protocol):
    """Takes the events of a block on, as far as it comes; see `tables` for why it stops."""

    def touched(self, symbols: Codes) -> Codes | None:
        """The indices of the events that the loop looks at; None: of all."""

    def advance(
        self, which: Codes | None, symbols: Codes, partitions: Codes, known: int,
        measured: Measured, position: np.uint64,
    ) -> int:  # fmt: skip
        """Go on from the event (of `which`) that register NEXT says.

        `known` partitions are numbered so far, those of these events are `partitions`; the block
        begins at `position`.
        """


class SparseLoop:
    """`sparse.advance_sparse`"""

    def __init__(
        self, automaton: Automaton, store: Store, extent: np.uint64, triggers: Words,
        consume: np.uint64,
    ) -> None:  # fmt: skip
        self._automaton = automaton
        self._store = store
        self._extent = extent
        self._ending = (triggers, consume)
        self._tables: SparseTables | None = None
        self._changes = -1
        self._which: Codes = np.zeros(0, np.uint32)
        self._fixed: tuple[Any, ...] = ()

    def touched(self, symbols: Codes) -> Codes:
        if self._which.size <= symbols.size:
            self._which = np.empty(symbols.size + 1, np.uint32)
        tables = self._automaton.sparse_tables()
        return self._which[: touching(symbols, tables.offsets, self._which)]

    def advance(
        self, which: Codes | None, symbols: Codes, partitions: Codes, known: int,
        measured: Measured, position: np.uint64,
    ) -> int:  # fmt: skip
        store = self._store
        if (
            store.changes != self._changes
            or known > store.partitions
            or self._automaton.sparse_tables() is not self._tables
        ):
            self._gather(known)
        assert which is not None
        return advance_sparse(
            which, symbols, partitions, *measured, position, self._extent, *self._fixed
        )

    def _gather(self, known: int) -> None:
        store = self._store
        self._tables = tables = self._automaton.sparse_tables()
        store.make_room(known, len(self._automaton.states), tables.gains + 2)
        store.reserve((2 * store.width + 4) * tables.most + 2)
        made, targets, outputs = _scratch(tables.most + 1, 3)
        self._fixed = (
            store.nodes, store.registers, store.lists, store.lengths, store.heads, store.merged,
            store.epochs, np.uint64(store.states), np.uint64(store.width),
            np.uint64(store.width - tables.gains), tables.offsets, tables.program,
            made, targets, outputs, *self._ending,
        )  # fmt: skip
        self._changes = store.changes


class DenseLoop:
    """`dense.advance_dense`"""

    def __init__(
        self, automaton: Automaton, store: Store, extent: np.uint64, triggers: Words,
        consume: np.uint64,
    ) -> None:  # fmt: skip
        self._automaton = automaton
        self._store = store
        self._extent = extent
        self._ending = (triggers, consume)
        self._tables: DenseTables | None = None
        self._changes = -1
        self._fixed: tuple[Any, ...] = ()
        store.order_states()

    def touched(self, symbols: Codes) -> None:
        return None

    def advance(
        self, which: Codes | None, symbols: Codes, partitions: Codes, known: int,
        measured: Measured, position: np.uint64,
    ) -> int:  # fmt: skip
        store = self._store
        if (
            store.changes != self._changes
            or known > store.partitions
            or self._automaton.dense_tables() is not self._tables
        ):
            self._gather(known)
        return advance_dense(symbols, partitions, *measured, position, self._extent, *self._fixed)

    def _gather(self, known: int) -> None:
        store = self._store
        self._tables = tables = self._automaton.dense_tables()
        # Maxima of a list are distinct after the first, and each is some state's or the new one.
        states = len(self._automaton.states)
        store.make_room(known, states, states + 3)
        store.reserve((2 * store.width + 8) * tables.most + 2)
        (lists,) = _scratch(store.states * store.width, 1)
        lengths, heads, merged, order, outputs = _scratch(max(store.states, tables.most) + 1, 5)
        self._fixed = (
            store.nodes, store.registers, store.lists, store.lengths, store.heads, store.merged,
            store.epochs, store.orders, store.actives, store.contexts,
            np.uint64(store.states), np.uint64(store.width), np.uint64(store.width),
            np.uint64(tables.symbol_room), tables.rows, tables.start_rows, tables.next_contexts,
            tables.transitions, lists, lengths, heads, merged, order, outputs, *self._ending,
        )  # fmt: skip
        self._changes = store.changes


def _scratch(size: int, count: int) -> list[Words]:
    return [np.zeros(size, np.uint64) for _ in range(count)]
