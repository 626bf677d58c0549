"""The update phase (CORE Algorithm 1) over record batches: its loops and their arrays.

The arguments of a loop change rarely: arrays are gathered anew when the store or the automaton
has changed, not for every block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from ....semantics.model.errors import Impossible, StreamError
from ....semantics.model.tuples import TYPE
from ...checkpoints.state_schema import stateful
from ...kernels import KERNELS
from ...tuning import IN_USE
from ..automaton.deterministic import Automaton
from ..symbols.columns import Column, Reader, RecordBatch, Strings
from ..symbols.partitions import Partitions
from ..symbols.symbols import Symbols
from ..windows import Window
from . import tables
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
        """Return the indices of the events that the loop looks at; None: of all."""

    @abstractmethod
    def tables(self) -> Tables:
        """Return the automaton as far as it is determinised."""

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


_STEPS = 4  # that an event takes, beside one for each state


@stateful(
    kept=("position", "_many"), parts=("automaton", "store", "window", "partitions"),
    compiled=("all_triggers", "_symbols", "_guess", "_stream_column", "_consume", "_dense"),
    anew=("_reader", "_loop", "_running"),
)
class Update:
    """Takes events in and records triggers: events that complete something.

    Without `type_column` it is `@type` or else `type`. `dense` asks for the dense loop.
    """

    def __init__(
        self,
        automaton: Automaton,
        store: Store,
        window: Window,
        partition: Sequence[Sequence[str]],
        *,
        type_column: str | None,
        stream_column: str,
        consume: np.uint64,
        dense: bool,
    ) -> None:
        self.automaton = automaton
        self.store = store
        self.window = window
        self.partitions = Partitions(partition)
        self.position = 0
        """The position of the next event."""
        self.all_triggers: Words = np.zeros(IN_USE.triggers * int(tables.TRIGGER_WORDS), np.uint64)
        self._symbols = Symbols(
            automaton.tests, automaton.symbol, type_column or TYPE, stream_column
        )
        self._guess = type_column is None
        self._stream_column = stream_column
        self._reader: Reader | None = None
        self._consume = consume
        self._loop: SparseLoop | DenseLoop | None = None
        self._dense = dense
        self._many = 2 * IN_USE.partitions
        self._running: Iterator[None] | None = None

    def restart(self) -> None:
        """Discard all events; keep the determinised automaton and the symbols."""
        self._running = None
        self.position = 0
        self._many = 2 * IN_USE.partitions
        self.partitions.restart()
        self.store.clear()
        self.window.restart()

    @property
    def columns(self) -> frozenset[str]:
        """The columns that are read; a batch may have others."""
        read = self._symbols.attributes | self.window.columns | set(self.partitions.attributes)
        return frozenset({self._symbols.type_column, self._stream_column} | read)

    @property
    def triggered(self) -> int:
        """The number of triggers since the last stop."""
        return int(self.store.registers[tables.TRIGGERS])

    def advancing(self, batch: Any) -> Iterator[None]:
        """Take events in; stops whenever triggers are to be dealt with before going on."""
        if self._running is not None:
            for _ in self._running:  # an iteration that was given up
                pass
        self._running = self._advancing(batch)
        return self._running

    def _advancing(self, batch: Any) -> Iterator[None]:
        pieces = batch.to_batches() if isinstance(batch, pa.Table) else (batch,)
        for piece in pieces:
            # An event is encoded, folded, and seen by each state; a loop asks several things of it.
            KERNELS.charge(piece.num_rows * (_STEPS + len(self.automaton.states)))
            for columns, rows in self._blocks(piece):
                yield from self._measured(columns, rows)
        self._running = None

    def encoded(self, batch: RecordBatch) -> tuple[Codes, Codes]:
        """Return the symbols and the partitions (none without PARTITION BY) of a batch's events.

        For who wants to do something else with them; the engine must not be used afterwards.
        """
        columns = self._columns(batch)
        symbols = self._symbols.of(columns, batch.num_rows)
        return symbols, self.partitions.of(columns, None, batch.num_rows)

    def _columns(self, batch: RecordBatch) -> dict[str, Column]:
        if self._reader is None:
            if self._guess and TYPE not in batch.schema.names:
                self._symbols.type_column = "type"
            constants = self._symbols.constants
            for name in self.partitions.attributes:
                constants.pop(name, None)
            self._reader = Reader(self.columns, constants)
        columns = self._reader.columns(batch)
        types = columns.get(self._symbols.type_column)
        if isinstance(types, Strings):
            if types.valid is not None:
                self._untyped(int(np.argmin(types.valid)))
        elif batch.num_rows:
            name = self._symbols.type_column
            if name in batch.schema.names and types is None:
                self._untyped(0)
            if types is None:
                raise StreamError(
                    f"no column '{name}' holds the event type (the columns are:"
                    f" {', '.join(batch.schema.names) or 'none'})"
                )
        return columns

    def _untyped(self, row: int) -> None:
        raise StreamError(
            f"tuple {self.position + row} has no event type (column"
            f" '{self._symbols.type_column}' is empty)"
        )

    def _blocks(self, batch: RecordBatch) -> Iterator[tuple[dict[str, Column], int]]:
        columns, rows = self._columns(batch), batch.num_rows
        block = IN_USE.block
        if 0 < rows <= block:
            yield columns, rows
            return
        for begin in range(0, rows, block):
            end = min(begin + block, rows)
            yield {name: c.rows(begin, end) for name, c in columns.items()}, end - begin

    def _measured(self, columns: dict[str, Column], rows: int) -> Iterator[None]:
        """Yield the events up to where the window's attribute first falls, and the others.

        What is forgotten before it falls must not depend on how soon that is known.
        """
        while (before := self.window.before_fall(columns, rows)) < rows:
            yield from self._take({n: c.rows(0, before) for n, c in columns.items()}, before)
            columns = {name: column.rows(before, rows) for name, column in columns.items()}
            rows -= before
        yield from self._take(columns, rows)

    def _take(self, columns: dict[str, Column], rows: int) -> Iterator[None]:
        self._forget_partitions()
        symbols = self._symbols.of(columns, rows)
        measured = self.window.measured(columns, rows)
        if self.window.converts is not None:
            self.store.convert(self.window.converts)
            self.window.converts = None
        loop = self._suitable_loop()
        which = loop.touched(symbols)
        if which is not None and not which.size:
            self.position += rows
            return
        partitions = self.partitions.of(columns, which, rows)
        block = Block(symbols, partitions, np.uint64(self.position))
        registers = self.store.registers
        registers[tables.NEXT] = 0
        while True:
            status = loop.advance(which, block, measured, self.partitions.count)
            if status == tables.MISS:
                self.automaton.learn(
                    int(registers[tables.MISSED_STATE]), int(registers[tables.MISSED_SYMBOL])
                )
                continue
            if status == tables.LISTS:
                self.store.make_room(1, 1, 2 * self.store.width)
                continue
            if registers[tables.TRIGGERS]:
                yield
                registers[tables.TRIGGERS] = 0
            if status == tables.DONE:
                break
            if status == tables.SPACE:
                at = int(registers[tables.NEXT])
                row = at if which is None else int(which[at])
                self.store.forget(self.window.forgettable(measured, row, self.position + row))
                measured = self.window.dropping(measured)
                if 4 * self.store.live > 3 * self.store.quota:
                    self.store.quota *= 2
            elif status != tables.FULL:
                raise Impossible(f"a kernel came back with {status}")
        self.position += rows

    def _suitable_loop(self) -> SparseLoop | DenseLoop:
        dense = self._dense or not self.automaton.sparse
        if self._loop is None or (dense and isinstance(self._loop, SparseLoop)):
            make = DenseLoop if dense else SparseLoop
            reporting = Reporting(self.all_triggers, self.window.extent, self._consume)
            self._loop = make(self.automaton, self.store, reporting)
        return self._loop

    def _forget_partitions(self) -> None:
        """Evict the partitions without runs when they are many."""
        if self.partitions.count > self._many:
            least = self.window.passed(self.position)
            kept = self.store.occupied(self.partitions.count, least)
            self.partitions.keep(kept)
            self.store.keep(kept)
            self._many = 2 * max(IN_USE.partitions, int(kept.sum()))
