"""`denota sweep`: judge an engine on a corpus or on all small cases, on Spark."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..languages.registry import language
from . import UsageError
from .options import (
    add_bounds,
    add_engine,
    add_reports,
    add_schedules,
    add_timeout,
    bounds_of,
    command,
    exit_code,
    positive,
    report_files,
    scheduled,
    whole,
)
from .terminal.progress import Bar, bar

if TYPE_CHECKING:
    from ..sweeps.case_sources.case_source import CaseSource

_OF_BOUNDS = ("size", "length", "alphabet", "within", "slide", "reading")

EPILOG = """\
Cases are those of a corpus file, or with --enumerate all of a language within bounds, which need no
file: those that 'denota corpus enumerate' lists. DIR gets verdicts/*.parquet (counts, a digest, and
a row a case as --verdicts says), summary.json, failures/*.case.yaml (each distinct failure, shrunk)
and spark.log. Verdicts are committed chunk by chunk; after a kill, --resume judges
what is left. Exit code 1 if a verdict speaks against the engine, 3 if it supports none of the
cases.

examples:
  denota sweep --enumerate ceql --size 1 --length 3 --out ceql --master 'local[2]'
  denota corpus enumerate --limit 100000 -o all.parquet
  denota sweep all.parquet --out sweep --master 'local[2]'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "corpus", metavar="CORPUS.parquet", type=Path, nargs="?",
        help="as 'denota corpus' makes it",
    )
    parser.add_argument(
        "--enumerate", metavar="LANGUAGE", dest="language",
        help="judge all cases of this language with at most --size operators and --length events",
    )
    add_bounds(parser, size=None, length=None)
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="where everything is written"
    )
    add_engine(parser)
    add_schedules(parser)
    parser.add_argument(
        "--master", default="local[*]", metavar="URL",
        help="where Spark runs: local[*] (default), local[2], spark://HOST:PORT, …",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the sweep in DIR, if there is one"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="judge the first N cases")
    parser.add_argument(
        "--partitions", type=positive, metavar="N",
        help="cut each chunk into N tasks (default: four a core)",
    )
    parser.add_argument(
        "--chunk", type=positive, metavar="N",
        help="commit N cases at a time (default: 10000 of a corpus, 50000 of an enumeration)",
    )
    parser.add_argument(
        "--verdicts", choices=("against", "all"), default=None,
        help="which verdicts get a row: those against the engine (of an enumeration) or all (of a "
        "corpus)",
    )
    add_reports(parser, results=False)
    add_timeout(parser)
    parser.add_argument(
        "--baseline", metavar="N", type=_cases, default=None,
        help="judge N cases by a plain process pool too, for comparison; 'all', or 0 for none "
        "(default: 4000)",
    )
    parser.add_argument(
        "--shrink", metavar="N", type=whole, default=None,
        help="shrink at most N failing cases (default: 40)",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: no verdict speaks against the engine, 1: some do, 3: it supports none of the cases."""
    from ..sweeps.baseline import DEFAULT_SAMPLE
    from ..sweeps.failures import DEFAULT_MOST_SHRUNK
    from ..sweeps.summary import summary_text
    from ..sweeps.sweep import SweepOptions, sweep

    files = report_files(arguments)
    options = SweepOptions(
        source=_source(arguments),
        directory=arguments.out,
        engine=scheduled(arguments.engine, arguments),
        master=arguments.master,
        resume=arguments.resume,
        limit=arguments.limit,
        chunk=arguments.chunk,
        partitions=arguments.partitions,
        timeout=arguments.timeout,
        baseline=DEFAULT_SAMPLE if arguments.baseline is None else arguments.baseline,
        most_shrunk=DEFAULT_MOST_SHRUNK if arguments.shrink is None else arguments.shrink,
        verdicts=arguments.verdicts,
    )
    try:
        with _watching() as observer:
            report = sweep(options, observer=observer)
    except KeyboardInterrupt:
        if options.directory.exists():
            print(f"the verdicts in {options.directory} are kept: --resume goes on",
                  file=sys.stderr)
        raise
    print(summary_text(report, options.directory))
    if files:
        from ..judging.pool import identity_of
        from ..reports.collected import of_sweep
        from ..sweeps.tallying import sweep_tally

        _, counted = sweep_tally(options.directory)
        files.write(of_sweep(
            report, identity_of(options.engine), counted,
            lambda path: command("check", path, "--engine", options.engine),
        ))
    return exit_code(against=not report.ok, judged=report.any_judged)


# --- options -------------------------------------------------------------------------------------


def _source(arguments: argparse.Namespace) -> CaseSource:
    """The corpus, or the enumeration."""
    from ..sweeps.case_sources.corpus_source import CorpusSource
    from ..sweeps.case_sources.rank_source import RankSource

    if arguments.language is None:
        given = [f"--{name}" for name in _OF_BOUNDS if getattr(arguments, name)]
        if given:
            raise UsageError(f"{given[0]} goes with --enumerate LANGUAGE")
        if arguments.corpus is None:
            raise UsageError("name a corpus, or --enumerate LANGUAGE --size N --length N")
        return CorpusSource(arguments.corpus)
    if arguments.corpus is not None:
        raise UsageError("judge a corpus, or --enumerate a language: not both")
    if arguments.size is None or arguments.length is None:
        raise UsageError("--enumerate LANGUAGE goes with --size N and --length N")
    name = language(arguments.language).name
    return RankSource(name, bounds_of(arguments, name))


def _cases(text: str) -> int:
    return sys.maxsize if text == "all" else whole(text)


# --- the bar -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Watching:
    """What a sweep tells of itself, on a bar."""

    bar: Bar

    def doing(self, what: str) -> None:
        self.bar.show(what)

    def judged(self, done: int, total: int, against: int) -> None:
        failed = f", {against:,} failed" if against else ""
        self.bar.show(f"judging{failed}", done, total)


@contextmanager
def _watching() -> Iterator[_Watching]:
    # While Spark starts, file descriptor 2 is its log; the bar keeps the terminal.
    with (
        os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8")
        if sys.stderr.isatty() else nullcontext() as terminal,
        bar("…", file=terminal) as shown,
    ):
        yield _Watching(shown)
