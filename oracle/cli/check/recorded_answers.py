"""`denota check --recorded`: check the recorded output of an engine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ....semantics.model.printable import printable
from ....semantics.streams.files.outputs import note_input
from ...explanations.plurals import counted
from ...reports.files import check_places
from .. import UsageError
from ..options import add_renamed

if TYPE_CHECKING:
    from ....semantics.model.items import TimestampedGraph
    from ...recorded_output.check_recorded import RecordedQuestion
    from ...recorded_output.recordings import Entry
    from ...recorded_output.report_text import Answered

    Streams = dict[tuple[str, str | None], list[TimestampedGraph]]

EPILOG = """\
recorded output:
  denota check --recorded FILE ... --query Q --stream IRI=PATH checks the recorded output of an
  engine. It tries all window starts t0, report policies, stream operators and conventions for
  window ends, with and without empty answers, and lists every setting under which the output is
  right, or the closest one. Exit code 1 if no setting is right. A FILE is an engine's JSON
  (relations with timestamps), a folder of such files, or a manifest (*.yaml). Q is in RSEP-QL,
  C-SPARQL, CQELS or SPARQLstream, or a folder of queries whose names have the numbers of the
  recorded files. PATH is a stream file, or a folder or pattern of RDF files with their times in
  their names (data_07.ttl). An asterisk marks the documented setting of the engine that the file
  is named after.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `denota check` for recorded output."""
    group = parser.add_argument_group("recorded output")
    add_renamed(
        group, "--answers", "--recorded", dest="answers", metavar="FILE", nargs="*",
        help="recorded output of an engine, or a manifest",
    )
    group.add_argument(
        "--query", metavar="Q", action="append", type=Path, default=[],
        help="query whose output was recorded, or a folder of queries (repeatable)",
    )
    group.add_argument(
        "--stream", metavar="IRI=PATH", action="append", default=[],
        help="stream (repeatable); IRI= is optional for a single stream",
    )
    group.add_argument(
        "--kb", metavar="IRI=FILE", action="append", default=[],
        help="static background graph (repeatable)",
    )
    group.add_argument("--window", metavar="RANGE/SLIDE", help="window of a plain SPARQL query")
    add_renamed(
        group, "--setting", "--emulate", dest="setting", metavar="NAME",
        help="try only the settings of csparql, cqels or sparqlstream (default: all settings)",
    )
    add_renamed(
        group, "--delay", "--max-delay", dest="delay", metavar="D",
        help="maximum delay of an answer after its evaluation time (default: 1s)",
    )
    group.add_argument(
        "--period", metavar="P", action="append", default=[],
        help="period of periodic reports to try (repeatable)",
    )
    add_renamed(
        group, "--answers-unit", "--recorded-time-unit", dest="answers_unit", metavar="U",
        help="time unit of the recorded output (default: ms)",
    )
    add_renamed(
        group, "--stream-unit", "--stream-time-unit", dest="stream_unit", metavar="U",
        help="time unit of the times in file names (default: 1s)",
    )
    group.add_argument(
        "--allow-empty", action="store_true",
        help="accept answers without rows where a setting requires no answer",
    )
    add_renamed(
        group, "--by-definition", "--use-oracle", dest="by_definition", action="store_true",
        help="evaluate snapshots with the oracle instead of the production engine (slow)",
    )
    group.add_argument("--json", metavar="F", type=Path, help="write the verdicts as JSON")


def run(arguments: argparse.Namespace) -> int:
    from ...recorded_output.report_text import engine_lines, verdict_lines
    from ..progress import display

    began = perf_counter()
    for option in ("engine", "earl", "export"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option} is for cases, not for recorded answers")
    reports = (arguments.html, arguments.junit, arguments.json, arguments.markdown)
    check_places(reports)
    entries = _entries(arguments)
    check_places(reports)  # now that the files which manifests name are known
    judged: list[Answered] = []
    with display(sum(len(entry.answers) for entry in entries), "testing") as shown:
        for answered in _judged(entries, arguments):
            judged.append(answered)
            lines = map(printable, verdict_lines(answered, most=_most(arguments)))
            shown.say("\n".join([*lines, ""]))
            shown.advance()
    for line in engine_lines(judged):
        print(line)
    right = sum(entry.verdict.ok for entry in judged)
    number = len(judged)
    print(
        f"{counted(number, 'recording')}: {right} right, {number - right} wrong"
        f" ({perf_counter() - began:.1f} s)"
    )
    _write_reports(judged, arguments, perf_counter() - began)
    return 0 if right == number else 1


def _most(arguments: argparse.Namespace) -> int | None:
    from ...recorded_output.report_text import MOST_ROWS

    return None if arguments.verbose else MOST_ROWS


def _judged(entries: list[Entry], arguments: argparse.Namespace) -> Iterator[Answered]:
    from ...recorded_output.report_text import Answered

    streams: Streams = {}
    for entry in entries:
        question = _question(entry, arguments, streams)
        for path in entry.answers:
            began = perf_counter()
            verdict = question.check(
                path,
                setting=entry.options.get("setting"),
                delay=entry.options.get("delay"),
                answers_unit=entry.options.get("answers-unit"),
                periods=entry.periods,
                allow_empty=arguments.allow_empty,
            )
            yield Answered(str(path), entry.name, verdict, question, perf_counter() - began)


def _question(
    entry: Entry, arguments: argparse.Namespace, streams: Streams
) -> RecordedQuestion:
    from ....semantics.streams.rdf.graphs import read_graph
    from ...cases.embedded_text import Text
    from ...recorded_output.check_recorded import RecordedQuestion
    from ...recorded_output.recordings import stream_at, unit_of

    unit = entry.options.get("stream-unit")
    for place in entry.streams.values():
        if (place, unit) not in streams:  # read once, however many queries are over it
            streams[place, unit] = stream_at(place, unit=None if unit is None else unit_of(unit))
    found = {iri: streams[place, unit] for iri, place in entry.streams.items()}
    if not found:
        raise UsageError(f"{entry.source}: name its stream, --stream IRI=PATH")
    with Text(entry.text, entry.source).unplaced_errors_here():
        return RecordedQuestion.of(
            entry.text,
            found[""] if set(found) == {""} else found,
            kb={iri: read_graph(place) for iri, place in entry.kb.items()},
            window=entry.options.get("window"),
            source=entry.source,
            by_definition=arguments.by_definition,
        )


def _entries(arguments: argparse.Namespace) -> list[Entry]:
    """Return the entries of the options and manifests, the answers to one query together."""
    from ...recorded_output.recordings import (
        Entry,
        query_files,
        query_of,
        read_manifest,
        recordings_at,
    )

    places = [Path(place) for place in (*(arguments.answers or ()), *arguments.places)]
    if not places:
        raise UsageError("argument --recorded: name a file of recorded output")
    streams = dict(_named(given, "--stream") for given in arguments.stream)
    kb = dict(_named(given, "--kb") for given in arguments.kb)
    options = {
        "delay": arguments.delay, "setting": arguments.setting, "window": arguments.window,
        "answers-unit": arguments.answers_unit, "stream-unit": arguments.stream_unit,
    }
    given = {name: value for name, value in options.items() if value is not None}
    entries: list[Entry] = []
    by_query: dict[Path, list[Path]] = {}
    queries = query_files(arguments.query)
    for place in places:
        if place.suffix in (".yaml", ".yml"):
            entries += [
                _overridden(entry, streams, kb, given, arguments.period)
                for entry in read_manifest(place, files_outside=arguments.allow_files_outside)
            ]
            continue
        if not queries:
            raise UsageError("--recorded requires --query")
        for path in recordings_at(place):
            by_query.setdefault(query_of(path, queries), []).append(path)
    for query, answers in by_query.items():
        note_input(query)
        text = sys.stdin.read() if str(query) == "-" else query.read_text(encoding="utf-8")
        entries.append(
            Entry(
                text, query.stem, str(query), streams, tuple(answers), kb, given,
                tuple(arguments.period),
            )
        )
    return entries


def _overridden(
    entry: Entry, streams: dict[str, str], kb: dict[str, str], given: dict[str, str],
    periods: list[str],
) -> Entry:
    """Return a manifest's entry, overridden by the command line."""
    from dataclasses import replace

    return replace(
        entry,
        streams={**entry.streams, **streams} if "" not in streams else streams,
        kb={**entry.kb, **kb},
        options={**entry.options, **given},
        periods=tuple(periods) or entry.periods,
    )


def _named(given: str, option: str) -> tuple[str, str]:
    """Parse IRI=PLACE; an IRI with '=' in it stands in angle brackets."""
    if given.startswith("<") and ">=" in given:
        iri, _, place = given[1:].partition(">=")
    elif "=" in given and not Path(given).exists():
        iri, _, place = given.partition("=")
    else:
        iri, place = "", given
    if not place or (option == "--kb" and not iri):
        raise UsageError(f"{option}: write IRI=PLACE, not '{given}'")
    return iri, place


def _write_reports(
    judged: list[Answered], arguments: argparse.Namespace, seconds: float
) -> None:
    if arguments.json is not None:
        from ...recorded_output.report_files import write_json

        write_json(judged, arguments.json)
    if arguments.markdown is not None:
        from ...recorded_output.report_files import write_markdown

        write_markdown(judged, arguments.markdown)
    if arguments.junit is not None:
        from ...recorded_output.report_files import write_junit

        write_junit(judged, arguments.junit, seconds)
    if arguments.html is not None:
        from ...recorded_output.report_files import write_html

        write_html(judged, arguments.html)
