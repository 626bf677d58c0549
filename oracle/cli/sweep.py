"""`denota sweep`: judge an engine on a corpus, on Spark."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from . import NOTHING_JUDGED

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EPILOG = """\
DIR gets verdicts/*.parquet (a row a case), summary.json, failures/*.case.yaml (each distinct
failure, shrunk) and spark.log. Verdicts are committed chunk by chunk; after a kill, --resume judges
what is left. Exit code 1 if a verdict speaks against the engine, 3 if it supports none of the
cases.

example:
  denota corpus enumerate --limit 100000 -o all.parquet
  denota sweep all.parquet --out sweep --master 'local[2]'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "corpus", metavar="CORPUS.parquet", type=Path, help="as 'denota corpus' makes it"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="where everything is written"
    )
    parser.add_argument(
        "--engine", "-e", default="production", metavar="ENGINE",
        help="production (default), oracle, python:MODULE:FACTORY or command:PROGRAM ARGS",
    )
    parser.add_argument(
        "--master", default="local[*]", metavar="URL",
        help="where Spark runs: local[*] (default), local[2], spark://HOST:PORT, …",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the sweep in DIR, if there is one"
    )
    parser.add_argument("--limit", type=_positive, metavar="N", help="judge the first N cases")
    parser.add_argument(
        "--partitions", type=_positive, metavar="N",
        help="cut each chunk into N tasks (default: four a core)",
    )
    parser.add_argument(
        "--chunk", type=_positive, metavar="N", help="commit N cases at a time (default: 10000)"
    )
    parser.add_argument(
        "--timeout", type=_seconds, metavar="S",
        help="what the engine may take for a case, in seconds (default: 10)",
    )
    parser.add_argument(
        "--baseline", metavar="N", type=_cases, default=None,
        help="judge N cases by a plain process pool too, for comparison; 'all', or 0 for none "
        "(default: 4000)",
    )
    parser.add_argument(
        "--shrink", metavar="N", type=_whole, default=None,
        help="shrink at most N failing cases (default: 40)",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: no verdict speaks against the engine, 1: some do, 3: it supports none of the cases."""
    from ..engines.engine import DEFAULT_TIMEOUT
    from ..sweeps.baseline import DEFAULT_SAMPLE
    from ..sweeps.failures import DEFAULT_MOST_SHRUNK
    from ..sweeps.summary import summary_text
    from ..sweeps.sweep import SweepOptions, sweep

    options = SweepOptions(
        corpus=arguments.corpus,
        directory=arguments.out,
        engine=arguments.engine,
        master=arguments.master,
        resume=arguments.resume,
        limit=arguments.limit,
        chunk=arguments.chunk,
        partitions=arguments.partitions,
        timeout=DEFAULT_TIMEOUT if arguments.timeout is None else arguments.timeout,
        baseline=DEFAULT_SAMPLE if arguments.baseline is None else arguments.baseline,
        most_shrunk=DEFAULT_MOST_SHRUNK if arguments.shrink is None else arguments.shrink,
    )
    try:
        with _Display() as display:
            report = sweep(options, observer=display)
    except KeyboardInterrupt:
        print(f"the verdicts in {options.directory} are kept: --resume goes on", file=sys.stderr)
        raise
    print(summary_text(report, options.directory))
    if not report.ok:
        return 1
    return 0 if report.any_judged else NOTHING_JUDGED


# --- options -------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a natural number")
    return number


def _positive(text: str) -> int:
    if _whole(text) == 0:
        raise argparse.ArgumentTypeError("0 is not at least 1")
    return int(text)


def _cases(text: str) -> int:
    return sys.maxsize if text == "all" else _whole(text)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


# --- the bar -------------------------------------------------------------------------------------


class _Display:
    """A progress bar on a terminal, nothing in a pipe."""

    def __init__(self) -> None:
        self.bar: Progress | None = None
        self.task: TaskID | None = None
        self.terminal: TextIO | None = None

    def __enter__(self) -> _Display:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            # While Spark starts, file descriptor 2 is its log; the bar keeps the terminal.
            self.terminal = os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8")
            self.bar = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
                TimeElapsedColumn(), TimeRemainingColumn(),
                console=Console(file=self.terminal), transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task("…", total=None)
        return self

    def __exit__(self, *raised: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.terminal is not None:
            self.terminal.close()

    def doing(self, what: str) -> None:
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, description=what)

    def judged(self, done: int, total: int, against: int) -> None:
        if self.bar is not None and self.task is not None:
            failed = f", {against:,} failed" if against else ""
            self.bar.update(
                self.task, completed=done, total=total, description=f"judging{failed}"
            )
