"""The verdicts of a sweep: one Parquet file a chunk, there in full or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.boundaries import input_errors, output_errors

VERDICT_SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64()),
        pa.field("id", pa.string()),
        pa.field("outcome", pa.string()),
        pa.field("missing", pa.int32()),
        pa.field("unexpected", pa.int32()),
        pa.field("repeated", pa.int32()),
        pa.field("detail", pa.string()),
        pa.field("seconds", pa.float64()),
    ]
)
"""`missing`, `unexpected` and `repeated` are numbers of answers, `seconds` is what the engine
took."""

SPARK_VERDICTS = (
    "number bigint, id string, outcome string, missing int, unexpected int, repeated int, "
    "detail string, seconds double"
)
"""The same columns as Spark's DDL."""

AGAINST = ("fail", "timeout", "crash")
"""The outcomes that speak against an engine."""

_UNFINISHED = ".unfinished"


class VerdictFiles:
    """The directory of a sweep's verdicts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def prepare(self) -> None:
        """Make the directory, and clear away what a killed sweep has left half written."""
        self.directory.mkdir(parents=True, exist_ok=True)
        for leftover in self.directory.glob(f".*{_UNFINISHED}"):
            leftover.unlink(missing_ok=True)

    def commit(self, chunk: int, verdicts: pa.Table) -> None:
        """Write a chunk's verdicts, in the corpus's order; the file appears in one step."""
        path = self.path(chunk)
        unfinished = path.with_name(f".{path.name}{_UNFINISHED}")
        table = verdicts.select(VERDICT_SCHEMA.names).cast(VERDICT_SCHEMA).sort_by("number")
        with output_errors(str(path)):
            with unfinished.open("wb") as file:
                pq.write_table(table, file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)

    def path(self, chunk: int) -> Path:
        return self.directory / f"chunk-{chunk:06d}.parquet"

    def finished(self) -> dict[int, int]:
        """The chunks that are there, with their numbers of verdicts.

        One that cannot be read is removed: it is judged again.
        """
        found = {}
        for path in self._paths():
            try:
                with input_errors(str(path)):
                    table = pq.read_table(path, schema=VERDICT_SCHEMA)
                    table.validate(full=True)
            except DenotaError:
                path.unlink()
                continue
            found[int(path.stem.removeprefix("chunk-"))] = table.num_rows
        return found

    def read(self) -> Iterator[pa.Table]:
        """The verdicts, chunk by chunk."""
        for path in self._paths():
            yield pq.read_table(path)

    def _paths(self) -> list[Path]:
        return sorted(self.directory.glob("chunk-[0-9]*.parquet"))
