"""A task: one case as an engine gets it, its texts parsed when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError, StreamError, UnsupportedError
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.tuples import Tuples
from ..languages.registry import Language, language
from .texts import Text

if TYPE_CHECKING:
    from ...semantics.model.items import Item
    from ...semantics.model.terms import Graph

Prefixes: TypeAlias = tuple[tuple[str, str], ...]

STANDARD_PREFIXES: dict[str, str] = {
    "prov": "http://www.w3.org/ns/prov#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Predeclared in a case's streams, kb and expectation."""

_CACHED_TEXT = 1 << 16


class Table:
    """A stream of tuples: CSV text or a file, with the declaration of its types, if any."""

    def __init__(self, csv: str | Path, declaration: str | None = None) -> None:
        self.csv = csv
        self.declaration = declaration

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (self.csv, self.declaration) == (other.csv, other.declaration)

    def __hash__(self) -> int:
        return hash((self.csv, self.declaration))


@dataclass(frozen=True)
class Changes:
    """A background graph that changes: TriG, or a file of it, one named graph a change."""

    trig: Text | Path


StreamSource: TypeAlias = "Text | Path | Table | Sequence[Item]"
GraphSource: TypeAlias = "Text | Path | Graph | Changes | TemporalGraph"


class Task:
    """A query with everything that it is evaluated on.

    `query` is a text or a syntax tree; a stream is a text (TriG), a file, or a sequence of
    timestamped graphs; a kb graph a text (Turtle), a file, or a graph. `readings` are names with
    values, as in a case, or the language's own object; `evaluation` is as a case's `evaluate`.
    Whatever has to be parsed is parsed on first use, and the errors of doing so are the task's.
    """

    def __init__(
        self,
        language: str,
        query: Text | Any,
        streams: Mapping[URIRef, StreamSource],
        kb: Mapping[URIRef, GraphSource] | None = None,
        readings: Mapping[str, str] | Any | None = None,
        evaluation: Mapping[str, Any] | None = None,
        *,
        prefixes: Mapping[str, str] | None = None,
        id: str = "",
    ) -> None:
        self.language_name = language
        self.id = id
        self.stream_sources = streams
        self.kb_sources = kb or {}
        self._readings = readings or {}
        self.evaluation: Mapping[str, Any] = evaluation or {}
        self._query = query
        self._prefixes: Prefixes = tuple({**STANDARD_PREFIXES, **(prefixes or {})}.items())

    def __repr__(self) -> str:
        return f"Task({self.language_name}, {self.id or '…'})"

    def __getstate__(self) -> dict[str, Any]:
        """Without streams of tuples: they are read from open files, and read again elsewhere."""
        state = dict(self.__dict__)
        if any(isinstance(stream, Tuples) for stream in state.get("streams", {}).values()):
            del state["streams"]
        return state

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes of the streams, the kb and the expectation."""
        return dict(self._prefixes)

    @cached_property
    def language(self) -> Language:
        """The task's language; raises UnsupportedError for one that is not judged yet."""
        return language(self.language_name)

    @cached_property
    def tree(self) -> Any:
        """The query's syntax tree."""
        if isinstance(self._query, Text):
            with self._query.errors_here():
                return parsed_query(self.language_name, self._query.text)
        return self._query

    @cached_property
    def text(self) -> str:
        """The query's text."""
        if isinstance(self._query, Text):
            return self._query.text
        return self.language.print(self._query)

    @cached_property
    def readings(self) -> Any:
        """The language's readings object, as far as it suits the query."""
        if isinstance(self._readings, Mapping):
            with self.query_errors():
                return self.language.readings(self._readings, self.tree)
        return self._readings

    def query_errors(self) -> AbstractContextManager[None]:
        """Where errors that name a place in the query get the query's file."""
        if isinstance(self._query, Text):
            return self._query.unplaced_errors_here()
        return nullcontext()

    @property
    def reading_names(self) -> Mapping[str, str]:
        """The readings by name and value."""
        if isinstance(self._readings, Mapping):
            return self._readings
        return self.language.reading_names(self._readings)

    @cached_property
    def streams(self) -> Mapping[URIRef, Any]:
        """Every stream as timestamped graphs, or as tuples."""
        if self.language.items == "tuples":
            from .tuple_sources import tuples_of

            return {
                iri: tuples_of(source, str(iri), self.tree)
                for iri, source in self.stream_sources.items()
            }
        return {
            iri: _items(iri, source, self._prefixes, self.language.items == "intervals")
            for iri, source in self.stream_sources.items()
        }

    @cached_property
    def kb(self) -> Mapping[URIRef, Any]:
        """Every background graph; one that changes is a TemporalGraph."""
        graphs = {
            iri: _graph(iri, source, self._prefixes) for iri, source in self.kb_sources.items()
        }
        if not self.language.changing_background:
            for iri, graph in graphs.items():
                if isinstance(graph, TemporalGraph):
                    title = self.language.title
                    raise StreamError(f"in {title} no background graph changes, as <{iri}> does")
        return graphs

    @cached_property
    def dated(self) -> bool:
        """Whether the streams' timestamps are dateTimes."""
        from ...semantics.model.items import TimeKind

        if self.language.items == "tuples":
            return False
        kinds = {item.kind for stream in self.streams.values() for item in stream}
        return kinds == {TimeKind.DATETIME}

    def shown_instant(self, time: object) -> str:
        """An instant as people read it: the integer, or the dateTime."""
        from ...semantics.model.time import format_datetime

        try:
            return format_datetime(time) if isinstance(time, int) and self.dated else str(time)
        except DenotaError:
            return str(time)

    def message(self) -> dict[str, Any]:
        """The `case` message of the adapter protocol: every text complete in itself."""
        return {
            "type": "case",
            "id": self.id,
            "language": self.language_name,
            "query": self.text,
            "streams": {
                str(iri): self._stream_message(iri, source)
                for iri, source in self.stream_sources.items()
            },
            "kb": {
                str(iri): _graph_text(iri, source, self._prefixes)
                for iri, source in self.kb_sources.items()
            },
            "readings": dict(self.reading_names),
            "evaluate": dict(self.evaluation),
        }


    def _stream_message(self, iri: URIRef, source: StreamSource) -> str | dict[str, str]:
        if self.language.items == "tuples":
            from .tuple_sources import csv_message

            return csv_message(source, str(iri))
        return _stream_text(iri, source, self._prefixes)


