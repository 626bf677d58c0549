"""Conformance cases: one YAML file each, `*.case.yaml` (the format is described in docs/cases.md).

A case is read from the YAML *nodes*, not from the values that YAML makes of them: so every error
names line and column, a term may be written `5` or `"5"`, and a variable may be called `y` or `no`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rdflib.term import URIRef

from ...semantics.model.errors import CaseError, DenotaError, StreamError, nearest
from ...semantics.model.readings import PRESET
from ...semantics.streams.files.input_errors import named_file
from ...semantics.streams.files.outputs import note_input
from ..checking.levels import Level
from ..languages.registry import is_language, language, names
from ..results.json_objects import JsonObject
from .case import Case, Expectation, ExpectedError, ExpectedResults
from .embedded_text import Changes, GraphSource, StreamSource, Table
from .rdf_text import iri_of
from .schedule import Schedule, ScheduleError, parse_schedule
from .yaml_nodes import Node, read_yaml

SUFFIX = ".case.yaml"

_KEYS = (
    "title", "language", "cites", "prefixes", "query", "streams", "kb", "readings", "evaluate",
    "expect", "tags", "schedule",
)


def read_case(path: str | Path, *, files_outside: bool = False) -> Case:
    """Return the case in a file; raises CaseError with line and column, or OSError.

    With `files_outside` it may name files that are not in its folder.
    """
    path = Path(path)
    note_input(path)
    return parse_case(
        path.read_bytes(), source=str(path), path=path, files_outside=files_outside
    )


def parse_case(
    text: str | bytes, *, source: str = "<case>", path: Path | None = None,
    files_outside: bool = False,
) -> Case:
    """Return the case in a YAML text; files that it names are looked for beside `path`."""
    return _Reader(path, files_outside).case(read_yaml(text, source))


def parse_result(text: str, case: Case, *, source: str = "<result>") -> JsonObject:
    """Return a result object in YAML, with the prefixes of a case.

    Variables may stand beside `time` instead of inside `solution`, and anything may be left out.
    """
    reader = _Reader(case.path)
    reader.prefixes = {**case.language.prefixes(case.tree), **case.prefixes}
    return reader.loose_result(read_yaml(text, source), case.language_name)


def parse_evaluation(text: str, name: str, *, source: str = "<evaluate>") -> dict[str, Any]:
    """Return the `evaluate` of a case of the language of this name, in YAML, as `{at: [8, 10]}`."""
    return _Reader(None).evaluation(read_yaml(text, source) if text.strip() else None, name)


def find_cases(places: Sequence[str | Path]) -> list[Path]:
    """Return the case files at these places; directories are searched for `*.case.yaml`.

    Raises CaseError for a directory without cases, FileNotFoundError for a place that is not there.
    """
    found: list[Path] = []
    for place in map(Path, places):
        if place.is_dir():
            inside = sorted(place.rglob(f"*{SUFFIX}"))
            if not inside:
                raise CaseError(f"no case in this directory (*{SUFFIX})", source=str(place))
            found.extend(inside)
        elif place.exists():
            found.append(place)
        else:
            raise FileNotFoundError(2, "No such file or directory", str(place))
    return list(dict.fromkeys(found))


class _Reader:
    """Reads one case file."""

    def __init__(self, path: Path | None, files_outside: bool = False) -> None:
        self.files_outside = files_outside
        self.folder = path.parent if path is not None else Path()
        self.path = path
        self.prefixes: dict[str, str] = {}

    def case(self, root: Node) -> Case:
        entries = root.mapping("a case", known=_KEYS)
        for key in ("language", "query", "streams", "expect"):
            if key not in entries:
                raise root.error(f"the case has no '{key}'")
        name = self.language(entries["language"])
        if "prefixes" in entries:
            self.prefixes = {
                key.removesuffix(":"): node.text("a prefix's IRI")
                for key, node in entries["prefixes"].mapping("prefixes").items()
            }
        expect = self.expectation(entries["expect"], name)
        return Case(
            language=name,
            query=entries["query"].located("the query"),
            streams=self.streams(entries["streams"]),
            expect=expect,
            title=_text(entries, "title", self.path.name if self.path else ""),
            cites=_text(entries, "cites"),
            prefixes=self.prefixes,
            kb=self.kb(entries.get("kb")),
            readings=self.readings(entries.get("readings"), name, expect),
            evaluation=self.evaluation(entries.get("evaluate"), name),
            tags=self.tags(entries.get("tags")),
            schedule=self.schedule(entries.get("schedule")),
            path=self.path,
        )

    def language(self, node: Node) -> str:
        name = node.text("the language")
        if not is_language(name):
            raise node.error(
                f"there is no language '{name}'{nearest(name, names())}"
                f" (there is: {', '.join(names())})"
            )
        return name

    # --- inputs ---

    def streams(self, node: Node) -> dict[URIRef, StreamSource]:
        streams: dict[URIRef, StreamSource] = {}
        for iri, value in self.by_iri(node, "streams"):
            streams[iri] = self.stream(value)
        return streams

    def stream(self, node: Node) -> StreamSource:
        if not node.is_mapping():
            return node.located("a stream")
        entries = node.mapping("a stream", known=("file", "csv", "declaration"))
        declaration = entries.get("declaration")
        types = declaration.text("a declaration") if declaration is not None else None
        if ("file" in entries) == ("csv" in entries):
            raise node.error("a stream is RDF text, {file: …} or {csv: …, declaration: …}")
        if "csv" in entries:
            return Table(entries["csv"].text("CSV"), types)
        path = self.file(entries["file"])
        tabular = (".csv", ".parquet", ".arrow", ".jsonl")
        return Table(path, types) if path.suffix in tabular else path

    def kb(self, node: Node | None) -> dict[URIRef, GraphSource]:
        graphs: dict[URIRef, GraphSource] = {}
        for iri, value in self.by_iri(node, "kb") if node is not None else ():
            if value.is_mapping():
                entries = value.mapping("a graph", known=("file", "changes"))
                if len(entries) != 1:
                    raise value.error("a graph is Turtle text, {file: …} or {changes: TriG}")
                graphs[iri] = (
                    self.file(entries["file"]) if "file" in entries
                    else self.changes(entries["changes"])
                )
            else:
                graphs[iri] = value.located("a graph")
        return graphs

    def changes(self, node: Node) -> Changes:
        if not node.is_mapping():
            return Changes(node.located("the changes of a graph"))
        entries = node.mapping("the changes of a graph", known=("file",))
        if "file" not in entries:
            raise node.error("the changes of a graph are TriG text or {file: …}")
        return Changes(self.file(entries["file"]))

    def file(self, node: Node) -> Path:
        try:
            path = named_file(node.text("a file name"), self.folder, self.files_outside)
        except StreamError as error:
            raise node.error(error.message) from None
        if not path.is_file():
            raise node.error(f"there is no file {path}")
        return path

    def by_iri(self, node: Node, what: str) -> list[tuple[URIRef, Node]]:
        if node.is_null():
            return []
        found = {}
        for key, value in node.mapping(what).items():
            try:
                iri = self.iri(key)
            except DenotaError as error:
                raise value.error(error.message) from error
            if iri in found:
                raise value.error(f"<{iri}> is given twice")
            found[iri] = value
        return list(found.items())

    def iri(self, written: str) -> URIRef:
        """Return an IRI as it is, in angle brackets, or by one of the case's prefixes."""
        if written.startswith("<") and written.endswith(">"):
            return iri_of(written[1:-1])
        prefix, colon, rest = written.partition(":")
        if colon and prefix in self.prefixes and not rest.startswith("//"):
            return iri_of(self.prefixes[prefix] + rest)
        return iri_of(written)

    # --- how to evaluate ---

    def readings(
        self, node: Node | None, name: str, expect: Expectation
    ) -> dict[str, str]:
        if node is None or node.is_null():
            return {}
        preset = not (node.is_mapping() or node.is_sequence())
        named = {PRESET: node.text("readings")} if preset else {
            key: value.text("a reading") for key, value in node.mapping("readings").items()
        }
        if not isinstance(expect, ExpectedError):
            try:
                language(name).readings(named)
            except DenotaError as error:
                raise node.error(error.message) from error
        return named

    def evaluation(self, node: Node | None, name: str) -> dict[str, Any]:
        if node is None or node.is_null():
            return {}
        known = tuple(language(name).evaluation_fields)
        evaluation: dict[str, Any] = {}
        for key, value in node.mapping("evaluate", known=known).items():
            if key in ("policy", "setting", "operator"):
                evaluation[key] = value.text(f"'{key}'")
            elif key in ("empty", "sliding"):
                evaluation[key] = _truth(value, key)
            elif key in ("period", "every"):
                evaluation[key] = _duration(value)
            elif key == "at" and value.is_sequence():
                evaluation[key] = [_instant(entry) for entry in value.sequence("at")]
            else:
                evaluation[key] = _instant(value)
        return evaluation

    def schedule(self, node: Node | None) -> Schedule | None:
        if node is None or node.is_null():
            return None
        try:
            return parse_schedule(node.text("a schedule"))
        except ScheduleError as error:
            raise node.error(error.message) from error

    def tags(self, node: Node | None) -> tuple[str, ...]:
        if node is None or node.is_null():
            return ()
        return tuple(tag.text("a tag") for tag in node.sequence("tags"))

    # --- the expectation ---

    def expectation(self, node: Node, name: str) -> Expectation:
        entries = node.mapping("expect", known=("level", "results", "error"))
        if ("error" in entries) == ("results" in entries):
            raise node.error("'expect' has either 'results' or 'error'")
        if "error" in entries:
            return ExpectedError(self.pattern(entries["error"]))
        default: Level = language(name).levels[0]
        level = cast(
            Level, entries["level"].text("the level") if "level" in entries else default
        )
        levels = language(name).levels
        if level not in levels:
            raise entries["level"].error(
                f"there is no level '{level}' in {name} (there is: {', '.join(levels)})"
            )
        results = entries["results"]
        listed = [] if results.is_null() else results.sequence("results")
        return ExpectedResults([self.result(entry, name) for entry in listed], level)

    def pattern(self, node: Node) -> str:
        pattern = node.text("a regular expression")
        try:
            re.compile(pattern)
        except re.error as error:
            raise node.error(f"not a regular expression: {error}") from error
        return pattern

    def result(self, node: Node, name: str) -> JsonObject:
        known = tuple(sorted(language(name).result_fields))
        result: JsonObject = {}
        for key, value in node.mapping("a result", known=known).items():
            if key not in _FIELDS:
                raise value.error(f"a result has no field '{key}'")
            result.update(self.field(key, value))
        try:  # the language's own view of what a result must have
            language(name).answers([result], language(name).levels[-1], partial=True)
        except DenotaError as error:
            raise node.error(error.message) from error
        return result

    def loose_result(self, node: Node, name: str) -> JsonObject:
        entries = node.mapping("a row")
        fields = language(name).result_fields
        result: JsonObject = {}
        for key in [key for key in entries if key in fields]:
            result.update(self.field(key, entries.pop(key)))
        if not result.keys() & {"solution", "solutions"}:
            result["solution"] = self.mapping(entries)
        elif entries:
            raise node.error(f"a row that has solutions has no '{next(iter(entries))}' beside them")
        return result

    def field(self, key: str, node: Node) -> dict[str, Any]:
        """Return a field of a result; a time may be written [τ, k]."""
        if key != "time" or not node.is_sequence():
            return {key: _FIELDS[key](self, key, node)}
        parts = node.sequence("[τ, k]")
        if len(parts) != 2:
            raise node.error("a time is τ or [τ, k]")
        return {key: _instant(parts[0]), "rank": _integer(parts[1])}

    def mapping(self, entries: Mapping[str, Node]) -> Any:
        from ...semantics.model.mappings import SolutionMapping
        from ...semantics.model.terms import variable

        solution = {}
        for name, value in entries.items():
            if value.is_null():
                continue
            try:
                named = variable(name)
            except DenotaError as error:
                raise value.error(error.message) from None
            solution[named] = self.value(value)
        return SolutionMapping(solution)

    def solution(self, node: Node) -> Any:
        return self.mapping(node.mapping("a solution"))

    def value(self, node: Node) -> Any:
        if node.is_sequence():
            return tuple(self.term(entry) for entry in node.sequence("a collected value"))
        return self.term(node)

    def term(self, node: Node) -> Any:
        from .rdf_text import term_of

        if node.is_mapping():
            from ..results.json_objects import term_from_json

            written = {key: value.text(key) for key, value in node.mapping("a term").items()}
            try:
                return term_from_json(written)
            except DenotaError as error:
                raise node.error(error.message) from error
        try:
            return term_of(node.text("a term"), self.prefixes)
        except DenotaError as error:
            raise node.error(error.message) from error


