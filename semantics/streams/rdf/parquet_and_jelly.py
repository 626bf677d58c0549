"""Streams in Parquet and Jelly files, as the lines of N-Quads that state the same.

A Parquet file of quads has the columns `subject`, `predicate`, `object` and `graph`, each a text in
the syntax of N-Triples (`<iri>`, `_:label`, `"text"@en`); `graph` is null in the default graph. A
row, and a statement of Jelly, is a line: so are they counted in messages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

from ...model.errors import StreamError, UnsupportedError
from ..files.input_errors import input_errors, reason_of
from .writer import quoted

TABLE = "<table>"
"""The name of a table in memory in messages."""
COLUMNS = ("subject", "predicate", "object", "graph")
_ROWS = 1 << 14
_IRI = r"<[^<>\x00-\x20]*>"
# As regular expressions of Arrow: a cell that is none would take its neighbours with it.
_CELLS = (
    rf"\A(?:{_IRI}|_:[^\s<>\"]+)\z",
    rf"\A{_IRI}\z",
    rf'\A(?:{_IRI}|_:[^\s<>\"]+|"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^{_IRI})?)\z',
)


class PackedLines:
    """The lines that a file stands for, to be read as a file is."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._text = b""

    def readline(self, size: int = -1, /) -> bytes:
        """Return the next line, or as much of it as `size` allows."""
        if not self._text:
            self._text = next(self._pieces, b"")
        end = self._text.find(b"\n") + 1
        end = min(end, size) if size >= 0 else end
        line, self._text = self._text[:end], self._text[end:]
        return line

    def read1(self, size: int = -1, /) -> bytes:
        """Return some lines, or pieces of them."""
        piece = self._text or next(self._pieces, b"")
        end = min(size, len(piece)) if size >= 0 else len(piece)
        self._text = piece[end:]
        return piece[:end]


def holds_quads(path: str) -> bool:
    """Return True if a Parquet file has the columns of quads."""
    try:
        import pyarrow.parquet as pq

        names = pq.read_schema(path).names
    except Exception:  # who reads it says what is wrong with it
        return False
    return set(COLUMNS) <= set(names)


def packed_lines(where: Any, format: str | None) -> PackedLines | None:
    """Return a Parquet or Jelly file's lines, by its suffix unless named; None of others."""
    if hasattr(where, "schema"):
        return PackedLines(_table(where))
    path = os.fspath(where) if isinstance(where, str | os.PathLike) else ""
    kind = (format or PurePath(path).suffix.removeprefix(".")).lower()
    if kind not in ("parquet", "jelly") or not path:
        return None
    return PackedLines(_parquet(path) if kind == "parquet" else _jelly(path))


# --- Parquet -------------------------------------------------------------------------------------


def _parquet(path: str) -> Iterator[bytes]:
    with input_errors(path):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
    _check_columns(file.schema_arrow.names, path)
    yield from _batches(file.iter_batches(_ROWS, columns=list(COLUMNS)), path)


def _table(table: Any) -> Iterator[bytes]:
    """Yield the lines of an Arrow table, or of a reader of record batches."""
    import pyarrow as pa

    _check_columns(table.schema.names, TABLE)
    batches = table.to_batches(_ROWS) if isinstance(table, pa.Table) else iter(table)
    yield from _batches(iter(batches), TABLE)


def _check_columns(names: list[str], source: str) -> None:
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise StreamError(
            f"a table of quads has the columns {', '.join(COLUMNS)}; this one has no {missing[0]}",
            source=source,
        )


def _batches(batches: Iterator[Any], path: str) -> Iterator[bytes]:
    import pyarrow as pa

    row = 0
    while True:
        with input_errors(path):
            batch = next(batches, None)
            if batch is None:
                return
            cells = [batch.column(name).cast(pa.string()) for name in COLUMNS]
        yield _lines(cells, path, row)
        row += batch.num_rows


def _lines(cells: list[Any], path: str, before: int) -> bytes:
    """Return the lines of some rows, of which so many were before. Raises StreamError."""
    import pyarrow.compute as pc

    *triple, graph = cells
    for name, column, shape in zip(COLUMNS, (*triple, graph), (*_CELLS, _CELLS[0]), strict=True):
        right = pc.fill_null(pc.match_substring_regex(column, shape), name == "graph")
        if not pc.all(right).as_py():
            row = right.to_pylist().index(False)
            shown = column[row].as_py()
            raise StreamError(
                f"the {name} of row {before + row + 1} is no term as N-Triples writes it there: "
                f"{'null' if shown is None else shown[:60]!r}", source=path, line=before + row + 1,
            )
    lines = pc.binary_join_element_wise(*triple, pc.fill_null(graph, ""), ".\n", " ")
    return "".join(lines.to_pylist()).encode()


# --- Jelly ---------------------------------------------------------------------------------------


def _jelly(path: str) -> Iterator[bytes]:
    if find_spec("pyjelly") is None:
        raise UnsupportedError("Jelly needs pyjelly (pip install 'denota[jelly]')", source=path)
    from pyjelly.integrations.generic.generic_sink import Quad, Triple
    from pyjelly.integrations.generic.parse import parse_jelly_flat

    with input_errors(path), open(path, "rb") as file:
        statements = parse_jelly_flat(file)
        while True:
            try:
                each = next(statements, None)
            except Exception as error:  # of pyjelly, protobuf or Python, as the bytes happen to be
                reason = reason_of(error) or str(error) or type(error).__name__
                raise StreamError(f"cannot be read: {reason}", source=path) from error
            if each is None:
                return
            if isinstance(each, Quad | Triple):
                terms = (_written(term, path) for term in each)
                yield f"{' '.join(term for term in terms if term)} .\n".encode()


def _written(term: Any, path: str) -> str:
    """Return a term of pyjelly's as N-Quads writes it; the default graph as nothing."""
    kind = type(term).__name__
    if kind == "Literal":
        text = quoted(term._lex)
        if term._langtag:
            return f"{text}@{term._langtag}"
        return f"{text}^^{_plain(f'<{term._datatype}>', path)}" if term._datatype else text
    if kind in ("IRI", "BlankNode"):
        return _plain(str(term), path)
    if kind == "_DefaultGraph":
        return ""
    raise StreamError(f"{term} is RDF 1.2, expected RDF 1.1", source=path)


def _plain(text: str, path: str) -> str:
    """Return an IRI or a label, which must not go on after its end."""
    if any(character in ' \t\r\n"\\' for character in text) or ">" in text[:-1] or "<" in text[1:]:
        raise StreamError(f"{text!r} is no term", source=path)
    return text
