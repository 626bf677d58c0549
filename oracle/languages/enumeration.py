"""All cases of a language up to a size, the smallest first: queries of a grammar, on streams.

The size of a case is its query's number of operators and its number of events. What a language
enumerates is its `Enumeration`; `oracle.ranks` has what they are counted and numbered by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.readings import NamedChoices
from ..inputs.choices import Choices, Options, Restriction, label
from ..inputs.numbered import AboutT, NumberedQueries, QueryT
from ..ranks.numbered_streams import NumberedStreams, Symbols
from .registry import alphabets_of, language

ReadingsT = TypeVar("ReadingsT", bound=NamedChoices)


class BoundsError(DenotaError):
    """Bounds that a language does not have."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The maximum numbers of operators and events, the window of all queries, and their readings.

    `within` is the window's length, in events if `events` is set. `alphabet` is the name of one.
    """

    operators: int = 2
    length: int = 3
    within: int | None = None
    events: bool = False
    slide: int | None = None
    alphabet: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)

    def alphabet_of(self, name: str) -> Any:
        """Return the language's alphabet of this name, or its first: bounds on disk may name one
        that the language did not look at."""
        known = alphabets_of(name)
        return known.get(self.alphabet) or next(iter(known.values()))

    def only_wide(self, message: str) -> None:
        """Raise BoundsError unless a window is a length of time, without a slide."""
        if self.slide is not None or self.events:
            raise BoundsError(message)


class Enumeration(ABC, Generic[QueryT, AboutT, ReadingsT]):
    """All queries of a language within bounds and all streams for each: one case of each
    isomorphism class. `oracle.ranks` puts them in an order and numbers them.

    Queries are drawn under the restriction `allowed`, in as many families as there are `variants`.
    Each has its `about`: the properties that its streams depend on, such as the letters that it
    names. Raises BoundsError, ReadingError or QueryError for bounds that the language does not
    have.
    """

    language: ClassVar[str]
    version: ClassVar[int]
    """The version of the drawing functions."""
    most_operators: ClassVar[int] = 4
    """With one more, most alphabets have more queries than are counted."""
    prefixes: ClassVar[Mapping[str, str]] = {}
    within_is: ClassVar[str] = "windows of"
    """The text before the length of the bound `within` in messages."""
    readings_type: type[ReadingsT]
    variants: Sequence[Any] = (None,)
    allowed: Options

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.readings: ReadingsT = self.readings_type.of(bounds.readings)
        if bounds.operators > self.most_operators:
            title = language(self.language).title
            raise BoundsError(f"{title} is enumerated up to {self.most_operators} operators")
        self._families: dict[int, Sequence[NumberedQueries[QueryT, AboutT]]] = {}

    def families(self, operators: int) -> Sequence[NumberedQueries[QueryT, AboutT]]:
        """Return the queries with exactly `operators` operators, a family for each variant."""
        if operators not in self._families:
            restriction = Restriction(self.allowed)
            self._families[operators] = [
                NumberedQueries(
                    partial(self.drawn, operators=operators, variant=each),
                    partial(self.about, variant=each), restriction,
                )
                for each in self.variants
            ]
        return self._families[operators]

    @abstractmethod
    def drawn(self, choices: Choices, operators: int, variant: Any) -> QueryT:
        """Draw a query of a variant with exactly so many operators."""

    @abstractmethod
    def about(self, query: QueryT, variant: Any) -> AboutT:
        """Return the properties of a query that its streams depend on."""

    @abstractmethod
    def streams(self, about: AboutT, events: int) -> NumberedStreams:
        """Return every set of streams with exactly `events` events."""

    def queries(self, operators: int) -> Iterator[tuple[QueryT, AboutT]]:
        """Yield every query with exactly `operators` operators, one by one."""
        for family in self.families(operators):
            for number in range(family.total(_one)):
                query, about, _ = family.at(number, _one)
                yield query, about

    def count(self, about: AboutT, events: int) -> int:
        """Return the number of sets of streams with exactly `events` events."""
        return len(self.streams(about, events))

    @abstractmethod
    def written(self, about: AboutT, streams: Symbols) -> str:
        """Return the streams as a JSON object of their texts."""

    @abstractmethod
    def items(self, about: AboutT, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        """Return the streams in the data model: the items that their texts are read as.

        Equal items have the same graph, not only an equal one.
        """

    def beside(self, about: AboutT) -> Mapping[str, Any]:
        """Return the parts of a case beside its query and its streams.

        They are `kb`, graphs by their names, and `evaluation`, the value of its `evaluate`. Usually
        there are none.
        """
        return {}

    def text(self, query: QueryT) -> str:
        """Return a query as a text."""
        return language(self.language).print(query)

    @property
    def grammar(self) -> Mapping[str, Any]:
        """The name, version and restriction of the drawing functions, as a certificate has them."""
        return {"name": self.language, "version": self.version, "allowed": {
            choice: [label(option) for option in self.allowed[choice]]
            for choice in sorted(self.allowed)
        }}

    @property
    def called(self) -> str:
        """The prefix of the cases' names."""
        return self.language


def _one(about: object) -> int:
    return 1


def blocks(most_operators: int, most_events: int) -> Iterator[tuple[int, int]]:
    """Yield (operators, events), by their sum; of one sum, fewer operators first.

    >>> list(blocks(1, 2))
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    for size in range(most_operators + most_events + 1):
        for operators in range(min(size, most_operators) + 1):
            if size - operators <= most_events:
                yield operators, size - operators
