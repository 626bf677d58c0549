"""A corpus in one Parquet file: a row a case, its parts as text (docs/corpus-files.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...semantics.model.errors import CaseError
from ...semantics.streams.files.boundaries import input_errors
from ...semantics.streams.files.parquet_file import ParquetFile

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
    """A JSON object as the corpus writes it."""
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
    """The Parquet file, checked to be a corpus; raises CaseError if it is none."""
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
    """The rows of a corpus, in their order."""
    with open_corpus(path) as corpus, input_errors(str(path), kind=CaseError):
        for batch in corpus.iter_batches(columns=SCHEMA.names):
            yield from rows_of(batch)


def rows_of(batch: pa.RecordBatch) -> Iterator[CorpusRow]:
    """The rows of a record batch that has the columns of a corpus, in any order."""
    for fields in batch.select(SCHEMA.names).to_pylist():
        yield CorpusRow(**fields)
