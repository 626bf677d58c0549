"""Writing results: JSON Lines, CSV, SPARQL 1.1 Query Results JSON, Parquet.

    jsonl    one result object a line (see `json_objects`)
    csv      one row a solution: window_start, window_end, time[, rank], then a column a variable;
             terms as in SPARQL 1.1 Query Results CSV (an IRI or lexical form as it is, _:b for a
             blank node, empty if unbound), a collected value as (a b c)
    srj      SPARQL 1.1 Query Results JSON; window_start, window_end, time[, rank] are bound to
             xsd:integer literals (times of dateTime streams: xsd:dateTime), before the query's
             variables
    parquet  as csv, with the first columns as int64 (times of dateTime streams: timestamps in
             microseconds, UTC); a term is a structure of type, value, datatype and language (a list
             of those under kleene=collect), and stands as in csv in a column of strings beside it,
             `x_text` for ?x; a column `result` numbers the results from 0, so that solutions of one
             pair can be told

Times are as the streams': integers, or dateTimes such as 2026-01-01T09:30:00Z (in UTC).
Under window=match there are no window columns; rank is there under ties=sequence. A variable that
is called like one of these columns keeps its question mark (`?time`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import ENOENT
from pathlib import Path
from typing import Any, TextIO

from rdflib.term import BNode, URIRef

from ...semantics.model.errors import StreamError
from ...semantics.model.mappings import Value
from ...semantics.model.printable import printable_json
from ...semantics.model.time import XSD, format_datetime, parse_datetime
from ...semantics.streams.files.outputs import Output, ParquetFile
from ..checking.levels import BOOLEAN
from ..languages.registry import Language, Query, Result
from .formats import FORMATS, FormatError, ResultWriter
from .json_objects import term_to_json, value_to_json
from .text_table import Csv, TextRows
from .times import ResultTimes, instant_columns

_ROW_GROUP = 1 << 14


class Layout:
    """The properties of a query that every format needs."""

    def __init__(
        self, language: Language, query: Query, readings: Any, times: ResultTimes
    ) -> None:
        self.times = times
        self.language = language
        self.query = query
        self.readings = readings
        self.fields = language.flat_fields(query, readings)
        self.instants = language.instants(query)
        self.instant_columns = instant_columns(self.instants)
        computed = getattr(language, "instant_variables", None)
        self.instant_variables = frozenset() if computed is None else computed(query)
        self.variables = language.columns(query)
        self.collects = getattr(readings, "kleene", None) == "collect"

    def names(self, *more: str) -> list[str]:
        """Return the columns of the variables, apart from those of the fields."""
        taken = {*self.fields, *more}
        return [f"?{v}" if str(v) in taken else str(v) for v in self.variables]

    def rows(self, result: Result) -> Any:
        return self.language.flat_rows(result, self.query, self.readings)

    def shown(self, fields: Iterable[int | None], zone: str = "Z") -> list[Any]:
        """Return the values of the fields, times as the streams have them."""
        return [
            self.times.shown(value, zone) if name in self.instant_columns else value
            for name, value in zip(self.fields, fields, strict=True)
        ]

    def text_rows(self, text: Callable[[Value], str], *, local: bool = False) -> TextRows:
        """Return the rows of a table of texts; `local`: times in the streams' time zone."""
        def cells(result: Result) -> Iterable[list[Any]]:
            zone = self.times.zone if local and self.times.dated else "Z"

            def shown(variable: Any, value: Value) -> str:
                if zone != "Z" and variable in self.instant_variables:
                    with suppress(StreamError):
                        return format_datetime(parse_datetime(str(value)), zone)
                return text(value)

            for fields, mu in self.rows(result):
                terms = [shown(v, mu[v]) if v in mu else "" for v in self.variables]
                yield [*self.shown(fields, zone), *terms]

        return TextRows([*self.fields, *self.names()], len(self.fields), cells)

    def text_names(self, names: Sequence[str]) -> list[str]:
        """Return the columns that hold the terms of `names` as strings."""
        taken = {*self.fields, *names}
        found = []
        for name in names:
            text = f"{name}_text"
            while text in taken:
                text += "_"
            found.append(text)
        return found


def solution_writer(
    format: str, language: Language, query: Query, readings: Any, *,
    out: TextIO, path: Path | Output | None, times: ResultTimes,
) -> ResultWriter:
    """Return the writer of a format: to `out`, or for Parquet to `path`."""
    layout = Layout(language, query, readings, times)
    if format == "jsonl":
        return JsonLines(layout, out)
    if format == "csv":
        return Csv(layout.text_rows(_plain), out)
    if format == "srj":
        if layout.variables == (BOOLEAN,) and not layout.fields:
            return SparqlBoolean(out)
        return SparqlJson(layout, out)
    if format != "parquet":
        raise FormatError(f"there is no format '{format}' (there is: {', '.join(FORMATS)})")
    if path is None:
        raise FormatError("parquet is written to a file: name it with -o")
    return Parquet(layout, path)


class JsonLines:
    """One result object a line."""

    def __init__(self, layout: Layout, out: TextIO) -> None:
        self.layout = layout
        self.out = out

    def write(self, result: Result) -> None:
        layout = self.layout
        written = layout.language.to_json(result, layout.query, layout.readings)
        for name in layout.instants:
            if name in written:
                written[name] = layout.times.shown(written[name])
        self.out.write(printable_json(written) + "\n")
        self.out.flush()

    def close(self) -> None:
        self.out.flush()


