"""A progress bar on a terminal, none in a pipe; and lines that are printed beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .folding import fitting
from .terminal import beneath


@dataclass(frozen=True, slots=True)
class Display:
    """`advance` moves the bar by one, `say` prints on stdout what is printable, or coloured."""

    advance: Callable[[], None]
    say: Callable[[str], None]


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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    on_stdout = sys.stdout.isatty()
    console = Console(file=beneath(sys.stdout if on_stdout else sys.stderr), highlight=False)

    def say(line: str) -> None:
        if on_stdout:  # above the bar, which a plain print would tear
            console.print(Text.from_ansi(line))
        else:
            _say(line)

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        task = progress.add_task(what, total=total)
        yield Display(lambda: progress.advance(task), say)


def _say(line: str) -> None:
    out = beneath(sys.stdout)
    print("\n".join(fitting(line, out)), file=out)
