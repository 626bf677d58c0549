"""The Python interface: `denota.parse`, `read_stream`, `evaluate`, `run`, `check`; and `count`,
`sample`, `batches`, `write_parquet` where results are many.

Values are taken liberally: a query as text or tree; a stream's key as its IRI, a prefixed name or
the query's name for it; a stream as an iterable of timestamped graphs, of (time, graph) or
((start, end), graph) pairs, of tuples, as a path, an Arrow table or a data frame (pandas, Polars);
a graph as a set of triples, an rdflib Graph, Turtle text or a path; readings by name or as the
language's own object; a time as an integer, an ISO dateTime or a `datetime`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import index
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias, cast, overload

from rdflib.term import URIRef

from ..semantics.model.errors import DenotaError, QueryWarning, StreamError
from ..semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ..semantics.model.pretty_printing import (
    EvaluatedT_co,
    ParsedQuery,
    Printer,
    ResultT_co,
    html_of,
    preformatted,
    show_lines,
    text_of,
)
from ..semantics.model.temporal_graphs import TemporalGraph
from ..semantics.model.tuples import EventTuple
from ..semantics.streams.files.data_frames import arrow_of
from .cases.case import Case, Task, parsed_query
from .cases.rdf_text import expanded, iri_of
from .checking.comparison import compare
from .checking.levels import Level
from .explanations.query_warnings import EvaluatedQuery, GivenTime
from .languages.registry import (
    Language,
    Query,
    Result,
    absent_streams,
    naming_guess,
    of_query,
    parse_query,
    part_of,
    stream_key,
    unnamed_streams,
)
from .reports.differences import AnswersTable, difference_table
from .results.query_results import Results
from .results.text_table import html_rows
from .results.times import ResultTimes

if TYPE_CHECKING:
    from ..semantics.ceql.syntax.tree import CeqlQuery
    from ..semantics.cqels.syntax.tree import CqelsQuery
    from ..semantics.epsparql.syntax.tree import EpsparqlQuery
    from ..semantics.rsepql.syntax.tree import RsepqlQuery
    from ..semantics.spaseq.syntax.tree import SpaseqQuery
    from .cases.tuple_sources import TupleNames
    from .distinguishing.distinction import Distinction
    from .explanations.explain_case import Explanations
    from .explanations.pattern_counts import GraphNames, PatternCounts
    from .languages.drawing import Picture

StreamLike: TypeAlias = (
    "Iterable[TimestampedGraph | tuple[Any, Any] | EventTuple | Mapping[str, Any]]"
    " | str | os.PathLike[str]"
)
Instant: TypeAlias = int | str | datetime

_OWN = tuple(f"{__name__.removesuffix('oracle.api')}{part}." for part in (
    "engine", "oracle", "semantics"
))
"""The prefixes of the modules that a warning does not point to."""


@overload
def parse(text: str, language: Literal["spaseq"], *, source: str | None = None) -> SpaseqQuery: ...


@overload
def parse(text: str, language: Literal["rsepql"], *, source: str | None = None) -> RsepqlQuery: ...


@overload
def parse(text: str, language: Literal["cqels"], *, source: str | None = None) -> CqelsQuery: ...


@overload
def parse(
    text: str, language: Literal["epsparql"], *, source: str | None = None
) -> EpsparqlQuery: ...


@overload
def parse(text: str, language: Literal["ceql"], *, source: str | None = None) -> CeqlQuery: ...


@overload
def parse(text: str, language: str | None = None, *, source: str | None = None) -> Query: ...


def parse(text: str, language: str | None = None, *, source: str | None = None) -> Query:
    """Return the syntax tree of a query.

    Args:
        text: the query.
        language: the name of its language (default: recognised from the text).
        source: the name of the text in messages.

    Raises:
        QueryError: with line and column, if the query does not parse.
    """
    return _drawn_in_notebooks(parse_query(text, language, source=source)[1])


def _drawn_in_notebooks(query: Query) -> Query:
    if type(query) not in html_of.registry:
        html_of.register(type(query))(_query_html)
    return query


def _query_html(query: Query) -> str:
    """Return the text of a query, and its picture where its language can be drawn."""
    text = preformatted(text_of(query))
    try:
        return f"{text}\n{draw(query).as_image()}"
    except DenotaError:
        return text


def read_stream(
    where: Any, *, format: str | None = None, follow: bool = False
) -> Iterable[Any]:
    """Return the items of a stream file lazily: timestamped graphs, interval graphs or tuples.

    Args:
        where: a path, an open binary file, an Arrow table, or "-" for standard input. TriG, N-Quads
            and JSON-LD hold graphs; CSV, JSON Lines, Parquet and Arrow hold tuples, and can be read
            again. Files may be compressed (.gz, .zst).
        format: the format (default: by suffix); "ndjson-ld" for JSON Lines that hold RDF.
        follow: wait for more at the end of a growing file.

    Raises:
        StreamError: if an item cannot be read, or is out of order; when it is read.
    """
    if _holds_tuples(where, format):
        from ..semantics.streams.tuples.reader import read_tuples

        return read_tuples(where, format=format, follow=follow)
    from ..semantics.streams.rdf.reader import read_items as read

    return read(os.fspath(where) if isinstance(where, os.PathLike) else where,
                format=format, follow=follow)


def _holds_tuples(where: Any, format: str | None) -> bool:
    if hasattr(where, "schema"):
        return True
    if format is not None and format.lower() != "parquet":
        return format.lower() in ("csv", "tsv", "jsonl", "arrow")
    if not isinstance(where, (str, os.PathLike)):
        return format is not None
    if os.fspath(where).endswith(".parquet") or format is not None:
        from ..semantics.streams.rdf.parquet_and_jelly import holds_quads

        return not holds_quads(os.fspath(where))
    from ..semantics.streams.tuples.reader import is_tuple_file

    return is_tuple_file(os.fspath(where))


def evaluate(
    query: ParsedQuery[Any, EvaluatedT_co] | str,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
) -> EvaluatedT_co:
    """Return the results of a query by the definitions of its paper (the oracle).

    Args:
        query: a syntax tree of `parse`, or a text.
        streams: the streams by IRI, or by their names in the query: items, texts, files or tables.
            They are read to their ends.
        kb: the background graphs by IRI.
        readings: the readings by name, the name of a set of readings ("letter"), or an object.
        start: t of the first window (SPAseq Def. 16; default: the earliest timestamp).
        at: the evaluation times (RSEP-QL).
        policy: the report policy that finds the evaluation times (default: content-change).
        setting: an engine whose reports are followed: C-SPARQL, CQELS or SPARQLstream.
        language: the name of the language of a text (default: recognised from the text).

    Returns:
        The results in the form of the language's definitions; for SPAseq a frozenset of Pairs.

    Raises:
        DenotaError: if the query or its inputs have no meaning.
    """
    asked = AskedInputs(query, streams, kb, readings, start, language, at, policy, setting)
    found = cast(EvaluatedT_co, asked.language.evaluate(asked.query, **asked.inputs))
    asked.finish(bool(found))
    return found


def run(
    query: ParsedQuery[ResultT_co] | str,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
) -> Results[ResultT_co]:
    """Evaluate a query with the production engine; streams may be unbounded.

    Parameters and errors are those of `evaluate`; an error in a stream is raised when it is read.
    CEQL reads record batches faster than an iterator of rows.

    Returns:
        An iterator of results, each as soon as it is final, with `to_arrow`, `to_pandas` and
        `to_polars`.
    """
    asked = AskedInputs(query, streams, kb, readings, start, language, at, policy, setting)
    return Results(asked)


def count(
    query: Query | str,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    language: str | None = None,
) -> int:
    """Return the number of results of the production engine.

    CEQL's complex events are not enumerated: the time depends on the number of events only.
    Parameters and errors are those of `evaluate`.
    """
    from .results import writers

    asked = AskedInputs(query, streams, kb, readings, start, language)
    counted = writers.count(asked.language, asked.query, asked.inputs)
    asked.finish(bool(counted))
    return counted


def sample(
    query: ParsedQuery[ResultT_co] | str,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    size: int,
    seed: int | None = None,
    language: str | None = None,
) -> list[ResultT_co]:
    """Return a uniform random sample of the production engine's results, in the order of `run`.

    CEQL enumerates no complex events outside of the sample. The parameters that are not listed, and
    the errors, are those of `evaluate`.

    Args:
        size: the number of results; all results if there are fewer.
        seed: the seed of the random choice.
    """
    from .results import writers

    asked = AskedInputs(query, streams, kb, readings, start, language)
    taken = writers.sample(asked.language, asked.query, size, seed, asked.inputs)
    asked.finish(bool(taken) or not size)
    return taken


def batches(
    query: Query | str,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    limit: int | None = None,
    language: str | None = None,
) -> Iterator[Any]:
    """Return the production engine's results lazily, as pyarrow RecordBatches.

    A row is a solution, with the columns of `--format parquet`. For CEQL it is a complex event:
    start, end (int64) and positions (lists of int64), with `output=valuation` also `bindings`.
    The parameters that are not listed, and the errors, are those of `evaluate`.

    Args:
        limit: the number of results after which no more items are read.
    """
    from .results import writers

    asked = AskedInputs(query, streams, kb, readings, start, language)
    return asked.checked(
        writers.batches(asked.language, asked.query, limit, asked.inputs, asked.times)
    )


def write_parquet(
    query: Query | str,
    streams: Mapping[str, StreamLike] | None,
    path: str | os.PathLike[str],
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    limit: int | None = None,
    language: str | None = None,
) -> int:
    """Write the production engine's results to a Parquet file, one row group at a time.

    The parameters that are not listed, and the errors, are those of `evaluate`.

    Args:
        path: the file.
        limit: the number of results after which no more items are read.

    Returns:
        The number of results.
    """
    from .results import writers

    asked = AskedInputs(query, streams, kb, readings, start, language)
    written = writers.write_parquet(
        asked.language, asked.query, os.fspath(path), limit, asked.inputs, asked.times
    )
    asked.finish(bool(written) or limit == 0)
    return written


def explain(
    query: Query | str | Case,
    streams: Mapping[str, StreamLike] | None = None,
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    match: int | None = None,
    missing: Any = None,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
) -> Explanations:
    """Explain why a row is a result, or why it is not: by definition, event and triple.

    Args:
        query: a query with its inputs, as for `evaluate`, or a case, which has inputs of its own.
        match: the number of a result, from 1, in the order of `evaluate`'s times; default: all.
        missing: a row that is not a result: YAML text as in a case (`"{time: 20, h: ':H1'}"`), the
            same as a mapping, an object of `--format jsonl`, or a result of `run`.

    Raises:
        DenotaError: if no result has the number, or for a reason that `evaluate` has.
    """
    from .explanations.explain_case import Explanations, explain_results, explainer_of

    if match is not None and missing is not None:
        raise DenotaError("match is not allowed with missing")
    if not isinstance(query, Case):
        asked = AskedInputs(query, streams, kb, readings, start, language, at, policy, setting)
        query = asked.as_case()
    told = explainer_of(query)
    return Explanations(told, explain_results(told, match, missing))


def distinguish(
    a: Query | str,
    b: Query | str | None = None,
    *,
    readings_a: Mapping[str, str] | Any | None = None,
    readings_b: Mapping[str, str] | Any | None = None,
    max_events: int | None = None,
    seconds: float = 60.0,
    language: str | None = None,
) -> Distinction:
    """Search for a smallest stream on which two queries, or two readings of one, differ.

    Args:
        a: a query.
        b: a query of the same language (default: `a`).
        readings_a: the readings of `a`.
        readings_b: the readings of `b`.
        max_events: the length of the longest streams (default: all up to 4, random ones up to 8).
        seconds: the time limit of the search.

    Raises:
        DenotaError: if the queries are in different languages.
    """
    from .distinguishing.distinction import distinction
    from .distinguishing.search import Side

    sides = []
    for query, readings in ((a, readings_a), (a if b is None else b, readings_b)):
        own, tree = (
            parse_query(query, language) if isinstance(query, str)
            else (of_query(query, language), query)
        )
        if readings is None or isinstance(readings, str | Mapping):
            readings = own.readings(readings or {}, tree)
        sides.append(Side(tree, readings))
    return distinction(*sides, max_events=max_events, seconds=seconds)


def draw(
    query: Query | str,
    readings: str | Mapping[str, str] | Any | None = None,
    *,
    language: str | None = None,
) -> Picture:
    """Return a picture of a query's automaton or operators: SVG text, which notebooks show."""
    from .languages.drawing import Picture

    asked = AskedInputs(query, None, None, readings, None, language, checked=False)
    return Picture(part_of(asked.language.name, "draw").picture(
        asked.query, asked.inputs["readings"]
    ))


