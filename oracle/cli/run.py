"""`denota run`: evaluate a query over streams, each match as soon as it is certain."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from ...semantics.model.trees import find
from . import UsageError
from .options import reading_options, seconds, whole
from .terminal import machine_output

EPILOG = """\
A stream is a TriG, N-Quads or JSON-LD file (plain, .gz or .zst), or - for TriG on standard input;
for CEQL a CSV, JSON Lines, Parquet or Arrow file, or - for CSV, and IRI is the stream's name.
Standard input, pipes and (--follow) growing files are read live: docs/live.md.
IRI is an IRI (in angle brackets if it contains '='), a prefixed name, or the name by which the
query calls the stream; one that the query does not name is an error. A T is an integer, or a
dateTime such as 2026-01-01T09:30:00Z.

formats:
  jsonl    one object a pair: {"window":[b,e],"time":t,"solutions":[{"h":TERM,...},...]}; TERM as in
           SPARQL 1.1 Query Results JSON; times are as the streams', dateTimes in UTC;
           CEQL: {"start":i,"end":j,"positions":[...]}, with --reading output=valuation "bindings"
           RSEP-QL: {"at":t,"solutions":[...]}, of ASK "boolean", of CONSTRUCT "graph"
           EP-SPARQL: {"interval":[t1,t2],"solution":{...}}, of ASK {"boolean":true}
           CQELS-CEP: {"interval":[t1,t2],"solution":{...}}, of CONSTRUCT "graph", with RSTREAM,
           ISTREAM or DSTREAM and "at":t
  csv      one row a solution: window_start, window_end, time[, rank], then a column a variable
  srj      SPARQL 1.1 Query Results JSON, with window_start, window_end, time[, rank] as variables
  parquet  as csv, typed, and a column 'result' that numbers the pairs; -o, or standard output that
           is no terminal (written at the end); CEQL: start, end and lists of positions, in bounded
           memory

example:
  denota run q.rq --stream http://example.org/u1=power.trig --stream S2=- --reading kleene=join
