"""The common base of all languages, as `registry.Language` requires it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypedDict, TypeVar, cast

from ...semantics.model.errors import Position
from ...semantics.model.readings import NamedChoices

if TYPE_CHECKING:
    from rdflib.term import URIRef

    from ...engine.checkpoints.streaming_query import StreamingQuery

_ROOMS = {"engine": ("",), "semantics": (".denotation", ".syntax.parse", ".syntax.printing")}
"""The modules that a language of denota's has here; an installed language may have none."""

QueryT = TypeVar("QueryT")
ReadingsT = TypeVar("ReadingsT", bound=NamedChoices)


class Pattern(NamedTuple):
    """A pattern of a query: its name, the stream that it is on (None: all), and its tree.

    Attributes:
        optional: whether there are results that do not match it.
    """

    name: str
    stream: Any
    part: Any
    optional: bool = False


class AbsentName(NamedTuple):
    """An event type, or else an attribute, that a query names and no tuple has.

    Attributes:
        is_near: whether tuples have a similar name, which the message suggests.
    """

    message: str
    position: Position
    is_type: bool
    is_near: bool


TOGETHER = "not as its demands together require"
"""The clause of a query that demands less in every respect."""
NOT_IN_WINDOW = "not in its window at one evaluation time"
"""The clause of a query whose windows hold each item."""


class Relaxed(NamedTuple):
    """A query that demands less than another, with a clause that names the demand.

    Attributes:
        anytime: whether it is evaluated when an item arrives, unless the times are listed.
    """

    but: str
    query: Any
    readings: Any
    anytime: bool = False


class Beginning(NamedTuple):
    """A beginning of a query's sequence, as a query of its own.

    Attributes:
        before: the text of the elements before the last one; "" if there is none.
        relaxed: queries that demand less.
        operands: beginnings that must match for this one to match.
        apart: of operands that need not follow one another, how they match without a reason.
        inside: where the operands are, if each of them is told of ("in GRAPH :g").
    """

    before: str
    last: str
    query: Any
    relaxed: Sequence[Relaxed]
    operands: Sequence[Beginning] = ()
    apart: str = ""
    inside: str = ""


class Inputs(TypedDict):
    """The inputs of a query.

    These are streams and background graphs by IRI, its readings, and a case's `evaluate`.
    """

    streams: Mapping[URIRef, Any]
    kb: Mapping[URIRef, Any]
    readings: Any
    evaluation: Mapping[str, Any]


class LanguageBase(Generic[QueryT, ReadingsT]):
    """A language with its type of syntax trees and its type of readings."""

    name: str
    query_type: type[QueryT]
    readings_type: type[ReadingsT]

    changing_background: bool = False

    # An engine may compare `case.language` with a name: a language equals its name.

    def __eq__(self, other: object) -> bool:
        return self is other or self.name == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def is_query(self, value: object) -> bool:
        return isinstance(value, self.query_type)

    def parse(self, text: str, *, source: str | None = None) -> QueryT:
        return cast(QueryT, self.syntax("parse").parse(text, source=source))

    def print(self, query: QueryT, prefixes: Mapping[str, str] | None = None) -> str:
        return cast(str, self.syntax("printing").to_text(query))

    def syntax(self, module: str) -> Any:
        """Return a module of the language's syntax, on first use."""
        return import_module(f"....semantics.{self.name}.syntax.{module}", __name__)

    def readings(
        self, named: str | Mapping[str, object], query: QueryT | None = None
    ) -> ReadingsT:
        make = self.readings_type.of
        if isinstance(named, str):
            return make(named)
        try:
            return cast(ReadingsT, _readings(make, tuple(named.items())))
        except TypeError:  # a list, say, is not hashable, and no value: `of` says so
            return make(named)

    def reading_names(self, readings: ReadingsT) -> Mapping[str, str]:
        return asdict(readings)

    def stream_names(self, query: QueryT) -> Mapping[str, URIRef]:
        return {}

    def elements(
        self, running: StreamingQuery, query: QueryT, streams: Mapping[Any, Any]
    ) -> Iterator[Any]:
        """Yield the elements of the streams, in the order in which a streaming query takes them."""
        return running.elements(streams)

    def load(self) -> None:
        for floor, rooms in _ROOMS.items():
            home = f"....{floor}.{self.name}"
            if find_spec(home, __name__) is not None:
                for room in rooms:
                    import_module(home + room, __name__)


@lru_cache(maxsize=1024)
def _readings(
    make: Callable[[Mapping[str, object]], NamedChoices], named: tuple[tuple[str, object], ...]
) -> NamedChoices:
    return make(dict(named))
