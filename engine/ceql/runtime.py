"""The engine: events in, complex events out, incrementally and in bounded memory."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import pyarrow as pa

from ...semantics.ceql.syntax.readings import PartitionReading, Readings
from ...semantics.ceql.syntax.tree import CeqlQuery, Consumption, Strategy
from ...semantics.model.tuples import STREAM, TIME
from ..checkpoints.state_schema import stateful
from .automaton.deterministic import Automaton
from .kernels import tables, tecs
from .kernels.store import Store
from .kernels.tables import Codes
from .kernels.update import Update
from .output.counting import Counter
from .output.records import Enumerator, Row
from .symbols.columns import RecordBatch
from .windows import Window

Path = Literal["auto", "dense"]

_CONSUMPTION = {
    Consumption.NONE: tables.CONSUME_NONE,
    Consumption.ANY: tables.CONSUME_ANY,
    Consumption.PARTITION: tables.CONSUME_PARTITION,
}


def _keys(
    lists: Sequence[Sequence[str]], reading: PartitionReading
) -> list[tuple[str, ...]]:
    """Return the partition keys: every attribute, or the first present one of each list."""
    if reading == "core":
        return [tuple(names) for names in lists]
    return [(name,) for names in lists for name in names]


@stateful(
    kept=("remaining",), parts=("automaton", "store", "window", "_update"),
    compiled=(
        "query", "readings", "limit", "partitions", "_labelled", "_late", "_triggers",
    ),
    anew=("_enumerator", "_counter"),
)
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
        nodes: int | None = None,
        rows: int | None = None,
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
        self._update = Update(
            self.automaton,
            self.store,
            self.window,
            _keys(query.partition, self.readings.partition),
            type_column=type_column,
            stream_column=stream_column,
            consume=_CONSUMPTION[query.consume],
            dense=path == "dense",
        )
        self.partitions = self._update.partitions
        self._triggers = self._update.all_triggers
        labels = self.automaton.labels if self._labelled else None
        self._enumerator = Enumerator(labels, self.automaton.variables, rows=rows)
        self._counter = Counter()
        self.limit = 1 if query.strategy is Strategy.ANY else 0
        """The maximum number of complex events that one event may trigger; 0: any number."""
        if query.limit is not None and self.readings.limit == "event":
            self.limit = min(self.limit or query.limit, query.limit)
        self._begin()

    def _begin(self) -> None:
        self.remaining = self.query.limit if self.readings.limit == "query" else None
        """The number of complex events that LIMIT still allows, under `limit=query`."""
        if self.query.limit == 0 and self.readings.limit == "event":
            self.remaining = 0

    def restart(self) -> None:
        """Discard all events: the same query over another stream."""
        self._update.restart()
        self._begin()

    # --- in ---

    @property
    def position(self) -> int:
        """The position of the next event."""
        return self._update.position

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the engine reads; a batch may have others."""
        return self._update.columns

    def encoded(self, batch: RecordBatch) -> tuple[Codes, Codes]:
        """Return the symbols and the partitions (none without PARTITION BY) of a batch's events.

        For callers who do something else with them; the engine must not be used afterwards.
        """
        return self._update.encoded(batch)

    def feed(self, batch: Any) -> Any:
        """Return the complex events that these events complete, as one pyarrow Table."""
        batches = list(self.batches(batch))
        table = pa.Table.from_batches(batches, self._enumerator.schema)
        return table.combine_chunks() if len(batches) > 1 else table

    def batches(self, batch: Any) -> Iterator[RecordBatch]:
        """Yield the same, a buffer at a time: nothing is enumerated before it is requested.

        What is left when the iteration is given up is never reported; the engine goes on.
        """
        for _ in self.advancing(batch):
            for found in self.found():
                if self.remaining is not None:
                    self.remaining -= found.num_rows
                yield found

    def skip(self, batch: Any) -> int:
        """Take events in without enumerating; returns how many of them completed something."""
        return sum(self.triggered for _ in self.advancing(batch))

    def count(self, batch: Any) -> int:
        """Return the number of complex events that these events complete; none is enumerated."""
        return sum(sum(self.counted()[1]) for _ in self.advancing(batch))

    # --- between ---

    @property
    def triggered(self) -> int:
        """The number of events that have completed a complex event, since the last stop."""
        return self._update.triggered

    @property
    def triggers(self) -> tecs.Words:
        """These events as triples: position, root of the complex events, least start key."""
        return self._triggers[: self.triggered * int(tables.TRIGGER_WORDS)]

    def found(self) -> Iterator[RecordBatch]:
        """Return the complex events of the triggers of the latest stop."""
        if self._late:
            return self._enumerator.written(islice(self._selected(), self.remaining))
        return self._enumerator.batches(
            self.store, self._triggers, self.triggered, self.limit, self.remaining
        )

    def counted(self) -> tuple[list[tuple[int, int, int]], list[int]]:
        """Return the triggers of the latest stop, and the number of complex events of each."""
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
        """Return the complex events with these numbers of one of the `counted` triggers."""
        if self._late:
            rows = list(self._selected_of(*trigger))
            return [rows[number] for number in numbers]
        return self._counter.numbered(self.store, trigger, numbers)

    def rows(self, rows: Iterator[Row]) -> Iterator[RecordBatch]:
        """Return complex events from another source as batches."""
        return self._enumerator.written(rows)

    def _selected(self) -> Iterator[Row]:
        for trigger in self.triggers.reshape(-1, 3).tolist():
            yield from self._selected_of(*trigger)

    def _selected_of(self, position: int, root: int, least: int) -> Iterator[Row]:
        from .output.records import selected

        taken = selected(self.store, root, position, least, self.query.strategy)
        return islice(taken, self.limit or None)

    def advancing(self, batch: Any) -> Iterator[None]:
        """Take events in; stops whenever triggers must be handled before it goes on."""
        return self._update.advancing(batch)
