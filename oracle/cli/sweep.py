"""`denota sweep`: check an engine on a corpus or on all small cases, on Spark."""

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
    add_renamed,
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
from .progress import Bar, bar

if TYPE_CHECKING:
    from ..sweeps.case_sources import CaseSource

_OF_BOUNDS = {
    "size": "max-operators", "length": "max-events", "alphabet": "alphabet", "within": "within",
    "slide": "slide", "reading": "reading",
}
"""The options of --enumerate by the names of their values."""

EPILOG = """\
The cases are those of a corpus file, or with --enumerate all cases of a language within bounds, as
'denota corpus enumerate' lists them. The sweep writes verdicts/*.parquet (counts, a digest, and the
rows of --verdict-rows), summary.json, failures/*.case.yaml (one shrunk case per distinct failure)
and spark.log to DIR. Verdicts are committed chunk by chunk; --resume continues an interrupted
sweep. Exit code 1 if there are failures, 3 if the engine supports none of the cases.

examples:
  denota sweep --enumerate ceql --max-operators 1 --max-events 3 -o ceql --master 'local[2]'
  denota corpus enumerate --limit 100000 -o all.parquet
  denota sweep all.parquet -o sweep --master 'local[2]'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "corpus", metavar="CORPUS.parquet", type=Path, nargs="?",
        help="corpus that 'denota corpus' has written",
    )
    parser.add_argument(
        "--enumerate", metavar="LANGUAGE", dest="language",
        help="test all cases of LANGUAGE of at most --max-operators operators and --max-events"
        " events",
    )
    add_bounds(parser, size=None, length=None)
    add_renamed(
        parser, "--out", "--output", "-o", dest="out", metavar="DIR", type=Path, required=True,
        help="directory of the output",
    )
    add_engine(parser)
    add_schedules(parser)
    parser.add_argument(
        "--master", default="local[*]", metavar="URL",
        help="Spark master: local[2], spark://HOST:PORT, … (default: local[*])",
    )
    parser.add_argument(
        "--resume", action="store_true", help="resume an interrupted sweep of DIR"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="test only the first N cases")
    parser.add_argument(
        "--partitions", type=positive, metavar="N",
        help="number of tasks per chunk (default: four per core)",
    )
    add_renamed(
        parser, "--chunk", "--chunk-size", dest="chunk", type=positive, metavar="N",
        help="number of cases per commit (default: 10000 of a corpus, 50000 of an enumeration)",
    )
    add_renamed(
        parser, "--verdicts", "--verdict-rows", dest="verdicts", type=_verdict_rows,
        metavar="{failures,all}",
        help="verdicts that are written as rows (default: failures of an enumeration, all of a "
        "corpus)",
    )
    add_reports(parser, results=False)
    add_timeout(parser)
    parser.add_argument(
        "--baseline", metavar="N", type=_cases, default=None,
        help="also run N cases in a process pool, to compare throughput; 'all', or 0 to disable "
        "(default: 4000)",
    )
    parser.add_argument(
        "--shrink", metavar="N", type=whole, default=None,
        help="shrink at most N failing cases (default: 40)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if there are no failures, 1 if there are, 3 if no case is supported."""
    from ..sweeps.failures import DEFAULT_MOST_SHRUNK
    from ..sweeps.summary import DEFAULT_SAMPLE, summary_text
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
            print(f"the verdicts in {options.directory} are kept: resume with --resume",
                  file=sys.stderr)
        raise
    print(summary_text(report, options.directory))
    if files:
        from ..checking.worker_pool import identity_of
        from ..reports.collected_results import of_sweep
        from ..sweeps.sweep_tally import sweep_tally

        _, counted = sweep_tally(options.directory)
        files.write(of_sweep(
            report, identity_of(options.engine), counted,
            lambda path: command("check", path, "--engine", options.engine),
        ))
    return exit_code(failed=not report.ok, judged=report.any_judged)


# --- options -------------------------------------------------------------------------------------


def _source(arguments: argparse.Namespace) -> CaseSource:
    """Return the corpus, or the enumeration."""
    from ..sweeps.case_sources import CorpusSource, RankSource

    if arguments.language is None:
        given = [f"--{name}" for dest, name in _OF_BOUNDS.items() if getattr(arguments, dest)]
        if given:
            raise UsageError(f"{given[0]} requires --enumerate")
        if arguments.corpus is None:
            raise UsageError(
                "name a corpus, or --enumerate LANGUAGE --max-operators N --max-events N"
            )
        return CorpusSource(arguments.corpus)
    if arguments.corpus is not None:
        raise UsageError("--enumerate is not allowed with a corpus")
    if arguments.size is None or arguments.length is None:
        raise UsageError("--enumerate requires --max-operators and --max-events")
    name = language(arguments.language).name
    return RankSource(name, bounds_of(arguments, name))


def _verdict_rows(text: str) -> str:
    if text not in ("failures", "against", "all"):  # `against` is the former name of `failures`
        raise argparse.ArgumentTypeError(f"invalid choice: '{text}' (choose from failures, all)")
    return "all" if text == "all" else "against"


def _cases(text: str) -> int:
    return sys.maxsize if text == "all" else whole(text)


# --- the bar -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Watching:
    """The progress of a sweep, on a bar."""

    bar: Bar

    def doing(self, what: str) -> None:
        self.bar.show(what)

    def judged(self, done: int, total: int, against: int) -> None:
        failed = f", {against:,} failed" if against else ""
        self.bar.show(f"testing{failed}", done, total)


@contextmanager
def _watching() -> Iterator[_Watching]:
    # While Spark starts, file descriptor 2 is its log; the bar keeps the terminal.
    with (
        os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8")
        if sys.stderr.isatty() else nullcontext() as terminal,
        bar("…", file=terminal) as shown,
    ):
        yield _Watching(shown)
