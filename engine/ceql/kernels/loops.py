"""The two loops over the events of a block, with the arrays that they work on.

What a loop is called with changes rarely: arrays are gathered anew when the store or the automaton
has changed, not for every block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from ..automaton.deterministic import Automaton
from .dense import After, DenseTables, advance_dense
from .sparse import Additions, SparseTables, advance_sparse, touching
from .store import Store
from .tables import Block, Codes, Measured, Reporting, Slots, UnionLists
from .tecs import Ring, Words

Tables = TypeVar("Tables", SparseTables, DenseTables)
Scratch = TypeVar("Scratch", Additions, After)


class Loop(ABC, Generic[Tables, Scratch]):
    """Takes the events of a block on, as far as it comes; see `tables` for why it stops."""

    def __init__(self, automaton: Automaton, store: Store, reporting: Reporting) -> None:
        self._automaton = automaton
        self._store = store
        self._reporting = reporting
        self._changes = -1
        # Gathered before the first event.
        self._ring: Ring
        self._lists: UnionLists
        self._slots: Slots
        self._longest: np.uint64
        self._tables: Tables | None = None
        self._scratch: Scratch

    @abstractmethod
    def touched(self, symbols: Codes) -> Codes | None:
        """The indices of the events that the loop looks at; None: of all."""

    @abstractmethod
    def tables(self) -> Tables:
        """The automaton as it is known now."""

    @abstractmethod
    def reserve(self, tables: Tables, partitions: int) -> tuple[int, Scratch]:
        """Make room in the store; how many nodes one event may add to a list, and scratch."""

    @abstractmethod
    def run(self, which: Codes | None, block: Block, measured: Measured) -> int:
        """Call the kernel."""

    def advance(
        self, which: Codes | None, block: Block, measured: Measured, partitions: int
    ) -> int:
        """Go on from the event (of `which`) that register NEXT says.

        So many partitions are numbered so far; those of the block are of these events.
        """
        store = self._store
        tables = self.tables()
        if (
            store.changes != self._changes
            or partitions > store.partitions
            or tables is not self._tables
        ):
            gains, self._scratch = self.reserve(tables, partitions)
            self._ring, self._lists, self._slots = store.ring, store.union_lists, store.slots
            self._longest = np.uint64(store.width - gains)
            self._tables, self._changes = tables, store.changes
        return self.run(which, block, measured)


class SparseLoop(Loop[SparseTables, Additions]):
    """`sparse.advance_sparse`"""

    def __init__(self, automaton: Automaton, store: Store, reporting: Reporting) -> None:
        super().__init__(automaton, store, reporting)
        self._which: Codes = np.zeros(0, np.uint32)

    def touched(self, symbols: Codes) -> Codes:
        if self._which.size <= symbols.size:
            self._which = np.empty(symbols.size + 1, np.uint32)
        return self._which[: touching(symbols, self.tables().offsets, self._which)]

    def tables(self) -> SparseTables:
        return self._automaton.sparse_tables()

    def reserve(self, tables: SparseTables, partitions: int) -> tuple[int, Additions]:
        store = self._store
        store.make_room(partitions, len(self._automaton.states), tables.gains + 2)
        store.reserve((2 * store.width + 4) * tables.most + 2)
        return tables.gains, Additions(*_words(tables.most + 1, 3))

    def run(self, which: Codes | None, block: Block, measured: Measured) -> int:
        assert which is not None
        assert self._tables is not None
        return advance_sparse(
            which, block, measured, self._ring, self._lists, self._slots, self._longest,
            self._tables, self._scratch, self._reporting,
        )  # fmt: skip


class DenseLoop(Loop[DenseTables, After]):
    """`dense.advance_dense`"""

    def __init__(self, automaton: Automaton, store: Store, reporting: Reporting) -> None:
        super().__init__(automaton, store, reporting)
        if not store.ordered:
            store.order_states()

    def touched(self, symbols: Codes) -> None:
        return None

    def tables(self) -> DenseTables:
        return self._automaton.dense_tables()

    def reserve(self, tables: DenseTables, partitions: int) -> tuple[int, After]:
        # Maxima of a list are distinct after the first. Where keys rise, each is some state's or
        # the new one; where they fall, that many may be added at each event.
        store = self._store
        states = len(self._automaton.states)
        store.make_room(partitions, states, states + 3)
        store.reserve((2 * store.width + 8) * tables.most + 2)
        (cells,) = _words(store.states * store.width, 1)
        lengths, heads, merged, order, outputs = _words(max(store.states, tables.most) + 1, 5)
        lists = UnionLists(cells, lengths, heads, merged, np.uint64(store.width))
        return 0, After(lists, order, outputs)

    def run(self, which: Codes | None, block: Block, measured: Measured) -> int:
        assert self._tables is not None
        self._store.falls = self._store.falls or measured.thresholds.size > 0
        added = len(self._automaton.states) + 1 if self._store.falls else 0
        return advance_dense(
            block, measured, self._ring, self._lists, self._slots,
            self._longest - np.uint64(added), self._tables, self._scratch, self._reporting,
        )  # fmt: skip


def _words(size: int, count: int) -> list[Words]:
    return [np.zeros(size, np.uint64) for _ in range(count)]