@lru_cache(maxsize=4096)
def parsed_query(language_name: str, text: str) -> Any:
    """The tree of a query text; sweeps meet the same queries again and again."""
    return language(language_name).parse(text, source=None)


def _items(
    iri: URIRef, source: StreamSource, prefixes: Prefixes, intervals: bool = True
) -> Sequence[Item]:
    from ...semantics.streams.rdf.reading import read_items, read_stream

    if isinstance(source, Text):
        with source.errors_here():
            parse = _parsed_stream if len(source.text) <= _CACHED_TEXT else _parse_stream
            return parse(iri, source.text, prefixes, intervals)
    if isinstance(source, Path):
        return tuple(read_items(source) if intervals else read_stream(source))
    if isinstance(source, Table):
        raise UnsupportedError(f"stream <{iri}> is a table, this language reads RDF graph streams")
    return source


def _parse_stream(
    iri: URIRef, text: str, prefixes: Prefixes, intervals: bool
) -> tuple[Item, ...]:
    from ...semantics.streams.rdf.reading import parse_items, parse_stream

    parse = parse_items if intervals else parse_stream
    return tuple(parse(text, format="trig", prefixes=dict(prefixes), scope=f"stream {iri}"))


# The stream's IRI is part of the key: blank nodes of two streams differ, also in equal texts.
_parsed_stream = lru_cache(maxsize=4096)(_parse_stream)


def _graph(
    iri: URIRef, source: GraphSource, prefixes: Prefixes
) -> Graph | TemporalGraph:
    from ...semantics.streams.rdf.graphs import read_graph

    if isinstance(source, Text):
        with source.errors_here():
            return _parsed_graph(iri, source.text, prefixes)
    if isinstance(source, Path):
        return read_graph(source)
    if isinstance(source, Changes):
        return _temporal_graph(iri, source.trig, prefixes)
    return source


def _temporal_graph(iri: URIRef, trig: Text | Path, prefixes: Prefixes) -> TemporalGraph:
    from ...semantics.model.temporal_graphs import temporal_graph
    from ...semantics.streams.rdf.reading import parse_items, read_items

    if isinstance(trig, Path):
        return temporal_graph(read_items(trig), str(trig))
    with trig.errors_here():
        return temporal_graph(
            parse_items(trig.text, prefixes=dict(prefixes), scope=f"graph {iri}")
        )


@lru_cache(maxsize=1024)
def _parsed_graph(iri: URIRef, text: str, prefixes: Prefixes) -> Graph:
    from ...semantics.streams.rdf.graphs import parse_graph

    return parse_graph(text, dict(prefixes), scope=f"graph {iri}")


def _stream_text(iri: URIRef, source: StreamSource, prefixes: Prefixes) -> str:
    if isinstance(source, Text):
        return turtle_header(prefixes) + source.text
    if isinstance(source, Path) and source.suffix == ".trig":
        return source.read_text(encoding="utf-8")
    from .writing import stream_text

    return stream_text(_items(iri, source, prefixes), {})


def _graph_text(
    iri: URIRef, source: GraphSource, prefixes: Prefixes
) -> str | dict[str, str]:
    if isinstance(source, Text):
        return turtle_header(prefixes) + source.text
    if isinstance(source, Path) and source.suffix == ".ttl":
        return source.read_text(encoding="utf-8")
    from .writing import changes_text, graph_text

    graph = _graph(iri, source, prefixes)
    if isinstance(graph, frozenset):
        return graph_text(graph, {})
    return {"changes": changes_text(graph, {})}


def turtle_header(prefixes: Iterable[tuple[str, str]]) -> str:
    """Prefix declarations in Turtle, one a line.

    >>> turtle_header([("", "http://example.org/")])
    '@prefix : <http://example.org/> .\\n'
    """
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes)


__all__ = [
    "STANDARD_PREFIXES", "Changes", "GraphSource", "StreamSource", "Table", "Task",
    "parsed_query", "turtle_header",
]
