"""The results of a query in Python: an iterator, and the tables that can be made of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...semantics.model.errors import DenotaError
from ...semantics.model.pretty_printing import Printer, show_lines
from ..languages.registry import Language, Query
from .text_table import SHOWN_RESULTS, TextRows, TextTable, html_table
from .times import ResultTimes
from .writers import text_rows

if TYPE_CHECKING:
    from ..explanations.pattern_counts import PatternCounts

ResultT = TypeVar("ResultT")


class QueryOnInputs(Protocol):
    """A query with its inputs."""

    language: Language
    query: Query
    inputs: dict[str, Any]
    read_again: bool
    times: ResultTimes

    def results(self) -> Iterator[Any]:
        """Return the production engine's results on the inputs."""

    def counts(self) -> PatternCounts:
        """Return the number of items that each pattern matches."""


class Results(Iterator[ResultT]):
    """Iterator of the production engine's results, each as soon as it is final.

    `to_arrow`, `to_pandas` and `to_polars` read the streams to their ends and return a table of the
    results that have not been iterated over; each call returns the same table. A row is a solution,
    with the typed columns of `--format parquet`. For CEQL a row is a matched tuple: `result`,
    `start`, `end`, `position`, `type`, its attributes, and under the valuation semantics its
    `variables`.
    """

    def __init__(self, asked: QueryOnInputs) -> None:
        self._asked = asked
        self._found: Iterator[ResultT] = asked.results()
        self._head: list[ResultT] = []
        self._peeked: deque[ResultT] = deque()
        self._taken = 0
        self._table: Any = None

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
        return f"<Results of the {self._asked.language.title} query: {self._taken} taken>"

    def head(self) -> list[ResultT]:
        """Return the first results, at most 21; iteration does not miss them."""
        while len(self._head) < SHOWN_RESULTS:
            try:
                self._peeked.append(self._find())
            except StopIteration:
                break
        return self._head

    def _text_rows(self) -> TextRows:
        asked = self._asked
        return text_rows(asked.language, asked.query, asked.inputs["readings"], asked.times)

    def _repr_html_(self) -> str:
        head = self.head()
        return html_table(self._text_rows(), head)

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        """Show the first results as a table."""
        head, out = self.head(), StringIO()
        table = TextTable(self._text_rows(), out)
        for result in head[: SHOWN_RESULTS - 1]:
            table.write(result)
        table.close(more=len(head) == SHOWN_RESULTS)
        show_lines(printer, out.getvalue())

    @property
    def query(self) -> Query:
        """The syntax tree of the query."""
        return self._asked.query

    @property
    def stats(self) -> PatternCounts:
        """The number of items that each pattern matches alone, by the definitions.

        The streams are read again.

        Raises:
            DenotaError: if a stream can be read only once.
        """
        return self._asked.counts()

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table; times of dateTime streams are timestamps (UTC, microseconds)."""
        if self._table is None:
            matched_rows = getattr(self._asked.language, "matched_rows", None)
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

        asked = self._asked
        layout = Layout(asked.language, asked.query, asked.inputs["readings"], asked.times)
        rows = ArrowRows(layout, self._taken)
        batches = list(rows.batches(self))
        return pa.Table.from_batches(batches, rows.schema())

    def _matched(self, matched_rows: Any) -> Any:
        from ..cases.tuple_sources import KeptTuples

        asked, first = self._asked, self._taken
        streams = asked.inputs["streams"]
        if asked.read_again:
            results = list(self)
        elif self._head:
            raise DenotaError(
                "the streams can be read only once: take the table before the first result"
            )
        else:
            kept = {name: KeptTuples(stream) for name, stream in streams.items()}
            asked.inputs["streams"] = kept
            self._found = asked.results()
            results = list(self)
            streams = {name: stream.again() for name, stream in kept.items()}
        return matched_rows(asked.query, results, streams, asked.inputs["readings"], first)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise DenotaError(
            f"to_{name}() requires {name}: install it, or denota[{name}]"
        ) from None
