"""Complex events in the output formats of `denota run`.

    jsonl    one result object a line
    csv      start, end, the positions with spaces between them; with valuations a column
             `bindings`, `X=0 2;Y=4`
    parquet  start and end as int64, positions as a list of int64; with valuations `bindings`, a
             map of lists

There is no SPARQL JSON: a complex event is no solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import CeqlQuery
from .....semantics.model.printable import printable_json
from .....semantics.streams.files.outputs import Output
from ....results.formats import FORMATS, FormatError, ResultWriter
from ....results.text_rows import Csv, TextRows

_ROW_GROUP = 1 << 16
_FEW = 1 << 10  # rows that are written before Arrow's functions are loaded


def writer(
    format: str,
    language: Any,
    query: CeqlQuery,
    readings: Readings,
    *,
    out: TextIO,
    path: Path | Output | None,
) -> ResultWriter:
    """The writer of a format: to `out`, or for Parquet to `path`."""
    valuations = readings.output == "valuation"
    match format:
        case "jsonl":
            return _JsonLines(language, query, readings, out)
        case "csv":
            return _Csv(text_rows(readings), out)
        case "parquet":
            if path is None:
                raise FormatError("parquet is written to a file: name it with -o")
            return _Parquet(path, valuations)
        case "srj":
            raise FormatError("complex events are no solutions: use jsonl, csv or parquet")
    raise FormatError(f"there is no format '{format}' (there is: {', '.join(FORMATS)})")


def text_rows(readings: Readings) -> TextRows:
    """Complex events as rows of text."""
    valuations = readings.output == "valuation"

    def cells(result: ComplexEvent) -> Iterable[list[Any]]:
        row = [result.start, result.end, _spaced(result.positions)]
        if valuations:
            row.append(";".join(f"{x}={_spaced(places)}" for x, places in result.bindings or ()))
        return [row]

    return TextRows(["start", "end", "positions", *["bindings"] * valuations], 2, cells)


class _JsonLines:
    def __init__(
        self, language: Any, query: CeqlQuery, readings: Readings, out: TextIO
    ) -> None:
        self.language = language
        self.query = query
        self.readings = readings
        self.out = out

    def write(self, result: ComplexEvent) -> None:
        written = self.language.to_json(result, self.query, self.readings)
        self.out.write(printable_json(written) + "\n")
        self.out.flush()

    def write_batch(self, batch: Any) -> None:
        if "bindings" in batch.schema.names:
            _write_each(self, batch)
            return
        _write_lines(
            self.out, batch, '{{"start": {}, "end": {}, "positions": [{}]}}\n', between=", "
        )

    def close(self) -> None:
        self.out.flush()


class _Csv(Csv):
    def write_batch(self, batch: Any) -> None:
        if "bindings" in batch.schema.names:
            _write_each(self, batch)
            return
        _write_lines(self.out, batch, "{},{},{}\n", between=" ")


class _Parquet:
    def __init__(self, path: Path | Output, valuations: bool) -> None:
        from .....engine.ceql.output.records import ComplexEventFile

        self.file = ComplexEventFile(path, bindings=valuations)
        self.results: list[ComplexEvent] = []

    def write(self, result: ComplexEvent) -> None:
        self.results.append(result)
        if len(self.results) >= _ROW_GROUP:
            self._flush()

    def write_batch(self, batch: Any) -> None:
        self.file.write(batch)

    def close(self) -> None:
        try:
            self._flush()
        finally:
            self.file.close()

    def _flush(self) -> None:
        if self.results:
            self.file.write_events(self.results)
            self.results = []


def _write_each(writer: ResultWriter, batch: Any) -> None:
    from .....engine.ceql.output.records import complex_events

    for result in complex_events(batch):
        writer.write(result)


def _write_lines(out: TextIO, batch: Any, line: str, between: str) -> None:
    """Each row as this line, of start, end, and the positions with something between them."""
    if batch.num_rows > _FEW:
        out.writelines(_lines_by_arrow(batch, line, between))
    else:
        columns = (batch.column(name).to_pylist() for name in ("start", "end", "positions"))
        for start, end, positions in zip(*columns, strict=True):
            out.write(line.format(start, end, between.join(map(str, positions))))
    out.flush()


def _lines_by_arrow(batch: Any, line: str, between: str) -> list[str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    positions = batch.column("positions").cast(pa.list_(pa.string()))
    texts = [batch.column(name).cast(pa.string()) for name in ("start", "end")]
    texts.append(pc.binary_join(positions, _text(between)))
    before, *after = (_text(part.format()) for part in line.split("{}"))
    parts = [before, *(each for pair in zip(texts, after, strict=True) for each in pair)]
    lines: list[str] = pc.binary_join_element_wise(*parts, _text("")).to_pylist()
    return lines


def _text(value: str) -> Any:
    """An Arrow scalar, made without what imports pandas where it is installed (0.2 s)."""
    import numpy as np
    import pyarrow as pa

    data = value.encode()
    ends = np.array([0, len(data)], np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(data))[0]


def _spaced(positions: tuple[int, ...]) -> str:
    return " ".join(map(str, positions))