@dataclass(frozen=True, slots=True)
class Row:
    """(τ, μ): one solution at one time, at level `row` or `bag`."""

    time: Any
    solution: Any


@dataclass(frozen=True, slots=True)
class Report:
    """Comparison of actual with expected results: `missing`, `unexpected` and `duplicate` ones.

    A `duplicate` result was returned more than once where the definitions return a set (a row: more
    often than they return it). Results are those of the language at level `pair` (SPAseq: Pairs),
    and Rows at `row` and `bag`.
    """

    level: Level
    missing: tuple[Any, ...]
    unexpected: tuple[Any, ...]
    duplicate: tuple[Any, ...] = ()
    table: AnswersTable | None = field(default=None, repr=False, compare=False)
    """The first differences as a table of text."""

    @property
    def ok(self) -> bool:
        """True if the actual results are the expected ones."""
        return not (self.missing or self.unexpected or self.duplicate)

    @property
    def repeated(self) -> tuple[Any, ...]:
        """The former name of `duplicate`."""
        return self.duplicate

    def __str__(self) -> str:
        return "\n".join([self._heading, *(self.table.lines() if self.table is not None else ())])

    @property
    def _heading(self) -> str:
        names = ("missing", "unexpected", "duplicate")
        parts = [f"{len(getattr(self, n)):,} {n}" for n in names if getattr(self, n)]
        return f"{', '.join(parts) or 'as expected'} (comparison level: {self.level})"

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        show_lines(printer, str(self))

    def _repr_html_(self) -> str:
        told = f"<p>{self._heading}</p>"
        if self.table is None:
            return told
        cut = f"\n<p>… and {self.table.left_out:,} more</p>" if self.table.left_out else ""
        return f"{told}\n{html_rows(self.table.header, self.table.rows)}{cut}"

    def __bool__(self) -> bool:
        return self.ok