class SparqlJson:
    """One binding a solution; the document grows line by line."""

    def __init__(self, layout: Layout, out: TextIO) -> None:
        if layout.collects:
            raise FormatError("srj has no lists, which kleene=collect needs: use jsonl or parquet")
        self.layout = layout
        self.out = out
        self.names = layout.names()
        head = printable_json({"vars": [*layout.fields, *self.names]})
        out.write(f'{{"head": {head}, "results": {{"bindings": [')
        out.flush()
        self.between = "\n"

    def write(self, result: Result) -> None:
        for fields, mu in self.layout.rows(result):
            binding = {
                name: {
                    "type": "literal", "value": str(value),
                    "datatype": XSD + ("dateTime" if isinstance(value, str) else "integer"),
                }
                for name, value in zip(self.layout.fields, self.layout.shown(fields), strict=True)
                if value is not None
            }
            for name, variable in zip(self.names, self.layout.variables, strict=True):
                if variable in mu:
                    binding[name] = _single(mu[variable])
            self.out.write(self.between + printable_json(binding))
            self.between = ",\n"
        self.out.flush()

    def close(self) -> None:
        self.out.write("\n]}}\n")
        self.out.flush()


class SparqlBoolean:
    """The answer of ASK, where there is one."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def write(self, result: Result) -> None:
        self.out.write(printable_json({"head": {}, "boolean": result}) + "\n")
        self.out.flush()

    def close(self) -> None:
        self.out.flush()


class ArrowRows:
    """The rows of Arrow tables: typed columns, those of a term stand side by side."""

    def __init__(self, layout: Layout, first: int = 0) -> None:
        self.layout = layout
        self.names = layout.names("result")
        self.text_names = layout.text_names(self.names)
        self.results = first

    def schema(self) -> Any:
        """Return the columns; known when an item of the streams has been read."""
        import pyarrow as pa

        layout = self.layout
        instant = pa.timestamp("us", tz="UTC") if layout.times.dated else pa.int64()
        term = pa.struct(
            [(name, pa.string()) for name in ("type", "value", "datatype", "language")]
        )
        columns = [("result", pa.int64())]
        for name in layout.fields:
            columns.append((name, instant if name in layout.instant_columns else pa.int64()))
        for name, text in zip(self.names, self.text_names, strict=True):
            columns += [(name, pa.list_(term) if layout.collects else term), (text, pa.string())]
        return pa.schema(columns)

    def rows(self, result: Result) -> Iterator[dict[str, Any]]:
        """Yield the rows of the next result."""
        for fields, mu in self.layout.rows(result):
            row: dict[str, Any] = {"result": self.results}
            row.update(zip(self.layout.fields, fields, strict=True))
            for name, text, variable in zip(
                self.names, self.text_names, self.layout.variables, strict=True
            ):
                row[name] = self._cell(mu[variable]) if variable in mu else None
                row[text] = _plain(mu[variable]) if variable in mu else None
            yield row
        self.results += 1

    def batch(self, rows: list[dict[str, Any]]) -> Any:
        """Return a record batch of these rows; raises FormatError for a time out of range."""
        import pyarrow as pa

        try:
            return pa.RecordBatch.from_pylist(rows, schema=self.schema())
        except (OverflowError, pa.ArrowInvalid) as error:
            raise FormatError(f"a column cannot hold a time: {error}") from None

    def batches(self, results: Iterable[Result]) -> Iterator[Any]:
        """Yield the record batches of these results."""
        rows: list[dict[str, Any]] = []
        for result in results:
            rows += self.rows(result)
            if len(rows) >= _ROW_GROUP:
                yield self.batch(rows)
                rows = []
        if rows:
            yield self.batch(rows)

    def _cell(self, value: Value) -> Any:
        if not self.layout.collects:
            return _structure(value)
        return [_structure(term) for term in (value if isinstance(value, tuple) else (value,))]


class Parquet:
    """Row groups of a table."""

    def __init__(self, layout: Layout, path: Path | Output) -> None:
        if isinstance(path, Path) and not path.parent.is_dir():
            raise FileNotFoundError(ENOENT, "No such file or directory", str(path))
        self.path = path
        self.arrow = ArrowRows(layout)
        self.file: ParquetFile | None = None  # until the streams have told what their times are
        self.rows: list[dict[str, Any]] = []

    def write(self, result: Result) -> None:
        self.rows += self.arrow.rows(result)
        if len(self.rows) >= _ROW_GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        if self.file is not None:
            self.file.close()

    def _flush(self) -> None:
        if self.file is None:
            self.file = ParquetFile(self.path, self.arrow.schema())
        rows, self.rows = self.rows, []
        try:
            batch = self.arrow.batch(rows)
        except FormatError:
            self.file.abandon()
            raise
        if rows:
            self.file.write(batch)


def short_text(prefixes: Mapping[str, str]) -> Callable[[Value], str]:
    """Return a function from values to texts in which IRIs are prefixed names where they can be."""
    from ..cases.rdf_text import shortened

    def text(value: Value) -> str:
        if isinstance(value, tuple):
            return f"({' '.join(map(text, value))})"
        return shortened(value, prefixes) if isinstance(value, URIRef) else _plain(value)

    return text


def _plain(value: Value) -> str:
    if isinstance(value, tuple):
        return f"({' '.join(_plain(term) for term in value)})"
    return f"_:{value}" if isinstance(value, BNode) else str(value)


def _single(value: Value) -> dict[str, Any]:
    if isinstance(value, tuple):
        raise FormatError("srj has no lists: use jsonl or parquet")
    return term_to_json(value)


def _structure(value: Value) -> dict[str, Any]:
    written = value_to_json(value)
    assert isinstance(written, dict)
    language = written.pop("xml:lang", None)
    return {**written, "language": language}
