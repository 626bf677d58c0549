"""Rows as Python has them, mappings from names to values, as record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from ...model.errors import StreamError
from ...model.tuples import RecordBatch
from .columns import Layout

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
    """Batches of at most `size` rows, in the layout of `tuples`.

    A row is a mapping as a line of a CSV file would be: the event type under `type`, perhaps an
    arrival time, and the attributes; None is missing. Values are numbers, strings and truth values,
    also NumPy's, and what Arrow counts as a number: decimals, dates (in days), times, datetimes and
    timedeltas (in microseconds). An attribute is of one type; an int beside a double is one. Raises
    StreamError for other rows.
    """
    from .tables import table_batches

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
    """A scalar of NumPy as the value that it is; a time too fine for Python's stays what it is."""
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

