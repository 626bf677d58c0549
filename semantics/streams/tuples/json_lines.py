"""JSON Lines as record batches: one object a line, null is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from ...ceql.syntax.tree import AttributeType
from ...model.errors import StreamError
from ...model.tuples import RecordBatch
from ..files.input_errors import input_errors
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
    """Yield the batches of a JSON Lines file.

    An attribute is of its declared type, or of that of the values in the first batch that has it
    (int and double together are double); a later value of another type is an error, but in a `live`
    file a double after ints makes the attribute a double from there on.
    """
    read = 0  # lines before the piece that is being read
    with input_errors(source, line=lambda: read + 1):
        found = JsonObjects(layout, source, live=live)
        for piece in pieces(file, source, live=live):
            lines = enumerate(piece.split(b"\n"), start=read + 1)
            for batch, _ in found.batches((number, source, text) for number, text in lines):
                yield batch
            read += piece.count(b"\n")


class JsonObjects:
    """The objects of one stream, batch by batch: attributes keep the types that they have got."""

    def __init__(self, layout: Layout, source: str, *, live: bool) -> None:
        self.layout = layout
        self.source = source
        self.declared = layout.declared_types(source)
        self.types: dict[str, type] = {name: _KINDS[kind] for name, kind in self.declared.items()}
        self.widens = live  # whether a later batch may make an attribute double
        self.arranger = Arranger(layout, source)

    def batches(
        self, texts: Iterable[tuple[int, str, bytes]]
    ) -> Iterator[tuple[RecordBatch, list[int]]]:
        """(number, source, text) of lines as a batch, with the numbers of its lines.

        Raises StreamError for a line that is at fault; what stands before it comes first.
        """
        objects: list[dict[str, Any]] = []
        lines: list[int] = []
        fault: StreamError | None = None
        try:
            for number, source, text in texts:
                if text.strip():
                    objects.append(self._object(text, number, source))
                    lines.append(number)
        except StreamError as error:
            fault = error
        while objects:
            try:
                batch = self._batch(objects, lines)
            except StreamError as error:
                fault, end = error, lines.index(error.line) if error.line in lines else 0
                del objects[end:], lines[end:]
                continue
            yield batch, lines
            break
        if fault is not None:
            raise fault

    def _object(self, text: bytes, line: int, source: str) -> dict[str, Any]:
        try:
            with input_errors(source, what="not JSON", line=lambda: line):
                written = json.loads(text)
        except json.JSONDecodeError as error:
            raise StreamError(
                f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}",
                source=source, line=line, column=error.colno,
            ) from None
        if not isinstance(written, dict):
            raise StreamError("a tuple is a JSON object", source=source, line=line)
        return written

    def _batch(self, objects: Sequence[dict[str, Any]], lines: Sequence[int]) -> RecordBatch:
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
