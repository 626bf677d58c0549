"""Queries by number: a family is a number of shapes, each of which takes the same names.

Queries differ in how many streams there are for each. So a number finds a query by weights: the
weight of a query is the number of its cases, which its `about` says, and a rank among the cases of
a family is a shape, a naming of it, and what is left, the rank of the streams.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Generic, Protocol, TypeAlias, TypeVar

AboutT = TypeVar("AboutT", bound=Hashable)
NamingT = TypeVar("NamingT")
QueryT = TypeVar("QueryT")
NamedT_co = TypeVar("NamedT_co", covariant=True)
KnownT_co = TypeVar("KnownT_co", bound=Hashable, covariant=True)

Weight: TypeAlias = Callable[[AboutT], int]
"""How many cases a query has about which this is known."""


class Namings(Protocol[NamedT_co, KnownT_co]):
    """The ways to name what a shape leaves open, in an order."""

    def total(self, weight: Weight[KnownT_co]) -> int:
        """The weight of all."""

    def at(self, rank: int, weight: Weight[KnownT_co]) -> tuple[NamedT_co, KnownT_co, int]:
        """The naming that holds this rank, what its streams need to know, and the rank in it."""


QueryT_co = TypeVar("QueryT_co", covariant=True)


class Weighed(Protocol[QueryT_co, KnownT_co]):
    """Queries in an order, each as often as it weighs."""

    def total(self, weight: Weight[KnownT_co]) -> int:
        """Return the weight of all."""

    def at(self, rank: int, weight: Weight[KnownT_co]) -> tuple[QueryT_co, KnownT_co, int]:
        """Return the query that holds this rank, its `about`, and the rank in it."""


@dataclass(frozen=True)
class Family(Generic[QueryT, NamingT, AboutT]):
    """Queries: so many shapes, each with all namings; `query` makes one of them."""

    shapes: int
    namings: Namings[NamingT, AboutT]
    query: Callable[[int, NamingT], QueryT]

    def total(self, weight: Weight[AboutT]) -> int:
        """The weight of all."""
        return self.shapes * self.namings.total(weight)

    def at(self, rank: int, weight: Weight[AboutT]) -> tuple[QueryT, AboutT, int]:
        """The query that holds this rank, what its streams need to know, and the rank in it."""
        shape, rest = divmod(rank, self.namings.total(weight))
        naming, about, rest = self.namings.at(rest, weight)
        return self.query(shape, naming), about, rest


@dataclass(frozen=True, slots=True)
class HeldNamings(Generic[NamingT, AboutT]):
    """Namings that are held, by what their streams need to know.

    >>> held = HeldNamings.of([("AA", "A"), ("AB", "AB"), ("BA", "AB")])
    >>> held.total(len), [held.at(rank, len) for rank in (0, 1, 4)]
    (5, [('AA', 'A', 0), ('AB', 'AB', 0), ('BA', 'AB', 1)])
    """

    groups: tuple[tuple[AboutT, tuple[NamingT, ...]], ...]

    @classmethod
    def of(cls, namings: Iterable[tuple[NamingT, AboutT]]) -> HeldNamings[NamingT, AboutT]:
        """These, each with what its streams need to know."""
        groups: dict[AboutT, list[NamingT]] = {}
        for naming, about in namings:
            groups.setdefault(about, []).append(naming)
        return cls(tuple((about, tuple(those)) for about, those in groups.items()))

    def total(self, weight: Weight[AboutT]) -> int:
        """The weight of all."""
        return sum(len(those) * weight(about) for about, those in self.groups)

    def at(self, rank: int, weight: Weight[AboutT]) -> tuple[NamingT, AboutT, int]:
        """The naming that holds this rank, what its streams need to know, and the rank in it."""
        for about, those in self.groups:
            if rank < len(those) * weight(about):
                place, rest = divmod(rank, weight(about))
                return those[place], about, rest
            rank -= len(those) * weight(about)
        raise IndexError("no naming holds a rank that high")


@dataclass(frozen=True, slots=True)
class Letters:
    """Words in which a letter is new or known, by weights of how many letters they have.

    >>> words = Letters(2)
    >>> [words.at(rank, lambda known: 1)[0] for rank in range(words.total(lambda known: 1))]
    ['AA', 'AB']
    """

    length: int

    def total(self, weight: Weight[str]) -> int:
        """The weight of all."""
        return words_total(self.length, self.length, self._weights(weight))

    def at(self, rank: int, weight: Weight[str]) -> tuple[str, str, int]:
        """The word that holds this rank, its letters, and the rank in it."""
        names, rest = word_at(self.length, self.length, self._weights(weight), rank)
        word = "".join(ascii_uppercase[name] for name in names)
        return word, ascii_uppercase[: len(set(names))], rest

    def all(self) -> Iterator[tuple[str, str]]:
        """Every word, and its letters."""
        for rank in range(self.total(_one)):
            word, letters, _ = self.at(rank, _one)
            yield word, letters

    def _weights(self, weight: Weight[str]) -> tuple[int, ...]:
        known = range(1, self.length + 1)
        return (0, *(weight(ascii_uppercase[:letters]) for letters in known))


def _one(about: object) -> int:
    return 1


def words_total(length: int, most: int, weights: tuple[int, ...]) -> int:
    """The weight of all words of this length that use at most `most` names, each new or known.

    `weights` has the weight of a word for each number of names that it uses.
    """
    return _completed(length, most, weights)[length][0]


def word_at(
    length: int, most: int, weights: tuple[int, ...], rank: int
) -> tuple[tuple[int, ...], int]:
    """The word that holds this rank, in the order of the words as tuples, and the rank in it."""
    completed = _completed(length, most, weights)
    word: list[int] = []
    known = 0
    for left in range(length - 1, -1, -1):
        each = completed[left][known]
        if rank < known * each:
            name, rank = divmod(rank, each)
        else:
            rank -= known * each
            name, known = known, known + 1
        word.append(name)
    return tuple(word), rank


@lru_cache(maxsize=1 << 10)
def _completed(length: int, most: int, weights: tuple[int, ...]) -> list[list[int]]:
    """[left][known]: the weight of all ends of so many letters after so many known names."""
    rows = [[weights[min(known, most)] for known in range(most + 1)]]
    for _ in range(length):
        last = rows[-1]
        rows.append([
            known * last[known] + (last[known + 1] if known < most else 0)
            for known in range(most + 1)
        ])
    return rows
