"""What the verbs have in common: options and their values, counts in words, the exit code."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....semantics.model.readings import LETTER, PRESET
from ...languages.registry import alphabets_of, having, language
from .. import NOTHING_JUDGED, UsageError

if TYPE_CHECKING:
    from ...languages.enumeration import Bounds
    from ...reports.files import ReportFiles

ENGINES = "production (default), oracle, python:MODULE:FACTORY or command:PROGRAM ARGS"


def whole(text: str) -> int:
    """A natural number."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a natural number")
    return int(text)


def positive(text: str) -> int:
    """A natural number that is not 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def seconds(text: str) -> float:
    """A length of time."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare whom to judge."""
    parser.add_argument(
        "--engine", "-e", default="production", metavar="ENGINE", help=ENGINES
    )


def add_schedules(parser: argparse.ArgumentParser) -> None:
    """Declare the option of the verbs that check cases under several schedules."""
    parser.add_argument(
        "--schedules", type=positive, metavar="N",
        help="drive the production engine over each case in N ways (batches, checkpoints, files, "
        "live input, buffer sizes)",
    )


def scheduled(engine: str, arguments: argparse.Namespace) -> str:
    """The ENGINE string with the schedules that the options ask for."""
    number, text = arguments.schedules, getattr(arguments, "schedule", None)
    if number is None and text is None:
        return engine
    if number is not None and text is not None:
        raise UsageError("--schedules is not allowed with --schedule")
    if engine != "production":
        option = "--schedules" if text is None else "--schedule"
        raise UsageError(f"{option} requires --engine production")
    return f"production:{text}" if number is None else f"production:schedules={number}"


