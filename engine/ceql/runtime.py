"""The engine: events in, complex events out, incrementally and in bounded memory."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ...semantics.ceql.readings import Readings
from ...semantics.ceql.syntax import CeqlQuery, Consumption, Strategy
from ...semantics.errors import Impossible, StreamError
from ...semantics.streams.tuples import STREAM, TIME, TYPE
from . import tables, tecs
from .automaton import Automaton
from .columns import Column, Reader, RecordBatch
from .counting import Counter
from .dense import advance_dense
from .output import ROWS, Enumerator, Row
from .partitions import Partitions
from .sparse import advance_sparse
from .store import NODES, Store
from .symbols import Symbols
from .tables import Codes
from .windows import Measured, Window

Path = Literal["auto", "dense"]

_TRIGGERS = 4096
_PARTITIONS = 4096  # below twice as many none are forgotten
_BLOCK = 1 << 14  # events whose columns fit into the processor's cache
_CONSUMPTION = {
    Consumption.NONE: tables.CONSUME_NONE,
    Consumption.ANY: tables.CONSUME_ANY,
    Consumption.PARTITION: tables.CONSUME_PARTITION,
}


class CeqlEngine:
    """A query that runs over batches of events, of any size, one after the other.

    A batch is a pyarrow RecordBatch or Table: a column `@type` (or `type`, or the one that is
    named) of event types, `@time` (int64, nanoseconds) where WITHIN measures arrival time,
    `@stream` where the query names streams, and the attributes. Strings may be dictionary-encoded,
    which is fastest. Positions count from 0 over all batches.

    `path="dense"` forces the paper's loop where the sparse one would do. `disorder` bounds how far
    the attribute of a window `WITHIN n [a]` falls behind the greatest value seen (in its own
    units): with it memory is bounded for attributes that are not monotone, too. `nodes` is the
    tECS's capacity to begin with, a power of two; `rows` bounds the size of the batches handed out.
    """

    def __init__(
        self,
        query: CeqlQuery,
        readings: Readings | None = None,
        *,
        type_column: str | None = None,
        time_column: str = TIME,
        stream_column: str = STREAM,
        path: Path = "auto",
        disorder: int | None = None,
        nodes: int = NODES,
        rows: int = ROWS,
    ) -> None:
        self.query = query
        self.readings = (readings or Readings()).applied_to(query)
        self._labelled = self.readings.output == "valuation"
        self._late = (
            self.readings.strategy == "after-within"
            and query.within is not None
            and query.strategy in (Strategy.NEXT, Strategy.LAST, Strategy.MAX)
        )
        strategy = Strategy.ALL if self._late else query.strategy
        self.automaton = Automaton(query, labelled=self._labelled, strategy=strategy)
        self.store = Store(nodes)
        self.window = Window(query.within, self.readings.within, time_column, disorder)
        self.partitions = Partitions(query.partition)
        self._symbols = Symbols(
            self.automaton.tests, self.automaton.symbol, type_column or TYPE, stream_column
        )
        self._guess = type_column is None  # the name of the column of types
        self._stream_column = stream_column
        self._reader: Reader | None = None
        self._dense = path == "dense"
        self._order_known = False
        self._consume = _CONSUMPTION[query.consume]
        self._triggers = np.zeros(_TRIGGERS * int(tables.TRIGGER_WORDS), np.uint64)
        self._many = 2 * _PARTITIONS
        self._position = 0
        labels = self.automaton.labels if self._labelled else None
        self._enumerator = Enumerator(labels, self.automaton.variables, rows=rows)
        self._counter = Counter()
        self._running: Iterator[None] | None = None
        self.remaining = query.limit if self.readings.limit == "query" else None
        """How many complex events LIMIT still allows, under `limit=query`."""
        self.limit = 1 if query.strategy is Strategy.ANY else 0
        """How many complex events one event may trigger; 0: any number."""
        if query.limit is not None and self.readings.limit == "event":
            self.limit = min(self.limit or query.limit, query.limit)
            if query.limit == 0:
                self.remaining = 0

    # --- in ---

    @property
    def position(self) -> int:
        """The position of the next event."""
        return self._position

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the engine reads; a batch may have others."""
        read = self._symbols.attributes | self.window.columns | set(self.partitions.attributes)
        return frozenset({self._symbols.type_column, self._stream_column} | read)

    def feed(self, batch: Any) -> Any:
        """The complex events that these events complete, as one pyarrow Table."""
        batches = list(self.batches(batch))
        if not batches:
            return pa.Table.from_batches([], self._enumerator.schema)
        return pa.Table.from_batches(batches).combine_chunks()

    def batches(self, batch: Any) -> Iterator[RecordBatch]:
        """The same, a buffer at a time: nothing is enumerated before it is asked for.

        What is left when the iteration is given up is never reported; the engine goes on.
        """
        for _ in self.advancing(batch):
            for found in self.found():
                if self.remaining is not None:
                    self.remaining -= found.num_rows
                yield found

    def skip(self, batch: Any) -> int:
        """Take events in without enumerating anything; how many of them completed something."""
        return sum(self.triggered for _ in self.advancing(batch))

    def count(self, batch: Any) -> int:
        """How many complex events these events complete; none of them is enumerated."""
        return sum(sum(self.counted()[1]) for _ in self.advancing(batch))

    # --- between ---

    @property
    def triggered(self) -> int:
        """How many events have completed something, since the last stop."""
        return int(self.store.registers[tables.TRIGGERS])

    @property
    def triggers(self) -> tecs.Words:
        """They, as triples: position, root of the complex events, least start key."""
        return self._triggers[: self.triggered * int(tables.TRIGGER_WORDS)]

    def found(self) -> Iterator[RecordBatch]:
        """The complex events of the triggers of the latest stop."""
        if self._late:
            return self._enumerator.written(islice(self._selected(), self.remaining))
        return self._enumerator.batches(
            self.store, self._triggers, self.triggered, self.limit, self.remaining
        )

    def counted(self) -> tuple[list[tuple[int, int, int]], list[int]]:
        """The triggers of the latest stop, and how many complex events are reported of each."""
        triggers = [
            (end, root, least) for end, root, least in self.triggers.reshape(-1, 3).tolist()
        ]
        if self._late:
            per_end = Counts(row.end for row in self._selected())
            counts = [per_end[end] for end, _, _ in triggers]
        else:
            counts = self._counter.counts(self.store, self._triggers, self.triggered)
            if self.limit:
                counts = [min(count, self.limit) for count in counts]
        if self.remaining is not None:
            for i, count in enumerate(counts):
                counts[i] = min(count, self.remaining)
                self.remaining -= counts[i]
        return triggers, counts

    def numbered(self, trigger: tuple[int, int, int], numbers: Sequence[int]) -> list[Row]:
        """Those with these numbers among the complex events of one of the `counted` triggers."""
        if self._late:
            rows = list(self._selected_of(*trigger))
            return [rows[number] for number in numbers]
        return self._counter.numbered(self.store, trigger, numbers)

    def rows(self, rows: Iterator[Row]) -> Iterator[RecordBatch]:
        """Complex events that have been found otherwise, as batches."""
        return self._enumerator.written(rows)

    def _selected(self) -> Iterator[Row]:
        for trigger in self.triggers.reshape(-1, 3).tolist():
            yield from self._selected_of(*trigger)

    def _selected_of(self, position: int, root: int, least: int) -> Iterator[Row]:
        from .selection import selected

        taken = selected(self.store, root, position, least, self.query.strategy)
        return islice(taken, self.limit or None)

    def advancing(self, batch: Any) -> Iterator[None]:
        """Take events in; stops whenever triggers are to be dealt with before going on."""
        if self._running is not None:
            for _ in self._running:  # an iteration that was given up
                pass
        self._running = self._advancing(batch)
        return self._running

    def _advancing(self, batch: Any) -> Iterator[None]:
        pieces = batch.to_batches() if isinstance(batch, pa.Table) else [batch]
        for piece in pieces:
            yield from self._advance(piece)
        self._running = None

    def _columns(self, batch: RecordBatch) -> dict[str, Column]:
        if self._reader is None:
            if self._guess and TYPE not in batch.schema.names:
                self._symbols.type_column = "type"
            self._reader = Reader(self.columns)
        columns = self._reader.columns(batch)
        if self._symbols.type_column not in columns and batch.num_rows:
            raise StreamError(
                f"no column '{self._symbols.type_column}' holds the event type (the columns are:"
                f" {', '.join(batch.schema.names) or 'none'})"
            )
        return columns

    def _advance(self, batch: RecordBatch) -> Iterator[None]:
        columns = self._columns(batch)
        for begin in range(0, batch.num_rows, _BLOCK):
            end = min(begin + _BLOCK, batch.num_rows)
            block = columns
            if end - begin < batch.num_rows:
                block = {name: column.rows(begin, end) for name, column in columns.items()}
            yield from self._take(block, end - begin)

    def _take(self, columns: dict[str, Column], rows: int) -> Iterator[None]:
        symbols = self._symbols.of(columns, rows)
        measured = self.window.measured(columns, rows)
        if self.window.converts is not None:
            self.store.convert(self.window.converts)
            self.window.converts = None
        partitions = self._partitions_of(columns, rows)
        registers = self.store.registers
        registers[tables.NEXT] = 0
        stuck = -1  # the event for which the ring was too small even when emptied
        while True:
            status = self._kernel(symbols, partitions, measured)
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
                self.store.forget(self.window.forgettable(measured, at, self._position + at))
                measured = self.window.dropping(measured)
                if 2 * self.store.live > self.store.capacity or at == stuck:
                    self.store.grow()
                stuck = at
            elif status != tables.FULL:
                raise Impossible(f"a kernel came back with {status}")
        self._position += rows

    def _partitions_of(self, columns: dict[str, Column], rows: int) -> Codes:
        """Each event's partition; partitions without runs are forgotten when they are many."""
        if self.partitions.count > self._many:
            self.store.forget(self.window.passed(self._position))
            kept = self.store.occupied(self.partitions.count)
            self.partitions.keep(kept)
            self.store.keep(kept)
            self._many = 2 * max(_PARTITIONS, int(kept.sum()))
        return self.partitions.of(columns, rows)

    def _kernel(self, symbols: Codes, partitions: Codes, measured: Measured) -> int:
        """Go on from where the last call stopped."""
        store, automaton = self.store, self.automaton
        states = len(automaton.states)
        if self._dense or not automaton.sparse:
            return self._dense_kernel(symbols, partitions, measured, states)
        sparse = automaton.sparse_tables()
        store.make_room(self.partitions.count, states, sparse.gains + 2)
        store.reserve((2 * store.width + 4) * sparse.most + 2)
        made, targets, outputs = _scratch(sparse.most + 1, 3)
        return advance_sparse(
            symbols, partitions, measured.keys, measured.thresholds, measured.floors,
            measured.drops, np.uint64(self._position), self.window.extent,
            store.nodes, store.registers, store.lists, store.lengths, store.heads, store.merged,
            store.epochs, np.uint64(store.states), np.uint64(store.width),
            np.uint64(store.width - sparse.gains), sparse.offsets, sparse.program,
            made, targets, outputs, self._triggers, self._consume,
        )  # fmt: skip

    def _dense_kernel(
        self, symbols: Codes, partitions: Codes, measured: Measured, states: int
    ) -> int:
        store = self.store
        if not self._order_known:
            store.order_states()
            self._dense = self._order_known = True
        dense = self.automaton.dense_tables()
        # Maxima of a list are distinct after the first, and each is some state's or the new one.
        store.make_room(self.partitions.count, states, states + 3)
        margin = (2 * store.width + 8) * dense.most + 2
        while 4 * margin > store.capacity:
            store.grow()
        store.reserve(margin)
        (lists,) = _scratch(store.states * store.width, 1)
        lengths, heads, merged, order, outputs = _scratch(max(store.states, dense.most) + 1, 5)
        return advance_dense(
            symbols, partitions, measured.keys, measured.thresholds, measured.floors,
            measured.drops, np.uint64(self._position), self.window.extent,
            store.nodes, store.registers, store.lists, store.lengths, store.heads, store.merged,
            store.epochs, store.orders, store.actives, store.contexts,
            np.uint64(store.states), np.uint64(store.width),
            np.uint64(store.width), np.uint64(dense.symbol_room),
            dense.rows, dense.start_rows, dense.next_contexts, dense.transitions,
            lists, lengths, heads, merged, order, outputs, self._triggers, self._consume,
        )  # fmt: skip


def _scratch(size: int, count: int) -> list[tecs.Words]:
    return [np.zeros(size, np.uint64) for _ in range(count)]