def check(
    query: Query | str,
    streams: Mapping[str, StreamLike] | None = None,
    actual: Iterable[Any] = (),
    kb: Mapping[str, Any] | None = None,
    readings: str | Mapping[str, str] | Any | None = None,
    start: Instant | None = None,
    *,
    level: Level | None = None,
    at: Iterable[Instant] | Instant | None = None,
    policy: str | None = None,
    setting: str | None = None,
    language: str | None = None,
) -> Report:
    """Compare actual results with those of the oracle.

    The parameters that are not listed, and the errors, are those of `evaluate`.

    Args:
        actual: results of `run`, objects of `--format jsonl`, or rows, each `(time, solution)` or
            `{"time": …, "solution": {…}}`. A solution maps variables to terms: rdflib terms, TERMs
            of SPARQL's JSON results, numbers, truth values or Turtle texts. The parts that a row
            leaves out (a window, a rank) are not compared.
        level: the comparison level (default: `row` if there are rows, else the finest).
    """
    from .results.normalisation import result_of

    asked = AskedInputs(query, streams, kb, readings, start, language, at, policy, setting)
    reported = [result_of(result) for result in actual]
    rows = any(isinstance(result, Mapping) and "solution" in result for result in reported)
    finest = asked.language.levels[0]
    level = level or ("row" if rows else finest)
    if level not in asked.language.levels:
        raise DenotaError(
            f"{asked.language.title} has no level '{level}' "
            f"(it has: {', '.join(asked.language.levels)})"
        )
    case = asked.as_case()
    expected = _expected(asked, reported)
    asked.finish(bool(expected))
    difference = compare(
        asked.language.answers(expected, level, partial=False),
        asked.language.answers(reported, level, partial=level != finest),
        level,
        sets=asked.language.sets,
    )
    show = asked.language.result_of if level == finest else _row
    return Report(
        level,
        tuple(show(answer) for answer in difference.missing),
        tuple(show(answer) for answer in difference.unexpected),
        tuple(show(answer) for answer in difference.duplicate),
        difference_table(case, difference),
    )