def _text(entries: Mapping[str, Node], key: str, default: str = "") -> str:
    node = entries.get(key)
    return default if node is None or node.is_null() else node.text(f"'{key}'")


# --- fields of results ---------------------------------------------------------------------------


def _instant(node: Node) -> int:
    """Return an integer, or microseconds of a dateTime (ISO, or as YAML writes a timestamp)."""
    from ...semantics.model.time import TooFineError, parse_datetime

    text = node.text("a time").strip().replace("_", "")
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return _whole(node, text)
    date, _, clock = re.sub(r"\s+(?=[+-]|Z)", "", text).replace(" ", "T", 1).partition("T")
    try:
        return parse_datetime(f"{date}T{clock or '00:00:00Z'}")
    except TooFineError as error:
        raise node.error(error.message) from None
    except DenotaError:
        raise node.error(f"not a time: '{text}' (an integer or an ISO dateTime)") from None


def _truth(node: Node, key: str) -> bool:
    written = node.text(f"'{key}'").strip().lower()
    if written not in ("true", "false"):
        raise node.error(f"'{key}' is true or false, not '{written}'")
    return written == "true"


def _duration(node: Node) -> int:
    """Return a number of units, or microseconds of a duration."""
    from ...semantics.model.time import parse_duration

    try:
        return parse_duration(node.text("a duration"))[0]
    except DenotaError as error:
        raise node.error(error.message) from None


