"""Complex events out of a tECS: as Arrow record batches, as Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ....semantics.ceql.syntax.results import ComplexEvent
from ...capacities import IN_USE
from ...kernels import KERNELS
from ..automaton.vcea import Labels
from ..kernels.store import Store
from ..kernels.tecs import Words
from ..symbols.columns import RecordBatch
from . import enumeration
from .enumeration import Buffers, Search, enumerate_triggers

_INTERPRETED = 1 << 8  # as long as the kernel is interpreted
_INTEGER = pa.int64()
_LIST = pa.list_(_INTEGER)
_NOTHING = np.zeros(0, np.int32)


class Row(NamedTuple):
    """A complex event with the label of each of its positions."""

    start: int
    end: int
    positions: tuple[int, ...]
    labels: tuple[int, ...]


class Enumerator:
    """Enumerates the triggers that a store has recorded, a buffer at a time.

    `labels` are the sets of `variables` that nodes are labelled with, under the valuation
    semantics. Full buffers are handed out as Arrow arrays and never written again.
    """

    def __init__(
        self,
        labels: Sequence[Labels] | None = None,
        variables: Sequence[str] = (),
        *,
        rows: int | None = None,
    ) -> None:
        self.labels = labels
        self.variables = variables
        columns = [("start", _INTEGER), ("end", _INTEGER), ("positions", _LIST)]
        if labels is not None:
            columns.append(("bindings", pa.struct([(name, _LIST) for name in variables])))
        self.schema = pa.schema(columns)
        """Of the batches."""
        self._rows = rows or IN_USE.rows
        self._room = IN_USE.positions
        self._buffers: Buffers | None = None
        self._stack: Words = np.zeros(IN_USE.stack, np.uint64)
        self._path: Words = np.zeros(IN_USE.stack, np.uint64)

    def _take_buffers(self) -> Buffers:
        rows, room = self._rows, self._room
        if self._buffers is None:
            starts, ends, positions = (np.empty(size, np.int64) for size in (rows, rows, room))
            labels = _NOTHING if self.labels is None else np.empty(room, np.int32)
            offsets = np.zeros(rows + 1, np.int32)
            self._buffers = Buffers(starts, ends, offsets, positions, labels, _NOTHING)
        return self._buffers

    def batches(
        self, store: Store, triggers: Words, count: int, limit: int, total: int | None = None
    ) -> Iterator[RecordBatch]:
        """The complex events of these triggers; of one, at most `limit` (0: all); of all, `total`.

        The store must not change in between.
        """
        state = np.zeros(enumeration.REGISTERS, np.uint64)
        while int(state[enumeration.TRIGGER]) < count and total != 0:
            rows = self._rows if total is None else min(self._rows, total)
            if not KERNELS.compiled:
                rows = min(rows, _INTERPRETED)
            batch = self._filled(store, triggers, count, limit, state, rows)
            if batch.num_rows:
                total = None if total is None else total - batch.num_rows
                yield batch

    def _filled(
        self, store: Store, triggers: Words, count: int, limit: int, state: Words, rows: int
    ) -> RecordBatch:
        buffers = self._take_buffers()
        state[enumeration.EVENTS] = state[enumeration.POSITIONS] = 0
        while True:
            status = enumerate_triggers(
                store.ring, triggers, np.uint64(count), np.uint64(limit),
                Search(state, self._stack, self._path),
                buffers._replace(starts=buffers.starts[:rows]),
            )  # fmt: skip
            if status == enumeration.STACK:
                self._stack = np.concatenate([self._stack, np.zeros_like(self._stack)])
                self._path = np.concatenate([self._path, np.zeros_like(self._path)])
            elif status == enumeration.BUFFER and not state[enumeration.EVENTS]:
                self._room *= 2  # one complex event is longer than the whole buffer
                self._buffers = None
                buffers = self._take_buffers()
            else:
                break
        events, used = int(state[enumeration.EVENTS]), int(state[enumeration.POSITIONS])
        KERNELS.charge(events + 4 * used)
        filled: list[Any] = [
            buffers.starts[:events], buffers.ends[:events], buffers.offsets[: events + 1],
            buffers.positions[:used], buffers.labels[:used],
        ]  # fmt: skip
        if 2 * events > self._rows or 2 * used > self._room:
            self._buffers = None  # they are handed out as they are
        else:
            filled = [part.copy() for part in filled]
        return self._batch(*filled)

    def written(self, rows: Iterator[Row]) -> Iterator[RecordBatch]:
        """Complex events that have been found otherwise, in the same batches."""
        while taken := list(islice(rows, self._rows)):
            offsets = np.cumsum([0, *(len(row.positions) for row in taken)])
            yield self._batch(
                np.array([row.start for row in taken], np.int64),
                np.array([row.end for row in taken], np.int64),
                offsets.astype(np.int32),
                np.array([each for row in taken for each in row.positions], np.int64),
                np.array([each for row in taken for each in row.labels], np.int32),
            )

    def _batch(
        self, starts: Any, ends: Any, offsets: Any, positions: Any, labels: Any
    ) -> RecordBatch:
        columns = [_integers(starts), _integers(ends), _lists(offsets, positions)]
        if self.labels is not None:
            columns.append(self._bindings(self.labels, offsets, positions, labels))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _bindings(
        self, labels: Sequence[Labels], offsets: Any, positions: Any, codes: Any
    ) -> Any:
        """μ: a struct with a list of positions for each variable."""
        if not self.variables:
            return pa.array([{}] * (len(offsets) - 1), pa.struct([]))
        columns = []
        for variable in self.variables:
            has = np.array([variable in each for each in labels], np.bool_)[codes]
            before = np.concatenate([[0], np.cumsum(has)]).astype(np.int32)
            columns.append(_lists(before[offsets], positions[has]))
        return pa.StructArray.from_arrays(columns, list(self.variables))


def _integers(values: Any) -> Any:
    return pa.Array.from_buffers(_INTEGER, len(values), [None, pa.py_buffer(values)], 0)


def _lists(offsets: Any, values: Any) -> Any:
    buffers = [None, pa.py_buffer(offsets)]
    return pa.Array.from_buffers(
        _LIST, len(offsets) - 1, buffers, 0, children=[_integers(values)]
    )


def complex_events(batch: RecordBatch) -> Iterator[ComplexEvent]:
    """The rows of a batch as Python objects."""
    starts = batch.column("start").to_pylist()
    ends = batch.column("end").to_pylist()
    positions = batch.column("positions").to_pylist()
    if "bindings" not in batch.schema.names:
        for start, end, data in zip(starts, ends, positions, strict=True):
            yield ComplexEvent(end, start, tuple(data))
        return
    bindings = batch.column("bindings").to_pylist()
    for start, end, data, mu in zip(starts, ends, positions, bindings, strict=True):
        bound = tuple((variable, tuple(mu[variable])) for variable in sorted(mu) if mu[variable])
        yield ComplexEvent(end, start, tuple(data), bound)
