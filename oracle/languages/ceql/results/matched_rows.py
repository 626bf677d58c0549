"""The tuples of complex events as one Arrow table: a row for each position of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.model.errors import DenotaError
from .....semantics.model.tuples import (
    STREAM,
    TIME,
    TYPE,
    EventTuple,
    Tuples,
    batches,
    of_one_type,
)
from .....semantics.streams.tuples.columns import TIME_COLUMNS, TIMESTAMPS

_NAMES = {TYPE: "type", STREAM: "stream"}


def matched_rows(
    results: Sequence[ComplexEvent], stream: Iterable[Any], *, valuations: bool, first: int,
    dated: bool,
) -> Any:
    """Return the table.

    Args:
        results: complex events, the first of which has the number `first`.
        stream: the merged stream, in batches or tuples, from its beginning.
        valuations: whether a column has the variables that a position is bound to.
        dated: whether arrival times are timestamps, as `has_timestamps` says of the streams.
    """
    lengths = [len(each.positions) for each in results]
    places = np.array([at for each in results for at in each.positions], np.int64)
    wanted = np.unique(places)
    tuples = _tuples_at(wanted, stream, dated)
    numbers = np.arange(first, first + len(results))
    own: dict[str, Any] = {"result": np.repeat(numbers, lengths)}
    for name in ("start", "end"):
        own[name] = np.repeat(np.array([getattr(e, name) for e in results], np.int64), lengths)
    columns = {name: pa.array(values, pa.int64()) for name, values in own.items()}
    columns["position"] = pa.array(places)
    if valuations:
        columns["variables"] = pa.array(
            [[name for name, bound in each.bindings or () if at in bound]
             for each in results for at in each.positions],
            pa.list_(pa.string()),
        )
    taken = tuples.take(np.searchsorted(wanted, places))
    for name, column in zip(taken.column_names, taken.columns, strict=True):
        name = _NAMES.get(name, name)
        while name in columns:
            name += "_"
        columns[name] = column
    return pa.table(columns)


def has_timestamps(stream: Iterable[Any]) -> bool:
    """Return whether the arrival times of a stream are timestamps where it comes from."""
    head = next(iter(stream.batches()), None) if isinstance(stream, Tuples) else None
    return head is not None and TIME in head.schema.names and (
        head.schema.field(TIME).metadata == TIMESTAMPS
    )


def _tuples_at(positions: Any, stream: Iterable[Any], dated: bool) -> Any:
    """The tuples at these positions, which ascend, as one table."""
    pieces: list[Any] = []
    seen = 0
    for batch in _batches(positions, stream):
        low, high = np.searchsorted(positions, [seen, seen + batch.num_rows])
        pieces.append(_typed(batch, dated).take(positions[low:high] - seen))
        seen += batch.num_rows
        if high == len(positions):
            break
    try:
        table = pa.concat_tables(pieces, promote_options="permissive") if pieces else (
            pa.table({TYPE: pa.array([], pa.string())})
        )
    except pa.ArrowTypeError as error:
        raise DenotaError(f"the tuples do not fit into one table: {error}") from None
    if table.num_rows < len(positions):
        raise DenotaError("the streams cannot be read again: take the table before any result")
    return table


def _batches(positions: Any, stream: Iterable[Any]) -> Iterator[Any]:
    """The batches of a stream; of one that comes as tuples, those at the positions matter."""
    if isinstance(stream, Tuples):
        yield from stream.batches()
        return
    rows = iter(stream)
    head = next(rows, None)
    if head is None:
        return
    if not isinstance(head, EventTuple):
        yield head
        yield from rows
        return
    wanted = set(positions.tolist())
    nothing = EventTuple(head.type)
    kept = [each if at in wanted else nothing for at, each in enumerate((head, *rows))]
    for run in of_one_type(kept):
        yield from batches(run)


def _typed(batch: Any, dated: bool) -> Any:
    """The batch with its event types as strings and its times as timestamps."""
    table = pa.Table.from_batches([batch])
    table = table.set_column(
        table.schema.get_field_index(TYPE), TYPE, table[TYPE].cast(pa.string())
    )
    if TIME not in table.column_names:
        return table
    times = table[TIME]
    table = table.drop_columns([TIME])
    told = next((name for name in TIME_COLUMNS if name in table.column_names), None)
    if told is None:
        return table.append_column("time", times)
    at = table.schema.get_field_index(told)
    if not pa.types.is_string(table.schema.field(at).type) and not dated:
        return table
    stamps = times.cast(pa.timestamp("ns", tz="UTC")).cast(pa.timestamp("us", tz="UTC"), safe=False)
    return table.set_column(at, told, stamps)
