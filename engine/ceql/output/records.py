"""Complex events of a tECS as Arrow record batches, Python objects and Parquet; `after-within`.

Columns: start and end (int64), positions (a list of int64); under the valuation semantics also
`bindings`, a map from the variables that are bound to their positions.

`strategy=after-within`: the rivals of a match depend on the window of the end position, which no
automaton knows, so the strategy is applied to the tECS, for each trigger anew. Every node keeps
only data that no other data of the same node beats: adding the same later position to both changes
no comparison. So for NEXT and LAST each node keeps one set of positions, for MAX those that include
no other; the time is that of the nodes inside the window, not of the complex events that they
represent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import Strategy
from ....semantics.streams.files.outputs import Output, ParquetFile
from ...kernels import KERNELS
from ...tuning import IN_USE
from ..automaton.vcea import Labels
from ..kernels import tecs
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
        """Yield these triggers' complex events; of one, at most `limit` (0: all); of all, `total`.

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
        """Yield complex events from another source in the same batches."""
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
        """Return μ: a struct with a list of positions for each variable."""
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
    """Yield the rows of a batch as Python objects."""
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
        """The number of complex events taken so far."""
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
        """Write the remaining records and the end of the file."""
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
    """Return the batch in the file's columns: its struct of variables as maps of one type."""
    if batch.schema.equals(schema):
        return batch
    columns = [batch.column(name) for name in ("start", "end", "positions")]
    if "bindings" in schema.names:
        columns.append(_maps(batch.column("bindings")))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _maps(bindings: Any) -> Any:
    """Return the maps of bound variables of a struct of lists, one list for each variable."""
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


Data: TypeAlias = tuple[int, ...]
"""Positions, ascending."""

Variants: TypeAlias = list[tuple[int, Data]]
"""Of one set of positions: starts, and the labels of the positions."""

Kept: TypeAlias = dict[Data, Variants]
Beats: TypeAlias = Callable[[Data, Data], bool]

_POSITION = int(tecs.SOLID) - 1


def selected(
    store: Store, root: int, end: int, least: int, strategy: Strategy
) -> Iterator[Row]:
    """Yield the complex events of a trigger that the strategy selects."""
    beats = _BEATS[strategy]
    for data, variants in _kept(store, root, least, beats).items():
        for start, labels in variants:
            yield Row(start, end, data, labels)


def _kept(store: Store, root: int, least: int, beats: Beats) -> Kept:
    words = store.nodes.reshape(-1, int(tecs.WORDS))
    mask, tail = int(store.registers[tecs.MASK]), int(store.registers[tecs.TAIL])
    solid = int(tecs.SOLID)
    kept: dict[int, Kept] = {}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        link, other, _, label = map(int, words[node & mask])
        if node in kept:
            waiting.pop()
        elif other & solid and not link:
            kept[node] = {(): [(other & _POSITION, ())]}
        elif other & solid:
            if link in kept:
                position = other & _POSITION
                kept[node] = {
                    (*data, position): [(start, (*labels, label)) for start, labels in variants]
                    for data, variants in kept[link].items()
                }
            else:
                waiting.append(link)
        else:
            children = [link]
            if other >= tail and int(words[other & mask][int(tecs.MAXIMUM)]) >= least:
                children.append(other)
            missing = [child for child in children if child not in kept]
            if missing:
                waiting += missing
            else:
                kept[node] = _unbeaten([kept[child] for child in children], beats)
    return kept[root]


def _unbeaten(sets: list[Kept], beats: Beats) -> Kept:
    together: Kept = {}
    for each in sets:
        for data, variants in each.items():
            together[data] = together.get(data, []) + variants
    return {
        data: variants
        for data, variants in together.items()
        if not any(beats(rival, data) for rival in together if rival is not data)
    }


def _beats_next(winner: Data, loser: Data) -> bool:
    """Return whether the smallest position that is in one of them only is the winner's."""
    for mine, other in zip(winner, loser, strict=False):
        if mine != other:
            return mine < other
    return len(winner) > len(loser)


def _beats_last(winner: Data, loser: Data) -> bool:
    """Return whether the largest position that is in one of them only is the winner's."""
    for mine, other in zip(reversed(winner), reversed(loser), strict=False):
        if mine != other:
            return mine > other
    return len(winner) > len(loser)


def _beats_max(winner: Data, loser: Data) -> bool:
    """Return whether the winner has all of the loser's positions, and more."""
    return len(winner) > len(loser) and set(winner).issuperset(loser)


_BEATS: dict[Strategy, Beats] = {
    Strategy.NEXT: _beats_next,
    Strategy.LAST: _beats_last,
    Strategy.MAX: _beats_max,
}
