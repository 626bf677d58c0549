"""The streams of a run as a streaming source of Spark: read in order, numbered, cut by key.

One process beside the driver reads, as a plain run does: the same files and topics, the same order,
the same items left out as late. What Spark notes as an offset is how many items were taken; after a
restart the streams are read again from their beginning, and so many are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

from .key_chunks import KeyChunk
from .ordered_reading import OrderedReading

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
        """Streams at rest are read to their ends."""

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
        """What was committed is not asked for again."""
        self.reading.forget(end["taken"])

    def stop(self) -> None:
        """The run is over."""
        if self._reading is not None:
            self._reading.stop()
