"""Complex events into a Parquet file as they are found: memory holds one row group of them.

Columns: start and end (int64), positions (a list of int64); under the valuation semantics also
`bindings`, a map from the variables that are bound to their positions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.streams.files.outputs import Output
from ....semantics.streams.files.parquet_file import ParquetFile

ROWS = 1 << 17
"""Complex events in one row group, at most."""

POSITIONS = 1 << 21
"""A row group is not filled up where it holds more positions than that."""

_PLACES = pa.list_(pa.int64())
_BINDINGS = pa.map_(pa.string(), _PLACES)


class ComplexEventFile:
    """A Parquet file that takes record batches of complex events, of any size.

    Small batches share a row group. What has been taken is in the file when it is closed, also
    after an error.
    """

    def __init__(
        self, where: str | os.PathLike[str] | Output | Any, *, bindings: bool, rows: int = ROWS
    ) -> None:
        fields = [("start", pa.int64()), ("end", pa.int64()), ("positions", _PLACES)]
        if bindings:
            fields.append(("bindings", _BINDINGS))
        self.schema = pa.schema(fields)
        self.count = 0
        """How many complex events it has taken."""
        self._rows = rows
        self._file = ParquetFile(where, self.schema)
        self._waiting: list[Any] = []
        self._events = self._positions = 0

    def write(self, batch: Any) -> None:
        """Take a batch in."""
        self.count += batch.num_rows
        for at in range(0, batch.num_rows, self._rows):
            piece = batch.slice(at, self._rows)
            if self._events + piece.num_rows > self._rows or self._positions > POSITIONS:
                self._flush()
            self._waiting.append(as_stored(piece, self.schema))
            self._events += piece.num_rows
            self._positions += len(piece.column("positions").flatten())

    def write_events(self, events: Sequence[ComplexEvent]) -> None:
        """Take complex events in that are Python objects."""
        columns: dict[str, Any] = {
            "start": [each.start for each in events],
            "end": [each.end for each in events],
            "positions": [each.positions for each in events],
        }
        if "bindings" in self.schema.names:
            columns["bindings"] = [list(each.bindings or ()) for each in events]
        self.write(pa.RecordBatch.from_pydict(columns, schema=self.schema))

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        try:
            self._flush()
        finally:
            self._file.close()

    def __enter__(self) -> ComplexEventFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self.schema)
            self._waiting, self._events, self._positions = [], 0, 0
            self._file.write(table, self._rows)


def write_parquet(engine: Any, batches: Iterable[Any], where: Any) -> int:
    """Write what a `CeqlEngine` finds in these batches; how many complex events that was.

    `where` is a path or an open binary file.
    """
    with ComplexEventFile(where, bindings=engine.readings.output == "valuation") as file:
        for batch in batches:
            for found in engine.batches(batch):
                file.write(found)
            if engine.remaining == 0:
                break
    return file.count


def as_stored(batch: Any, schema: Any) -> Any:
    """The batch in the file's columns: its struct of variables as maps, which are all alike."""
    if batch.schema.equals(schema):
        return batch
    columns = [batch.column(name) for name in ("start", "end", "positions")]
    if "bindings" in schema.names:
        columns.append(_maps(batch.column("bindings")))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _maps(bindings: Any) -> Any:
    """From a struct of lists, one for each variable, to maps of the variables that are bound."""
    names = [bindings.type.field(i).name for i in range(bindings.type.num_fields)]
    if not names or not len(bindings):
        return pa.array([[]] * len(bindings), _BINDINGS)
    lists = bindings.flatten()
    sizes = np.stack([each.value_lengths().to_numpy() for each in lists], axis=1)
    bound = sizes > 0
    keys = pa.array(names).take(pa.array(np.nonzero(bound)[1]))
    flat = [each.flatten().to_numpy() for each in lists]
    # The lists of one variable lie one after the other; the maps take them row by row.
    before = np.concatenate([[0], np.cumsum([len(each) for each in flat])[:-1]])
    starts = (np.cumsum(sizes, axis=0) - sizes + before)[bound]
    lengths = sizes[bound]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    taken = np.repeat(starts - ends + lengths, lengths) + np.arange(total)
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    items = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(flat)[taken]))
    rows = np.concatenate([[0], np.cumsum(bound.sum(axis=1))]).astype(np.int32)
    return pa.MapArray.from_arrays(pa.array(rows), keys, items)
