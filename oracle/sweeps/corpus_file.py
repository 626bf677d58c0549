"""A corpus in one Parquet file, a row a case (docs/corpus-files.md), and its rows as cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rdflib.term import URIRef

from ...semantics.model.errors import CaseError, DenotaError
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.streams.files.input_errors import input_errors, json_value
from ...semantics.streams.files.outputs import ParquetFile
from ..cases.case import Case, Expectation, ExpectedError, ExpectedResults
from ..cases.embedded_text import Changes, GraphSource, StreamSource, Table, Text
from ..cases.rdf_text import changes_text, graph_text, stream_text
from ..cases.tuple_sources import csv_message
from ..languages.features import features_of
from ..languages.registry import language

_DDL = {"int64": "bigint", "int32": "int", "string": "string"}

SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("query", pa.string(), nullable=False),
        pa.field("prefixes", pa.string(), nullable=False),
        pa.field("streams", pa.string(), nullable=False),
        pa.field("kb", pa.string(), nullable=False),
        pa.field("readings", pa.string(), nullable=False),
        pa.field("evaluate", pa.string(), nullable=False),
        pa.field("expected", pa.string()),
        pa.field("operators", pa.int32()),
        pa.field("events", pa.int32()),
    ],
    metadata={"denota.corpus": "1"},
)
"""`streams`, `kb`, `prefixes`, `readings`, `evaluate` and `expected` are JSON."""

SPARK_CORPUS = ", ".join(
    f"{column.name} {_DDL[str(column.type)]}" for column in SCHEMA
)
"""The same columns as Spark's DDL."""

ROW_GROUP = 20_000

EMPTY_OBJECT = "{}"


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A case as a row: texts as in a case file, what is an object there as JSON."""

    id: str
    language: str
    query: str
    prefixes: str
    streams: str
    kb: str = EMPTY_OBJECT
    readings: str = EMPTY_OBJECT
    evaluate: str = EMPTY_OBJECT
    expected: str | None = None
    operators: int | None = None
    events: int | None = None
    number: int = field(default=0, compare=False)
    """The row's place in its corpus, from 0; given by the writer."""