def _expected(asked: AskedInputs, reported: list[Any]) -> Any:
    language: Any = asked.language
    leaves = getattr(language, "leaves_a_choice", None)
    if leaves is None or not leaves(asked.query):
        return language.evaluate(asked.query, **asked.inputs)
    inputs = {key: asked.inputs[key] for key in ("streams", "readings")}
    return language.reconciled(reported, asked.query, **inputs)


def _row(answer: Any) -> Row:
    return Row(answer.time, answer.content)


class AskedInputs:
    """A query with its inputs, as a language takes them.

    Args:
        checked: whether the names of the streams must be those of the query.
    """

    def __init__(
        self,
        query: Query | str,
        streams: Mapping[str, StreamLike] | None,
        kb: Mapping[str, Any] | None,
        readings: str | Mapping[str, str] | Any | None,
        start: Instant | None,
        language: str | None,
        at: Iterable[Instant] | Instant | None = None,
        policy: str | None = None,
        setting: str | None = None,
        *,
        checked: bool = True,
    ) -> None:
        text = query if isinstance(query, str) else None
        self.query: Any
        self.language: Language = of_query(query, language)
        with naming_guess(self.language, language):
            self.query = _drawn_in_notebooks(
                query if text is None else parsed_query(self.language.name, text)
            )
        if readings is None or isinstance(readings, str | Mapping):
            readings = self.language.readings(readings or {}, self.query)
        self._of_text, self._of_case = text is not None, False
        self._seen: TupleNames | None = None
        self._names: GraphNames | None = None
        at = None if at is None else [*_several(at)]
        self.given_times = _given_times(start, at)
        streams = streams or {}
        self.times = ResultTimes(streams.values())
        if checked:
            self.check_streams(streams)
        self._given = {self.name_of(name): (name, each) for name, each in streams.items()}
        self._parsed: dict[Any, Any] = {}
        prefixes = self.language.prefixes(self.query)
        read = self._streams()
        self._parsed = {key: each for key, each in read.items() if isinstance(each, list)}
        self.inputs: dict[str, Any] = {
            "streams": read,
            "kb": {
                iri_of(expanded(iri, prefixes)): graph_of(graph)
                for iri, graph in (kb or {}).items()
            },
            "readings": readings,
            "evaluation": _evaluation(start, at, policy, setting),
        }
        self.read_again = all(map(_can_be_read_again, streams.values()))
        self._note_names()
        for key in self.inputs["evaluation"]:
            if key not in self.language.evaluation_fields:
                given = "start" if key == "from" else key
                raise DenotaError(f"{self.language.title} takes no '{given}'")
        if checked:
            self.warn_of(self.inputs["streams"])

    def _note_names(self) -> None:
        """Note the names and the kind of times of the streams when they are read."""
        streams = self.inputs["streams"]
        if self.language.items == "tuples":
            from .cases.tuple_sources import noted

            self.inputs["streams"], self._seen = noted(self.language, self.query, streams)
            return
        self.inputs = self.times.watching(self.inputs)
        if not self.read_again:
            from .explanations.pattern_counts import graph_names

            self._names = names = graph_names(self.language, self.query, self.inputs["kb"])
            watched = self.inputs["streams"].items()
            self.inputs["streams"] = {key: names.watching(each) for key, each in watched}

    @classmethod
    def of_case(cls, case: Task) -> AskedInputs:
        """Return a case's query with its inputs."""
        made = cls.__new__(cls)
        made.language, made.query = case.language, case.tree
        made.inputs = dict(case.inputs)
        made.read_again, made._given = False, {}
        made._of_case = True
        return made

    def as_case(self) -> Case:
        """Return the query with its inputs as a case; the streams are read, and kept as tuples."""
        inputs = self.inputs
        inputs["streams"] = {name: tuple(each) for name, each in inputs["streams"].items()}
        return Case(
            self.language.name, self.query, inputs["streams"], inputs["kb"], inputs["readings"],
            inputs["evaluation"], prefixes=self.language.prefixes(self.query),
        )

    def name_of(self, name: str) -> URIRef:
        """Return the key of a stream, given by its IRI, a prefixed name, or the query's name."""
        return URIRef(stream_key(self.language, self.query, name))

    def check_streams(self, given: Collection[str]) -> None:
        """Raise StreamError for a name that the query does not have, and for one that it lacks.

        A parsed query on streams that are named by URIRefs is taken as it is, without warnings, as
        a case has it: a stream may be absent, and SPAseq's strict contiguity looks at every stream.
        """
        self._of_case = self._of_case or bool(
            given and not self._of_text and all(isinstance(name, URIRef) for name in given)
        )
        if self._of_case:
            return
        named = self.language.streams_read(self.query)
        read = {*map(str, named or ())}
        keys = {str(self.name_of(name)): name for name in given}
        unknown = [name for key, name in keys.items() if key not in read]
        for problem in unnamed_streams(self.language, self.query, unknown):
            raise StreamError(problem)
        for problem in absent_streams(self.language, self.query, keys):
            raise StreamError(problem)
        if len(keys) < len(given):
            twice = next(name for name in given if name not in keys.values())
            raise StreamError(f"the stream '{twice}' is given twice")

    def results(self) -> Iterator[Result]:
        """Return the results of the production engine, lazily."""
        return self.checked(self.language.run(self.query, **self.inputs))

    def checked(self, found: Iterable[Any]) -> Iterator[Any]:
        """Return the results, or batches of them; at their end names and times are checked."""
        found = iter(found)
        for each in found:
            yield each
            if getattr(each, "num_rows", 1):
                yield from found
                self.finish(True)
                return
        self.finish(False)

    def counts(self) -> PatternCounts:
        """Return the number of items that each pattern of the query matches.

        Raises DenotaError if the streams can be read only once.
        """
        from .explanations.pattern_counts import pattern_counts

        if not self.read_again:
            raise DenotaError("no statistics: the streams can be read only once")
        return pattern_counts(
            self.language, self.query, **{**self.inputs, "streams": self._streams()}
        )

    def warn_of(self, streams: Iterable[Any]) -> None:
        """Warn of the query on streams of these names, before it is evaluated."""
        if not self._of_case:
            kb, readings = self.inputs["kb"], self.inputs["readings"]
            _warn(self.language.warnings(self.query, streams=streams, kb=kb, readings=readings))

    def finish(self, found: bool, seen: TupleNames | None = None) -> None:
        """Warn of names and times that the streams do not have, when all results are there.

        Names of tuples are those `seen`, or those that have been noted as they were read.

        Raises:
            QueryError: without results, if no tuple has a name of the query, but a similar one.
        """
        if not self._of_case:
            again = self.read_again and seen is None
            given = {key: each for key, (_, each) in self._given.items()}
            _warn(EvaluatedQuery(
                self.language, self.query, self.inputs["kb"], found, self.given_times,
                self.times.dated, self._seen if seen is None else seen, self._names,
                self._streams if again else None, given, strict=True,
            ).warnings())

    def _streams(self) -> dict[URIRef, Any]:
        """Return the given streams, each from its beginning."""
        return {
            key: self._parsed[key] if key in self._parsed else self._stream(name, each)
            for key, (name, each) in self._given.items()
        }

    def _stream(self, name: str, stream: Any) -> Any:
        if self.language.items != "tuples":
            return items_of(stream, f"stream {name}")
        from .cases.tuple_sources import tuples_of

        return tuples_of(stream, name, self.query)


