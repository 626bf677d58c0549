"""JSON Lines as record batches: one object a line, null is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from ...ceql.syntax.tree import AttributeType
from ...model.errors import StreamError
from ...model.tuples import RecordBatch
from ..files.boundaries import input_errors
from .columns import Arranger, Layout
from .lines import pieces

_KINDS = {
    AttributeType.INT: int, AttributeType.DOUBLE: float, AttributeType.STRING: str,
    AttributeType.BOOLEAN: bool, AttributeType.PRIMARY_TIME: int,
}
_NAMES = {int: "int", float: "double", str: "string", bool: "boolean"}
_LARGEST = 1 << 63


def json_batches(
    file: BinaryIO, layout: Layout, source: str, *, live: bool = False
) -> Iterator[RecordBatch]:
    """The batches of a JSON Lines file.

    An attribute is of its declared type, or of that of the values in the first batch that has it
    (int and double together are double); a later value of another type is an error, but in a `live`
    file a double after ints makes the attribute a double from there on.
    """
    reader = _Reader(layout, source)
    with input_errors(source, line=lambda: reader.line + 1):
        yield from reader.batches(file, live)


class _Reader:
    """Reads one file; `line` is the number of the line before the piece being read."""

    def __init__(self, layout: Layout, source: str) -> None:
        self.layout = layout
        self.source = source
        self.line = 0
        self.types: dict[str, type] = {}
        self.declared: dict[str, AttributeType] = {}
        self.widens = False  # whether a later batch may make an attribute double
        self.arranger = Arranger(layout, source)

    def batches(self, file: BinaryIO, live: bool) -> Iterator[RecordBatch]:
        self.declared = self.layout.declared_types(self.source)
        self.types = {name: _KINDS[kind] for name, kind in self.declared.items()}
        self.widens = live
        for piece in pieces(file, self.source, live=live):
            lines: list[int] = []
            objects: list[dict[str, Any]] = []
            for number, text in enumerate(piece.split(b"\n"), start=self.line + 1):
                if text.strip():
                    lines.append(number)
                    objects.append(self.object(text, number))
            if objects:
                yield self.batch(objects, lines)
            self.line += piece.count(b"\n")

    def object(self, text: bytes, line: int) -> dict[str, Any]:
        try:
            with input_errors(self.source, what="not JSON", line=lambda: line):
                written = json.loads(text)
        except json.JSONDecodeError as error:
            raise StreamError(
                f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}",
                source=self.source, line=line, column=error.colno,
            ) from None
        if not isinstance(written, dict):
            raise StreamError("a tuple is a JSON object", source=self.source, line=line)
        return written

    def batch(self, objects: Sequence[dict[str, Any]], lines: Sequence[int]) -> RecordBatch:
        import pyarrow as pa

        names = list(dict.fromkeys(name for each in objects for name in each))
        names += [name for name in self.types if name not in names]
        self.layout.check(names, self.source, lines[0])
        columns = {name: self.column(name, objects, lines) for name in names}
        batch = pa.RecordBatch.from_pydict(columns)
        return self.arranger.arranged(batch, lambda row: lines[row])

    def column(self, name: str, objects: Sequence[dict[str, Any]], lines: Sequence[int]) -> Any:
        import pyarrow as pa

        kinds: dict[str, type] = self.types if name != self.layout.type_column else {name: str}
        values = [each.get(name) for each in objects]
        if name not in kinds:
            found = {type(value) for value in values if value is not None}
            if found:
                self.types[name] = float if found == {int, float} else next(
                    type(value) for value in values if value is not None
                )
        elif self.widens and kinds[name] is int and name not in self.declared and any(
            type(value) is float for value in values
        ):
            kinds[name] = float
        kind = kinds.get(name, str)
        for row, value in enumerate(values):
            if value is None or type(value) is kind:
                fits = type(value) is not int or -_LARGEST <= value < _LARGEST
            else:
                fits = type(value) is int and kind is float
            if not fits:
                raise StreamError(
                    f"{_brief(value)} in '{name}' is not of type {_NAMES.get(kind, kind.__name__)}",
                    source=self.source, line=lines[row],
                )
        arrow = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
        if kind not in arrow:
            row = next(row for row, value in enumerate(values) if value is not None)
            raise StreamError(
                f"'{name}' holds {_brief(values[row])}: a value is a number, a string or a boolean",
                source=self.source, line=lines[row],
            )
        if kind is float:
            values = [None if value is None else float(value) for value in values]
        return pa.array(values, arrow[kind])


def _brief(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"
