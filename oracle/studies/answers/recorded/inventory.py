"""What is to be judged: recordings, each of a query over streams; from options or from a manifest.

    streams: {http://ex.org/streams/test: linked-sensor-data}
    delay: 1s                             # the defaults of all entries
    queries:
      - query: q1.rq                      # a file, or the query's text
        answers: [csparql-1.json, cqels-1.json]
      - query: |
          SELECT …
        window: 10s/2s                    # for plain SPARQL
        setting: csparql
        answers: recorded/csparql-2.json

Paths are relative to the manifest; files outside of its folder are read only where that is allowed.
JSON is read as well. `streams`, `kb`, `delay`, `setting`, `window`, `stream-unit`, `answers-unit`
and `periods` may stand at the top or at a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .....semantics.model.errors import DenotaError, StreamError
from .....semantics.streams.files.boundaries import input_errors, named_file
from .....semantics.streams.files.outputs import note_input
from ....cases.yaml_nodes import Node, read_yaml
from .inputs import files_at

_OPTIONS = ("delay", "setting", "window", "stream-unit", "answers-unit")
_SHARED = ("streams", "kb", "periods", *_OPTIONS)
_NUMBER = re.compile(r"[0-9]+")
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
    """The entries of a manifest. Raises DenotaError, with line and column.

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


# --- files by their names ------------------------------------------------------------------------


def recordings_at(place: Path) -> list[Path]:
    """A file of answers, or those in a folder."""
    if not place.is_dir():
        return [place]
    found = sorted(
        path for path in place.iterdir() if path.suffix in (".json", ".jsonl") and path.is_file()
    )
    if not found:
        raise DenotaError("no files of answers (*.json) here", source=str(place))
    return found


def query_files(places: Sequence[Path]) -> list[Path]:
    """Query files, and those in folders."""
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
    """The query that answers are to: the only one, or the one with the same number in its name.

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
