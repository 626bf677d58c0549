"""The reader of streams of tuples: CSV, JSON Lines, Parquet and Arrow.

A column `type` (or the one that is named) holds the event type, the others are attributes; an empty
cell is a missing attribute, `""` an empty string. A declaration (`CREATE STREAM S { EVENT A { x:int
} }`) fixes types; without one a column of a text file is of the first of int, double, boolean and
string that suits its first rows.

The arrival time is the attribute that the declaration calls `primary_time`, or the column that is
named, or else a column called time, timestamp or arrival_time whose values can be times: dateTimes
or numbers. The numbers of a `primary_time` count nanoseconds, those of any other column seconds.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from ...ceql.syntax.tree import StreamDeclaration
from ...model.errors import StreamError
from ...model.tuples import RecordBatch, Tuples, without_heartbeats
from ..files.documents import COMPRESSIONS, PathOrFile, open_bytes
from ..files.input_errors import input_errors
from .columns import Layout, TimeOrder

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
TEXT_FORMATS = ("csv", "tsv", "jsonl")
_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow",
}
_BATCH_ROWS = 1 << 16


def is_tuple_file(path: str) -> bool:
    """Return True if a file holds tuples, by its suffix."""
    return _suffix(path) in _SUFFIXES


def read_tuples(
    where: PathOrFile | Any,
    *,
    format: str | None = None,
    type_column: str = "type",
    time_column: str | None = None,
    declaration: str | StreamDeclaration | None = None,
    source: str | None = None,
    follow: bool = False,
    live: bool = False,
    columns: Collection[str] | None = None,
    order: TimeOrder | None = None,
) -> Tuples:
    """Return the tuples in a file, standard input (`-`), open binary file or Arrow table.

    `format` is csv, tsv, jsonl (these plain, .gz or .zst), parquet or arrow (an IPC file or
    stream), by default that of the suffix; standard input and open files are CSV unless it says
    otherwise. `where` may also be a pyarrow Table, RecordBatch or RecordBatchReader. With `follow`
    a growing text file is read for ever. Rows of what is `live` are there as soon as they have
    come, heartbeats among them. Who needs only some columns (`@time` for the
    arrival time) may name them, here or in `Tuples.batches`: then the other columns of a CSV or
    Parquet file are passed over, which is faster. `order` is that of the files of the stream before
    this one. Raises StreamError, with the line where there is one: at once if the format is
    unknown, later for what the file holds.
    """
    needed = None if columns is None else frozenset(columns)
    layout = Layout(type_column, time_column, _declared(declaration), needed, order=order)
    if hasattr(where, "schema"):
        return _of_table(where, layout, source or "<table>")
    name = source or _name(where)
    chosen = format_of_tuples(where, format, name)
    if follow and chosen not in TEXT_FORMATS:
        raise StreamError(f"a {chosen} file cannot be followed while it grows", source=name)

    def batches(layout: Layout) -> Iterator[RecordBatch]:
        return found(layout) if live else map(without_heartbeats, found(layout))

    def found(layout: Layout) -> Iterator[RecordBatch]:
        if chosen in ("csv", "tsv"):
            from .csv import csv_batches

            delimiter = "\t" if chosen == "tsv" else ","
            with open_bytes(where, follow=follow) as file, input_errors(name):
                yield from csv_batches(file, layout, name, delimiter, live=live or follow)
        elif chosen == "jsonl":
            from .json_lines import json_batches

            with open_bytes(where, follow=follow) as file, input_errors(name):
                yield from json_batches(file, layout, name, live=live or follow)
        else:
            from .tables import arrow_batches, parquet_batches, table_batches

            whole = parquet_batches if chosen == "parquet" else arrow_batches
            with input_errors(name):
                yield from table_batches(whole(where, name, _BATCH_ROWS, layout), layout, name)

    def of_columns(asked: frozenset[str]) -> Iterator[RecordBatch]:
        return batches(replace(layout, columns=asked if needed is None else asked & needed))

    return Tuples(lambda: batches(layout), name, of_columns, layout.disorder, layout.header)


def _of_table(table: Any, layout: Layout, source: str) -> Tuples:
    from .tables import table_batches

    return Tuples(
        lambda: table_batches(table, layout, source), source, disorder=layout.disorder
    )


def parse_tuples(
    text: str,
    *,
    format: str = "csv",
    type_column: str = "type",
    time_column: str | None = None,
    declaration: str | StreamDeclaration | None = None,
    source: str = "<stream>",
) -> Tuples:
    """Return the tuples that a text states, CSV or JSON Lines.

    >>> [each.attributes for each in parse_tuples("type,name,price\\nSELL,MSFT,101\\nBUY,,\\n")]
    [{'name': 'MSFT', 'price': 101}, {}]
    """
    import io

    layout = Layout(type_column, time_column, _declared(declaration))
    if format not in TEXT_FORMATS:
        raise StreamError(f"a text is csv, tsv or jsonl, not {format}", source=source)

    def batches() -> Iterator[RecordBatch]:
        file = io.BytesIO(text.encode("utf-8", "surrogatepass"))
        if format == "jsonl":
            from .json_lines import json_batches

            return json_batches(file, layout, source)
        from .csv import csv_batches

        return csv_batches(file, layout, source, "\t" if format == "tsv" else ",")

    return Tuples(batches, source, disorder=layout.disorder)


def _declared(declaration: str | StreamDeclaration | None) -> StreamDeclaration | None:
    if not isinstance(declaration, str):
        return declaration
    from ...ceql.syntax.parse import parse_declaration

    return parse_declaration(declaration)


def _name(where: Any) -> str:
    if isinstance(where, str | os.PathLike):
        path = os.fspath(where)
        return "<stdin>" if path == "-" else path
    return str(getattr(where, "name", "<stream>"))


def _suffix(path: str) -> str:
    plain = PurePath(path)
    if plain.suffix.lower() in COMPRESSIONS:
        plain = plain.with_suffix("")
    return plain.suffix.lower()


def format_of_tuples(where: Any, named: str | None, source: str) -> str:
    """Return the format of a stream of tuples: the one that is named, or that of the path."""
    if named is not None:
        if named.lower() not in FORMATS:
            raise StreamError(
                f"unknown format '{named}' (there are: {', '.join(FORMATS)})", source=source
            )
        return named.lower()
    if not isinstance(where, str | os.PathLike) or os.fspath(where) == "-":
        return "csv"
    path = os.fspath(where)
    found = _SUFFIXES.get(_suffix(path))
    if found is None:
        raise StreamError(
            f"the file is of no known format of tuples; expected one of {', '.join(_SUFFIXES)}"
            " (csv, tsv and jsonl also .gz or .zst); --stream-format names it",
            source=source,
        )
    compressed = PurePath(path).suffix.lower() in COMPRESSIONS
    if compressed and found in ("parquet", "arrow"):
        raise StreamError(f"a {found} file is compressed inside, not as a whole", source=source)
    return found
