"""`denota check`: judge an engine on conformance cases."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from . import UsageError

if TYPE_CHECKING:
    from ..cases import Case
    from ..reports.judged import Judgement

EPILOG = """\
A directory is searched for *.case.yaml. Every verdict is pass, fail, unsupported, timeout or crash;
a failing case prints what is missing and what is unexpected. Exit code 1 if a case fails, times out
or crashes the engine, 2 if a case cannot be read.

An ENGINE is production (the default), oracle, python:MODULE:FACTORY, or command:PROGRAM ARGS, a
child process that speaks the adapter protocol. It is compared at the level that it reports.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("places", metavar="CASE_OR_DIR", nargs="+", help="cases and directories")
    parser.add_argument("--engine", default="production", metavar="ENGINE", help="who is judged")
    parser.add_argument("--html", metavar="F", type=Path, help="write a report as an HTML page")
    parser.add_argument("--earl", metavar="F", type=Path, help="write a report as EARL, in Turtle")
    parser.add_argument("--junit", metavar="F", type=Path, help="write a report as JUnit XML")
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, default=10.0,
        help="seconds that the engine may take for a case (10)",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=_jobs, default=1, help="judge in N processes (1)"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the cases that pass as well"
    )


def run(arguments: argparse.Namespace) -> int:
    from ..judging_pool import Identity, judge_cases
    from ..reports.judged import Judged, Judgement
    from ..reports.terminal import case_lines, colours
    from .progress import display

    began = perf_counter()
    for report in (arguments.html, arguments.earl, arguments.junit):
        if report is not None and not report.parent.is_dir():
            raise FileNotFoundError(2, "No such file or directory", str(report))
    cases = _read(arguments.places)
    if cases is None:
        return 2
    entries: list[Judged] = []
    identities: list[Identity] = []
    verdicts = judge_cases(
        cases, arguments.engine, timeout=arguments.timeout, jobs=arguments.jobs
    )
    with display(len(cases), "judging") as shown:
        for case, (verdict, identity) in zip(cases, verdicts, strict=True):
            identities.append(identity)
            entry = Judged(case, verdict, str(case.path))
            entries.append(entry)
            if arguments.verbose or not verdict.ok:
                shown.say("\n".join(case_lines(entry, colour=colours(sys.stdout))))
            shown.advance()
    who = identities[-1]
    seconds = perf_counter() - began
    judgement = Judgement(who.name, who.version, who.level, entries, seconds)
    print(judgement.summary())
    _write_reports(judgement, arguments)
    return 1 if judgement.against else 0


def _read(places: list[str]) -> list[Case] | None:
    """The cases at these places; None, after a line for each, if some cannot be read."""
    from ...semantics.errors import CaseError
    from ..cases import find_cases, read_case

    cases: list[Case] = []
    readable = True
    for path in find_cases(places):
        if path.suffix == ".ttl":
            raise UsageError(f"{path}: W3C manifests are not judged yet")
        try:
            cases.append(read_case(path))
        except CaseError as error:
            print(error, file=sys.stderr)
            readable = False
    return cases if readable else None


def _write_reports(judgement: Judgement, arguments: argparse.Namespace) -> None:
    if arguments.html is not None:
        from ..reports.html import write_html

        write_html(judgement, arguments.html)
    if arguments.earl is not None:
        from ..reports.earl import write_earl

        write_earl(judgement, arguments.earl)
    if arguments.junit is not None:
        from ..reports.junit import write_junit

        write_junit(judgement, arguments.junit)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number of seconds, not '{text}'")
    return seconds


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a positive number, not '{text}'")
    return int(text)
