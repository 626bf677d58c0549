"""Options, values and exit codes that several commands share."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...semantics.model.readings import LETTER, PRESET
from ..languages.registry import alphabets_of, having, language
from . import NOTHING_JUDGED, UsageError

if TYPE_CHECKING:
    from ..languages.enumeration import Bounds
    from ..reports.files import ReportFiles


ENGINES = (
    "engine under test: production, oracle, python:MODULE:FACTORY or command:PROGRAM ARGS "
    "(default: production)"
)


def add_renamed(
    parser: argparse._ActionsContainer, former: str, *names: str, **settings: Any
) -> None:
    """Declare an option that may still be written by its former name, which no help lists.

    Args:
        parser: a parser, or a group of one.
        former: the option's former name.
        names: its names.
        settings: the further arguments of `add_argument`.
    """
    parser._option_string_actions[former] = parser.add_argument(*names, **settings)


def whole(text: str) -> int:
    """Return a natural number."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a natural number")
    return int(text)


def positive(text: str) -> int:
    """Return a natural number that is not 0."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def seconds(text: str) -> float:
    """Return a length of time."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare the engine under test."""
    parser.add_argument(
        "--engine", "-e", default="production", metavar="ENGINE", help=ENGINES
    )


def add_schedules(parser: argparse.ArgumentParser) -> None:
    """Declare the option of the commands that check cases under several schedules."""
    parser.add_argument(
        "--schedules", type=positive, metavar="N",
        help="run the production engine on each case under N schedules (batches, checkpoints, "
        "files, live input, buffer sizes)",
    )


def scheduled(engine: str, arguments: argparse.Namespace) -> str:
    """Return the ENGINE string with the schedules that the options ask for."""
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
    """Declare the options of the commands about one query: its file, language and readings."""
    parser.add_argument("query", metavar="QUERY", help="file of the query, or - for standard input")
    add_meaning(parser)


