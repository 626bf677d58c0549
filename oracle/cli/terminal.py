"""Terminal output: printable text, lines as wide as the terminal, progress bars."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TextIO, cast

from ...semantics.model.pretty_printing import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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


_NARROWEST = 20
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PAINTED = re.compile(r"\x1b\[[\d;]*m([^\x1b]*)\x1b\[[\d;]*m")


@contextmanager
def folded_output() -> Iterator[None]:
    """What is printed meanwhile fits the terminal; what goes into a pipe or a file stays as it is.
    """
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
    """A line as lines of this width, those after the first indented under it."""
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
    """The line as it is, or folded if it is for a terminal that is narrower."""
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
        """Writes what has no line end yet."""
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


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar on a terminal; in a pipe it shows nothing."""

    progress: Progress | None = None
    task: TaskID | None = None

    def advance(self) -> None:
        """One step further."""
        if self.progress is not None and self.task is not None:
            self.progress.advance(self.task)

    def show(self, what: str, done: float | None = None, total: float | None = None) -> None:
        """What is done, how far it is, and of how much."""
        if self.progress is not None and self.task is not None:
            self.progress.update(self.task, description=what, completed=done, total=total)


@dataclass(frozen=True, slots=True)
class Display:
    """`advance` moves the bar by one, `say` prints on stdout what is printable, or coloured."""

    advance: Callable[[], None]
    say: Callable[[str], None]


@contextmanager
def bar(
    what: str, total: float | None = None, *, counted: bool = True, file: TextIO | None = None
) -> Iterator[Bar]:
    """A bar on stderr, or on `file`; `counted` says that its steps are worth counting."""
    if not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=beneath(sys.stderr) if file is None else file, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(),
        *((MofNCompleteColumn(),) if counted else ()), TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        yield Bar(progress, progress.add_task(what, total=total))


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A count on stderr if that is a terminal: call it with (number of events, count so far)."""
    if not sys.stderr.isatty():
        yield lambda events, count: None
        return
    from rich.console import Console

    with Console(file=beneath(sys.stderr)).status(what) as status:
        yield lambda events, count: status.update(f"{count} {what}, now those of {events} events")


@contextmanager
def display(total: int, what: str) -> Iterator[Display]:
    """A bar of `total` steps on stderr if that is a terminal (on stdout if both are one)."""
    if not sys.stderr.isatty() or total < 2:
        yield Display(lambda: None, _say)
        return
    on_stdout = sys.stdout.isatty()
    with bar(what, total, file=beneath(sys.stdout) if on_stdout else None) as shown:

        def say(line: str) -> None:
            if on_stdout and shown.progress is not None:
                from rich.text import Text

                # Above the bar, which a plain print would tear.
                shown.progress.console.print(Text.from_ansi(line))
            else:
                _say(line)

        yield Display(shown.advance, say)


def _say(line: str) -> None:
    out = beneath(sys.stdout)
    print("\n".join(fitting(line, out)), file=out)
