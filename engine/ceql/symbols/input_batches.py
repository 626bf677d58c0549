"""The inputs that a query accepts, as record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from ....semantics.model.errors import StreamError
from ....semantics.model.tuples import EventTuple, Tuples
from ...tuning import IN_USE


def batches_of(stream: Any, columns: frozenset[str]) -> Iterator[Any]:
    """Yield batches of a pyarrow Table, RecordBatch or RecordBatchReader, `Tuples`, or an iterable.

    The iterable may be unbounded: of tables or batches, of `EventTuple`s, or of mappings, whose
    event type is under `type`. Of a file only the `columns` that are named are read.
    """
    if isinstance(stream, Tuples):
        return _cut(stream.batches(columns))
    if hasattr(stream, "read_next_batch"):
        return iter(stream)
    if hasattr(stream, "schema"):
        return iter((stream,))
    given = iter(stream)
    first = next(given, None)
    if first is None:
        return iter(())
    given = chain((first,), given)
    if isinstance(first, EventTuple):
        return _rows_as_batches(given)
    if isinstance(first, Mapping):
        from ....semantics.streams.tuples.tables import row_batches

        return row_batches(given, size=IN_USE.batch)
    return _checked(given)


def _cut(given: Iterator[Any]) -> Iterator[Any]:
    size = IN_USE.cut
    for batch in given:
        if batch.num_rows <= size:
            yield batch
        else:
            yield from (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _rows_as_batches(given: Iterable[EventTuple]) -> Iterator[Any]:
    from ....semantics.model.tuples import batches, of_one_type

    given = iter(given)
    size, plain = IN_USE.batch, IN_USE.plain
    seen = made = 0
    while rows := list(islice(given, size)):
        for position, each in enumerate(rows, start=seen):
            if not isinstance(each, EventTuple):
                raise StreamError(
                    f"tuple {position} is no EventTuple, as those before it, but {_brief(each)}"
                )
        for alike in of_one_type(rows, first=seen):
            for batch in batches(alike, size, first=seen):
                made += 1
                yield batch if made % (plain + 1) else _with_dictionaries(batch)
            seen += len(alike)


def _with_dictionaries(batch: Any) -> Any:
    import pyarrow as pa

    columns = [column.dictionary_encode() for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _checked(given: Iterable[Any]) -> Iterator[Any]:
    for each in given:
        if not hasattr(each, "schema"):
            raise StreamError(
                "a stream is of record batches, of EventTuples or of mappings with an event type"
                f" under 'type', not of {_brief(each)}"
            )
        yield each


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
