"""Results as rows of text: the columns of CSV files, of tables on a terminal, and of HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, islice
from typing import Any, TextIO

from ...semantics.model.printable import printable
from ..languages.registry import Result

_ROWS = 20


@dataclass(frozen=True)
class TextRows:
    """The columns of a query's results.

    Attributes:
        names: the columns; the first `fields` of them are no variables, but times and the like.
        cells: the rows of a result, a text for each column.
    """

    names: Sequence[str]
    fields: int
    cells: Callable[[Result], Iterable[Sequence[Any]]]


class Csv:
    """One line a row."""

    def __init__(self, rows: TextRows, out: TextIO) -> None:
        self.rows = rows
        self.out = out
        self.csv = csv.writer(out, lineterminator="\n")
        self.csv.writerow(rows.names)
        out.flush()

    def write(self, result: Result) -> None:
        """Write the rows of a result."""
        self.csv.writerows(self.rows.cells(result))
        self.out.flush()

    def close(self) -> None:
        """Write nothing more."""
        self.out.flush()


def html_table(rows: TextRows, results: Sequence[Result]) -> str:
    """Return an HTML table of the first rows, with a last row `…` if there are more."""
    every = chain.from_iterable(map(rows.cells, results))
    shown = list(islice(every, _ROWS))
    if next(every, None) is not None:
        shown.append(["…"] * len(rows.names))
    return html_rows(rows.names, shown)


def html_rows(names: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return an HTML table of rows of cells under these names."""
    head = _html_row("th", names)
    body = "\n".join(_html_row("td", cells) for cells in rows)
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _html_row(tag: str, cells: Iterable[Any]) -> str:
    inside = "".join(
        f"<{tag}>{'' if cell is None else escape(printable(str(cell)))}</{tag}>" for cell in cells
    )
    return f"<tr>{inside}</tr>"


SHOWN_RESULTS = _ROWS + 1
"""The number of results that `html_table` needs: it shows the rows of all but the last."""