"""


# One table: an option a line.
def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("query", metavar="QUERY", help="the query's file, or - for standard input")
    parser.add_argument(
        "--stream", metavar="IRI=FILE", action="append", default=[], help="a stream (repeatable)"
    )
    parser.add_argument(
        "--kb", metavar="IRI=FILE", action="append", default=[],
        help="a background graph: Turtle, N-Triples, RDF/XML or JSON-LD (repeatable)",
    )
    parser.add_argument(
        "--engine", default="production", metavar="ENGINE",
        help="production (default), oracle, python:MODULE:FACTORY or command:PROGRAM ARGS",
    )
    parser.add_argument(
        "--reading", metavar="K=V", action="append", default=[],
        help="a reading, such as kleene=join (repeatable)",
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
    parser.add_argument("--language", metavar="L", help="the query's language (default: sniffed)")
    parser.add_argument(
        "--stream-format", metavar="F",
        help="the streams' format (default: by suffix): trig, nquads, jsonld, or for CEQL csv, tsv,"
        " jsonl, parquet, arrow",
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
    parser.add_argument(
        "--format", choices=("jsonl", "csv", "srj", "parquet"), default="jsonl",
        help="how results are written (jsonl)",
    )
    parser.add_argument(
        "--limit", metavar="N", type=whole, help="stop after the first N results"
    )
    parser.add_argument(
        "--count", action="store_true",
        help="write how many results there are instead of them (CEQL: without finding them)",
    )
    parser.add_argument(
        "--sample", metavar="N", type=whole,
        help="write N of the results, each as likely as any other (CEQL: without finding the rest)",
    )
    parser.add_argument(
        "--seed", metavar="K", type=int, help="the same K takes the same sample"
    )
    parser.add_argument(
        "--follow", action="store_true", help="wait for more at the end of a stream's file"
    )
    parser.add_argument(
        "--idle", metavar="SECONDS", type=seconds,
        help="when nothing has come on a stream for so long, what it told is complete, and the"
        " others go on without it (standard input, pipes, --follow)",
    )
    parser.add_argument(
        "--reorder", metavar="D",
        help="put items that come at most so much out of order (5, 10m, PT1H) into order, leave"
        " out and count those that come later",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE, not to stdout")


def arranged(words: list[str]) -> list[str]:
    """The words of a command line, with `--at 8 10` as `--at 8 --at 10`."""
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


def run(arguments: argparse.Namespace) -> int:
    from ..cases.texts import Text

    text, source = query_text(arguments.query)
    with Text(text, source).unplaced_errors_here():
        return _run(arguments, text, source)


def _check_amount(arguments: argparse.Namespace) -> None:
    asked = [
        option
        for option, value in (
            ("--limit", arguments.limit),
            ("--count", arguments.count or None),
            ("--sample", arguments.sample),
        )
        if value is not None
    ]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} cannot be combined")
    if arguments.seed is not None and arguments.sample is None:
        raise UsageError("--seed is for --sample")
    if arguments.count and arguments.format != "jsonl":
        raise UsageError(f"--count writes a number, no {arguments.format}")


# The way of a query from its words to what is written: a step needs what those before it found.
def _run(arguments: argparse.Namespace, text: str, source: str) -> int:
    from ..languages.registry import of_query

    _check_amount(arguments)

    language = of_query(text, arguments.language)
    query = language.parse(text, source=source)
    prefixes = language.prefixes(query)
    if language.items == "tuples":  # whose streams have names, and no IRIs
        files = _by_name(arguments.stream, "--stream", {name: name for name in query.streams}, str)
    else:
        files = _by_iri(arguments.stream, "--stream", prefixes, language.stream_names(query))
    graphs = _by_iri(arguments.kb, "--kb", prefixes, {}) if arguments.kb else {}
    if [arguments.query, *files.values(), *graphs.values()].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    readings = language.readings(reading_options(arguments.reading), query)
    evaluation: dict[str, Any] = {}
    if arguments.start is not None:
        evaluation["from"] = _instant("--from", arguments.start)
    if arguments.at:
        evaluation["at"] = [_instant("--at", time) for time in arguments.at]
    if arguments.setting is not None:
        evaluation["setting"] = arguments.setting
    if arguments.policy is not None:
        evaluation["policy"] = arguments.policy
    if arguments.period is not None:
        evaluation["period"] = _duration("--period", arguments.period)
    for key in evaluation:
        if key not in language.evaluation_fields:
            raise UsageError(f"{language.title} takes no --{key}")

    from ..results.times import ResultTimes
    from ..results.writer import writer

    if language.items == "tuples":
        _check_declared(query, files, arguments.declaration, source)
    arrivals = _arrivals(arguments, language, files.values())
    streams = {
        iri: _stream(file, language, str(iri), query, arguments, arrivals)
        for iri, file in files.items()
    }
    times = ResultTimes()
    if language.items != "tuples":
        streams = {iri: times.watched(stream) for iri, stream in streams.items()}
    kb = {iri: _graph(file, language) for iri, file in graphs.items()}
    check_streams(language, query, files)
    for warning in language.warnings(query, streams=files, kb=graphs, readings=readings):
        place = f":{warning.position.line}:{warning.position.column}" * bool(warning.position.line)
        message = " ".join(warning.message.split())
        print(f"{source}{place}: warning: {message}", file=sys.stderr)
    inputs: dict[str, Any] = {
        "streams": streams, "kb": kb, "readings": readings, "evaluation": evaluation
    }
    named = Path(arguments.output) if arguments.output else None
    with _output(named, arguments.format) as (out, path):
        if arguments.count:
            found = _count(arguments, language, query, text, inputs)
            out.write(f"{found}\n")
        else:
            written = writer(
                arguments.format, language, query, readings, out=out, path=path, times=times
            )
            try:
                found = _write(written, arguments, language, query, text, inputs)
            finally:  # what is certain stays certain, also if the streams end in an error
                written.close()
                _report_late(arrivals)
    again = arrivals is None and all(Path(file).is_file() for file in files.values())
    if not found and language.items == "tuples" and again:
        _check_event_types(query, streams.values(), source)
    return 0


def check_streams(language: Any, query: Any, given: Iterable[Any]) -> None:
    """Raises UsageError for a stream that the query does not name.

    In a case it may be there: SPAseq's strict contiguity looks at all streams. On a command line it
    is a slip.
    """
    from ...semantics.model.nearest import nearest

    named = language.streams_read(query)
    for stream in given:
        if named is not None and stream not in named:
            called = {*language.stream_names(query), *map(str, named)}
            hint = nearest(str(stream), called) or (
                f" (it names: {', '.join(sorted(called))})" if called else ""
            )
            raise UsageError(f"--stream: the query names no stream '{stream}'{hint}")


_ROWS_LOOKED_AT = 1 << 20


def _check_event_types(query: Any, streams: Iterable[Any], source: str) -> None:
    """Raises QueryError where the query has found nothing since it misspells an event type.

    That is one that no tuple is of, and is nearly one of those that the query does not name.
    """
    from ...semantics.ceql.syntax.tree import EventType
    from ...semantics.model.errors import QueryError
    from ...semantics.model.nearest import nearest
    from ...semantics.model.tuples import TYPE

    named = {phi.name: phi for phi in find(query.formula, EventType)}
    there: set[str] = set()
    for stream in streams:
        rows = 0
        for batch in stream.batches(columns=frozenset()):
            there.update(batch.column(TYPE).unique().to_pylist())
            rows += batch.num_rows
            if rows > _ROWS_LOOKED_AT:
                return
    for name, phi in named.items():
        if there and name not in there:
            hint = nearest(name, sorted(there - set(named)))
            told = f"no tuple is of the event type '{name}'{hint}"
            place = phi.position
            if hint:
                raise QueryError(told, source=source, line=place.line, column=place.column)
            print(f"{source}:{place.line}:{place.column}: warning: {told}", file=sys.stderr)


def _write(
    written: Any,
    arguments: argparse.Namespace,
    language: Any,
    query: Any,
    text: str,
    inputs: dict[str, Any],
) -> int:
    """Writes the results; how many they are."""
    from ..results import large_output

    found = 0
    own = arguments.engine == "production"
    results: Iterable[Any]
    if arguments.sample is not None:
        size, seed = arguments.sample, arguments.seed
        if own:
            results = large_output.sample(language, query, size, seed, inputs)
        else:
            everything = _results(arguments, language, query, text, inputs)
            results = large_output.sampled(everything, size, seed)
    else:
        batches = large_output.batches(language, query, arguments.limit, inputs) if own else None
        if batches is not None:
            for batch in batches:
                written.write_batch(batch)
                found += batch.num_rows
            return found
        everything = _results(arguments, language, query, text, inputs)
        results = large_output.first(everything, arguments.limit)
    for result in results:
        written.write(result)
        found += 1
    return found


def _count(
    arguments: argparse.Namespace, language: Any, query: Any, text: str, inputs: dict[str, Any]
) -> int:
    from ..results import large_output

    if arguments.engine == "production":
        return large_output.count(language, query, inputs)
    return sum(1 for _ in _results(arguments, language, query, text, inputs))


def _results(
    arguments: argparse.Namespace, language: Any, query: Any, text: str, inputs: dict[str, Any]
) -> Iterable[Any]:
    if arguments.engine == "production":
        results: Iterator[Any] = language.run(query, **inputs)
        return results
    if arguments.follow:
        raise UsageError("--follow needs the production engine")
    if arguments.engine == "oracle":
        return sorted(language.evaluate(query, **inputs), key=language.order)
    return _foreign_results(arguments.engine, language, text, inputs)


def _foreign_results(
    name: str, language: Any, text: str, inputs: dict[str, Any]
) -> Iterator[Any]:
    from rdflib.term import URIRef

    from ..cases.case import Case
    from ..cases.texts import Text
    from ..engines.engine import EngineCrash, EngineError, EngineTimeout, close
    from ..engines.naming import engine

    foreign = engine(name, timeout=3600.0)
    case = Case(
        language.name,
        Text(text),
        {URIRef(iri): tuple(stream) for iri, stream in inputs["streams"].items()},
        inputs["kb"],
        inputs["readings"],
        inputs["evaluation"],
        title="run",
    )
    try:
        for result in foreign.run(case):
            yield language.from_json(result) if isinstance(result, Mapping) else result
    except (EngineCrash, EngineTimeout) as error:
        raise EngineError(f"engine '{name}': {error}") from error
    finally:
        close(foreign)


def _instant(option: str, written: str) -> int:
    from ...semantics.model.errors import DenotaError
    from ...semantics.model.time import TooFineError
    from ..api import instant

    try:
        return instant(written)
    except TooFineError as error:
        raise UsageError(f"{option}: {error.message}") from None
    except DenotaError:
        raise UsageError(
            f"{option}: '{written}' is neither an integer nor a dateTime such as "
            "2026-01-01T09:30:00Z"
        ) from None


def _duration(option: str, written: str) -> int:
    from ...semantics.model.errors import DenotaError
    from ...semantics.model.time import parse_duration

    try:
        return parse_duration(written)[0]
    except DenotaError as error:
        raise UsageError(f"{option}: {error.message}") from None


def query_text(name: str) -> tuple[str, str]:
    """The text of a query's file (- is standard input), and what messages call it."""
    if name == "-":
        return sys.stdin.read(), "<stdin>"
    try:
        return Path(name).read_text(encoding="utf-8-sig"), name
    except UnicodeDecodeError as error:
        from ...semantics.model.errors import QueryError

        raise QueryError("the query is not UTF-8", source=name) from error


