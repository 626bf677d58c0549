"""CSV (RFC 4180) as record batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from ...ceql.syntax.tree import AttributeType
from ...model.errors import Impossible, StreamError
from ...model.tuples import RecordBatch
from ..files.input_errors import input_errors
from .columns import Arranger, Layout
from .lines import line_end, pieces, quotation_marks

_INT = re.compile(r"-?[0-9]{1,19}")
_LARGEST = 1 << 63
_DOUBLE = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = ("true", "false", "True", "False", "TRUE", "FALSE")
_INFER_ROWS = 1_000
_INFER_BYTES = 1 << 16


def csv_batches(
    file: BinaryIO, layout: Layout, source: str, delimiter: str = ",", *, live: bool = False
) -> Iterator[RecordBatch]:
    """Yield the batches of a CSV file; its first line names the columns.

    Of a `live` file a column has a type when a row has a value in it, and ints become double when
    a double comes.
    """
    reader = _Reader(layout, source, delimiter)
    with input_errors(source, line=lambda: reader.line):
        yield from reader.batches(file, live)


class _Reader:
    """Reads one file; `line` is the line at which the piece begins that is being read."""

    def __init__(self, layout: Layout, source: str, delimiter: str) -> None:
        self.layout = layout
        self.source = source
        self.delimiter = delimiter
        self.line = 1
        self.names: list[str] = []
        self.types: dict[str, AttributeType] = {}
        self.seen: set[str] = set()  # the columns that have values where types were inferred
        self.certain: set[str] = set()
        self.arranger = Arranger(layout, source)

    def batches(self, file: BinaryIO, live: bool) -> Iterator[RecordBatch]:
        for piece in pieces(file, self.source, live=live, quotes=True):
            if not self.names:
                piece = self.header(piece)
            if piece.lstrip(b"\r\n"):
                if quotation_marks(piece) % 2:
                    self.check_that_quotes_end(piece)
                if live:
                    self.adapt(piece)
                    yield self.batch(piece)
                else:
                    yield self.batch(piece) if self.types else self.first_batch(piece)
            self.line += _line_ends(piece)
        if not self.names:
            raise StreamError("the file is empty, expected a line that names the columns",
                              source=self.source)

    def header(self, piece: bytes) -> bytes:
        """Take the names of the columns from the first line that is not empty; the rest."""
        while piece:
            row, size = self._first_row(piece)
            if row:
                self.names = [name.strip() for name in row]
                self.layout.check(self.names, self.source, self.line)
                self.layout.header.update({*self.names} - {self.layout.type_column})
            self.line += piece.count(b"\n", 0, size)
            piece = piece[size:]
            if row:
                break
        return piece

    def _first_row(self, piece: bytes) -> tuple[list[str], int]:
        end = 0
        while True:
            end = piece.find(b"\n", end) + 1 or len(piece)
            if end == len(piece) or not piece.count(b'"', 0, end) % 2:
                rows = list(self.rows(piece[:end]))
                return (rows[0][1] if rows else []), end

    def check_that_quotes_end(self, piece: bytes) -> None:
        """Raise StreamError if the last cell of the file begins with a quote and has no other."""
        import csv

        reader = _rows(piece.decode("utf-8", "replace"), delimiter=self.delimiter, strict=True)
        line = self.line
        try:
            for _ in reader:
                line = self.line + reader.line_num
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise StreamError(
                    "the file ends inside a quoted cell", source=self.source, line=line
                ) from None

    # --- types ---

    def first_batch(self, piece: bytes) -> RecordBatch:
        """Return the first batch, with types inferred from a few rows or, if those fail, all."""
        self.types, certain = self.inferred(piece, _INFER_ROWS)
        if certain:
            try:
                return self.batch(piece)
            except StreamError:
                pass
        self.types, _ = self.inferred(piece, None)
        return self.batch(piece)

    def adapt(self, piece: bytes) -> None:
        """Types for columns that have their first values here, double for ints that have one."""
        found, _ = self.inferred(piece, None)
        declared = self.layout.declared_types(self.source)
        for name, kind in found.items():
            if name not in self.certain or (
                (self.types[name], kind) == (AttributeType.INT, AttributeType.DOUBLE)
                and name not in declared
            ):
                self.types[name] = kind
        self.certain |= self.seen

    def inferred(
        self, piece: bytes, most: int | None
    ) -> tuple[dict[str, AttributeType], bool]:
        """Return the type of each column: declared, or the first that fits the values seen.

        Not certain is the type of a column that is empty as far as it is seen.
        """
        declared = self.layout.declared_types(self.source)
        seen: list[list[str]] = [[] for _ in self.names]
        if most is not None:
            piece = piece[: line_end(piece[:_INFER_BYTES], quotes=True)] or piece
        for number, (_, row) in enumerate(self.rows(piece)):
            if number == most:
                break
            for cells, cell in zip(seen, row, strict=False):
                if cell:
                    cells.append(cell)
        types = {}
        certain = set()
        self.seen = {name for name, cells in zip(self.names, seen, strict=True) if cells}
        for name, cells in zip(self.names, seen, strict=True):
            if name == self.layout.type_column:
                types[name] = AttributeType.STRING
            elif name in declared:
                types[name] = declared[name]
            elif not self.layout.needs(name, AttributeType.STRING):
                types[name] = AttributeType.STRING  # it is not read
                certain.add(name)
            else:
                types[name] = _suiting(cells)
            if cells:
                certain.add(name)
        return types, len(certain) == len(types)

    # --- values ---

    def batch(self, piece: bytes) -> RecordBatch:
        import pyarrow as pa
        import pyarrow.csv as pc

        wanted = {
            name: pa.string() if kind is AttributeType.PRIMARY_TIME else _arrow(kind)
            for name, kind in self.types.items()
            if self.layout.needs(name, kind)
        }
        try:
            # `read_csv` handles interrupts itself meanwhile, and now and then loses one.
            reader = pc.open_csv(
                _outside_python(piece),
                # As one block in this thread: to share a piece out costs more than it gains.
                pc.ReadOptions(
                    column_names=self.names, block_size=len(piece) + 1, use_threads=False
                ),
                pc.ParseOptions(delimiter=self.delimiter, newlines_in_values=b'"' in piece),
                pc.ConvertOptions(
                    include_columns=list(wanted), column_types=wanted, null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False, true_values=list(_BOOLEANS[::2]),
                    false_values=list(_BOOLEANS[1::2]),
                ),
            )
            table = reader.read_all()
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            raise self.diagnosed(piece, str(error)) from None
        (batch,) = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([])]
        batch = self._with_times(batch)
        return self.arranger.arranged(batch, lambda row: self.line_of(piece, row))

    def _with_times(self, batch: RecordBatch) -> RecordBatch:
        """Parse a declared arrival time: numbers, or else texts of dateTimes."""
        import pyarrow as pa

        for name, kind in self.types.items():
            if kind is AttributeType.PRIMARY_TIME and name in batch.schema.names:
                place = batch.schema.get_field_index(name)
                try:
                    column = batch.column(name).cast(pa.int64())
                except pa.ArrowInvalid:
                    continue
                batch = batch.set_column(place, name, column)
        return batch

    # --- errors ---

    def rows(self, piece: bytes) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a piece that are not empty, each with its line in the file."""
        try:
            text = piece.decode("utf-8")
        except UnicodeDecodeError as error:
            raise StreamError(
                "the text is not UTF-8",
                source=self.source, line=self.line + piece.count(b"\n", 0, error.start),
            ) from None
        reader = _rows(text, delimiter=self.delimiter)
        line = self.line
        for row in reader:
            if row:
                yield line, row
            line = self.line + reader.line_num

    def line_of(self, piece: bytes, number: int) -> int:
        """Return the line in which the row of this number begins."""
        return next((line for n, (line, _) in enumerate(self.rows(piece)) if n == number), 0)

    def diagnosed(self, piece: bytes, reason: str) -> StreamError:
        """Return the error for a piece that cannot be read, with its line."""
        for line, row in self.rows(piece):
            if len(row) != len(self.names):
                return StreamError(
                    f"the row has {_cells(len(row))}, the first line names {len(self.names)}",
                    source=self.source, line=line,
                )
            for name, cell in zip(self.names, row, strict=True):
                if cell and not _suits(cell, self.types[name]):
                    return StreamError(
                        f"'{_brief(cell)}' in column '{name}' is not of type {self.types[name]}"
                        + self._whence(name),
                        source=self.source, line=line,
                    )
        return StreamError(reason, source=self.source, line=self.line)

    def _whence(self, name: str) -> str:
        if name in self.layout.declared_types(self.source):
            return ", which is declared"
        return ", as its first rows are: declare its type (CREATE STREAM …)"


