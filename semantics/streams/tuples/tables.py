"""Arrow tables, Arrow files and Parquet files as record batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ...ceql.syntax.tree import AttributeType
from ...model.errors import StreamError
from ...model.tuples import RecordBatch
from ..files.boundaries import input_errors
from .columns import Arranger, Layout


def parquet_batches(
    where: Any, source: str, rows: int, layout: Layout
) -> Iterator[RecordBatch]:
    """The batches of a Parquet file, of at most so many rows; of the columns that are needed."""
    import pyarrow.parquet as pq

    with input_errors(source, what="not a Parquet file"), pq.ParquetFile(_path(where)) as file:
        names = file.schema_arrow.names
        layout.check(names, source)
        declared = layout.declared_types(source)
        read = [n for n in names if layout.needs(n, declared.get(n, AttributeType.STRING))]
        for batch in file.iter_batches(batch_size=rows, columns=read or None):
            batch.validate(full=True)
            yield batch


def arrow_batches(
    where: Any, source: str, rows: int, layout: Layout
) -> Iterator[RecordBatch]:
    """The batches of an Arrow IPC file or stream, as they were written."""
    import pyarrow as pa

    opened = _path(where)
    with (
        input_errors(source, what="not an Arrow file"),
        pa.OSFile(opened) if isinstance(opened, str) else pa.PythonFile(opened, mode="r") as file,
    ):
        try:
            reader = pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            batches = iter(pa.ipc.open_stream(file))
        else:
            batches = map(reader.get_batch, range(reader.num_record_batches))
        for batch in batches:
            batch.validate(full=True)  # its offsets may point anywhere
            yield batch


def table_batches(table: Any, layout: Layout, source: str) -> Iterator[RecordBatch]:
    """The batches of a table, a batch, or an iterable of batches, in the layout of `tuples`.

    Integers of any width become int64, floating and decimal numbers double; a date, time or
    timestamp is an integer in the unit of its column. Raises StreamError for other columns.
    """
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        table = [table]
    elif isinstance(table, pa.Table):
        table = table.to_batches()
    declared = layout.declared_types(source)
    arranger = Arranger(layout, source)
    for batch in table:
        layout.check(batch.schema.names, source)
        if not batch.num_rows:
            continue
        columns = {
            name: _converted(batch.column(name), name, declared.get(name), source)
            for name in batch.schema.names
        }
        with input_errors(source):
            arranged = arranger.arranged(pa.RecordBatch.from_pydict(columns), _no_line, batch)
        yield arranged


def _no_line(row: int) -> int:
    return 0


def _path(where: Any) -> Any:
    if isinstance(where, str | os.PathLike):
        path = os.fspath(where)
        if path != "-":
            return path
        import io
        import sys

        return io.BytesIO(sys.stdin.buffer.read())
    return where


def _converted(column: Any, name: str, declared: AttributeType | None, source: str) -> Any:
    """The column as one of the layout's types."""
    import pyarrow as pa

    natural = _natural(column.type)
    if natural is None:
        raise StreamError(
            f"column '{name}' is of type {column.type}: a value is a number, a string or a boolean",
            source=source,
        )
    wanted = natural
    if declared is AttributeType.DOUBLE and pa.types.is_int64(natural):
        wanted = pa.float64()
    elif declared not in (None, _DECLARED[str(natural)], AttributeType.PRIMARY_TIME):
        raise StreamError(
            f"column '{name}' is declared {declared}, but holds values of type {column.type}",
            source=source,
        )
    with input_errors(source, what=f"column '{name}' cannot be read"):
        if pa.types.is_dictionary(column.type):
            column = _decoded(column)
        if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
            column = column.cast(pa.int32())
        return column.cast(wanted)


def _decoded(column: Any) -> Any:
    """The values of a dictionary-encoded column."""
    import pyarrow as pa

    values = column.dictionary
    if pa.types.is_string_view(values.type):  # Arrow cannot take from these
        values = values.cast(pa.string())
    return values.take(column.indices)


_DECLARED = {
    "int64": AttributeType.INT, "double": AttributeType.DOUBLE, "string": AttributeType.STRING,
    "bool": AttributeType.BOOLEAN,
}


def _natural(kind: Any) -> Any:
    """The layout's type for a type of Arrow; None for what has none."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _natural(kind.value_type)
    if types.is_boolean(kind):
        return pa.bool_()
    if types.is_integer(kind) or (types.is_temporal(kind) and not types.is_interval(kind)):
        return pa.int64()
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_null(kind):
        return pa.string()
    return None