def _warn(found: Iterable[QueryWarning]) -> None:
    """Issue Python warnings that point to the line of the program that uses denota."""
    for each in found:
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OWN):
            level, frame = level + 1, frame.f_back
        warnings.warn(each, stacklevel=level)


def _can_be_read_again(stream: Any) -> bool:
    if isinstance(stream, str | os.PathLike):
        return os.path.isfile(stream)
    return isinstance(stream, Sequence) or (
        arrow_of(stream) is not None and not hasattr(stream, "read_next_batch")
    )


def _given_times(start: Instant | None, at: Iterable[Instant] | None) -> list[GivenTime]:
    given = [("at", each) for each in at or ()]
    if start is not None:
        given.append(("start", start))
    return [GivenTime(f"{name}={each}", *moment(each)) for name, each in given]


def _several(times: Any) -> Iterable[Any]:
    return [times] if isinstance(times, int | str | datetime) else times


def _evaluation(
    start: Instant | None,
    at: Iterable[Instant] | Instant | None,
    policy: str | None,
    setting: str | None,
) -> dict[str, Any]:
    """Return the options as a case's `evaluate`."""
    evaluation: dict[str, Any] = {}
    if start is not None:
        evaluation["from"] = instant(start)
    if at is not None:
        evaluation["at"] = [instant(time) for time in _several(at)]
    if policy is not None:
        evaluation["policy"] = policy
    if setting is not None:
        evaluation["setting"] = setting
    return evaluation


