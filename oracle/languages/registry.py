"""The languages that denota judges: one entry each, everything behind it imported on first use.

To plug in a language, write a module with an object that follows `Language` and name it in
`_HOMES` and in `sniffing`; the command line, the case format, the adapters and the sweeps then
speak it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from ...semantics.model.errors import QueryError, QueryWarning, UnsupportedError
from .sniffing import LOOKS_LIKE

if TYPE_CHECKING:
    from rdflib.term import URIRef, Variable

    from ...semantics.model.mappings import SolutionMapping
    from ..judging.comparison import Answer, Level
    from ..results.json_objects import JsonObject

Query: TypeAlias = Any
"""A language's syntax tree."""

Result: TypeAlias = Any
"""What a language's evaluation returns one of (SPAseq: a Pair)."""

NAMES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
"""Every language that the case format knows."""

_HOMES = {
    "spaseq": ".spaseq.language:SPASEQ",
    "rsepql": ".rsepql.language:RSEPQL",
    "cqels": ".cqels.language:CQELS",
    "epsparql": ".epsparql.language:EPSPARQL",
    "ceql": ".ceql.language:CEQL",
}


class Language(Protocol):
    """What the oracle has to know of a language."""

    name: str
    title: str
    items: str  # what its streams hold: "graphs", "intervals" (or instants) or "tuples"
    levels: tuple[Level, ...]  # at which its results can be compared, its definition's own first
    open_fields: tuple[str, ...]  # names of what `Answer.open` holds
    result_fields: frozenset[str]  # keys of a result object
    evaluation_fields: frozenset[str]  # keys of a case's `evaluate`

    # A language may also have `leaves_a_choice(query)` and `reconciled(came, query, streams=…,
    # readings=…)`, where several results are right, and `writer(format, query, readings, out=…,
    # path=…)`, where its results are no solutions. Where results need not be made one by one, it
    # has `batches(query, limit, …)`, `count(query, …)` and `sample(query, size, seed, …)`, which
    # take streams, kb, readings and evaluation as `run` does.

    def __eq__(self, other: object, /) -> bool:
        """Whether it is the same language, or the other is its name."""

    def __hash__(self) -> int: ...

    def parse(self, text: str, *, source: str | None = None) -> Query:
        """The syntax tree; raises QueryError with line and column."""

    def print(self, query: Query, prefixes: Mapping[str, str] | None = None) -> str:
        """The query's text, with these prefixes or its own; its parse is the tree again."""

    def is_query(self, value: object) -> bool:
        """Whether a value is a syntax tree of this language."""

    def columns(self, query: Query) -> tuple[Variable, ...]:
        """The variables that results bind, in the order of the SELECT clause."""

    def readings(self, named: Mapping[str, object], query: Query | None = None) -> Any:
        """The readings of these names and values; raises ReadingError for what does not exist."""

    def reading_names(self, readings: Any) -> Mapping[str, str]:
        """The names and values of a readings object."""

    def warnings(
        self, query: Query, *, streams: Iterable[URIRef], kb: Iterable[URIRef], readings: Any
    ) -> Sequence[QueryWarning]:
        """What is legal but surely not meant."""

    def cites(self, query: Query, readings: Any) -> tuple[str, ...]:
        """The definitions that decide what the query returns."""

    def stream_names(self, query: Query) -> Mapping[str, URIRef]:
        """The names by which the query calls its streams."""

    def streams_read(self, query: Query) -> Collection[str] | None:
        """The streams that the query names; None where it takes those that there are."""

    def prefixes(self, query: Query) -> Mapping[str, str]:
        """The prefixes that the query declares."""

    def evaluate(
        self,
        query: Query,
        *,
        streams: Mapping[URIRef, Any],
        kb: Mapping[URIRef, Any],
        readings: Any,
        evaluation: Mapping[str, Any],
    ) -> Iterable[Result]:
        """The oracle: what the definitions say."""

    def run(
        self,
        query: Query,
        *,
        streams: Mapping[URIRef, Any],
        kb: Mapping[URIRef, Any],
        readings: Any,
        evaluation: Mapping[str, Any],
    ) -> Iterator[Result]:
        """The production engine: incremental, each result as soon as it is certain."""

    def draw(self, query: Query, readings: Any) -> str:
        """The query's automaton, as the text of an SVG file."""

    def to_json(self, result: Result, query: Query, readings: Any) -> JsonObject:
        """The result object, as `--format jsonl` prints it."""

    def from_json(self, written: JsonObject) -> Result:
        """The inverse of `to_json`."""

    def answers(
        self, results: Iterable[Result | Mapping[str, Any]], level: Level, *, partial: bool
    ) -> list[Answer]:
        """Results, or result objects, as answers at a level.

        `partial` says that what a result object leaves out is open, not absent.
        """

    def instants(self, query: Query) -> frozenset[str]:
        """The fields of a result object that are instants (or pairs of them)."""

    def order(self, result: Result) -> Any:
        """A sort key: the order in which results are printed."""

    def flat_fields(self, query: Query, readings: Any) -> tuple[str, ...]:
        """The names of what a row of a table says besides the solution."""

    def flat_rows(
        self, result: Result, query: Query, readings: Any
    ) -> Iterable[tuple[tuple[int | None, ...], SolutionMapping]]:
        """A result as rows of a table: values of `flat_fields`, and a solution."""

    def result_of(self, answer: Answer) -> Result:
        """The result behind an answer at the language's own level."""


def language(name: str) -> Language:
    """The language of this name; raises UnsupportedError for one that is not judged yet."""
    home = _HOMES.get(name)
    if home is None:
        known = ", ".join(_HOMES)
        if name in NAMES:
            raise UnsupportedError(f"language '{name}' is not judged yet (what is: {known})")
        raise QueryError(f"there is no language '{name}' (there is: {known})")
    module, attribute = home.split(":")
    return cast(Language, getattr(import_module(module, __package__), attribute))


def supported() -> tuple[str, ...]:
    """The names of the languages that can be judged."""
    return tuple(_HOMES)


def sniff(text: str, *, source: str | None = None) -> Language:
    """The language of a query text, by how it looks."""
    likely = [name for name in _HOMES if LOOKS_LIKE[name](text)]
    if len(likely) == 1:
        return language(likely[0])
    if not likely:  # a parser has the better message
        return language(next(iter(_HOMES)))
    raise QueryError(
        f"cannot tell the query's language, name it (one of {', '.join(_HOMES)})", source=source
    )


def of_query(query: Query | str, name: str | None = None) -> Language:
    """The language of a text or tree: the one that is named, else by how it looks."""
    if name is not None:
        return language(name)
    if isinstance(query, str):
        return sniff(query)
    for candidate in map(language, _HOMES):
        if candidate.is_query(query):
            return candidate
    raise QueryError(f"not a query: {type(query).__name__}")
