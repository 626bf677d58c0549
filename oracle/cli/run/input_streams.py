"""The inputs of `denota run`: streams from files, or as they arrive, and background graphs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....semantics.streams.files.folder import Folder, is_folder
from ....semantics.streams.live.addresses import address_of
from ....semantics.streams.live.byte_sources import is_live
from ...languages.registry import absent_streams, parse_query, stream_key, unnamed_streams
from .. import UsageError
from ..options import reading_options
from ..terminal import fitting
from .option_values import by_name, duration_of, evaluation_of, graph_files, query_text

if TYPE_CHECKING:
    from ...cases.case import Case


HELD_BACK = 100_000
"""The default of `--reorder-buffer-size`."""


@dataclass(frozen=True)
class QueryInputs:
    """A query, and the files of its streams and background graphs, as a command line names them."""

    language: Any
    query: Any
    text: str
    source: str
    files: Mapping[Any, str]
    graphs: Mapping[Any, str]
    readings: Any
    evaluation: Mapping[str, Any]

    def background(self) -> dict[Any, Any]:
        """Return the background graphs, read from their files."""
        return {iri: graph_of(file, self.language) for iri, file in self.graphs.items()}


def inputs_of(arguments: argparse.Namespace, text: str, source: str) -> QueryInputs:
    """Return the query and the files that the options of `add_query` and `add_inputs` name."""
    language: Any
    language, query = parse_query(text, arguments.language, source=source)
    files = stream_files(arguments, language, query)
    graphs = graph_files(arguments.kb, language.prefixes(query))
    if [arguments.query, *files.values(), *graphs.values()].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    readings = language.readings(reading_options(arguments.reading), query)
    evaluation = evaluation_of(arguments, language)
    return QueryInputs(language, query, text, source, files, graphs, readings, evaluation)


def case_of(arguments: argparse.Namespace, asked: QueryInputs) -> Case:
    """Return a query with its streams, which are read to their ends, as a case."""
    from ...cases.case import Case
    from ...cases.embedded_text import Text

    language, query = asked.language, asked.query
    check_streams(language, query, asked.files)
    streams = streams_at_rest(arguments, asked)
    prefixes = language.prefixes(query)
    if language.items != "tuples":
        prefixes = prefixes or {"": "http://example.org/"}
    return Case(
        language.name, Text(asked.text, asked.source),
        {iri: tuple(stream) for iri, stream in streams.items()}, asked.background(),
        asked.readings, asked.evaluation, prefixes=prefixes,
    )


def streams_at_rest(arguments: argparse.Namespace, asked: QueryInputs) -> dict[Any, Any]:
    """Return the streams of complete files, from their beginnings."""
    at_rest = argparse.Namespace(**{**vars(arguments), **_AT_REST})
    streams, _ = opened(at_rest, asked.language, asked.query, asked.source)
    return streams


_AT_REST = {
    "engine": "oracle", "follow": False, "idle_timeout": None, "reorder": None,
    "reorder_items": None, "spark": False, "checkpoint": None,
}
"""The options with which a stream's file is read once, to its end."""


def check_streams(language: Any, query: Any, given: Collection[Any]) -> None:
    """Raise UsageError for a stream that the query does not name, and for one that it lacks."""
    problems = chain(
        unnamed_streams(language, query, given), absent_streams(language, query, given)
    )
    for problem in problems:
        raise UsageError(f"--stream: {problem}")


def opened(
    arguments: argparse.Namespace, language: Any, query: Any, source: str, *,
    waited: bool = False,
) -> tuple[dict[Any, Any], Any]:
    """Return the streams that a command line names, and the state shared by live ones.

    `waited` is as `arrivals_of` takes it.
    """
    files = stream_files(arguments, language, query)
    declared: dict[str, Any] = {}
    if language.items == "tuples":
        told = {name: declared_in(arguments.declaration, name) for name in files}
        language.check_declared(query, told, source)
        own = {each.name: each for each in query.declarations}
        declared = {name: each or own.get(name) for name, each in told.items()}
    arrivals = arrivals_of(arguments, language, files.values(), waited=waited)
    return {
        iri: folder_stream(file, number, language, arguments, arrivals, declared.get(iri))
        if is_folder(file)
        else stream_of(file, language, arguments, arrivals, declared.get(iri))
        for number, (iri, file) in enumerate(files.items())
    }, arrivals