def json_text(value: Mapping[str, Any]) -> str:
    """Return a JSON object as the corpus writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else EMPTY_OBJECT


class CorpusWriter:
    """Writes rows to a Parquet file, row group by row group; the file appears when it is complete.

    >>> import tempfile; path = Path(tempfile.mkdtemp()) / "corpus.parquet"
    >>> with CorpusWriter(path) as writer:
    ...     writer.extend([CorpusRow("1", "spaseq", "SELECT …", "{}", "{}")])
    >>> [row.id for row in read_corpus(path)]
    ['1']
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        self._file: ParquetFile | None = None

    def __enter__(self) -> CorpusWriter:
        self._file = ParquetFile(self.path, SCHEMA, compression="zstd", write_page_checksum=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._file is not None
        if kind is None:
            self._file.close()
        else:
            self._file.abandon()

    def extend(self, rows: Iterable[CorpusRow]) -> None:
        """Write these rows after those before; each is numbered by its place."""
        assert self._file is not None
        iterator = iter(rows)
        while block := list(islice(iterator, ROW_GROUP)):
            self._file.write(_batch(block, self.rows), ROW_GROUP)
            self.rows += len(block)


def _batch(rows: list[CorpusRow], first: int) -> pa.RecordBatch:
    columns: list[pa.Array] = [
        pa.array(range(first, first + len(rows)), pa.int64())
        if column.name == "number"
        else pa.array([getattr(row, column.name) for row in rows], column.type)
        for column in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def open_corpus(path: Path) -> pq.ParquetFile:
    """Return the Parquet file, checked to be a corpus; raises CaseError if it is none."""
    if not path.exists():
        raise CaseError("there is no such file", source=str(path))
    with input_errors(str(path), what="not a Parquet file", kind=CaseError):
        corpus = pq.ParquetFile(path, page_checksum_verification=True)
    present = corpus.schema_arrow
    for column in SCHEMA:
        position = present.get_field_index(column.name)
        if position < 0:
            raise CaseError(f"not a corpus: it has no column '{column.name}'", source=str(path))
        if present.field(position).type != column.type:
            raise CaseError(
                f"not a corpus: its column '{column.name}' is {present.field(position).type}, "
                f"not {column.type}", source=str(path),
            )
    return corpus


def read_corpus(path: Path) -> Iterator[CorpusRow]:
    """Yield the rows of a corpus, in their order."""
    with open_corpus(path) as corpus, input_errors(str(path), kind=CaseError):
        for batch in corpus.iter_batches(columns=SCHEMA.names):
            yield from rows_of(batch)


def rows_of(batch: pa.RecordBatch) -> Iterator[CorpusRow]:
    """Yield the rows of a record batch that has the columns of a corpus, in any order."""
    for fields in batch.select(SCHEMA.names).to_pylist():
        yield CorpusRow(**fields)


def case_of(row: CorpusRow) -> Case:
    """Return the case of a row; raises CaseError if a column is not the JSON that it should be."""
    try:
        return Case(
            language=row.language,
            query=Text(row.query),
            streams={URIRef(iri): _stream(given) for iri, given in _texts(row.streams)},
            expect=None if row.expected is None else _expectation(row.expected, row.language),
            title=row.id,
            prefixes=_words(row.prefixes),
            kb={URIRef(iri): _background(given) for iri, given in _texts(row.kb)},
            readings=_words(row.readings),
            evaluation=_object(row.evaluate),
        )
    except (ValueError, TypeError, KeyError, AttributeError, re.error, DenotaError) as error:
        raise CaseError(f"malformed row: {error}", source=row.id) from None


def _stream(given: str | dict[str, str]) -> StreamSource:
    """Return RDF text, or {"csv": …, "declaration": …}."""
    return Text(given) if isinstance(given, str) else Table(given["csv"], given.get("declaration"))


def _background(given: str | dict[str, str]) -> GraphSource:
    """Return Turtle, or {"changes": TriG}."""
    return Text(given) if isinstance(given, str) else Changes(Text(given["changes"]))


def row_of(case: Case, id: str) -> CorpusRow:
    """Return the row of a case, without its expectation."""
    operators = getattr(features_of(case.language_name), "operator_count", None)
    prefixes = case.language.prefixes(case.tree)
    return CorpusRow(
        id=id,
        language=case.language_name,
        query=case.text,
        prefixes=json_text(prefixes),
        streams=json_text(_streams_of(case, prefixes)),
        kb=json_text({str(i): background_text(graph, prefixes) for i, graph in case.kb.items()}),
        readings=json_text(case.reading_names),
        evaluate=json_text(case.evaluation),
        operators=None if operators is None else operators(case.tree),
        events=sum(len(tuple(stream)) for stream in case.streams.values()),
    )


def _streams_of(case: Case, prefixes: Mapping[str, str]) -> dict[str, Any]:
    """Return the streams' texts by their names."""
    if case.language.items == "tuples":
        return {str(name): csv_message(s, name) for name, s in case.stream_sources.items()}
    return {str(iri): stream_text(items, prefixes) for iri, items in case.streams.items()}


def background_text(graph: Any, prefixes: Mapping[str, str]) -> str | dict[str, str]:
    """Return a background graph as a row has it: Turtle, or its changes."""
    if isinstance(graph, TemporalGraph):
        return {"changes": changes_text(graph, prefixes)}
    return graph_text(graph, prefixes)


def expected_text(expected: Expectation, case: Case) -> str:
    """Return an expectation as a row's `expected`: that of a case file, with terms as JSON."""
    if isinstance(expected, ExpectedError):
        return json_text({"error": expected.pattern or ""})
    results = [
        entry if isinstance(entry, dict)
        else case.language.to_json(entry, case.tree, case.readings)
        for entry in expected.results
    ]
    return json_text({"level": expected.level, "results": results})


def _expectation(written: str, language_name: str) -> Expectation:
    value = _object(written)
    if "error" in value:
        re.compile(value["error"])
        return ExpectedError(value["error"])
    results, level = value["results"], value.get("level", "pair")
    levels = language(language_name).levels
    if level not in levels or not all(isinstance(each, dict) for each in results):
        raise ValueError(f"no results at one of the levels {', '.join(levels)}")
    language(language_name).answers(results, levels[-1], partial=True)  # which raises ResultError
    return ExpectedResults(results, level=level)


# Streams recur from case to case; what is read of them is kept by the texts.
@lru_cache(maxsize=4096)
def _texts(written: str) -> tuple[tuple[str, Any], ...]:
    return tuple(_object(written).items())


@lru_cache(maxsize=256)
def _words(written: str) -> dict[str, str]:
    value = _object(written)
    if not all(isinstance(each, str) for each in value.values()):
        raise ValueError(f"not an object of texts: {written[:60]}")
    return value


@lru_cache(maxsize=256)
def _object(written: str) -> dict[str, Any]:
    value = json_value(written, None, kind=CaseError)
    if not isinstance(value, dict):
        raise ValueError(f"not an object: {written[:60]}")
    return value
