"""`denota fuzz`: check an engine on generated cases."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...semantics.streams.files.outputs import write_text
from ..explanations.plurals import counted
from . import INTERRUPTED, UsageError
from .options import (
    add_engine,
    add_renamed,
    add_reports,
    add_timeout,
    exit_code,
    positive,
    report_files,
    seconds,
)
from .progress import Bar, bar
from .terminal import columns

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..cases.schedule import Schedule
    from ..checking.verdicts import Verdict
    from ..fuzzing.fuzz_report import FuzzReport


EPILOG = """\
--language sparql tests a graph pattern matcher instead: --engine production (the default),
pyoxigraph or rdflib. Discrepancies that a known deviation explains are counted; any other is a new
discrepancy, exit code 1. It stops after 500 cases by default.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--language", "-l", action="append", metavar="L", dest="languages",
        help="language of the cases (repeatable; default: all that the engine supports)",
    )
    add_engine(parser)
    add_renamed(
        parser, "--examples", "--cases", "-n", dest="examples", type=positive, metavar="N",
        help="number of cases (default: until interrupted)",
    )
    add_renamed(
        parser, "--seconds", "--time-limit", dest="seconds", type=seconds, metavar="S",
        help="stop after S seconds",
    )
    parser.add_argument(
        "--seed", type=_whole, metavar="N",
        help="random seed; the same seed generates the same cases (default: a new one)",
    )
    parser.add_argument(
        "--schedule", metavar="S",
        help="schedule of the production engine for every case, such as 'file,cuts=3!.1' (default: "
        "three generated schedules per case)",
    )
    add_renamed(
        parser, "--save", "--save-failures", dest="save", metavar="DIR", type=Path,
        help="write one shrunk case per cluster to DIR",
    )
    add_renamed(
        parser, "--known", "--known-differences", dest="known", metavar="FILE", type=Path,
        action="append", default=[],
        help="count the failures that a known difference of FILE explains, and continue "
        "(repeatable)",
    )
    parser.add_argument(
        "--coverage", metavar="FILE", type=Path,
        help="write the number of cases of each pair of grammar rules to FILE (CSV); counts every "
        "case instead of one in four",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text",
        help="format of the summary (default: text)",
    )
    add_reports(parser)
    add_timeout(parser)


def run(arguments: argparse.Namespace) -> int:
    """Return 0: no new discrepancy, 1: some, 3: no cases were run.

    130: interrupted before any was found, and not asked to go on until then.
    """
    from ..checking.worker_pool import identity
    from ..engines.engine import close
    from ..engines.engine_specs import engine
    from ..engines.worker_process import keep_orphans
    from ..fuzzing.differential import DEFAULT_EXAMPLES, fuzz
    from ..fuzzing.known_differences import read_known
    from ..reports.collected_results import of_fuzzing
    from ..reports.fuzz_summary import coverage_table
    from ..reports.run_result import Tally, asked_of

    if "sparql" in (arguments.languages or ()):
        if arguments.examples is None and arguments.seconds is None:
            arguments.examples = DEFAULT_EXAMPLES
        return _run_sparql(arguments)
    schedule = _schedule(arguments)
    keep_orphans()
    known = [each for path in arguments.known for each in read_known(path)]
    files, counted = report_files(arguments), Tally()
    judged = engine(arguments.engine, timeout=arguments.timeout)
    try:
        with (
            bar("generating …", counted=False) as shown, files.recording("fuzz") as record,
        ):
            show = _watched(shown, arguments)

            def witness(case: Case, verdict: Verdict, place: str, known: str) -> None:
                repeat = _repeated_by(place, arguments) if verdict.is_failure else ""
                record(identity(judged), case, verdict, place, known, repeat)
                if files:
                    counted.add(case.language_name, asked_of(case), verdict.outcome)

            report = fuzz(
                judged, arguments.languages,
                examples=arguments.examples, seconds=arguments.seconds, seed=arguments.seed,
                save=arguments.save,
                progress=lambda report: show(report.examples, report.seconds, _doing(report)),
                timeout=arguments.timeout,
                witness=witness,
                known=known, endless=True, schedule=schedule,
                covering=None if arguments.coverage is None else 1,
            )
    finally:
        close(judged)
    _print_report(report, arguments)
    if arguments.coverage is not None:
        write_text(arguments.coverage, coverage_table(report))
    if files:
        files.write(of_fuzzing(report, identity(judged), counted, arguments.engine))
    if report.interrupted and not report.endless and not report.failures:
        return INTERRUPTED
    return exit_code(failed=report.failures, judged=report.judged)