def stream_files(arguments: argparse.Namespace, language: Any, query: Any) -> dict[Any, str]:
    """Return the file of each stream that the command line names."""
    likely = {*map(str, language.streams_read(query) or ())}
    if language.items != "tuples":  # whose names would be made IRIs, which loads rdflib
        likely |= {*language.stream_names(query)}
    key = partial(stream_key, language, query)
    return by_name(arguments.stream, "--stream", likely, key)


def arrivals_of(
    arguments: argparse.Namespace, language: Any, files: Iterable[str], *, waited: bool = False
) -> Any:
    """Return the shared arrivals of the live streams; None if there is none.

    If items of a run that is gone on with have `waited`, files at rest share it, too.
    """
    if arguments.engine != "production":
        for option, value in (
            ("--idle-timeout", arguments.idle_timeout),
            ("--max-out-of-orderness", arguments.reorder),
            ("--reorder-buffer-size", arguments.reorder_items),
        ):
            if value is not None:
                raise UsageError(f"{option} requires --engine production")
        if arguments.follow and any(address_of(file) is not None for file in files):
            raise UsageError("--follow requires --engine production")
        return None
    if arguments.reorder is None and arguments.reorder_items is not None:
        raise UsageError("--reorder-buffer-size requires --max-out-of-orderness")
    grow = arguments.follow or any(map(is_live, files))
    if arguments.reorder is None and not grow and not waited:
        return None
    from ....semantics.streams.live.reader import Arrivals

    told: dict[str, Any] = {"when_late": when_late, "notice": notice}
    if arguments.reorder is None:
        arrivals = Arrivals(**told)
        arrivals.files_too = waited
        return arrivals
    delay = duration_of("--max-out-of-orderness", arguments.reorder)
    if delay < 0:
        raise UsageError(f"argument --max-out-of-orderness: '{arguments.reorder}' is negative")
    if language.items == "tuples":  # which count nanoseconds
        bare = arguments.reorder.strip().isdigit()
        delay *= 1_000_000_000 if bare else 1_000
    bound = HELD_BACK if arguments.reorder_items is None else arguments.reorder_items
    return Arrivals(delay, bound, **told)


def notice(message: str) -> None:
    """Print a notice for users on standard error while a stream is read."""
    for line in fitting(f"denota run: {message}", sys.stderr):
        print(line, file=sys.stderr, flush=True)


def when_late(name: str, late: Any) -> None:
    """Report late items on a terminal: of the first, the tenth, the hundredth, …"""
    if sys.stderr.isatty() and str(late.items).rstrip("0") == "1":
        if late.items == 1:
            message = f"dropped 1 late item of <{name}>{_first_late(late)}"
        else:
            message = f"dropped {late.items} late items of <{name}> so far"
        notice(message)


def report_late(arrivals: Any) -> None:
    """Write the number of late items of each stream to standard error."""
    for name, late in sorted((arrivals.late if arrivals is not None else {}).items()):
        items = "1 late item" if late.items == 1 else f"{late.items} late items"
        full = ""
        if name in arrivals.overfull:
            full = f"; reorder buffer full (--reorder-buffer-size {arrivals.bound})"
        print(f"denota run: dropped {items} of <{name}>{_first_late(late)}{full}", file=sys.stderr)


def _first_late(late: Any) -> str:
    """Return the text about the first late item: its time and its place."""
    from ....semantics.model.items import shown_time
    from ....semantics.model.tuples import EventTuple

    what = late.first.type if isinstance(late.first, EventTuple) else f"at {shown_time(late.first)}"
    place = "" if late.place is None else f", {late.place}"
    return f" ({'the first ' * (late.items > 1)}{what}{place})"


