"""The streams of a run as a streaming source of Spark: read once, in order, numbered, cut by key.

One process beside the driver reads, as a plain run does: the same files and topics, the same order,
the same items left out as late. What Spark notes as an offset is how many items were taken; after a
restart the streams are read again from their beginning, and so many are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

from .keyed_state import KeyChunk, item_chunks, tuple_chunks
from .run_spec import AskedRun

EVERY = 100_000
"""Items of a micro-batch, where nobody says it."""

_PATIENCE = 0.2  # seconds that a live stream is waited for before Spark is told that it is silent
_TOGETHER = 1000  # items that are handed over at once
_END = object()


class OrderedReading:
    """The input, by its place in the merged stream; committed input is dropped."""

    def __init__(self, description: str) -> None:
        self.asked = AskedRun.of(description)
        self.every: int = self.asked.arguments.every or EVERY
        self.endless = self.asked.endless
        self.start: int | None = None
        self._pending: list[tuple[int, Any]] = []
        self._queue: Queue[Any] = Queue(maxsize=4)
        self._read = 0  # the place behind the last item that was read
        self._ended = False
        self._arrivals: Any = None
        self._begun = False
        self._taken = 0  # what had been taken when it began

    def there_after(self, taken: int) -> int:
        """Return the end of a micro-batch that begins here: `taken` if no item has come."""
        self._read_to(taken + self.every, taken=taken, waits=not self.endless)
        return max(taken, min(self._read, taken + self.every))

    def chunks(self, first: int, end: int) -> Iterator[KeyChunk]:
        """Return the chunks of a micro-batch."""
        self._read_to(end, taken=first, waits=True)
        taken = self._between(first, end)
        if self.asked.keys is None:
            return tuple_chunks(self.asked, taken)
        return item_chunks(self.asked, self.asked.keys, taken, self.start or 0)

    def forget(self, place: int) -> None:
        """Drop the input before a place, which is not read again."""
        self._pending = list(self._between(place, self._read))

    def late(self) -> dict[str, int]:
        """Return the number of late items of each stream so far."""
        late = self._arrivals.late if self._arrivals is not None else {}
        return {name: each.items for name, each in late.items()}

    def stop(self) -> None:
        """Close the input: readers of topics release them."""
        if self._arrivals is not None:
            with suppress(OSError):  # streams that have ended have let go by themselves
                self._arrivals.end()

    # --- the streams are read ---

    def _read_to(self, place: int, *, taken: int, waits: bool) -> None:
        if not self._begun:
            self._begun, self._taken = True, taken
            Thread(target=self._fill, name="reads the streams", daemon=True).start()
        while self._read < place and not self._ended:
            try:
                piece = self._queue.get(timeout=None if waits else _PATIENCE)
            except Empty:
                return
            if piece is _END:
                self._ended = True
            elif isinstance(piece, BaseException):
                raise piece
            else:
                self._take(piece)

    def _take(self, pieces: list[Any]) -> None:
        for piece in pieces:
            if self.start is None and self.asked.keys is not None:
                self.start = self.asked.evaluation.get("from", piece.time)
            self._pending.append((self._read, piece))
            self._read += piece.num_rows if self.asked.keys is None else 1

    def _fill(self) -> None:
        """Read ahead: several items are handed over together, single ones of a live stream."""
        try:
            arriving, self._arrivals = self.asked.arrivals(self._taken)
            several: list[Any] = []
            for each in arriving:
                if hasattr(each, "to_batches"):  # a table
                    several += each.to_batches()
                else:
                    several.append(each)
                if self.endless or len(several) >= 1000 or self.asked.keys is None:
                    self._queue.put(several)
                    several = []
            self._queue.put(several)
            self._queue.put(_END)
        except BaseException as error:  # it is raised where Spark asks
            self._queue.put(error)

    def _between(self, first: int, end: int) -> Iterator[tuple[int, Any]]:
        for place, piece in self._pending:
            if self.asked.keys is not None:
                if first <= place < end:
                    yield place, piece
                continue
            begin, stop = max(first, place), min(end, place + piece.num_rows)
            if begin < stop:
                yield begin, piece.slice(begin - place, stop - begin)


FORMAT = "denota"
SCHEMA = "group string, at timestamp, first bigint, content binary"


@dataclass
class ChunksOfKeys(InputPartition):
    """Some of a micro-batch's chunks, as one task takes them to the keys' states."""

    chunks: Sequence[KeyChunk]


class DenotaStreams(DataSource):
    """`spark.readStream.format("denota").option("run", …)`."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: Any) -> OneReader:
        return OneReader(self.options["run"], int(self.options.get("tasks", "1")))


class OneReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads where Spark plans; copies of it, on the workers, hand on what it has planned."""

    def __init__(self, description: str, tasks: int) -> None:
        self.description = description
        self.tasks = tasks
        self._reading: OrderedReading | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_reading": None}

    @property
    def reading(self) -> OrderedReading:
        if self._reading is None:
            self._reading = OrderedReading(self.description)
        return self._reading

    def initialOffset(self) -> dict[str, Any]:
        return {"taken": 0}

    def getDefaultReadLimit(self) -> ReadAllAvailable:
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Read bounded streams to their ends."""

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        taken = self.reading.there_after(start["taken"])
        late = self.reading.late()
        return {"taken": taken, "late": late} if late else {"taken": taken}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[ChunksOfKeys]:
        chunks = list(self.reading.chunks(start["taken"], end["taken"]))
        return [ChunksOfKeys(part) for n in range(self.tasks) if (part := chunks[n :: self.tasks])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, ChunksOfKeys)
        groups, at, first, content = zip(*partition.chunks, strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(groups, pa.string()),
             pa.array([each * 1000 for each in at], pa.timestamp("us", "UTC")),
             pa.array(first, pa.int64()), pa.array(content, pa.binary())],
            names=["group", "at", "first", "content"],
        )

    def commit(self, end: dict[str, Any]) -> None:
        """Drop the committed input, which is not read again."""
        self.reading.forget(end["taken"])

    def stop(self) -> None:
        """End the run."""
        if self._reading is not None:
            self._reading.stop()
