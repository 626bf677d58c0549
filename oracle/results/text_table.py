"""Results as rows of text, and as a table of aligned columns that fits a terminal."""

from __future__ import annotations

import csv
import re
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


BLOCK = 64
"""The number of rows that decide the widths of their columns together."""

_GAP = "  "
_NARROW = 8
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


class TextTable:
    """Blocks of rows, under a header wherever the widths of columns change.

    Columns only grow. Where the terminal is too narrow, variables are cut; fields are not, but the
    first of them are left out if variables would be narrower than 8 characters.
    """

    def __init__(
        self, rows: TextRows, out: TextIO, width: int | None = None, block: int = BLOCK
    ) -> None:
        self._rows, self._out, self._width, self._size = rows, out, width, block
        self._names = [printable(name) for name in rows.names]
        self._needed = [_cells(name) for name in self._names]
        self._numbers: list[bool] = []
        self._widths: dict[int, int] = {}
        self._block: list[list[str]] = []
        self._results = self._written = 0
        self.complete = True
        """False if an error has ended the results."""

    def write(self, result: Any) -> None:
        """Write a result, at the latest when its block is full."""
        self._results += 1
        for cells in self._rows.cells(result):
            self._block.append(["" if cell is None else printable(str(cell)) for cell in cells])
        if len(self._block) >= self._size:
            self._flush()

    def close(self, *, more: bool = False) -> None:
        """Write the last block, and the number of results; say if there are `more`."""
        self._flush()
        if not self._results and not self.complete:
            return
        told = f"{self._results:,} result{'s' * (self._results != 1)}" if self._results else (
            "no results"
        )
        if self._written != self._results:
            told += f", {self._written:,} row{'s' * (self._written != 1)}"
        left_out = [n for at, n in enumerate(self._names) if at not in self._widths]
        if self._written and left_out:
            told += f" (too narrow for: {', '.join(left_out)})"
        self._out.write(f"the first {told}\n" if more else f"{told}\n")
        self._out.flush()

    def _flush(self) -> None:
        block, self._block = self._block, []
        if not block:
            return
        columns = list(zip(*block, strict=True))
        self._needed = [
            max(needed, *map(_cells, column))
            for needed, column in zip(self._needed, columns, strict=True)
        ]
        if not self._written:
            self._numbers = [all(map(_NUMBER.fullmatch, column)) for column in columns]
        widths = self._fitting()
        if widths != self._widths:
            self._widths = widths
            self._line(self._names)
            self._line(["─" * widths.get(at, 0) for at in range(len(self._names))])
        for cells in block:
            self._line(cells)
        self._written += len(block)
        self._out.flush()

    def _fitting(self) -> dict[int, int]:
        """Return the widths of the columns that are shown."""
        needed, fields = self._needed, self._rows.fields
        shown = list(range(len(needed)))
        if self._width is None:
            return dict(zip(shown, needed, strict=True))
        while len(shown) > 1 and shown[1] < fields and _total(
            needed[at] if at < fields else min(needed[at], _NARROW) for at in shown
        ) > self._width:
            del shown[0]
        fixed = [needed[at] for at in shown if at < fields]
        cut = [needed[at] for at in shown if at >= fields]
        most = _most(cut, self._width - sum(fixed) - len(_GAP) * (len(shown) - 1))
        return {at: needed[at] if at < fields else min(needed[at], most) for at in shown}

    def _line(self, cells: Sequence[str]) -> None:
        line = _GAP.join(
            _fitted(cells[at], width, right=self._numbers[at])
            for at, width in self._widths.items()
        ).rstrip()
        if self._width is not None:
            line = _cut(line, self._width)
        self._out.write(line + "\n")


def _total(widths: Iterable[int]) -> int:
    each = list(widths)
    return sum(each) + len(_GAP) * (len(each) - 1)


def _most(widths: Sequence[int], room: int) -> int:
    """Return the greatest width to which these are to be cut so that all fit."""
    for left, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * left > room:
            return max(room // left, 1)
        room -= width
    return max(widths, default=0)


def _fitted(text: str, width: int, *, right: bool) -> str:
    text = _cut(text, width)
    blanks = " " * (width - _cells(text))
    return blanks + text if right else text + blanks


def _cut(text: str, width: int) -> str:
    if _cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1) + "…"


def _cells(text: str) -> int:
    """Return the number of a terminal's cells that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
