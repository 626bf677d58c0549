"""All cases of a language up to a size, the smallest first: queries of a grammar, on streams.

The size of a case is its query's number of operators and its number of events. What a language
enumerates is its `Enumeration`; here is what they share: how cases are listed and counted, trees of
so many operators, and the letters that stand in their leaves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from string import ascii_uppercase
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.readings import NamedChoices
from ...semantics.model.trees import changed, parts
from .registry import language

T = TypeVar("T")
QueryT = TypeVar("QueryT")
AboutT = TypeVar("AboutT")
ReadingsT = TypeVar("ReadingsT", bound=NamedChoices)

Symbols: TypeAlias = tuple[tuple[int, ...], ...]
"""The streams of a case as numbers, an event each; what they stand for says the enumeration."""


class BoundsError(DenotaError):
    """Bounds that a language does not have."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many operators and events at most, the window of all queries, and their readings.

    `within` is the window's length, in events if `events` is set. `alphabet` is the name of one.
    """

    operators: int = 2
    length: int = 3
    within: int | None = None
    events: bool = False
    slide: int | None = None
    alphabet: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)

    def only_wide(self, message: str) -> None:
        """Raise BoundsError unless a window is a length of time, without a slide."""
        if self.slide is not None or self.events:
            raise BoundsError(message)


class Enumeration(ABC, Generic[QueryT, AboutT, ReadingsT]):
    """All queries of a language within bounds and all streams for each: one case of each
    isomorphism class. `oracle.ranks` puts them in an order and numbers them.

    A query comes with what its streams need to know of it: the letters that it names, say. Raises
    BoundsError, ReadingError or QueryError for bounds that the language does not have.
    """

    language: ClassVar[str]
    prefixes: ClassVar[Mapping[str, str]] = {}
    readings_type: type[ReadingsT]

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.readings: ReadingsT = self.readings_type.of(bounds.readings)

    @abstractmethod
    def queries(self, operators: int) -> Iterable[tuple[QueryT, AboutT]]:
        """Every query with exactly so many operators."""

    @abstractmethod
    def streams(self, about: AboutT, events: int) -> Sequence[Symbols]:
        """Every set of streams with exactly so many events."""

    @abstractmethod
    def written(self, about: AboutT, streams: Symbols) -> str:
        """The streams as a JSON object of their texts."""

    @abstractmethod
    def items(self, about: AboutT, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        """The streams as the data model has them: what is read of their texts.

        Equal items have the same graph, not only an equal one.
        """

    def text(self, query: QueryT) -> str:
        """A query as a text."""
        return language(self.language).print(query)

    @property
    def called(self) -> str:
        """What the cases' names begin with."""
        return self.language


def blocks(most_operators: int, most_events: int) -> Iterator[tuple[int, int]]:
    """(operators, events), by their sum; of one sum, fewer operators first.

    >>> list(blocks(1, 2))
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    for size in range(most_operators + most_events + 1):
        for operators in range(min(size, most_operators) + 1):
            if size - operators <= most_events:
                yield operators, size - operators


# --- trees of so many operators ------------------------------------------------------------------


@dataclass(frozen=True)
class Grammar(Generic[T]):
    """Trees over one leaf: what is made of one tree (None: it cannot be), and of two.

    `hole` is what of a leaf is to be written. `more` are further trees of one operator.
    """

    leaf: T
    hole: Any
    unary: Sequence[Callable[[T], T | None]]
    binary: Sequence[Callable[[T, T], T]]
    more: Sequence[T] = ()

    def trees(self, operators: int) -> list[T]:
        """Every tree with exactly so many operators."""
        return _trees(self)(operators)

    def lettered(self, operators: int, written: Callable[[str], Any]) -> Iterator[tuple[T, str]]:
        """Every such tree, its leaves written with letters in every way, and these letters."""
        for tree in self.trees(operators):
            for word in words(sum(part == self.hole for part in parts(tree))):
                letters = map(written, word)

                def change(part: Any, letters: Iterator[Any] = letters) -> Any:
                    return next(letters) if part == self.hole else part

                yield changed(tree, change), "".join(sorted(set(word)))


@cache
def _trees(grammar: Grammar[T]) -> Callable[[int], list[T]]:
    @cache
    def trees(operators: int) -> list[T]:
        if operators <= 0:
            return [grammar.leaf] if operators == 0 else []
        made = [*grammar.more] if operators == 1 else []
        for inner in trees(operators - 1):
            wrapped = (wrap(inner) for wrap in grammar.unary)
            made += [tree for tree in wrapped if tree is not None]
        for on_left in range(operators):
            for join in grammar.binary:
                made += [
                    join(left, right)
                    for left in trees(on_left) for right in trees(operators - 1 - on_left)
                ]
        return made

    return trees


def restricted_growth(length: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to name `length` things by at most `most` names, new names in their order.

    >>> list(restricted_growth(2, 2)), len(list(restricted_growth(4, 4)))
    ([(0, 0), (0, 1)], 15)
    """
    if length == 0:
        yield ()
        return
    for front in restricted_growth(length - 1, most):
        for name in range(min(max(front, default=-1) + 2, most)):
            yield (*front, name)


@cache
def words(length: int) -> tuple[str, ...]:
    """Words in which a letter is new or known: A, then A or B, then …

    >>> words(2), len(words(4))
    (('AA', 'AB'), 15)
    """
    return tuple(
        "".join(ascii_uppercase[name] for name in names)
        for names in restricted_growth(length, length)
    )