def _outside_python(piece: bytes) -> Any:
    """Return a copy in memory that Arrow owns.

    A thread of Arrow's may be the last to use it. To free memory of Python's there, it needs the
    interpreter, and if that is about to exit, C++ ends the process with SIGABRT.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(piece))
    memoryview(buffer).cast("B")[:] = piece
    return buffer


def _line_ends(piece: bytes) -> int:
    """Return the number of line feeds; NumPy counts frequent bytes faster than `bytes.count`."""
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(piece, np.uint8) == ord("\n"))) if piece else 0


def _arrow(kind: AttributeType) -> Any:
    import pyarrow as pa

    match kind:
        case AttributeType.INT:
            return pa.int64()
        case AttributeType.DOUBLE:
            return pa.float64()
        case AttributeType.BOOLEAN:
            return pa.bool_()
        case AttributeType.STRING:
            return pa.string()
    raise Impossible(f"no column is of type {kind}")


def _rows(text: str, **dialect: Any) -> Any:
    """Return a reader of a text's rows; a cell may be as long as the text.

    The limit is the process's, as a reader has none of its own: it is only ever raised.
    """
    import csv
    import io

    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return csv.reader(io.StringIO(text, newline=""), **dialect)


def _suiting(cells: Sequence[str]) -> AttributeType:
    if not cells:
        return AttributeType.STRING
    for kind in (AttributeType.INT, AttributeType.DOUBLE, AttributeType.BOOLEAN):
        if all(_suits(cell, kind) for cell in cells):
            return kind
    return AttributeType.STRING


def _suits(cell: str, kind: AttributeType) -> bool:
    match kind:
        case AttributeType.INT:
            return _INT.fullmatch(cell) is not None and -_LARGEST <= int(cell) < _LARGEST
        case AttributeType.DOUBLE:
            return _DOUBLE.fullmatch(cell) is not None
        case AttributeType.BOOLEAN:
            return cell in _BOOLEANS
        case _:
            return True


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _brief(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
