"""`denota check --answers`: judge what a foreign engine recorded."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ....semantics.model.printable import printable
from ....semantics.streams.files.outputs import note_input
from ...explanations.counted import counted
from ...reports.files import check_places
from .. import UsageError

if TYPE_CHECKING:
    from ....semantics.model.items import TimestampedGraph
    from ...studies.answers.checking import RecordedQuestion
    from ...studies.answers.pages.printed import Answered
    from ...studies.answers.recorded.inventory import Entry

    Streams = dict[tuple[str, str | None], list[TimestampedGraph]]

EPILOG = """\
recorded answers:
  denota check --answers FILE ... --query Q --stream IRI=PLACE judges what an engine recorded: over
  all window starts t0, report policies, stream operators, conventions for window ends, and empty
  answers reported or not, it names every setting under which the answers are right, or the one
  with the smallest difference. Exit code 1 if there is none. A FILE is an engine's JSON (relations
  with timestamps), a folder of such, or a manifest (*.yaml). Q is in RSEP-QL, C-SPARQL, CQELS or
  SPARQLstream, or a folder of queries that have the answers' numbers in their names. PLACE is a
  stream file, or a folder or pattern of RDF files with their times in their names (data_07.ttl).
  Settings marked * are how the engine that the file is named after is known to work.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of `denota check` that are about recorded answers."""
    group = parser.add_argument_group("recorded answers")
    group.add_argument(
        "--answers", metavar="FILE", nargs="*",
        help="answers that an engine recorded, or a manifest",
    )
    group.add_argument(
        "--query", metavar="Q", action="append", type=Path, default=[],
        help="the query that they answer, or a folder of queries (repeatable)",
    )
    group.add_argument(
        "--stream", metavar="IRI=PLACE", action="append", default=[],
        help="a stream (repeatable); IRI= may be left out if there is one",
    )
    group.add_argument(
        "--kb", metavar="IRI=FILE", action="append", default=[],
        help="a background graph (repeatable)",
    )
    group.add_argument("--window", metavar="R/S", help="range and slide for a plain SPARQL query")
    group.add_argument(
        "--setting", metavar="NAME",
        help="csparql, cqels, sparqlstream: only this engine's settings count (any)",
    )
    group.add_argument(
        "--delay", metavar="D", help="how long after they are due answers may come (1s)"
    )
    group.add_argument(
        "--period", metavar="P", action="append", default=[],
        help="a period of periodic reports to try (repeatable)",
    )
    group.add_argument("--answers-unit", metavar="U", help="what a 1 in the answers is (ms)")
    group.add_argument("--stream-unit", metavar="U", help="what a 1 in a file's name is (1s)")
    group.add_argument(
        "--allow-empty", action="store_true",
        help="answers without a row may be right where a setting asks for none",
    )
    group.add_argument(
        "--by-definition", action="store_true",
        help="evaluate snapshots by the definitions, not by the engine's matcher (slow)",
    )
    group.add_argument("--json", metavar="F", type=Path, help="write the verdicts as JSON")


def run(arguments: argparse.Namespace) -> int:
    from ...studies.answers.pages.printed import engine_lines, verdict_lines
    from ..terminal.progress import display

    began = perf_counter()
    for option in ("engine", "earl", "export"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option} is for cases, not for recorded answers")
    reports = (arguments.html, arguments.junit, arguments.json, arguments.markdown)
    check_places(reports)
    entries = _entries(arguments)
    check_places(reports)  # now that the files which manifests name are known
    judged: list[Answered] = []
    with display(sum(len(entry.answers) for entry in entries), "judging") as shown:
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
    from ...studies.answers.pages.printed import MOST_ROWS

    return None if arguments.verbose else MOST_ROWS


def _judged(entries: list[Entry], arguments: argparse.Namespace) -> Iterator[Answered]:
    from ...studies.answers.pages.printed import Answered

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
    from ...cases.texts import Text
    from ...studies.answers.checking import RecordedQuestion
    from ...studies.answers.recorded.inputs import stream_at, unit_of

    unit = entry.options.get("stream-unit")
    for place in entry.streams.values():
        if (place, unit) not in streams:  # read once, however many queries are over it
            streams[place, unit] = stream_at(place, unit=None if unit is None else unit_of(unit))
    found = {iri: streams[place, unit] for iri, place in entry.streams.items()}
    if not found:
        raise UsageError(f"{entry.source}: name its stream, --stream IRI=PLACE")
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
    """What the options and manifests ask for, the answers to one query together."""
    from ...studies.answers.recorded.inventory import (
        Entry,
        query_files,
        query_of,
        read_manifest,
        recordings_at,
    )

    places = [Path(place) for place in (*(arguments.answers or ()), *arguments.places)]
    if not places:
        raise UsageError("--answers: name a file of recorded answers")
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
            raise UsageError("--answers: name the query that they answer, --query Q")
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
    """A manifest's entry, with what the command line says instead."""
    from dataclasses import replace

    return replace(
        entry,
        streams={**entry.streams, **streams} if "" not in streams else streams,
        kb={**entry.kb, **kb},
        options={**entry.options, **given},
        periods=tuple(periods) or entry.periods,
    )


def _named(given: str, option: str) -> tuple[str, str]:
    """IRI=PLACE; an IRI with '=' in it stands in angle brackets."""
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
        from ...studies.answers.pages.accounts import write_json

        write_json(judged, arguments.json)
    if arguments.markdown is not None:
        from ...studies.answers.pages.accounts import write_markdown

        write_markdown(judged, arguments.markdown)
    if arguments.junit is not None:
        from ...studies.answers.pages.accounts import write_junit

        write_junit(judged, arguments.junit, seconds)
    if arguments.html is not None:
        from ...studies.answers.pages.markup import write_html

        write_html(judged, arguments.html)
