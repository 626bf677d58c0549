"""Writers of results: JSON Lines, CSV, SPARQL 1.1 Query Results JSON, Parquet; large results."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import ENOENT
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TextIO

from rdflib.term import BNode, URIRef

from ...semantics.model.errors import DenotaError, StreamError
from ...semantics.model.mappings import Value
from ...semantics.model.printable import printable_json
from ...semantics.model.time import XSD, format_datetime, parse_datetime
from ...semantics.streams.files.outputs import Output
from ...semantics.streams.files.parquet_file import ParquetFile
from ..checking.levels import BOOLEAN
from ..languages.registry import Language, Query, Result
from .json_objects import term_to_json, value_to_json
from .text_table import Csv, TextRows
from .times import ResultTimes, instant_columns

FORMATS = ("jsonl", "csv", "srj", "parquet")


class FormatError(DenotaError):
    """An output format that cannot carry the results that were asked for."""


class ResultWriter(Protocol):
    """Takes results one by one.

    Where a language also has results as record batches, its writer has `write_batch(batch)` too.
    """

    def write(self, result: Result) -> None:
        """Write one result; what is written is flushed."""

    def close(self) -> None:
        """Write what ends the document."""


_ROW_GROUP = 1 << 14


class Layout:
    """What every format has to know of a query."""

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
        """The columns of the variables, apart from those of the fields."""
        taken = {*self.fields, *more}
        return [f"?{v}" if str(v) in taken else str(v) for v in self.variables]

    def rows(self, result: Result) -> Any:
        return self.language.flat_rows(result, self.query, self.readings)

    def shown(self, fields: Iterable[int | None], zone: str = "Z") -> list[Any]:
        """The values of the fields, times as the streams have them."""
        return [
            self.times.shown(value, zone) if name in self.instant_columns else value
            for name, value in zip(self.fields, fields, strict=True)
        ]

    def text_rows(self, text: Callable[[Value], str], *, local: bool = False) -> TextRows:
        """The rows of a table of texts; `local`: with times in the time zone of the streams."""
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
        """The columns that hold the terms of `names` as strings."""
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
    """The writer of a format: to `out`, or for Parquet to `path`."""
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
        """The columns; known when an item of the streams has been read."""
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
        """The rows of the next result."""
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
        """A record batch of these rows; raises FormatError for a time that no column can hold."""
        import pyarrow as pa

        try:
            return pa.RecordBatch.from_pylist(rows, schema=self.schema())
        except (OverflowError, pa.ArrowInvalid) as error:
            raise FormatError(f"a column cannot hold a time: {error}") from None

    def batches(self, results: Iterable[Result]) -> Iterator[Any]:
        """The record batches of these results."""
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
    """A function from values to texts in which IRIs are prefixed names where they can be."""
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


def count(language: Language, query: Query, inputs: Mapping[str, Any]) -> int:
    """How many results the production engine has; `inputs` are the arguments of `Language.run`."""
    own = getattr(language, "count", None)
    if own is not None:
        counted: int = own(query, **inputs)
        return counted
    return sum(1 for _ in language.run(query, **inputs))


def sample(
    language: Language, query: Query, size: int, seed: int | None, inputs: Mapping[str, Any]
) -> list[Result]:
    """`size` of the results, each set of so many as likely; all, if they are no more."""
    own = getattr(language, "sample", None)
    if own is not None:
        taken: list[Result] = own(query, size, seed, **inputs)
        return taken
    return sampled(language.run(query, **inputs), size, seed)


def sampled(results: Iterable[Result], size: int, seed: int | None) -> list[Result]:
    """A uniform sample of an iterable, in its order (Waterman's algorithm R)."""
    drawing = random.Random(seed)
    kept: list[tuple[int, Result]] = []
    for number, result in enumerate(results):
        place = number if number < size else drawing.randrange(number + 1)
        if place < size:
            kept[place : place + 1] = [(number, result)]
    return [result for _, result in sorted(kept, key=lambda pair: pair[0])]


def batches(
    language: Language, query: Query, limit: int | None, inputs: Mapping[str, Any],
    times: ResultTimes,
) -> Iterator[Any]:
    """The first `limit` results as Arrow's record batches, with the times of the inputs."""
    own = own_batches(language, query, limit, inputs)
    if own is not None:
        return own

    results = first(language.run(query, **inputs), limit)
    return ArrowRows(Layout(language, query, inputs["readings"], times)).batches(results)


def own_batches(
    language: Language, query: Query, limit: int | None, inputs: Mapping[str, Any]
) -> Iterator[Any] | None:
    """The batches that a language has without making results one by one; None if it has none."""
    own = getattr(language, "batches", None)
    if own is None:
        return None
    made: Iterator[Any] = own(query, limit, **inputs)
    return made


def first(results: Iterable[Result], limit: int | None) -> Iterator[Result]:
    """The first so many results, or all; nothing is asked for after them."""
    return iter(results) if limit is None else islice(results, limit)


def write_parquet(
    language: Language, query: Query, path: str, limit: int | None, inputs: Mapping[str, Any],
    times: ResultTimes,
) -> int:
    """Write the first `limit` results, as they are found; how many they are."""
    import os
    from pathlib import Path


    written = 0
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        out: Any = writer(
            "parquet", language, query, inputs["readings"],
            out=nothing, path=Path(path), times=times,
        )
        try:
            made = own_batches(language, query, limit, inputs)
            if made is not None:
                for batch in made:
                    out.write_batch(batch)
                    written += batch.num_rows
            else:
                for result in first(language.run(query, **inputs), limit):
                    out.write(result)
                    written += 1
        finally:
            out.close()
    return written


def writer(
    format: str, language: Language, query: Query, readings: Any, *,
    out: TextIO, path: Path | Output | None, times: ResultTimes | None = None,
) -> ResultWriter:
    """The writer of a format: to `out`, or for Parquet to `path`; `times` watches the streams."""
    own = getattr(language, "writer", None)
    if own is not None:
        made: ResultWriter = own(format, query, readings, out=out, path=path)
        return made

    return solution_writer(
        format, language, query, readings, out=out, path=path, times=times or ResultTimes()
    )


def text_rows(language: Language, query: Query, readings: Any, times: ResultTimes) -> TextRows:
    """Results as people read them: IRIs as names with the query's prefixes."""
    own = getattr(language, "text_rows", None)
    if own is not None:
        made: TextRows = own(readings)
        return made

    layout = Layout(language, query, readings, times)
    return layout.text_rows(short_text(language.prefixes(query)), local=True)
