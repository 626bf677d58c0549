"""Terminal output: printable text, and lines as wide as the terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import wrap
from typing import Any, TextIO, cast

from ...semantics.model.printable import printable


class PrintableText:
    """A text file in front of another, to which it passes on what is printable, and lines."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write the text; characters that command a terminal as escapes."""
        self.beneath.write(printable(text, keep="\n\t"))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each of these."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def printable_output() -> Iterator[None]:
    """Make all output to stdout and stderr printable inside the block."""
    out, err = sys.stdout, sys.stderr
    sys.stdout = cast(TextIO, PrintableText(out))
    sys.stderr = cast(TextIO, PrintableText(err))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def machine_output() -> TextIO:
    """Return stdout for machine-readable output: exact, unless it is a terminal."""
    return sys.stdout if sys.stdout.isatty() else beneath(sys.stdout)


def beneath(file: TextIO) -> TextIO:
    """Return the file as it is, for writing terminal commands on purpose."""
    return cast(TextIO, getattr(file, "beneath", file))


_NARROWEST = 20
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PAINTED = re.compile(r"\x1b\[[\d;]*m([^\x1b]*)\x1b\[[\d;]*m")


@contextmanager
def folded_output() -> Iterator[None]:
    """Fold printed output to the terminal's width; pipes and files get it as it is."""
    width = columns(sys.stdout)
    if width is None:
        yield
        return
    kept = sys.stdout
    folding = Folding(kept, width)
    sys.stdout = folding
    try:
        yield
    finally:
        sys.stdout = kept
        folding.close_line()


def folded(line: str, width: int) -> list[str]:
    """Return a line as lines of this width, those after the first indented under it."""
    plain = _COLOUR.sub("", line)
    if len(plain) <= width:
        return [line]
    inside = min(len(plain) - len(plain.lstrip(" ")) + 2, width // 2)
    parts = wrap(
        plain, width, subsequent_indent=" " * inside, break_on_hyphens=False,
        replace_whitespace=False, expand_tabs=False,
    )
    if painted := _PAINTED.match(line):  # its first word is coloured
        parts[0] = painted[0] + parts[0].removeprefix(painted[1])
    return parts


def fitting(line: str, out: TextIO) -> list[str]:
    """Return the line as it is, or folded if it is for a terminal that is narrower."""
    width = columns(out)
    return [line] if width is None else folded(line, width)


class Folding:
    """A text stream that folds the lines that are written to it."""

    def __init__(self, out: TextIO, width: int) -> None:
        self._out = out
        self._width = width
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            for part in folded(line, self._width):
                self._out.write(part + "\n")
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._out.flush()

    def close_line(self) -> None:
        """Write the text that has no line end yet."""
        rest, self._line = self._line, ""
        self._out.write(rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def columns(out: TextIO) -> int | None:
    """Return the width of a terminal; None for a file, and for less than 20 columns."""
    if not out.isatty():
        return None
    try:
        width = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):
        return None
    return width if width >= _NARROWEST else None