def _repeated_by(place: str, arguments: argparse.Namespace) -> str:
    """Return the command that checks the cases of a seed up to this one again."""
    from ..reports.fuzz_summary import fuzz_command

    seed, number = re.findall(r"-?\d+", place)
    return fuzz_command(
        arguments.engine, seed, number, arguments.languages or (), arguments.known,
        arguments.schedule,
    )


def _schedule(arguments: argparse.Namespace) -> Schedule | None:
    from ..cases.schedule import parse_schedule

    if arguments.schedule is None:
        return None
    if arguments.engine != "production":
        raise UsageError("--schedule requires --engine production")
    return parse_schedule(arguments.schedule)


def _run_sparql(arguments: argparse.Namespace) -> int:
    from random import SystemRandom

    from ..reports.fuzz_summary import brief_sparql_summary, sparql_summary
    from ..sparql_evaluators.evaluator_comparison import ask, deviation_file
    from ..sparql_evaluators.evaluators import opinion

    if set(arguments.languages) != {"sparql"}:
        raise UsageError("--language sparql stands alone")
    if arguments.format != "text":
        raise UsageError("--format json is not for --language sparql")
    if arguments.known:
        raise UsageError(
            "--known-differences is not allowed with --language sparql, which has its own list"
        )
    seed = SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    asked = opinion(arguments.engine)
    with bar("generating …", counted=False) as shown:
        show = _watched(shown, arguments)
        report = ask(
            asked, examples=arguments.examples, seconds=arguments.seconds, seed=seed,
            progress=lambda so_far: show(
                so_far.examples, so_far.seconds, f"asking: {so_far.examples:,} graph patterns"
            ),
        )
    brief = sys.stdout.isatty()
    print(
        brief_sparql_summary(report, columns(sys.stdout) or 80, arguments.save) if brief
        else sparql_summary(report)
    )
    if arguments.save is not None:
        arguments.save.mkdir(parents=True, exist_ok=True)
        for number, found in enumerate(report.discoveries.values(), start=1):
            path = arguments.save / f"{report.who}-{report.seed}-{number}.yaml"
            write_text(path, deviation_file(found))
            if not brief:
                print(f"saved to {path}")
    return 0 if report.ok else 1


def _print_report(report: FuzzReport, arguments: argparse.Namespace) -> None:
    """Print the report as JSON, in brief on a terminal, or in full."""
    from ..reports.fuzz_summary import brief_summary, in_json, summary

    if arguments.format == "json":
        print(json.dumps(in_json(report)))
    elif sys.stdout.isatty():
        options = ("coverage", "html", "earl", "junit", "markdown", "results")
        written = [str(path) for name in options if (path := getattr(arguments, name)) is not None]
        print(brief_summary(report, arguments.engine, columns(sys.stdout) or 80, written))
    else:
        print(summary(report, arguments.engine))


# --- options -------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


# --- the bar -------------------------------------------------------------------------------------


def _watched(
    shown: Bar, arguments: argparse.Namespace
) -> Callable[[int, float, str], None]:
    """Show the progress of a run, by its cases or by its time."""

    def show(done: int, passed: float, what: str) -> None:
        examples = arguments.examples
        shown.show(what, done if examples is not None else passed, examples or arguments.seconds)

    return show


def _doing(report: FuzzReport) -> str:
    doing = "shrinking" if report.shrinking else "testing"
    failed = f", {report.failing:,} failed" if report.failing else ""
    known = f" ({report.known_met.total():,} known)" if report.known_met else ""
    clusters = f", {len(report.clusters)} distinct" if report.clusters else ""
    return f"{doing}: {counted(report.examples, 'case')}{failed}{known}{clusters}"
