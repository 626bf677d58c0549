"""What the command line writes: text for people is printable, what machines read is exact."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from ....semantics.model.printable import printable


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
    """Inside, what is printed on stdout and stderr is printable."""
    out, err = sys.stdout, sys.stderr
    sys.stdout = cast(TextIO, PrintableText(out))
    sys.stderr = cast(TextIO, PrintableText(err))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def machine_output() -> TextIO:
    """stdout for what machines read: exact, unless it is a terminal."""
    return sys.stdout if sys.stdout.isatty() else beneath(sys.stdout)


def beneath(file: TextIO) -> TextIO:
    """The file as it is, for who writes a terminal's commands on purpose."""
    return cast(TextIO, getattr(file, "beneath", file))
