"""Complex events in the output formats of `denota run`, and as tables of the tuples they match.

jsonl    one result object a line
    csv      start, end, the positions with spaces between them; with valuations a column
             `bindings`, `X=0 2;Y=4`
    parquet  start and end as int64, positions as a list of int64; with valuations `bindings`, a
             map of lists

There is no SPARQL JSON: a complex event is no solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import CeqlQuery
from ....semantics.model.errors import DenotaError
from ....semantics.model.printable import printable_json
from ....semantics.model.tuples import STREAM, TIME, TYPE, EventTuple, Tuples, batches, of_one_type
from ....semantics.streams.files.outputs import Output
from ....semantics.streams.tuples.columns import TIME_COLUMNS, TIMESTAMPS
from ...results.formats import FORMATS, FormatError, ResultWriter
from ...results.text_table import Csv, TextRows

_NAMES = {TYPE: "type", STREAM: "stream"}


def matched_rows(
    results: Sequence[ComplexEvent], stream: Iterable[Any], *, valuations: bool, first: int,
    dated: bool,
) -> Any:
    """Return the table.

    Args:
        results: complex events, the first of which has the number `first`.
        stream: the merged stream, in batches or tuples, from its beginning.
        valuations: whether a column has the variables that a position is bound to.
        dated: whether arrival times are timestamps, as `has_timestamps` says of the streams.
    """
    lengths = [len(each.positions) for each in results]
    places = np.array([at for each in results for at in each.positions], np.int64)
    wanted = np.unique(places)
    tuples = _tuples_at(wanted, stream, dated)
    numbers = np.arange(first, first + len(results))
    own: dict[str, Any] = {"result": np.repeat(numbers, lengths)}
    for name in ("start", "end"):
        own[name] = np.repeat(np.array([getattr(e, name) for e in results], np.int64), lengths)
    columns = {name: pa.array(values, pa.int64()) for name, values in own.items()}
    columns["position"] = pa.array(places)
    if valuations:
        columns["variables"] = pa.array(
            [[name for name, bound in each.bindings or () if at in bound]
             for each in results for at in each.positions],
            pa.list_(pa.string()),
        )
    taken = tuples.take(np.searchsorted(wanted, places))
    for name, column in zip(taken.column_names, taken.columns, strict=True):
        name = _NAMES.get(name, name)
        while name in columns:
            name += "_"
        columns[name] = column
    return pa.table(columns)


def has_timestamps(stream: Iterable[Any]) -> bool:
    """Return whether the arrival times of a stream are timestamps where it comes from."""
    head = next(iter(stream.batches()), None) if isinstance(stream, Tuples) else None
    return head is not None and TIME in head.schema.names and (
        head.schema.field(TIME).metadata == TIMESTAMPS
    )


def _tuples_at(positions: Any, stream: Iterable[Any], dated: bool) -> Any:
    """Return the tuples at these positions, which ascend, as one table."""
    pieces: list[Any] = []
    seen = 0
    for batch in _batches(positions, stream):
        low, high = np.searchsorted(positions, [seen, seen + batch.num_rows])
        pieces.append(_typed(batch, dated).take(positions[low:high] - seen))
        seen += batch.num_rows
        if high == len(positions):
            break
    try:
        table = pa.concat_tables(pieces, promote_options="permissive") if pieces else (
            pa.table({TYPE: pa.array([], pa.string())})
        )
    except pa.ArrowTypeError as error:
        raise DenotaError(f"the tuples do not fit into one table: {error}") from None
    if table.num_rows < len(positions):
        raise DenotaError("the streams cannot be read again: take the table before any result")
    return table


def _batches(positions: Any, stream: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of a stream; of one that comes as tuples, those at the positions matter."""
    if isinstance(stream, Tuples):
        yield from stream.batches()
        return
    rows = iter(stream)
    head = next(rows, None)
    if head is None:
        return
    if not isinstance(head, EventTuple):
        yield head
        yield from rows
        return
    wanted = set(positions.tolist())
    nothing = EventTuple(head.type)
    kept = [each if at in wanted else nothing for at, each in enumerate((head, *rows))]
    for run in of_one_type(kept):
        yield from batches(run)


def _typed(batch: Any, dated: bool) -> Any:
    """Return the batch with its event types as strings and its times as timestamps."""
    table = pa.Table.from_batches([batch])
    table = table.set_column(
        table.schema.get_field_index(TYPE), TYPE, table[TYPE].cast(pa.string())
    )
    if TIME not in table.column_names:
        return table
    times = table[TIME]
    table = table.drop_columns([TIME])
    told = next((name for name in TIME_COLUMNS if name in table.column_names), None)
    if told is None:
        return table.append_column("time", times)
    at = table.schema.get_field_index(told)
    if not pa.types.is_string(table.schema.field(at).type) and not dated:
        return table
    stamps = times.cast(pa.timestamp("ns", tz="UTC")).cast(pa.timestamp("us", tz="UTC"), safe=False)
    return table.set_column(at, told, stamps)


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
    """Return the writer of a format: to `out`, or for Parquet to `path`."""
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
    """Return complex events as rows of text."""
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
        from ....engine.ceql.output.records import ComplexEventFile

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
    from ....engine.ceql.output.records import complex_events

    for result in complex_events(batch):
        writer.write(result)


def _write_lines(out: TextIO, batch: Any, line: str, between: str) -> None:
    """Write each row as a line of start, end, and positions with separators."""
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
    """Return an Arrow scalar, made without what imports pandas where it is installed (0.2 s)."""
    import numpy as np
    import pyarrow as pa

    data = value.encode()
    ends = np.array([0, len(data)], np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(data))[0]


def _spaced(positions: tuple[int, ...]) -> str:
    return " ".join(map(str, positions))