def add_query(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verbs about one query: its file, language and readings."""
    parser.add_argument("query", metavar="QUERY", help="the query's file, or - for standard input")
    add_meaning(parser)


def add_meaning(parser: argparse.ArgumentParser) -> None:
    """Declare the language and the readings of a query."""
    parser.add_argument("--language", metavar="L", help="the query's language (default: sniffed)")
    parser.add_argument(
        "--reading", metavar="K=V", action="append", default=[],
        help="a reading, such as kleene=join, or letter: the paper as printed (repeatable)",
    )


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name a query's streams, background graphs and evaluation times."""
    add_sources(parser, "FILE")
    parser.add_argument(
        "--stream-format", metavar="F",
        help="the streams' format (default: by suffix): trig, nquads, jsonld, jsonl, or for CEQL"
        " csv, tsv, jsonl, parquet, arrow",
    )
    parser.add_argument(
        "--type-column", metavar="C", default="type",
        help="the column that holds the event type of tuples (type)",
    )
    parser.add_argument(
        "--time-column", metavar="C",
        help="the column that holds the arrival time of tuples: dateTimes, or numbers of seconds",
    )
    parser.add_argument(
        "--declaration", metavar="FILE", action="append", default=[],
        help="a CREATE STREAM declaration of a stream of tuples (repeatable)",
    )


def add_sources(parser: argparse.ArgumentParser, source: str) -> None:
    """Declare the streams, the background graphs and the evaluation times; `source` is a metavar.
    """
    parser.add_argument(
        "--stream", metavar=f"IRI={source}", action="append", default=[],
        help="a stream (repeatable)",
    )
    parser.add_argument(
        "--kb", metavar=f"IRI={source}", action="append", default=[],
        help="a background graph: Turtle, N-Triples, RDF/XML or JSON-LD (repeatable)",
    )
    parser.add_argument("--from", metavar="T", dest="start", help="the start of the first window")
    parser.add_argument(
        "--at", metavar="T", action="append", default=[],
        help="an evaluation time (RSEP-QL; repeatable, or several: --at 8 10)",
    )
    parser.add_argument(
        "--setting", metavar="NAME",
        help="evaluate and report as csparql, cqels or sparqlstream does (RSEP-QL)",
    )
    parser.add_argument(
        "--policy", metavar="P",
        help="the report policy that finds evaluation times (RSEP-QL): content-change (default),"
        " window-close, non-empty-content or periodic",
    )
    parser.add_argument(
        "--period", metavar="D", help="how often --policy periodic reports: 5, 10m, PT1H"
    )


def arranged(words: list[str]) -> list[str]:
    """Return the words of a command line, with `--at 8 10` as `--at 8 --at 10`."""
    if "--at" not in words:
        return list(words)
    from ....semantics.model.errors import DenotaError
    from ...api import instant

    found: list[str] = []
    times = 0
    for word in words:
        try:
            if times:
                instant(word)
                found += ["--at"] * (times > 1)
                times += 1
        except DenotaError:
            times = 0
        if word == "--at":
            times = 1
        found.append(word)
    return found


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """Declare how long an engine may take."""
    parser.add_argument(
        "--timeout", type=seconds, default=10.0, metavar="S",
        help="what the engine may take for a case, in seconds (10)",
    )


def add_reports(parser: argparse.ArgumentParser, *, results: bool = True) -> None:
    """Declare the files that what was judged is written to."""
    for name, what in (
        ("html", "an HTML page"), ("earl", "EARL, in Turtle"), ("junit", "JUnit XML"),
        ("markdown", "Markdown"),
    ):
        parser.add_argument(
            f"--{name}", metavar="F", type=Path, help=f"write a report as {what}"
        )
    if results:
        parser.add_argument(
            "--results", metavar="DIR", type=Path,
            help="write every verdict to a file in DIR, for 'denota report'",
        )


def report_files(arguments: argparse.Namespace) -> ReportFiles:
    """The files that are asked for; raises FileNotFoundError where one has no folder."""
    from ...reports.files import ReportFiles

    files = ReportFiles(
        arguments.html, arguments.earl, arguments.junit, arguments.markdown,
        getattr(arguments, "results", None), arguments.command_line,
    )
    files.check()
    return files


def add_files_outside(parser: argparse.ArgumentParser) -> None:
    """Declare the option of the verbs that read cases and manifests."""
    parser.add_argument(
        "--allow-files-outside", action="store_true",
        help="let cases and manifests name files that are not in their folders",
    )


def add_bounds(
    parser: argparse.ArgumentParser, *, size: int | None, length: int | None
) -> None:
    """Declare the options that say which cases are enumerated, with what is usual (None: nothing).
    """
    def usual(number: int | None) -> str:
        return "" if number is None else f" ({number})"

    parser.add_argument(
        "--size", type=whole, default=size, metavar="N", help=f"at most N operators{usual(size)}"
    )
    parser.add_argument(
        "--length", type=whole, default=length, metavar="N", help=f"at most N events{usual(length)}"
    )
    parser.add_argument(
        "--alphabet", metavar="NAME",
        help=f"what queries and streams are made of: {_alphabets_told()} (the language's first)",
    )
    parser.add_argument(
        "--within", metavar="W",
        help="the window of all queries: N, or 'N EVENTS' (one that holds every stream); in "
        "EP-SPARQL what the filters demand, getDURATION() <= N (1)",
    )
    parser.add_argument("--slide", metavar="N", type=positive, help="the windows' SLIDE")
    parser.add_argument(
        "--reading", metavar="K=V", action="append", default=[],
        help="a reading for all cases, such as kleene=join, or letter (repeatable)",
    )


def bounds_of(arguments: argparse.Namespace, name: str) -> Bounds:
    """The bounds that these options say, for a language."""
    from ...languages.enumeration import Bounds

    within, events = _window(arguments.within)
    return Bounds(
        arguments.size, arguments.length, within, events, arguments.slide,
        _alphabet(arguments.alphabet, name), reading_options(arguments.reading),
    )


def alphabets() -> list[tuple[str, Any]]:
    """Those of all languages with their names, of which several languages may have one."""
    found: list[tuple[str, Any]] = []
    for name in having("alphabets"):
        found += [each for each in alphabets_of(name).items() if each not in found]
    return found


def _alphabet(asked: str | None, name: str) -> str:
    """The name of the language's alphabet that is asked for; without one, of its first."""
    known = alphabets_of(name)
    if asked is None:
        return next(iter(known), "")
    if asked not in known:
        there = f"; it has {', '.join(known)}" if known else ""
        raise UsageError(f"{language(name).title} has no alphabet '{asked}'{there}")
    return asked


def _alphabets_told() -> str:
    return "; ".join(
        f"{', '.join(alphabets_of(name))} in {language(name).title}" for name in having("alphabets")
    )


def _window(text: str | None) -> tuple[int | None, bool]:
    """ω and whether it counts events."""
    if text is None:
        return None, False
    match = re.fullmatch(r"\s*(\d+)\s*(EVENTS)?\s*", text, re.IGNORECASE)
    if match is None or int(match[1]) == 0:
        raise UsageError(
            f"--within '{text}' is neither a positive number nor 'N EVENTS'"
        )
    return int(match[1]), match[2] is not None


def reading_options(options: Iterable[str]) -> dict[str, str]:
    """Return {K: V} of `--reading K=V` options; the preset is the value of `preset`."""
    readings: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if option == LETTER:
            name, value = PRESET, LETTER
        elif not equals:
            raise UsageError(f"--reading: write K=V or {LETTER}, '{option}' is neither")
        if readings.get(name, value) != value:
            raise UsageError(f"--reading: '{name}' is given twice")
        readings[name] = value
    return readings


def exit_code(*, against: object, judged: object) -> int:
    """1 if a verdict speaks against the engine, 3 if nothing was judged, 0 otherwise."""
    return 1 if against else 0 if judged else NOTHING_JUDGED


def command(*words: object) -> str:
    """A command line that a shell takes as it stands."""
    return shlex.join(["denota", *map(str, words)])
