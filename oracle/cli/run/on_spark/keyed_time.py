"""Keys of tuples, groups of keys, and their times as Spark's event time counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

POSITION = "@position"
"""The column of a tuple's position in the merged stream."""

EARLIEST, LATEST = 1, 1 << 47
_SHIFT = 1 << 46


def on_the_clock(time: int, a_millisecond: int, *, up: bool = False) -> int:
    """A time as Spark's event time counts it: milliseconds, all of them after 1970.

    Spark's first watermark is 1970's first millisecond, and nothing may come before it.
    """
    whole = -(-time // a_millisecond) if up else time // a_millisecond
    return min(max(whole + _SHIFT, EARLIEST), LATEST)


def group_name(key: str, groups: int | None) -> str:
    """What has one state: a key by itself, or one of so many groups of keys."""
    return key if groups is None else str(crc32(key.encode("utf-8", "surrogatepass")) % groups)


def tuple_keys(batch: Any, names: Iterable[str]) -> Iterator[str | None]:
    """The key of each tuple; None for one that is in no partition.

    Equal values have equal keys; where that is hard to say others have, too: the engine of a key
    partitions for itself.
    """
    columns = []
    for name in names:
        if name not in batch.schema.names:
            return iter([None] * batch.num_rows)
        columns.append([_text(value) for value in batch.column(name).to_pylist()])
    return (None if None in row else "\x1f".join(row) for row in zip(*columns, strict=True))


def _text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value if value is None else f"'{value}"
    return str(value) if isinstance(value, bool) else repr(float(value))
