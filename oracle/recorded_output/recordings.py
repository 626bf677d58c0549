"""Recordings of an engine's answers, the streams that they are about, and manifests of both.

An engine's answers with their times are read in the shapes in which engines write them.

    {"relations": [{"head": {"vars": […]}, "timestamp": t,
                    "results": {"bindings": [{"timestamp": t, "binding": {"v": TERM, …}}, …]}}, …]}

is the shape of CSRBench. A relation's time may stand at the relation or at its bindings only; a
binding may be written without "binding" around it, and as one flat list of timed bindings;
relations may also be a bare list, or JSON Lines. {"at": t, "solutions": […]}, which denota itself
prints for RSEP-QL, is read as well. A relation without bindings is an empty answer.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError, StreamError
from ...semantics.model.items import TimeKind, TimestampedGraph
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import Term, variable
from ...semantics.model.time import parse_datetime, parse_duration, parse_integer
from ...semantics.streams.files.input_errors import input_errors, named_file
from ...semantics.streams.files.outputs import note_input
from ...semantics.streams.rdf.graphs import read_graph
from ...semantics.streams.rdf.reader import read_stream
from ..cases.yaml_nodes import Node, read_yaml
from ..results.json_objects import ResultError
from .values import foreign_term

_TIMES = ("timestamp", "time", "at", "t")
_LATEST = 1 << 62  # so that the time between two instants is a number of 64 bits
_ROWS = ("results", "bindings", "solutions", "rows")


class AnswersError(DenotaError):
    """A file of recorded answers that cannot be read."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The engine's report at one time: a bag of solutions, perhaps empty."""

    time: int
    rows: tuple[SolutionMapping, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """The relations that an engine recorded, in the order of their times."""

    relations: tuple[Relation, ...]
    name: str = "answers"

    @property
    def rows(self) -> int:
        """The total number of solutions."""
        return sum(len(relation.rows) for relation in self.relations)

    def terms(self) -> Iterator[Term]:
        """Yield every term that was reported."""
        for relation in self.relations:
            for row in relation.rows:
                yield from (value for value in row.values() if not isinstance(value, tuple))


def read_recording(path: Path, *, unit: int = 1) -> Recording:
    """Return the answers in a file; a time t in it is the instant t·`unit`. Raises AnswersError."""
    note_input(path)
    return parse_recording(path.read_bytes(), unit=unit, source=str(path), name=path.name)


def parse_recording(
    text: str | bytes, *, unit: int = 1, source: str = "<answers>", name: str | None = None
) -> Recording:
    """Return the answers that a JSON text states."""
    return recording_of(_json(text, source), unit=unit, source=source, name=name)


def recording_of(
    written: Any, *, unit: int = 1, source: str = "<answers>", name: str | None = None
) -> Recording:
    """Return the answers of a JSON value."""
    found: list[Relation] = []
    for number, entry in enumerate(_entries(written, source), start=1):
        try:
            found += _relations(entry, unit)
        except DenotaError as error:
            raise AnswersError(f"answer {number}: {error.message}", source=source) from error
    found.sort(key=lambda relation: relation.time)
    return Recording(tuple(found), name or Path(source).name)


def _json(text: str | bytes, source: str) -> Any:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise AnswersError("the file is not UTF-8", source=source) from error
    if not text.strip():
        raise AnswersError("the file is empty", source=source)
    try:
        with input_errors(source, what="not JSON", kind=AnswersError):
            return json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and re.match(r"\s*\{", lines[0]):
            try:
                return [json.loads(line) for line in lines]
            except json.JSONDecodeError:
                pass
        raise AnswersError(
            f"not JSON: {error.msg}", source=source, line=error.lineno, column=error.colno
        ) from error


def _entries(written: Any, source: str) -> Sequence[Any]:
    if isinstance(written, Mapping):
        relations = written.get("relations")
        if relations is None:
            return [written]
        written = relations
    if not isinstance(written, list):
        raise AnswersError("expected a list of answers, or an object with 'relations'",
                           source=source)
    return written


def _relations(entry: Any, unit: int) -> Iterator[Relation]:
    """Yield a relation, taken apart where its bindings say other times than it does."""
    if not isinstance(entry, Mapping):
        raise ResultError(f"an answer is an object, not {type(entry).__name__}")
    time = _time(entry, unit)
    by_time: dict[int, list[SolutionMapping]] = {}
    for binding in _bindings(entry):
        if not isinstance(binding, Mapping):
            raise ResultError(f"a binding is an object, not {type(binding).__name__}")
        inner = binding.get("binding")
        # Beside "binding" nothing but a time stands; else it is a variable of that name.
        own, row = time, binding
        if isinstance(inner, Mapping) and binding.keys() <= {"binding", *_TIMES}:
            stated = _time(binding, unit)
            own, row = (time if stated is None else stated), inner
        if own is None:
            raise ResultError("there is no time, neither at the answer nor at its bindings")
        by_time.setdefault(own, []).append(_solution(row))
    if not by_time:
        if time is None:
            raise ResultError("an empty answer has no time")
        by_time[time] = []
    for own, rows in by_time.items():
        yield Relation(own, tuple(rows))


def _bindings(entry: Mapping[str, Any]) -> Iterable[Any]:
    if isinstance(entry.get("binding"), Mapping):
        return [entry]
    for name in _ROWS:
        held = entry.get(name)
        if isinstance(held, Mapping):
            held = held.get("bindings")
        if isinstance(held, list):
            return held
        if name in entry and held is None:
            return []
    if isinstance(entry.get("solution"), Mapping):
        return [entry["solution"]]
    raise ResultError(f"there are no bindings (expected one of {', '.join(_ROWS)})")


def _solution(written: Mapping[str, Any]) -> SolutionMapping:
    terms = {variable(name.lstrip("?$")): foreign_term(value) for name, value in written.items()}
    return SolutionMapping({name: term for name, term in terms.items() if term is not None})


def _time(entry: Mapping[str, Any], unit: int) -> int | None:
    time = _stated_time(entry, unit)
    if time is not None and abs(time) > _LATEST:
        raise ResultError("a time is too far from the stream's zero")
    return time


def _stated_time(entry: Mapping[str, Any], unit: int) -> int | None:
    for name in _TIMES:
        written = entry.get(name)
        if written is None or isinstance(written, Mapping):
            continue
        if isinstance(written, bool):
            break
        if isinstance(written, int):
            return written * unit
        if isinstance(written, float) and (written * unit).is_integer():
            return int(written * unit)
        if isinstance(written, str):
            text = written.strip()
            try:
                if text.lstrip("+-").isdigit():
                    return parse_integer(text) * unit
                return parse_datetime(text)
            except StreamError as error:
                raise ResultError(error.message) from error
        raise ResultError(f"'{name}' is no time: {written!r}")
    return None


# --- streams --------------------------------------------------------------------------------------
# A stream is a file of timestamped graphs, a folder, or a pattern such as `data/data_*.ttl`. In a
# folder each file is an item, and the last number in its name is its time, in seconds unless
# another unit is named. Files without a number, and files that are no RDF graphs, are left out.

SECOND = 1_000_000
_SUFFIXES = (".ttl", ".nt", ".rdf", ".owl", ".xml", ".jsonld")
_NUMBER = re.compile(r"[0-9]+")


def stream_at(where: str | os.PathLike[str], *, unit: int | None = None) -> list[TimestampedGraph]:
    """Return the stream in a folder, behind a pattern or in a file of timestamped graphs.

    `unit` is what a number in a file's name stands for, in microseconds (1 s); for a file whose
    times are integers it makes them a number of microseconds too. Raises StreamError.
    """
    place = os.fspath(where)
    if os.path.isdir(place) or (not os.path.exists(place) and glob.has_magic(place)):
        return _of_files(files_at(place), place, unit)
    return _in_unit(list(read_stream(place)), unit)


def files_at(place: str) -> list[Path]:
    """Return the files in a folder or behind a pattern; of any other place, the file itself."""
    if os.path.isdir(place):
        return [path for path in Path(place).iterdir() if path.is_file()]
    if not os.path.exists(place) and glob.has_magic(place):
        return [Path(path) for path in glob.glob(place)]
    return [Path(place)]


def _of_files(paths: Sequence[Path], place: str, unit: int | None) -> list[TimestampedGraph]:
    timed = []
    for path in paths:
        name = path.name.removesuffix(".gz").removesuffix(".zst")
        stem, suffix = os.path.splitext(name)
        numbers = _NUMBER.findall(stem)
        if suffix.lower() in _SUFFIXES and numbers:
            timed.append((int(numbers[-1]), path))
    if not timed:
        raise StreamError(
            "no RDF files with a number in their names (the number is the time)", source=place
        )
    timed.sort(key=lambda entry: (entry[0], entry[1].name))
    scale = SECOND if unit is None else unit
    return [
        TimestampedGraph(number * scale, read_graph(str(path)), TimeKind.DATETIME)
        for number, path in timed
    ]


def _in_unit(items: list[TimestampedGraph], unit: int | None) -> list[TimestampedGraph]:
    if unit is None:
        return items
    return [
        TimestampedGraph(item.time * unit, item.graph, TimeKind.DATETIME, item.name)
        if item.kind is TimeKind.INTEGER
        else item
        for item in items
    ]


def unit_of(text: str) -> int:
    """Return the microseconds of a unit: `ms`, `1s`, `5 MINUTES`. Raises QueryError."""
    written = text.strip()
    length, kind = parse_duration(written if written[:1].isdigit() or written[:1] in "Pp"
                                  else f"1 {written}")
    if kind is not TimeKind.DATETIME or length <= 0:
        raise StreamError(f"a unit is a length of time such as ms or 1s, not '{text}'")
    return length


def time_kind(streams: Mapping[URIRef, Sequence[TimestampedGraph]]) -> TimeKind:
    """Return the time kind of these streams. Raises StreamError if they differ."""
    kinds = {item.kind for stream in streams.values() for item in stream}
    if len(kinds) > 1:
        raise StreamError("integer and dateTime streams cannot be mixed (name a stream unit)")
    return kinds.pop() if kinds else TimeKind.INTEGER


# --- manifests of recordings ----------------------------------------------------------------------
# Recordings to be checked, each of a query over streams; from options or from a manifest.
#
#     streams: {http://ex.org/streams/test: linked-sensor-data}
#     delay: 1s                             # the defaults of all entries
#     queries:
#       - query: q1.rq                      # a file, or the query's text
#         answers: [csparql-1.json, cqels-1.json]
#       - query: |
#           SELECT …
#         window: 10s/2s                    # for plain SPARQL
#         setting: csparql
#         answers: recorded/csparql-2.json
#
# Paths are relative to the manifest; files outside of its folder are read only where that is
# allowed. JSON is read as well. `streams`, `kb`, `delay`, `setting`, `window`, `stream-unit`,
# `answers-unit` and `periods` may stand at the top or at a query.

_OPTIONS = ("delay", "setting", "window", "stream-unit", "answers-unit")
_SHARED = ("streams", "kb", "periods", *_OPTIONS)
QUERY_SUFFIXES = (".rq", ".rsepql", ".csparql", ".cqels", ".sparql", ".sparqlstream", ".query")


@dataclass(frozen=True, slots=True)
class Entry:
    """A query, the streams it is over, and files of answers; the options by name."""

    text: str
    name: str
    source: str
    streams: Mapping[str, str]
    answers: tuple[Path, ...]
    kb: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    periods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Folder:
    """The folder of a manifest, `outside` of which files may lie or not."""

    path: Path
    outside: bool

    def file(self, node: Node, what: str) -> Path:
        """Return the place that a node names; raises CaseError.

        The files of a folder or a pattern may be links, and lead outside as well.
        """
        try:
            path = named_file(node.text(what).strip(), self.path, self.outside)
            for each in files_at(str(path)):
                named_file(str(each.absolute()), self.path, self.outside)
            return path
        except StreamError as error:
            raise node.error(error.message) from None


def read_manifest(path: Path, *, files_outside: bool = False) -> list[Entry]:
    """Return the entries of a manifest. Raises DenotaError, with line and column.

    With `files_outside` it may name files that are not in its folder.
    """
    folder = _Folder(path.parent, files_outside)
    note_input(path)
    node = read_yaml(path.read_bytes(), str(path))
    top = node.mapping("a manifest of answers", (*_SHARED, "queries"))
    if "queries" not in top:
        raise node.error("the manifest has no 'queries'")
    return [
        _entry(entry, top, folder, number)
        for number, entry in enumerate(top["queries"].sequence("'queries'"), start=1)
    ]


def _entry(node: Node, top: Mapping[str, Node], folder: _Folder, number: int) -> Entry:
    fields = node.mapping("an entry of 'queries'", ("query", "answers", *_SHARED))
    for name in ("query", "answers"):
        if name not in fields:
            raise node.error(f"the entry has no '{name}'")
    text, name, source = _query(fields["query"], folder, number)
    merged = {**{key: value for key, value in top.items() if key != "queries"}, **fields}
    return Entry(
        text, name, source,
        _places(merged.get("streams"), folder),
        tuple(_answers(fields["answers"], folder)),
        _places(merged.get("kb"), folder),
        {key: merged[key].text(f"'{key}'") for key in _OPTIONS if key in merged},
        _periods(merged.get("periods")),
    )


def _query(node: Node, folder: _Folder, number: int) -> tuple[str, str, str]:
    written = node.text("a query")
    if "{" in written:
        return written, f"query {number}", node.source
    path = folder.file(node, "a query")
    try:
        with input_errors(str(path)):
            return path.read_text(encoding="utf-8"), path.stem, str(path)
    except StreamError as error:
        raise node.error(str(error)) from error


def _places(node: Node | None, folder: _Folder) -> dict[str, str]:
    if node is None:
        return {}
    entries = node.mapping("'streams'") if node.is_mapping() else {"": node}
    return {iri: str(folder.file(place, "a place")) for iri, place in entries.items()}


def _answers(node: Node, folder: _Folder) -> Iterable[Path]:
    entries = node.sequence("'answers'") if node.is_sequence() else [node]
    for entry in entries:
        path = folder.file(entry, "a file of answers")
        if not path.exists():
            raise entry.error(f"there is no file {path}")
        yield from recordings_at(path)


def _periods(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    entries = node.sequence("'periods'") if node.is_sequence() else [node]
    return tuple(entry.text("a period") for entry in entries)


# --- files by their names -------------------------------------------------------------------------


def recordings_at(place: Path) -> list[Path]:
    """Return a file of answers, or those in a folder."""
    if not place.is_dir():
        return [place]
    found = sorted(
        path for path in place.iterdir() if path.suffix in (".json", ".jsonl") and path.is_file()
    )
    if not found:
        raise DenotaError("no files of answers (*.json) here", source=str(place))
    return found


def query_files(places: Sequence[Path]) -> list[Path]:
    """Return query files, and those in folders."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(p for p in place.iterdir() if p.suffix in QUERY_SUFFIXES)
            if not inside:
                raise DenotaError(
                    f"no query files ({', '.join(QUERY_SUFFIXES)}) here", source=str(place)
                )
            found += inside
        else:
            found.append(place)
    return found


def query_of(answers: Path, queries: Sequence[Path]) -> Path:
    """Return the query of recorded answers: the only one, or the one with the same number.

    Of several with that number, the one whose name shares the engine's: csparql-1.json is answered
    to csparql-1.rq rather than to cqels-1.rq.
    """
    if len(queries) == 1:
        return queries[0]
    number = _last_number(answers)
    same = [query for query in queries if number is not None and _last_number(query) == number]
    if len(same) > 1:
        engine = _NUMBER.split(answers.stem)[0].strip("-_ .").lower()
        closer = [query for query in same if engine and engine in query.stem.lower()]
        same = closer or [query for query in same if query.stem.lower().lstrip("query-_").isdigit()]
    if len(same) != 1:
        shown = ", ".join(query.name for query in (same or queries))
        raise DenotaError(
            f"which query are these answers to? (a query's name has the same number: {shown})",
            source=str(answers),
        )
    return same[0]


def _last_number(path: Path) -> int | None:
    numbers = _NUMBER.findall(path.stem)
    return int(numbers[-1]) if numbers else None
