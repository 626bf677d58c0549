"""A case: one value from the file to the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError, StreamError, UnsupportedError
from ...semantics.model.pretty_printing import ShownAsText, text_of
from ...semantics.model.readings import PRESET
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.tuples import Tuples
from ..checking.levels import Level
from ..languages.base import Inputs
from ..languages.readings import non_default
from ..languages.registry import Language, language
from .embedded_text import (
    STANDARD_PREFIXES,
    Changes,
    GraphSource,
    StreamSource,
    Table,
    Text,
    turtle_header,
)
from .schedule import Schedule

if TYPE_CHECKING:
    from ...semantics.model.items import Item
    from ...semantics.model.terms import Graph


@dataclass(frozen=True, slots=True)
class ExpectedResults:
    """Results, or result objects in which what is left out is open, compared at `level`."""

    results: Sequence[Any]
    level: Level = "pair"
    partial: bool = True


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A clear error: one whose text matches `pattern`, or, the oracle having one, any.

    `pattern` is a regular expression, or None where `message` is the oracle's own (an engine may
    word it in its own way).
    """

    pattern: str | None
    message: str = ""


Expectation: TypeAlias = ExpectedResults | ExpectedError


Prefixes: TypeAlias = tuple[tuple[str, str], ...]

_CACHED_TEXT = 1 << 16


class Task(ShownAsText):
    """A query with its inputs: the part of a case that an engine sees.

    `query` is a text or a syntax tree; a stream is a text (TriG), a file, a table or a sequence of
    items; a background graph is a text (Turtle), a file, changes or a graph; readings are names
    with values or the language's own object; `evaluation` is a file's `evaluate`. Texts are parsed
    at the first use, and errors name their place in the source: `tree`, `streams`, `kb` and
    `readings` are the parsed inputs, `text`, `reading_names` and `message` the same as texts.
    `schedule` drives the production engine.
    """

    schedule: Schedule | None = None

    def __init__(
        self,
        language: str,
        query: Any,
        streams: Mapping[Any, StreamSource],
        kb: Mapping[Any, GraphSource] | None = None,
        readings: Any = None,
        evaluation: Mapping[str, Any] | None = None,
        *,
        title: str = "",
        prefixes: Mapping[str, str] | None = None,
    ) -> None:
        self.language_name = language
        self.query = query
        self.stream_sources: Mapping[Any, Any] = streams
        self.kb_sources: Mapping[Any, Any] = kb or {}
        self.reading_source: Any = readings or {}
        self.evaluation: Mapping[str, Any] = evaluation or {}
        self.title = title
        self.prefixes: Mapping[str, str] = prefixes or {}

    def _given(self) -> dict[str, Any]:
        """Return the arguments that `__init__` was called with."""
        return {
            "language": self.language_name, "query": self.query, "streams": self.stream_sources,
            "kb": self.kb_sources, "readings": self.reading_source, "evaluation": self.evaluation,
            "title": self.title, "prefixes": self.prefixes,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._given() == other._given()

    __hash__ = None  # type: ignore[assignment]  # streams and graphs are mappings

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n{text_of(self)})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without streams of tuples from open files: the copy reads them again."""
        state = dict(self.__dict__)
        if any(isinstance(stream, Tuples) for stream in state.get("streams", {}).values()):
            del state["streams"]
        return state

    @property
    def id(self) -> str:
        """The name by which reports call the case."""
        return self.title

    # --- what an engine needs ---

    @cached_property
    def language(self) -> Language:
        """The case's language; raises QueryError if there is none of its name."""
        return language(self.language_name)

    @cached_property
    def tree(self) -> Any:
        """The query's syntax tree."""
        if isinstance(self.query, Text):
            with self.query.errors_here():
                return parsed_query(self.language_name, self.query.text)
        return self.query

    @cached_property
    def text(self) -> str:
        """The query's text."""
        if isinstance(self.query, Text):
            return self.query.text
        return self.language.print(self.query)

    @cached_property
    def readings(self) -> Any:
        """The language's readings object; raises ReadingError if one does not suit the query."""
        with self.query_errors():
            return self.language.readings(self.reading_names, self.tree)

    @property
    def reading_names(self) -> Mapping[str, str]:
        """The readings by name and value."""
        source = self.reading_source
        if isinstance(source, Mapping) and PRESET not in source:
            return source
        if isinstance(source, str | Mapping):
            source = self.language.readings(source)
        return non_default(source)

    @cached_property
    def streams(self) -> Mapping[URIRef, Any]:
        """Every stream as timestamped graphs, or as tuples."""
        if self.language.items == "tuples":
            from .tuple_sources import TuplesInMemory, tuples_of

            return {
                iri: TuplesInMemory(source, str(iri)) if isinstance(source, tuple)
                else tuples_of(source, str(iri), self.tree)
                for iri, source in self.stream_sources.items()
            }
        return {
            iri: _items(iri, source, self._declared, self.language.items == "intervals")
            for iri, source in self.stream_sources.items()
        }

    @cached_property
    def kb(self) -> Mapping[URIRef, Any]:
        """Every background graph; one that changes is a TemporalGraph."""
        graphs = {
            iri: _graph(iri, source, self._declared) for iri, source in self.kb_sources.items()
        }
        if not self.language.changing_background:
            for iri, graph in graphs.items():
                if isinstance(graph, TemporalGraph):
                    title = self.language.title
                    raise StreamError(f"in {title} no background graph changes, as <{iri}> does")
        return graphs

    @property
    def inputs(self) -> Inputs:
        """The inputs of the query."""
        return Inputs(
            streams=self.streams, kb=self.kb, readings=self.readings, evaluation=self.evaluation
        )

    @property
    def _declared(self) -> Prefixes:
        """The prefixes of the streams and the kb."""
        return tuple({**STANDARD_PREFIXES, **self.prefixes}.items())

    def query_errors(self) -> AbstractContextManager[None]:
        """Return a context that adds the query's file to errors with a place in the query."""
        if isinstance(self.query, Text):
            return self.query.unplaced_errors_here()
        return nullcontext()

    # --- the case as texts ---

    @cached_property
    def dated(self) -> bool:
        """True if the streams' timestamps are dateTimes."""
        from ...semantics.model.items import TimeKind

        if self.language.items == "tuples":
            return False
        kinds = {item.kind for stream in self.streams.values() for item in stream}
        return kinds == {TimeKind.DATETIME}

    def shown_instant(self, time: object) -> str:
        """Return an instant as text: an integer or a dateTime."""
        from ...semantics.model.time import format_datetime

        try:
            return format_datetime(time) if isinstance(time, int) and self.dated else str(time)
        except DenotaError:
            return str(time)

    def message(self) -> dict[str, Any]:
        """Return the `case` message of the adapter protocol."""
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
                str(iri): _graph_text(iri, source, self._declared)
                for iri, source in self.kb_sources.items()
            },
            "readings": dict(self.reading_names),
            "evaluate": dict(self.evaluation),
        }

    def _stream_message(self, iri: URIRef, source: StreamSource) -> str | dict[str, str]:
        if self.language.items == "tuples":
            from .tuple_sources import csv_message

            return csv_message(source, str(iri))
        return _stream_text(iri, source, self._declared)