def _by_iri(
    options: Iterable[str], option: str, prefixes: Mapping[str, str], names: Mapping[str, Any]
) -> dict[Any, str]:
    from ..cases.rdflib_terms import iri_of

    return _by_name(options, option, names, lambda name: iri_of(_expanded(name, prefixes)))


def _by_name(
    options: Iterable[str], option: str, names: Mapping[str, Any], named: Callable[[str], Any]
) -> dict[Any, str]:
    files: dict[Any, str] = {}
    for given in options:
        written, file = _split(given, option, {*names, *map(str, names.values())})
        iri = names.get(written) or named(written)
        if iri in files:
            raise UsageError(f"{option} <{iri}> is given twice")
        files[iri] = file
    return files


def _split(given: str, option: str, known: set[str]) -> tuple[str, str]:
    if given.startswith("<") and ">=" in given:
        iri, _, file = given.partition(">=")
        return iri[1:], file
    # Both an IRI and a file name may contain '=': prefer what the query knows, then the first.
    places = [place for place, letter in enumerate(given) if letter == "="]
    if not places:
        raise UsageError(f"{option}: write IRI=FILE, not '{given}'")
    place = next((place for place in places if given[:place] in known), places[0])
    iri, file = given[:place], given[place + 1:]
    if not iri or not file:
        raise UsageError(f"{option}: write IRI=FILE, not '{given}'")
    return iri, file


