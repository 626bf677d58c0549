"""The languages that denota checks: a folder each, everything in it imported on first use.

A folder of this package that has `language.py` is a language, and so is one of an installed package
that names it in the entry point group `denota.languages` (`NAME = "package.folder"`). Nothing else
names a language. What a folder may hold, each a module or a package of that name:

    language    LANGUAGE, which follows `Language`: every language has it
    detection   is_query(text): true if a query text looks like one of this language
    generate    case(choices): draws a case (`inputs.choices`, `cases.case.Case`); perhaps
                COLUMNAR, the options of queries that an engine can evaluate by columns
    enumerate   ENUMERATION: all cases up to a size (an `enumeration.Enumeration`); perhaps
                ALPHABETS, what it can make queries and streams of, by name, the usual one first
    batch       on_many(query, readings): a query's answers on many streams, the oracle's and the
                engine's (`batch_checker.QueryOnMany`); kb and evaluation where its cases have any
    shrink      HOOK: what the generic shrinker cannot know (`shrinking.hooks.Hook`); perhaps
                REPAIRS, rewritings of cases that avoid differences of engines, by name
    explain     EXPLAINER: of a case, by which rules there are results (`explanations.explainer`)
    distinguish asked(query), what a query wants of streams of graphs (`item_templates`), or
                space(a, b), streams of another kind; and what it may have:
                compared(results), plain(query), difference(a, b, data)
    draw        picture(query, readings): the text of an SVG file
    features    query_features, title_of, words_of (`features.Features`)

Only `language` must be there: without another, what needs it is an UnsupportedError.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Unpack, cast

from ...semantics.model.errors import QueryError, QueryWarning, UnsupportedError
from .base import Inputs

if TYPE_CHECKING:
    from rdflib.term import URIRef, Variable

    from ...semantics.model.mappings import SolutionMapping
    from ..checking.levels import Answer, Level
    from ..results.json_objects import JsonObject

Query: TypeAlias = Any
"""A language's syntax tree."""

Result: TypeAlias = Any
"""One of the results of an evaluation (SPAseq: a Pair)."""

ENTRY_POINTS = "denota.languages"

_ORDER = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
"""In which languages are listed and asked; others follow by their names."""

_UNABLE = {
    "generate": "no cases can be generated in {}",
    "enumerate": "no cases can be enumerated in {}",
    "shrink": "cases in {} cannot be shrunk",
    "explain": "results in {} cannot be explained",
    "distinguish": "queries in {} cannot be distinguished",
    "draw": "queries in {} cannot be drawn",
}
"""The message where a folder lacks the part that is needed."""


