"""Complex events in the output formats of `denota run`.

    jsonl    one result object a line
    csv      start, end, the positions with spaces between them; with valuations a column
             `bindings`, `X=0 2;Y=4`
    parquet  start and end as int64, positions as a list of int64; with valuations `bindings`, a
             map of lists

There is no SPARQL JSON: a complex event is no solution.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, TextIO

from ..semantics.ceql.readings import Readings
from ..semantics.ceql.results import ComplexEvent
from ..semantics.ceql.syntax import CeqlQuery
from .result_writing import FORMATS, FormatError, ResultWriter

_ROW_GROUP = 1 << 16


def writer(
    format: str,
    language: Any,
    query: CeqlQuery,
    readings: Readings,
    *,
    out: TextIO,
    path: Path | None,
) -> ResultWriter:
    """The writer of a format: to `out`, or for Parquet to `path`."""
    valuations = readings.output == "valuation"
    match format:
        case "jsonl":
            return _JsonLines(language, query, readings, out)
        case "csv":
            return _Csv(out, valuations)
        case "parquet":
            if path is None:
                raise FormatError("parquet is written to a file: name it with -o")
            return _Parquet(path, valuations)
        case "srj":
            raise FormatError("complex events are no solutions: use jsonl, csv or parquet")
    raise FormatError(f"there is no format '{format}' (there is: {', '.join(FORMATS)})")


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
        self.out.write(json.dumps(written, ensure_ascii=False) + "\n")
        self.out.flush()

    def close(self) -> None:
        self.out.flush()


class _Csv:
    def __init__(self, out: TextIO, valuations: bool) -> None:
        self.out = out
        self.valuations = valuations
        self.csv = csv.writer(out, lineterminator="\n")
        self.csv.writerow(["start", "end", "positions", *(["bindings"] if valuations else [])])
        out.flush()

    def write(self, result: ComplexEvent) -> None:
        row = [result.start, result.end, _spaced(result.positions)]
        if self.valuations:
            row.append(";".join(f"{x}={_spaced(places)}" for x, places in result.bindings or ()))
        self.csv.writerow(row)
        self.out.flush()

    def close(self) -> None:
        self.out.flush()


class _Parquet:
    def __init__(self, path: Path, valuations: bool) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        places = pa.list_(pa.int64())
        fields = [("start", pa.int64()), ("end", pa.int64()), ("positions", places)]
        if valuations:
            fields.append(("bindings", pa.map_(pa.string(), places)))
        self.schema = pa.schema(fields)
        self.file = pq.ParquetWriter(path, self.schema)
        self.valuations = valuations
        self.results: list[ComplexEvent] = []

    def write(self, result: ComplexEvent) -> None:
        self.results.append(result)
        if len(self.results) >= _ROW_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self.file.close()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self.results:
            return
        columns: dict[str, Any] = {
            "start": [each.start for each in self.results],
            "end": [each.end for each in self.results],
            "positions": [each.positions for each in self.results],
        }
        if self.valuations:
            columns["bindings"] = [list(each.bindings or ()) for each in self.results]
        self.file.write_table(pa.Table.from_pydict(columns, schema=self.schema))
        self.results = []


def _spaced(positions: tuple[int, ...]) -> str:
    return " ".join(map(str, positions))