def _expanded(written: str, prefixes: Mapping[str, str]) -> str:
    prefix, colon, local = written.partition(":")
    if colon and prefix in prefixes and not local.startswith("//"):
        return prefixes[prefix] + local
    return written


def _arrivals(arguments: argparse.Namespace, language: Any, files: Iterable[str]) -> Any:
    """What the streams share that are read while they grow; None if none is."""
    if arguments.engine != "production":
        for option in ("idle", "reorder"):
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option} needs the production engine")
        return None
    from ...semantics.streams.live.growing import is_live

    if arguments.reorder is None and not arguments.follow and not any(map(is_live, files)):
        return None
    from ...semantics.streams.live.reading import Arrivals

    if arguments.reorder is None:
        return Arrivals()
    delay = _duration("--reorder", arguments.reorder)
    if delay < 0:
        raise UsageError(f"--reorder: '{arguments.reorder}' is less than nothing")
    if language.items == "tuples":  # which count nanoseconds
        bare = arguments.reorder.strip().isdigit()
        delay *= 1_000_000_000 if bare else 1_000
    return Arrivals(delay)


def _report_late(arrivals: Any) -> None:
    for name, late in sorted((arrivals.late if arrivals is not None else {}).items()):
        items = "1 item" if late == 1 else f"{late} items"
        left = f"denota run: {items} of <{name}> came too late and {'was' if late == 1 else 'were'}"
        print(f"{left} left out", file=sys.stderr)