def instant(time: Instant) -> int:
    """Return an integer as is, a dateTime (ISO text or `datetime`) as microseconds since 1970."""
    return moment(time)[0]


def moment(time: Instant) -> tuple[int, TimeKind]:
    from ..semantics.model.time import parse_datetime, parse_integer

    if isinstance(time, SupportsIndex):
        return index(time), TimeKind.INTEGER
    if isinstance(time, datetime):
        return parse_datetime(time.isoformat()), TimeKind.DATETIME
    if not isinstance(time, str):
        raise StreamError(f"a time is an integer, a datetime or its text, not {_brief(time)}")
    text = time.strip()
    if text.lstrip("+-").isdigit():
        return parse_integer(text), TimeKind.INTEGER
    return parse_datetime(text), TimeKind.DATETIME


def items_of(stream: StreamLike, source: str | None = None) -> Iterable[Any]:
    """Return a stream as graphs with their times; lazily, unless it is a sequence of them already.

    `source` is how errors call it.
    """
    table = arrow_of(stream)
    if isinstance(stream, (str, os.PathLike)) or table is not None:
        from ..semantics.streams.rdf.reader import read_items

        return read_items(os.fspath(stream) if isinstance(stream, (str, os.PathLike)) else table)
    if not isinstance(stream, Iterable):
        raise StreamError(f"a stream is a file's name or its items, not {_brief(stream)}")
    items = _placed_items(stream, source)
    return list(items) if isinstance(stream, (list, tuple)) else items