def _integer(node: Node) -> int:
    text = node.text("a number")
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise node.error(f"not a number: '{text}'")
    return _whole(node, text)


def _whole(node: Node, text: str) -> int:
    from ...semantics.model.time import parse_integer

    try:
        return parse_integer(text)
    except DenotaError as error:
        raise node.error(error.message) from None


def _pair(reader: _Reader, key: str, node: Node) -> list[int]:
    parts = node.sequence(f"'{key}'")
    if len(parts) != 2:
        raise node.error(f"'{key}' is a pair of times")
    return [_instant(part) for part in parts]


def _integers(node: Node, what: str) -> list[int]:
    return [_integer(part) for part in node.sequence(what)]


def _solutions(reader: _Reader, key: str, node: Node) -> list[Any]:
    return [reader.solution(entry) for entry in node.sequence(f"'{key}'")]


def _bindings(reader: _Reader, key: str, node: Node) -> dict[str, list[int]]:
    entries = node.mapping(f"'{key}'")
    return {name: _integers(value, "positions") for name, value in entries.items()}


def _boolean(reader: _Reader, key: str, node: Node) -> bool:
    text = node.text("a truth value")
    if text not in ("true", "false"):
        raise node.error(f"'{key}' is true or false")
    return text == "true"


def _graph(reader: _Reader, key: str, node: Node) -> list[Any]:
    """Return triples, given as solutions or as Turtle."""
    if node.is_sequence():
        return _solutions(reader, key, node)
    from ...semantics.streams.rdf.graphs import parse_graph
    from ..languages.interval_solutions import triple_mapping
    from .embedded_text import STANDARD_PREFIXES

    text = node.located("a graph")
    with text.errors_here():
        graph = parse_graph(text.text, {**STANDARD_PREFIXES, **reader.prefixes}, scope=key)
    return list(map(triple_mapping, graph))


_FIELDS: dict[str, Callable[[_Reader, str, Node], Any]] = {
    "time": lambda reader, key, node: _instant(node),
    "rank": lambda reader, key, node: _integer(node),
    "window": _pair,
    "at": lambda reader, key, node: _instant(node),
    "interval": _pair,
    "start": lambda reader, key, node: _integer(node),
    "end": lambda reader, key, node: _integer(node),
    "positions": lambda reader, key, node: _integers(node, f"'{key}'"),
    "bindings": _bindings,
    "solution": lambda reader, key, node: reader.solution(node),
    "solutions": _solutions,
    "boolean": _boolean,
    "graph": _graph,
}
"""The reader of each field of a result."""