def add_meaning(parser: argparse.ArgumentParser) -> None:
    """Declare the language and the readings of a query."""
    parser.add_argument(
        "--language", metavar="L",
        help="language of the query (default: detected from the query)",
    )
    parser.add_argument(
        "--reading", metavar="K=V", action="append", default=[],
        help="interpretation to use where the paper is ambiguous, such as kleene=join, or letter:"
        " the paper as printed (repeatable)",
    )


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare the streams, background graphs and evaluation times of a query."""
    add_sources(parser, "FILE")
    parser.add_argument(
        "--stream-format", metavar="F",
        help="format of the streams: trig, nquads, jsonld, jsonl, or for CEQL csv, tsv, jsonl,"
        " parquet, arrow (default: by the file's suffix)",
    )
    parser.add_argument(
        "--type-column", metavar="C", default="type",
        help="column of the event types of tuples (default: type)",
    )
    parser.add_argument(
        "--time-column", metavar="C",
        help="column of the timestamps of tuples: dateTimes, or numbers of seconds",
    )
    add_renamed(
        parser, "--declaration", "--schema", dest="declaration", metavar="FILE", action="append",
        default=[], help="CREATE STREAM declaration of a stream of tuples (repeatable)",
    )


def add_sources(parser: argparse.ArgumentParser, source: str) -> None:
    """Declare the streams, background graphs and evaluation times.

    Args:
        parser: the parser.
        source: the metavar of a stream's source.
    """
    parser.add_argument(
        "--stream", metavar=f"IRI={source}", action="append", default=[],
        help="stream (repeatable)",
    )
    parser.add_argument(
        "--kb", metavar=f"IRI={source}", action="append", default=[],
        help="static background graph (knowledge base): Turtle, N-Triples, RDF/XML or JSON-LD"
        " (repeatable)",
    )
    parser.add_argument(
        "--from", metavar="T", dest="start", help="start of the first window, t0"
    )
    parser.add_argument(
        "--at", metavar="T", action="append", default=[],
        help="evaluation time (RSEP-QL; repeatable, or several: --at 8 10)",
    )
    add_renamed(
        parser, "--setting", "--emulate", dest="setting", metavar="NAME",
        help="use the windows and reports of csparql, cqels or sparqlstream (RSEP-QL)",
    )
    add_renamed(
        parser, "--policy", "--report-policy", dest="policy", metavar="P",
        help="report policy, which sets the evaluation times (RSEP-QL): content-change,"
        " window-close, non-empty-content or periodic (default: content-change)",
    )
    add_renamed(
        parser, "--period", "--report-period", dest="period", metavar="D",
        help="time between reports of --report-policy periodic: 5, 10m, PT1H",
    )


def arranged(words: list[str]) -> list[str]:
    """Return the words of a command line, with `--at 8 10` as `--at 8 --at 10`."""
    if "--at" not in words:
        return list(words)
    from ...semantics.model.errors import DenotaError
    from ..api import instant

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


TIMEOUT: Final = 10.0
"""The default time limit for a case, in seconds."""


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """Declare the time limit for a case."""
    parser.add_argument(
        "--timeout", type=seconds, default=TIMEOUT, metavar="S",
        help="time limit per case in seconds (default: 10)",
    )


def add_reports(parser: argparse.ArgumentParser, *, results: bool = True) -> None:
    """Declare the files of the reports and verdicts."""
    for name, what in (
        ("html", "an HTML page"), ("earl", "EARL, in Turtle"), ("junit", "JUnit XML"),
        ("markdown", "Markdown"),
    ):
        parser.add_argument(
            f"--{name}", metavar="F", type=Path, help=f"write a report as {what}"
        )
    if results:
        add_renamed(
            parser, "--results", "--save-verdicts", dest="results", metavar="DIR", type=Path,
            help="write all verdicts to a file in DIR, for 'denota report'",
        )


def report_files(arguments: argparse.Namespace) -> ReportFiles:
    """Return the files of the reports; raise FileNotFoundError where one has no folder."""
    from ..reports.files import ReportFiles

    files = ReportFiles(
        arguments.html, arguments.earl, arguments.junit, arguments.markdown,
        getattr(arguments, "results", None), arguments.command_line,
    )
    files.check()
    return files


def add_files_outside(parser: argparse.ArgumentParser) -> None:
    """Declare the option of the commands that read cases and manifests."""
    add_renamed(
        parser, "--allow-files-outside", "--allow-external-files", dest="allow_files_outside",
        action="store_true",
        help="allow cases and manifests to refer to files outside their directory",
    )


def add_bounds(
    parser: argparse.ArgumentParser, *, size: int | None, length: int | None, events: str = ""
) -> None:
    """Declare the options that bound the enumerated cases.

    Args:
        parser: the parser.
        size: the default of `--max-operators`.
        length: the default of `--max-events`.
        events: the default of `--max-events` in words, unless it is `length`.
    """
    def default(number: object) -> str:
        return f" (default: {number})" if number not in (None, "") else ""

    add_renamed(
        parser, "--size", "--max-operators", dest="size", type=whole, default=size, metavar="N",
        help=f"enumerate queries of at most N operators{default(size)}",
    )
    add_renamed(
        parser, "--length", "--max-events", dest="length", type=whole, default=length, metavar="N",
        help=f"streams of at most N events{default(events or length)}",
    )
    parser.add_argument(
        "--alphabet", metavar="NAME",
        help="alphabet of event types, values and query forms (default: first of the language; "
        "'denota corpus enumerate --help' lists them)",
    )
    parser.add_argument(
        "--within", metavar="W",
        help="window of all queries: N, or 'N EVENTS' (default: one that contains every stream); "
        "in EP-SPARQL the bound of the filters, getDURATION() <= N (default: 1)",
    )
    parser.add_argument("--slide", metavar="N", type=positive, help="SLIDE of the windows")
    parser.add_argument(
        "--reading", metavar="K=V", action="append", default=[],
        help="interpretation to use in all cases, such as kleene=join, or letter (repeatable)",
    )


def bounds_of(arguments: argparse.Namespace, name: str) -> Bounds:
    """Return the bounds that the options state, for a language."""
    from ..languages.enumeration import Bounds

    within, events = _window(arguments.within)
    return Bounds(
        arguments.size, arguments.length, within, events, arguments.slide,
        _alphabet(arguments.alphabet, name), reading_options(arguments.reading),
    )


def alphabets() -> list[tuple[str, Any]]:
    """Return the names and alphabets of all languages; several languages may share one."""
    found: list[tuple[str, Any]] = []
    for name in having("enumerate"):
        found += [each for each in alphabets_of(name).items() if each not in found]
    return found


def _alphabet(asked: str | None, name: str) -> str:
    """Return the name of an alphabet of the language; the first by default."""
    known = alphabets_of(name)
    if asked is None:
        return next(iter(known), "")
    if asked not in known:
        there = f" (choose from: {', '.join(known)})" if known else ""
        raise UsageError(f"unknown alphabet '{asked}' for {language(name).title}{there}")
    return asked


def _window(text: str | None) -> tuple[int | None, bool]:
    """Return the width of a window, and whether it counts events."""
    if text is None:
        return None, False
    match = re.fullmatch(r"\s*(\d+)\s*(EVENTS)?\s*", text, re.IGNORECASE)
    if match is None or int(match[1]) == 0:
        raise UsageError(
            f"argument --within: expected N or 'N EVENTS', got '{text}'"
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
            raise UsageError(f"argument --reading: expected K=V or {LETTER}, got '{option}'")
        if readings.get(name, value) != value:
            raise UsageError(f"argument --reading: '{name}' is given twice")
        readings[name] = value
    return readings


def exit_code(*, failed: object, judged: object) -> int:
    """Return 1 if there are failures, 3 if no case is supported, 0 otherwise."""
    return 1 if failed else 0 if judged else NOTHING_JUDGED


def command(*words: object) -> str:
    """Return a command line that can be pasted into a shell."""
    return shlex.join(["denota", *map(str, words)])