def _placed_items(stream: Iterable[Any], source: str | None) -> Iterator[Item]:
    """Yield the items; an error names the stream and the item's position, from 0."""
    for position, item in enumerate(stream):
        try:
            yield item_of(item)
        except StreamError as error:
            message = error.message if error.source is None else str(error)
            raise StreamError(f"item {position}: {message}", source=source) from error


def item_of(item: Any) -> Item:
    """Return an item of a stream of graphs, from what stands for one."""
    if isinstance(item, (TimestampedGraph, IntervalGraph)):
        return item
    match item:
        case ((start, end), graph) | (start, end, graph) if isinstance(item, tuple):
            return _interval_graph(start, end, graph)
        case (time, graph) if isinstance(item, tuple):
            at, kind = moment(time)
            return TimestampedGraph(at, graph_of(graph), kind)
    raise StreamError(
        "an item of a stream is a timestamped graph, (time, graph) or (start, end, graph), not"
        f" {_brief(item)}"
    )


def _interval_graph(start: Instant, end: Instant, graph: Any) -> IntervalGraph:
    (first, kind), (last, other) = moment(start), moment(end)
    if kind is not other:
        raise StreamError(
            f"an interval is between integers or between dateTimes, not from {start} to {end}"
        )
    return IntervalGraph(first, last, graph_of(graph), kind)


def graph_of(graph: Any) -> Any:
    """Return a graph as a frozenset of triples, from an rdflib Graph, triples, Turtle or a path.

    One that changes (CQELS-CEP) is a TemporalGraph, or a mapping of times to graphs.
    """
    from .cases.rdf_text import exact

    if isinstance(graph, TemporalGraph):
        return graph
    if isinstance(graph, Mapping):
        return _changing(graph)
    if isinstance(graph, os.PathLike):
        from ..semantics.streams.rdf.graphs import read_graph

        return read_graph(os.fspath(graph))
    if isinstance(graph, str):
        from ..semantics.streams.rdf.graphs import parse_graph

        return parse_graph(graph)
    try:
        return frozenset((exact(s), exact(p), exact(o)) for s, p, o in graph)
    except (TypeError, ValueError) as error:
        raise StreamError(f"a graph is a set of triples, not {_brief(graph)}") from error


def _changing(changes: Mapping[Any, Any]) -> TemporalGraph:
    """Return a graph that changes, from what it says from each time on."""
    kinds = {moment(time)[1] for time in changes}
    if len(kinds) > 1:
        raise StreamError("a graph changes at integers or at dateTimes, not at both")
    said = {instant(time): graph_of(graph) for time, graph in changes.items()}
    return TemporalGraph(tuple(sorted(said.items(), key=lambda change: change[0])), *kinds)


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
