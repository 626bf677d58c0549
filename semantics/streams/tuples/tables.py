"""Arrow tables, Arrow and Parquet files, and rows of Python, as record batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from ...ceql.syntax.tree import AttributeType
from ...model.errors import StreamError
from ...model.tuples import RecordBatch
from ..files.input_errors import input_errors
from .columns import Arranger, Layout


def parquet_batches(
    where: Any, source: str, rows: int, layout: Layout
) -> Iterator[RecordBatch]:
    """Yield batches of a Parquet file, of a maximum number of rows, with the needed columns."""
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
    """Yield the batches of an Arrow IPC file or stream, as they were written."""
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
    """Yield the batches of a table, a batch, or an iterable of batches, in the layout of `tuples`.

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
    """Return the column as one of the layout's types."""
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
    """Return the values of a dictionary-encoded column."""
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
    """Return the layout's type for a type of Arrow; None if there is none."""
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


_TEMPORAL = (datetime, date, time, timedelta)
_KINDS = {bool: "truth values", int: "numbers", float: "numbers", str: "texts"}
_LARGEST = 1 << 63


def row_batches(
    rows: Iterable[Mapping[str, Any]],
    *,
    size: int = 1 << 10,
    layout: Layout | None = None,
    source: str = "<rows>",
) -> Iterator[RecordBatch]:
    """Return batches of at most `size` rows, in the layout of `tuples`.

    A row is a mapping as a line of a CSV file would be: the event type under `type`, perhaps an
    arrival time, and the attributes; None is missing. Values are numbers, strings and truth values,
    also NumPy's, and what Arrow counts as a number: decimals, dates (in days), times, datetimes and
    timedeltas (in microseconds). An attribute is of one type; an int beside a double is one. Raises
    StreamError for other rows.
    """

    return table_batches(_batches(rows, size, source), layout or Layout(), source)


def _batches(
    rows: Iterable[Mapping[str, Any]], size: int, source: str
) -> Iterator[RecordBatch]:
    import pyarrow as pa

    kinds: dict[str, str] = {}
    given = iter(rows)
    seen = 0
    while chunk := list(islice(given, size)):
        for position, row in enumerate(chunk, start=seen):
            if not isinstance(row, Mapping):
                raise StreamError(
                    f"tuple {position} is {_brief(row)}: a tuple is a mapping, or all are"
                    " EventTuples",
                    source=source,
                )
        names = dict.fromkeys(name for row in chunk for name in row)
        columns = {}
        for name in names:
            if not isinstance(name, str):
                raise StreamError(f"{_brief(name)} is no name of an attribute", source=source)
            values = [_plain(row.get(name)) for row in chunk]
            columns[name] = _column(name, values, kinds, seen, source)
        yield pa.RecordBatch.from_pydict(columns)
        seen += len(chunk)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python value; a time too fine for Python stays as is."""
    if _is_numpy_time(value):
        in_microseconds = value.astype(f"{type(value).__name__}[us]")
        return in_microseconds.item() if in_microseconds == value else value
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def _is_numpy_time(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ in _NUMPY_TIMES


_NUMPY_TIMES = ("datetime64", "timedelta64")


def _column(
    name: str, values: list[Any], kinds: dict[str, str], first: int, source: str
) -> Any:
    import pyarrow as pa

    for position, value in enumerate(values, start=first):
        if value is None:
            continue
        kind = _kind(value)
        if kind is None:
            reason = "a value is a number, a string or a boolean"
            if _is_numpy_time(value):
                reason = "that is finer than a microsecond"
            raise StreamError(
                f"'{name}' of tuple {position} is {_brief(value)}: {reason}", source=source
            )
        known = kinds.setdefault(name, kind)
        if kind != known:
            raise StreamError(
                f"'{name}' of tuple {position} is {_brief(value)}, but {known} stand there before",
                source=source,
            )
    floats = any(isinstance(value, float) for value in values)
    for position, value in enumerate(values, start=first):
        if isinstance(value, int) and not _fits(value, floats):
            raise StreamError(
                f"'{name}' of tuple {position} is {value}, which is no"
                f" {'double' if floats else '64-bit integer'}",
                source=source,
            )
    try:
        if not floats:
            return pa.array(values, pa.string() if name not in kinds else None)
        return pa.array(values, pa.float64())
    except (ValueError, OverflowError, TypeError) as error:
        raise StreamError(f"'{name}' cannot be read: {error}", source=source) from None


def _kind(value: Any) -> str | None:
    for type_, kind in _KINDS.items():
        if isinstance(value, type_):
            return kind
    if isinstance(value, Decimal):
        return "decimals"
    return "times" if isinstance(value, _TEMPORAL) else None


def _fits(value: int, floats: bool) -> bool:
    return -_LARGEST <= value < _LARGEST and (not floats or float(value) == value)


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
