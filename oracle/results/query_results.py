"""The results of a query in Python: an iterator, and the tables that can be made of it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from ...semantics.model.errors import DenotaError
from ..languages.registry import Language, Query
from .text_rows import SHOWN_RESULTS, html_table
from .times import ResultTimes
from .writer import text_rows

ResultT = TypeVar("ResultT")


class Results(Iterator[ResultT]):
    """The production engine's results, each as soon as it is certain.

    `to_arrow`, `to_pandas` and `to_polars` read the streams to their ends. They take the results
    that have not been iterated over; a table, once made, is kept. Solutions are rows with typed
    columns as `--format parquet` writes them. For CEQL a row is a matched tuple: `result`, `start`,
    `end`, `position`, `type`, its attributes, and under the valuation semantics its `variables`.
    """

    def __init__(
        self, language: Language, query: Query, inputs: Mapping[str, Any],
        sources: Mapping[Any, Any],
    ) -> None:
        """`sources` are the streams of `inputs` as users gave them."""
        self._language, self._query, self._inputs = language, query, dict(inputs)
        self._sources = sources
        self._times = ResultTimes()
        if language.items != "tuples":
            self._inputs = self._times.watching(inputs)
        self._found: Iterator[ResultT] = self._run()
        self._head: list[ResultT] = []
        self._peeked: deque[ResultT] = deque()
        self._taken = 0
        self._table: Any = None

    def _run(self) -> Iterator[ResultT]:
        inputs: Any = self._inputs
        return iter(self._language.run(self._query, **inputs))

    def __next__(self) -> ResultT:
        result = self._peeked.popleft() if self._peeked else self._find()
        self._taken += 1
        return result

    def _find(self) -> ResultT:
        result = next(self._found)
        if len(self._head) < SHOWN_RESULTS:
            self._head.append(result)
        return result

    def __repr__(self) -> str:
        return f"<Results of a {self._language.title} query: {self._taken} taken>"

    def _repr_html_(self) -> str:
        """Return a table of the first rows; iteration does not miss the results in it."""
        while len(self._head) < SHOWN_RESULTS:
            try:
                self._peeked.append(self._find())
            except StopIteration:
                break
        readings = self._inputs["readings"]
        rows = text_rows(self._language, self._query, readings, self._times)
        return html_table(rows, self._head)

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table; times of dateTime streams are timestamps (UTC, microseconds)."""
        if self._table is None:
            matched_rows = getattr(self._language, "matched_rows", None)
            self._table = self._solutions() if matched_rows is None else self._matched(matched_rows)
        return self._table

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame of `to_arrow`'s columns."""
        _library("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return a polars.DataFrame of `to_arrow`'s columns."""
        return _library("polars").from_arrow(self.to_arrow())

    def _solutions(self) -> Any:
        import pyarrow as pa

        from .solution_writers import ArrowRows, Layout

        layout = Layout(self._language, self._query, self._inputs["readings"], self._times)
        rows = ArrowRows(layout, self._taken)
        batches = list(rows.batches(self))
        return pa.Table.from_batches(batches, rows.schema())

    def _matched(self, matched_rows: Any) -> Any:
        from ..cases.tuple_sources import KeptTuples

        once = [name for name, source in self._sources.items() if _is_read_once(source)]
        first = self._taken
        streams = dict(self._inputs["streams"])
        if once and self._head:
            raise DenotaError(
                f"stream '{once[0]}' can be read only once: take the table before the first result"
            )
        if once:
            kept = {name: KeptTuples(stream) for name, stream in streams.items()}
            self._inputs["streams"] = kept
            self._found = self._run()
            results = list(self)
            streams = {name: stream.again() for name, stream in kept.items()}
        else:
            results = list(self)
        return matched_rows(self._query, results, streams, self._inputs["readings"], first)


def _is_read_once(source: Any) -> bool:
    if isinstance(source, str | os.PathLike):
        return not Path(source).is_file()
    return isinstance(source, Iterator) or any(
        hasattr(source, name) for name in ("read", "read_next_batch", "arrivals")
    )


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise DenotaError(
            f"to_{name}() requires {name}: install it, or denota[{name}]"
        ) from None