def stream_of(
    file: str, language: Any, arguments: argparse.Namespace, arrivals: Any, declaration: Any
) -> Any:
    """Return the stream of a file; `declaration` declares its tuples."""
    options: dict[str, Any] = {"format": arguments.stream_format, "follow": arguments.follow}
    if language.items == "tuples":
        options |= {
            "type_column": arguments.type_column,
            "time_column": arguments.time_column,
            "declaration": declaration,
        }
    if arrivals is not None and (
        arguments.follow or arrivals.delay is not None or arrivals.files_too or is_live(file)
    ):
        return _live(arrivals, language, file, {**options, "idle": arguments.idle_timeout})
    if address_of(file) is not None:  # the oracle reads to the end first
        from ....semantics.streams.live.reader import Arrivals, all_of

        stream = _live(Arrivals(notice=notice), language, file, options)
        if language.items == "tuples":
            return all_of(stream, lambda each: each.time or 0)
        return all_of(stream, lambda each: each.end)
    if language.items == "tuples":
        from ....semantics.streams.tuples.reader import read_tuples

        return read_tuples(file, **options)
    from ....semantics.streams.rdf.reader import read_items, read_stream

    return (read_items if language.items == "intervals" else read_stream)(file, **options)


def folder_stream(
    path: str, number: int, language: Any, arguments: argparse.Namespace, arrivals: Any,
    declaration: Any,
) -> Any:
    """Return the stream of a folder's files, the `number`th of its run."""
    from ....semantics.streams.live import folder_source

    kept = None
    if arguments.spark and arguments.checkpoint is not None:
        kept = Path(arguments.checkpoint) / f"denota-files-{number}.jsonl"
    folder = Folder(path, kept, idle=arguments.idle_timeout)
    tuples = language.items == "tuples"
    options: dict[str, Any] = {"format": arguments.stream_format}
    if tuples:
        options |= {
            "type_column": arguments.type_column, "time_column": arguments.time_column,
            "declaration": declaration,
        }
    else:
        options["scope"] = f"s{number}"
    if arrivals is not None:
        live = folder_source.live_tuples_in if tuples else folder_source.live_items_in
        return live(arrivals, folder, follow=arguments.follow, **options)
    if arguments.follow:
        raise UsageError(f"--follow of a folder ('{path}') needs the production engine")
    if tuples:
        return folder_source.tuples_in(folder, **options)
    return (folder_source.items_in if language.items == "intervals" else folder_source.instants_in)(
        folder, **options
    )


def _live(arrivals: Any, language: Any, file: str, options: Mapping[str, Any]) -> Any:
    if language.items == "tuples":
        from ....semantics.streams.live.tuples import live_tuples

        return live_tuples(arrivals, file, **options)
    from ....semantics.streams.live.graphs import live_items

    return live_items(arrivals, file, **options)


def declared_in(files: Sequence[str], stream: str) -> Any:
    """Return the declaration of a stream in one of these files; the only one suits every stream."""
    if not files:
        return None
    from ...cases.tuple_sources import declaration_of

    return declaration_of(map(query_text, files), stream)


def graph_of(file: str, language: Any) -> Any:
    """Return the background graph of a file, which may say how it changes."""
    if language.changing_background and file.removesuffix(".gz").endswith((".trig", ".nq")):
        from ....semantics.model.temporal_graphs import temporal_graph
        from ....semantics.streams.rdf.reader import read_items

        return temporal_graph(read_items(file), file)
    from ....semantics.streams.rdf.graphs import read_graph

    return read_graph(file)


def warn_of(
    language: Any, query: Any, source: str, streams: Any, graphs: Any, readings: Any
) -> None:
    """Print the warnings about a query with these streams and background graphs."""
    for each in language.warnings(query, streams=streams, kb=graphs, readings=readings):
        warn(source, each.position, each.message)


def warn(source: str, position: Any, message: str) -> None:
    """Print a warning about a query on standard error."""
    place = f":{position.line}:{position.column}" * bool(position.line)
    print(f"{source}{place}: warning: {' '.join(message.split())}", file=sys.stderr)
