"""Progress on a terminal, none in a pipe: bars, counts, and lines that are printed beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from .terminal import beneath, fitting

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar on a terminal; in a pipe it shows nothing."""

    progress: Progress | None = None
    task: TaskID | None = None

    def advance(self) -> None:
        """Advance by one step."""
        if self.progress is not None and self.task is not None:
            self.progress.advance(self.task)

    def show(self, what: str, done: float | None = None, total: float | None = None) -> None:
        """Show an activity, its progress, and its total."""
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
    """Show a bar on stderr, or on `file`; `counted`: show the number of steps."""
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
    """Show a count on stderr if it is a terminal: call it with (number of events, count so far)."""
    if not sys.stderr.isatty():
        yield lambda events, count: None
        return
    from rich.console import Console

    with Console(file=beneath(sys.stderr)).status(what) as status:
        yield lambda events, count: status.update(f"{count} {what}, now those of {events} events")


@contextmanager
def display(total: int, what: str) -> Iterator[Display]:
    """Show a bar of `total` steps on stderr if that is a terminal (on stdout if both are one)."""
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