class Case(Task):
    """A task with its expected results.

    `expect` is None until the oracle has evaluated the case; `path` is the case's file.
    """

    def __init__(
        self,
        language: str,
        query: Any,
        streams: Mapping[Any, StreamSource],
        kb: Mapping[Any, GraphSource] | None = None,
        readings: Any = None,
        evaluation: Mapping[str, Any] | None = None,
        *,
        expect: Expectation | None = None,
        title: str = "",
        cites: str = "",
        prefixes: Mapping[str, str] | None = None,
        tags: tuple[str, ...] = (),
        path: Path | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        super().__init__(
            language, query, streams, kb, readings, evaluation, title=title, prefixes=prefixes
        )
        self.expect = expect
        self.cites = cites
        self.tags = tags
        self.path = path
        self.schedule = schedule
        self._denotation: Any = None

    def _given(self) -> dict[str, Any]:
        return {
            **super()._given(), "expect": self.expect, "cites": self.cites, "tags": self.tags,
            "path": self.path, "schedule": self.schedule,
        }

    def but(self, **changes: Any) -> Self:
        """Return a copy of the case with some arguments of the constructor changed."""
        made = type(self).__new__(type(self))
        Case.__init__(made, **{**self._given(), **changes})
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the oracle's answer, which is not for engines."""
        return {**super().__getstate__(), "_denotation": None}

    @property
    def id(self) -> str:
        """The name by which reports call the case."""
        if self.path is None:
            return self.title
        return self.path.name.removesuffix(".yaml").removesuffix(".case")

    def task(self) -> Task:
        """Return the task of the case, without its expected results and their place.

        Texts lose their sources, and files are read: both name the case's folder.
        """
        return Task(
            self.language_name,
            _unplaced(self.query),
            {name: self._given_stream(name, each) for name, each in self.stream_sources.items()},
            {
                iri: self.kb[iri] if isinstance(_text_or_file(each), Path) else _unplaced(each)
                for iri, each in self.kb_sources.items()
            },
            self.reading_source,
            self.evaluation,
            title=self.id,
            prefixes=self.prefixes,
        )

    def _given_stream(self, name: Any, source: StreamSource) -> StreamSource:
        if not isinstance(_text_or_file(source), Path):
            stream: StreamSource = _unplaced(source)
            return stream
        if self.language.items == "tuples":
            from .tuple_sources import csv_message

            return Table(**csv_message(source, str(name)))
        items: StreamSource = self.streams[name]
        return items

    def parsed(self) -> Self:
        """Return the case with its texts parsed and its streams read to their ends."""
        kind = str if self.language.items == "tuples" else URIRef
        return self.but(
            query=self.tree,
            streams={kind(name): tuple(items) for name, items in self.streams.items()},
            kb=dict(self.kb),
            readings=self.language.readings(self.reading_names),
            prefixes={**self.prefixes, **self.language.prefixes(self.tree)},
        )

    def with_named_streams(self) -> Self:
        """Return the case with an empty stream for each that its query names and that is absent."""
        there = set(map(str, self.stream_sources))  # by an IRI or by a text
        missing = {
            name: () for name in self.language.stream_names(self.tree).values()
            if str(name) not in there
        }
        return self.but(streams={**missing, **self.stream_sources}) if missing else self

    # --- what the definitions and the production engine say ---

    def denotation(self) -> Any:
        """Return the results by the definitions, which are evaluated once."""
        if self._denotation is None:
            found = self.language.evaluate(self.tree, **self.inputs)
            self._denotation = list(found) if isinstance(found, Iterator) else found
        return self._denotation

    def matches(self) -> Any:
        """Return the results of the production engine, in its order."""
        return self.language.run(self.tree, **self.inputs)


def _text_or_file(source: Any) -> Any:
    """Return the text of a table or of the changes of a graph; any other source itself."""
    match source:
        case Table():
            return source.csv
        case Changes():
            return source.trig
    return source


def _unplaced(source: Any) -> Any:
    """Return a source without the place of its text."""
    match source:
        case Text():
            return Text(source.text)
        case Changes(Text() as trig):
            return Changes(Text(trig.text))
    return source


@text_of.register
def _(case: Task) -> str:  # `writing` shows the whole case, once it is loaded
    return f"{case.language_name}, {case.id or '…'}"


@lru_cache(maxsize=4096)
def parsed_query(language_name: str, text: str) -> Any:
    """Return the tree of a query text; sweeps meet the same queries again and again."""
    return language(language_name).parse(text, source=None)


def _items(
    iri: URIRef, source: Any, prefixes: Prefixes, intervals: bool = True
) -> Sequence[Item]:
    from ...semantics.streams.rdf.reader import read_items, read_stream

    if isinstance(source, Text):
        with source.errors_here():
            parse = _parsed_stream if len(source.text) <= _CACHED_TEXT else _parse_stream
            return parse(iri, source.text, prefixes, intervals)
    if isinstance(source, Path):
        return tuple(read_items(source) if intervals else read_stream(source))
    if isinstance(source, Table):
        raise UnsupportedError(f"stream <{iri}> is a table, this language reads RDF graph streams")
    items: Sequence[Item] = source
    return items


def _parse_stream(
    iri: URIRef, text: str, prefixes: Prefixes, intervals: bool
) -> tuple[Item, ...]:
    from ...semantics.streams.rdf.reader import parse_items, parse_stream

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
    from ...semantics.streams.rdf.reader import parse_items, read_items

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
    from .rdf_text import stream_text

    return stream_text(_items(iri, source, prefixes), {})


def _graph_text(
    iri: URIRef, source: GraphSource, prefixes: Prefixes
) -> str | dict[str, str]:
    if isinstance(source, Text):
        return turtle_header(prefixes) + source.text
    if isinstance(source, Path) and source.suffix == ".ttl":
        return source.read_text(encoding="utf-8")
    from .rdf_text import changes_text, graph_text

    graph = _graph(iri, source, prefixes)
    if isinstance(graph, frozenset):
        return graph_text(graph, {})
    return {"changes": changes_text(graph, {})}
