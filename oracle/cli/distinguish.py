"""`denota distinguish`: a minimal stream on which two queries or readings differ."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..explanations.plurals import counted
from . import UsageError
from .options import add_bounds, add_renamed, bounds_of, reading_options

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..distinguishing.search import Side

EPILOG = """\
QUERY_A and QUERY_B are files of queries, each with readings after an @ if they are not the
defaults, or readings alone, which stand for the other query under these readings:

  denota distinguish strict.rq next.rq
  denota distinguish q.rq kleene=join
  denota distinguish q.rq@window=match q.rq@window=sliding

With --enumerate LANGUAGE both are readings. All small queries are tried on all small streams; the
output is the smallest case, with its query and streams:

  denota distinguish kleene=last kleene=join --enumerate spaseq --max-operators 2 --max-events 3

Otherwise streams are made of the patterns, constants and windows of the queries. They are listed by
their number of events, alternately with random streams (always the same ones), which may have more
events. The stream that is shown is minimal. In SPAseq, times and solutions are compared, windows
are not. Exit code 0 if a stream was found, 1 if there is none within the bounds, or if the two are
the same; with --enumerate likewise for cases.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("a", metavar="QUERY_A", help="query, or readings")
    parser.add_argument("b", metavar="QUERY_B", help="another query, or readings")
    add_renamed(
        parser, "--seconds", "--time-limit", dest="seconds", metavar="S", type=float, default=60.0,
        help="stop after S seconds (default: 60)",
    )
    parser.add_argument(
        "--enumerate", metavar="LANGUAGE", help="compare two readings on all small cases"
    )
    add_bounds(
        parser, size=2, length=None,
        events="4 for listed streams, 8 for random ones, 3 with --enumerate",
    )
    add_renamed(
        parser, "--save", "--save-case", dest="save", metavar="FILE", type=Path,
        help="write the stream to FILE as a case, with the results of QUERY_A",
    )


def run(arguments: argparse.Namespace) -> int:
    from ..distinguishing.distinction import change_lines, changes_between, distinction
    from .progress import counting

    if arguments.enumerate is not None:
        return _exhaust(arguments)
    a, b = _sides(arguments.a, arguments.b)
    for line in change_lines(changes_between(a, b)):
        print(line, flush=True)
    with counting("streams tried") as progress:
        found = distinction(
            a, b, max_events=arguments.length, seconds=arguments.seconds, progress=progress
        )
    for line in found.search_lines():
        print(line)
    if found.case is not None:
        _save(found.case, arguments)
    return 0 if found else 1


def _save(case: Case, arguments: argparse.Namespace) -> None:
    from ..cases.case_writer import write_case
    from ..checking.case_checker import expectation_of

    if arguments.save is not None:
        title = f"{arguments.a} and {arguments.b} differ here"
        expected = expectation_of(case)
        write_case(case.but(title=title, expect=expected), arguments.save)


def _exhaust(arguments: argparse.Namespace) -> int:
    """Compare two readings on all small cases."""
    from ..distinguishing.distinction import witness_case, witness_lines
    from ..distinguishing.exhaustive_comparison import exhaust
    from .progress import counting

    if not (_is_reading(arguments.a) and _is_reading(arguments.b)):
        raise UsageError("--enumerate requires two readings, such as kleene=last and kleene=join")
    if arguments.length is None:
        arguments.length = 3
    bounds = bounds_of(arguments, arguments.enumerate)
    with counting("cases tried") as progress:
        found = exhaust(
            arguments.enumerate, bounds,
            *(reading_options(side.split(",")) for side in (arguments.a, arguments.b)),
            seconds=arguments.seconds, progress=progress,
        )
    apart, asked = found.apart, f"{counted(found.tried, 'case')} tried"
    if found.refused:
        asked += f", and {found.refused:,} on which one of them is an error"
    if apart is None:
        told = (
            "No difference found within the time limit: none in the blocks "
            + ", ".join(f"{size}/{length}" for size, length in found.through)
            if found.out_of_time
            else f"No difference up to {_size(bounds.operators, bounds.length)}"
        )
        print(f"{told} ({asked}).")
        return 1
    case = witness_case(apart.witness, apart.a)
    print(f"Minimal distinguishing case, {_size(apart.operators, apart.events)} ({apart.id}; "
          f"{asked}):")
    print(f"\n  {apart.a.language.title}")
    for line in case.text.splitlines():
        print(f"    {line}")
    print("\n".join(witness_lines(apart.witness, case, apart.b)))
    _save(case, arguments)
    return 0


def _size(operators: int, events: int) -> str:
    return f"{counted(operators, 'operator')} and {counted(events, 'event')}"


def _sides(a: str, b: str) -> tuple[Side, Side]:
    if _is_reading(a) and _is_reading(b):
        raise UsageError("A or B must be a query's file")
    if _is_reading(a):
        other = _side(b)
        return _under(other, a), other
    first = _side(a)
    return first, (_under(first, b) if _is_reading(b) else _side(b))


def _is_reading(written: str) -> bool:
    return "=" in written and "@" not in written and not Path(written).exists()


def _side(written: str) -> Side:
    from ..distinguishing.search import Side
    from ..languages.registry import parse_query
    from .run.option_values import query_text

    name, _, readings = written.rpartition("@") if not Path(written).exists() else ("", "", "")
    text, source = query_text(name or written)
    _, query = parse_query(text, source=source)
    return Side(query, _readings(readings, query))


def _under(side: Side, written: str) -> Side:
    return replace(side, readings=_readings(written, side.query))


def _readings(written: str, query: Any) -> Any:
    from ..languages.registry import of_query

    named = reading_options(part for part in written.split(",") if part)
    return of_query(query).readings(named, query)