class Language(Protocol):
    """The interface of a language for the oracle."""

    name: str
    title: str
    items: str  # what its streams hold: "graphs", "intervals" (or instants) or "tuples"
    levels: tuple[Level, ...]  # at which its results can be compared, its definition's own first
    sets: tuple[Level, ...]  # those at which its definitions return a set
    open_fields: tuple[str, ...]  # names of what `Answer.open` holds
    result_fields: frozenset[str]  # keys of a result object
    evaluation_fields: frozenset[str]  # keys of a case's `evaluate`
    changing_background: bool  # whether a background graph may change, and be a file of quads

    # A language may also have `leaves_a_choice(query)` and `reconciled(reported, query, streams=…,
    # readings=…)`, where several results are right, and `writer(format, query, readings, out=…,
    # path=…)`, `text_rows(readings)` and `matched_rows(query, results, streams, readings, first)`,
    # where its results are no solutions, and `instant_variables(query)`, the variables that are
    # bound to times of results. Where results need not be made one by one, it
    # has `batches(query, limit, …)`, `count(query, …)` and `sample(query, size, seed, …)`, which
    # take `Inputs` as `run` does. Where a run can be checkpointed it has `running(query,
    # dictionaries, …)`, the engine before the first item, with its own dictionaries or these, and
    # `arriving(running, query, streams)`, what it takes. Where a query may be evaluated key by key
    # it has `item_keys(query, readings)`, by what items are partitioned (None: the query says it of
    # tuples), and `of_one_key(query, readings, position)`, what is evaluated on the items of one,
    # which carry their places in the whole stream. One of streams of tuples has
    # `check_declared(query, declared, source)` and
    # `absent_names(query, types, attributes)`, for slips, and `attributes(query)`, those that the
    # query names. Where its patterns can be matched alone it has `patterns(query)`, a list
    # of `base.Pattern`.

    def __eq__(self, other: object, /) -> bool:
        """Return True if it is the same language, or the other is its name."""

    def __hash__(self) -> int: ...

    def parse(self, text: str, *, source: str | None = None) -> Query:
        """Return the syntax tree; raises QueryError with line and column."""

    def print(self, query: Query, prefixes: Mapping[str, str] | None = None) -> str:
        """Return the query's text, with these prefixes or its own; it parses to the same tree."""

    def is_query(self, value: object) -> bool:
        """Return True if a value is a syntax tree of this language."""

    def columns(self, query: Query) -> tuple[Variable, ...]:
        """Return the variables that results bind, in the order of the SELECT clause."""

    def readings(
        self, named: str | Mapping[str, object], query: Query | None = None
    ) -> Any:
        """Return the readings of these names and values, or of a preset.

        Raises ReadingError for one that does not exist.
        """

    def reading_names(self, readings: Any) -> Mapping[str, str]:
        """Return the names and values of a readings object."""

    def warnings(
        self, query: Query, *, streams: Iterable[URIRef], kb: Iterable[URIRef], readings: Any
    ) -> Sequence[QueryWarning]:
        """Return the warnings about a query that is legal but surely not meant."""

    def cites(self, query: Query, readings: Any) -> tuple[str, ...]:
        """Return the definitions that decide what the query returns."""

    def stream_names(self, query: Query) -> Mapping[str, URIRef]:
        """Return the names by which the query calls its streams."""

    def streams_read(self, query: Query) -> Collection[str] | None:
        """Return the streams that the query names; None where it takes those that there are."""

    def prefixes(self, query: Query) -> Mapping[str, str]:
        """Return the prefixes that the query declares."""

    def evaluate(self, query: Query, **inputs: Unpack[Inputs]) -> Iterable[Result]:
        """Evaluate a query by the definitions (the oracle)."""

    def run(self, query: Query, **inputs: Unpack[Inputs]) -> Iterator[Result]:
        """Run the production engine: incremental, each result as soon as it is final."""

    def load(self) -> None:
        """Import now what `parse`, `print`, `evaluate` and `run` import on demand."""

    def to_json(self, result: Result, query: Query, readings: Any) -> JsonObject:
        """Return the result object, as `--format jsonl` prints it."""

    def from_json(self, written: JsonObject) -> Result:
        """Return the inverse of `to_json`."""

    def answers(
        self, results: Iterable[Result | Mapping[str, Any]], level: Level, *, partial: bool
    ) -> list[Answer]:
        """Return results, or result objects, as answers at a level.

        `partial` says that what a result object leaves out is open, not absent.
        """

    def instants(self, query: Query) -> frozenset[str]:
        """Return the fields of a result object that are instants (or pairs of them)."""

    def order(self, result: Result) -> Any:
        """Return a sort key: the order in which results are printed."""

    def flat_fields(self, query: Query, readings: Any) -> tuple[str, ...]:
        """Return the names of what a row of a table says besides the solution."""

    def flat_rows(
        self, result: Result, query: Query, readings: Any
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        """Return a result as rows of a table: values of `flat_fields`, and a solution."""

    def result_of(self, answer: Answer) -> Result:
        """Return the result behind an answer at the language's own level."""


def language(name: str) -> Language:
    """Return the language of this name; raises QueryError where there is none."""
    return cast(Language, import_module(f"{_home(name)}.language").LANGUAGE)


def names() -> tuple[str, ...]:
    """Return the names of all languages, those of installed packages last."""
    return (*_own(), *(name for name in _installed() if name not in _own()))


def is_language(name: str) -> bool:
    """Return True if there is a language of this name."""
    return name in _own() or name in _installed()


def default() -> str:
    """Return the language where none is named."""
    return _own()[0]


def has(name: str, part: str) -> bool:
    """Return True if there is such a language and its folder has a module of this name."""
    return is_language(name) and find_spec(f"{_home(name)}.{part}") is not None


def having(part: str) -> tuple[str, ...]:
    """Return the names of the languages that have a part."""
    return tuple(name for name in names() if has(name, part))


def part_of(name: str, part: str) -> ModuleType:
    """Return a part of a language's folder; raises UnsupportedError where it has none."""
    if not has(name, part):
        unable = _UNABLE.get(part, f"{{}} has no '{part}'").format(name)
        raise UnsupportedError(f"{unable} (only in: {', '.join(having(part))})")
    return import_module(f"{_home(name)}.{part}")


def alphabets_of(name: str) -> Mapping[str, Any]:
    """Return the alphabets of a language's `enumerate`; its first is the usual one."""
    if not has(name, "enumerate"):
        return {}
    return getattr(part_of(name, "enumerate"), "ALPHABETS", {})


def detect_language(text: str) -> Language:
    """Return the language that a query text looks like: a built-in one, else an installed one."""
    likely = _likely(_own(), text) or _likely(_installed(), text)
    if len(likely) == 1:
        likely += [name for name in _own() if name not in likely and _may_be(name, text)]
    if len(likely) == 1:
        return language(likely[0])
    if not likely:  # a parser has the better message
        return language(default())
    likely.sort()
    titles = " or ".join(language(name).title for name in likely)
    raise QueryError(
        f"the query may be {titles}: name its language (--language {' or '.join(likely)}, or "
        "language=… in Python)"
    )


def parse_query(
    text: str, name: str | None = None, *, source: str | None = None
) -> tuple[Language, Query]:
    """Return the language of a query text, named or guessed, and the query's tree.

    Raises QueryError, which names a guessed language.
    """
    own = of_query(text, name)
    with naming_guess(own, name):
        return own, own.parse(text, source=source)


@contextmanager
def naming_guess(own: Language, name: str | None) -> Iterator[None]:
    """Let a QueryError name the language of its query where that was guessed: `name` is None."""
    try:
        yield
    except QueryError as error:
        if name is not None:
            raise
        raise QueryError(
            f"{error.message} (read as {own.title}; --language, or in Python language, names"
            " another)",
            source=error.source, line=error.line, column=error.column,
        ) from error


def of_query(query: Query | str, name: str | None = None) -> Language:
    """Return the language of a text or tree: the named one, else the detected one."""
    if name is not None:
        return language(name)
    if isinstance(query, str):
        return detect_language(query)
    for candidate in map(language, names()):
        if candidate.is_query(query):
            return candidate
    raise QueryError(f"not a query: {type(query).__name__}")


def _likely(among: Iterable[str], text: str) -> list[str]:
    return [
        name for name in among
        if has(name, "detection") and part_of(name, "detection").is_query(text)
    ]


def _may_be(name: str, text: str) -> bool:
    """Return whether a text that looks like another language's is a query of this one, too."""
    if not has(name, "detection"):
        return False
    could_be = getattr(part_of(name, "detection"), "could_be", None)
    if could_be is None or not could_be(text):
        return False
    try:
        language(name).parse(text)
    except QueryError:
        return False
    return True


def _home(name: str) -> str:
    """Return the package that is a language's folder."""
    if name in _own():
        return f"{__package__}.{name}"
    home = _installed().get(name)
    if home is None:
        raise QueryError(f"there is no language '{name}' (there is: {', '.join(names())})")
    return home


@cache
def _own() -> tuple[str, ...]:
    """Return the folders beside this file."""
    folders = import_module(__package__).__path__
    found = sorted(module.name for module in pkgutil.iter_modules(folders) if module.ispkg)
    return (*_ORDER, *(name for name in found if name not in _ORDER))


@cache
def _installed() -> Mapping[str, str]:
    """Return the folders that installed packages name."""
    from importlib.metadata import entry_points

    return {point.name: point.module for point in entry_points(group=ENTRY_POINTS)}


def stream_key(language: Any, query: Any, name: str) -> Any:
    """Return the key of a stream, given by its IRI, a prefixed name, or the query's name for it.

    The IRI may be in angle brackets.
    """
    if language.items == "tuples":  # whose streams have names, and no IRIs
        return name
    from rdflib.term import URIRef

    from ..cases.rdf_text import expanded, iri_of

    if isinstance(name, URIRef):
        return name
    if name.startswith("<") and name.endswith(">"):
        return iri_of(name[1:-1])
    called = language.stream_names(query).get(name)
    return called or iri_of(expanded(name, language.prefixes(query)))


def unnamed_streams(language: Any, query: Any, given: Iterable[Any]) -> Iterator[str]:
    """Yield an error message for each stream that the query does not name."""
    from ...semantics.model.errors import nearest

    named = language.streams_read(query)
    for stream in given:
        if named is not None and stream not in named:
            called = {*language.stream_names(query)} or _short_names(language, query, named)
            hint = nearest(str(stream), {*called, *map(str, named)}) or (
                f" (it names: {', '.join(sorted(called))})" if called else ""
            )
            yield f"the query names no stream '{stream}'{hint}"


def _short_names(language: Any, query: Any, streams: Iterable[Any]) -> set[str]:
    """Return the streams' IRIs, as short as the query's prefixes allow."""
    prefixes = language.prefixes(query)
    if not prefixes:
        return set(map(str, streams))
    from ..cases.rdf_text import shortened

    return {shortened(each, prefixes).strip("<>") for each in streams}


def absent_streams(language: Any, query: Any, given: Iterable[Any]) -> Iterator[str]:
    """Yield an error message for each stream of the query that is not given."""
    named, keys = language.streams_read(query), {*map(str, given)}
    if named is None and not keys:
        yield "no input for the query's stream"
    for stream in sorted({*map(str, named or ())} - keys):
        called = [name for name, iri in language.stream_names(query).items()
                  if str(iri) == stream != name]
        name = f"'{called[0]}' (<{stream}>)" if called else f"'{stream}'"
        yield f"no input for the query's stream {name}"