def _stream(
    file: str, language: Any, name: str, query: Any, arguments: argparse.Namespace, arrivals: Any
) -> Any:
    from ...semantics.streams.live.growing import is_live

    options: dict[str, Any] = {"format": arguments.stream_format, "follow": arguments.follow}
    if language.items == "tuples":
        declared = {d.name: d for d in query.declarations}
        options |= {
            "type_column": arguments.type_column,
            "time_column": arguments.time_column,
            "declaration": _declaration(arguments.declaration, name) or declared.get(name),
        }
    if arrivals is not None and (
        arguments.follow or arrivals.delay is not None or is_live(file)
    ):
        options["idle"] = arguments.idle
        if language.items == "tuples":
            from ...semantics.streams.live.tuples import live_tuples

            return live_tuples(arrivals, file, **options)
        from ...semantics.streams.live.graphs import live_items

        return live_items(arrivals, file, **options)
    if language.items == "tuples":
        from ...semantics.streams.tuples.reading import read_tuples

        return read_tuples(file, **options)
    from ...semantics.streams.rdf.reading import read_items, read_stream

    return (read_items if language.items == "intervals" else read_stream)(file, **options)


def _check_declared(
    query: Any, streams: Iterable[Any], declarations: Iterable[str], source: str
) -> None:
    """Raises QueryError for what the files of declarations say that the streams do not have."""
    from ...semantics.ceql.syntax.scoping import faults
    from ...semantics.model.errors import QueryError

    found = {str(name): _declaration(declarations, str(name)) for name in streams}
    told = [replace(each, name=name) for name, each in found.items() if each is not None]
    for fault in faults(query, told):
        place = fault.position
        raise QueryError(fault.message, source=source, line=place.line, column=place.column)


def _declaration(files: Iterable[str], stream: str) -> Any:
    """The declaration of a stream in one of these files; the only one suits every stream."""
    from ...semantics.ceql.syntax.parse import parse_declaration

    found = [
        parse_declaration(text, source=source) for text, source in map(query_text, files)
    ]
    named = [declaration for declaration in found if declaration.name == stream]
    if named or len(found) != 1:
        return named[0] if named else None
    return found[0]


def _graph(file: str, language: Any) -> Any:
    if language.changing_background and file.removesuffix(".gz").endswith((".trig", ".nq")):
        from ...semantics.model.temporal_graphs import temporal_graph
        from ...semantics.streams.rdf.reading import read_items

        return temporal_graph(read_items(file), file)
    from ...semantics.streams.rdf.graphs import read_graph

    return read_graph(file)


@contextmanager
def _output(path: Path | None, format: str) -> Iterator[tuple[TextIO, Path | None]]:
    """Where results go: what is written to, and the file that Parquet opens itself."""
    if format == "parquet":
        with open(os.devnull, "w", encoding="utf-8") as nothing, _parquet_file(path) as file:
            yield nothing, file
    elif path is None:
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8")
        yield machine_output(), None
    else:
        from ...semantics.streams.files.boundaries import output_errors

        with output_errors(str(path)), open(path, "w", encoding="utf-8", newline="") as out:
            yield out, path


@contextmanager
def _parquet_file(path: Path | None) -> Iterator[Path | None]:
    """The file, or one whose bytes go to standard output unless that is a terminal."""
    if path is not None or sys.stdout.isatty():
        yield path
        return
    with TemporaryDirectory(prefix="denota-") as folder:
        file = Path(folder, "results.parquet")
        try:
            yield file
        finally:
            if file.exists():
                with open(file, "rb") as written:
                    copyfileobj(written, sys.stdout.buffer)
                    sys.stdout.buffer.flush()
