"""Every stream of small graphs: one triple each, with a letter that a query names or with Z.

Streams are listed up to a renaming of subjects and of each letter's objects; two graphs may come at
one instant. Where graphs last, each is at an instant or over two time units. Instants follow
without a gap or, in the alphabet `gaps`, with those that a window can tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, permutations, product
from string import ascii_uppercase
from typing import Any, Final, TypeAlias

import numpy
from rdflib.term import URIRef

from ...semantics.model.items import IntervalGraph, TimestampedGraph
from ...semantics.model.terms import Graph
from ..inputs.choices import Options
from ..inputs.forms import Placed
from ..inputs.graphs import STREAMS
from ..inputs.numbered import AboutT, QueryT
from ..ranks.numbered_streams import NumberedStreams, Symbols, ends, held_one_by_one
from .enumeration import Enumeration, ReadingsT

EXAMPLE = "http://example.org/"
STREAM = URIRef(EXAMPLE + "s")
OTHER = "Z"


@dataclass(frozen=True, slots=True)
class InstantsAlphabet:
    """At which instants graphs come."""

    name: str
    summary: str


STEPS = InstantsAlphabet(
    "steps",
    "in RSEP-QL, CQELS-CEP and EP-SPARQL: two graphs, one after the other, come at one instant or "
    "one time unit apart",
)
GAPS = InstantsAlphabet(
    "gaps",
    "in RSEP-QL, CQELS-CEP and EP-SPARQL: as steps, and graphs come less than, exactly and more "
    "than N time units apart, as far as --within N can tell",
)

LETTERS: Final = tuple(f"?s :{letter} ?{letter.lower()}" for letter in "ABCDE")
"""Forms of one letter each, as many as a query of the most operators has bodies."""

NOTHING: Final = "z Z z"
"""A graph that no query sees, except by a path of predicates that it does not name."""


@dataclass(frozen=True)
class GraphAlphabet:
    """The bodies of a query, and the graphs of streams.

    Attributes:
        forms: the bodies, with variables as `inputs.forms.filled` replaces them (default: LETTERS).
        graphs: the graphs of streams, triples by the names of their terms; none for LETTERS, which
            streams then have.
        others: the largest number of bodies in a query that are not of the first form.
        alike: whether the nodes a and b can be exchanged in every query.
        more: replaces entries of the restriction that the alphabets of a language share.
    """

    name: str
    summary: str
    more: Options = field(default_factory=dict)
    forms: tuple[str, ...] = LETTERS
    graphs: tuple[str, ...] = ()
    others: int = len(LETTERS)
    alike: bool = False

    @property
    def of_letters(self) -> bool:
        """True if the forms are the first LETTERS; bodies then use them in this order."""
        return self.forms == LETTERS[: len(self.forms)]


class GraphEnumeration(Enumeration[QueryT, AboutT, ReadingsT]):
    """A language with such alphabets, of which `steps` is the usual one."""

    alphabet: GraphAlphabet

    @property
    def called(self) -> str:
        named = self.alphabet.name
        return self.language if named == STEPS.name else f"{self.language}-{named}"

    def of_letters(
        self, steps: Callable[[str, int], NumberedStreams], letters: str, events: int
    ) -> NumberedStreams:
        """Return the streams of graphs with these letters, with gaps in the alphabet `gaps`."""
        if self.alphabet.name != GAPS.name or self.bounds.within is None:
            return steps(letters, events)
        return with_gaps(steps, letters, events, self.bounds.within)


def placed(streams: Symbols) -> Iterator[Placed]:
    """Return the events of a stream of letters."""
    for start, end, letter, subject, object_ in streams:
        yield (start, end), STREAMS[0], f"s{subject} {ascii_uppercase[letter]} o{object_}"


Item: TypeAlias = tuple[int, str, int, int]
"""(instant, letter, number of the subject, number of the object)"""


def streams_of(events: Symbols) -> dict[URIRef, tuple[Any, ...]]:
    """Return the one stream as the data model has it."""
    return {STREAM: tuple(_item(*numbered) for numbered in enumerate(events))}


@cache
def instant_streams(letters: str, items: int) -> NumberedStreams:
    """Return every stream of a number of graphs, each at an instant."""
    nothing = (0,) * items
    found = (_symbols(stream, nothing) for stream in enumerated_streams(letters, items))
    return held_one_by_one(found, items, 5)


@cache
def interval_streams(letters: str, items: int) -> NumberedStreams:
    """Return every stream of a number of graphs, each at an instant or over two time units."""
    return held_one_by_one(_intervals(letters, items), items, 5)


@cache
def with_gaps(
    steps: Callable[[str, int], NumberedStreams], letters: str, items: int, width: int
) -> NumberedStreams:
    """Return these streams with all choices of instants that differ to a window this wide."""
    streams = steps(letters, items)
    counts = numpy.fromiter((len(_ends(stream, width)) for stream in streams), numpy.int64)
    after = counts.cumsum()

    def made(number: int) -> Symbols:
        place = int(after.searchsorted(number, side="right"))
        stream = streams[place]
        choices = _ends(stream, width)
        moved = choices[number - int(after[place]) + len(choices)]
        return tuple(
            (start - end + moved[end - 1] + 1, moved[end - 1] + 1, *content)
            for start, end, *content in stream
        )

    return NumberedStreams(range(int(after[-1])), made)


def _ends(stream: Symbols, width: int) -> list[tuple[int, ...]]:
    """Return for each instant of a stream without gaps, which are 1, 2, …, where it may be."""
    lasting = {end: False for _, end, *_ in stream}
    for start, end, *_ in stream:
        lasting[end] |= start < end
    return _choices(tuple(lasting.values()), width)


@cache
def _choices(lasting: tuple[bool, ...], width: int) -> list[tuple[int, ...]]:
    return list(ends(lasting, width))


def _intervals(letters: str, items: int) -> Iterator[Symbols]:
    for stream in enumerated_streams(letters, items):
        # Graphs that renaming makes the same have no order at one instant.
        same = [
            order for order in orders(stream)
            if renamed(stream[place] for place in order) == stream
        ][1:]  # the first is as they are
        lengths = ((0,) if letter == OTHER else (0, 1) for _, letter, _, _ in stream)
        for lasted in product(*lengths):
            if all(lasted <= tuple(lasted[place] for place in order) for order in same):
                yield _symbols(stream, lasted)


def _symbols(stream: tuple[Item, ...], lasted: tuple[int, ...]) -> Symbols:
    return tuple(
        (end - length, end, ascii_uppercase.index(letter), subject, object_)
        for (end, letter, subject, object_), length in zip(stream, lasted, strict=True)
    )


@cache
def _item(number: int, event: tuple[int, ...]) -> Any:
    start, end, letter, subject, object_ = event
    name, graph = URIRef(f"{EXAMPLE}g{number}"), _graph(letter, subject, object_)
    if start == end:
        return TimestampedGraph(end, graph, name=name)
    return IntervalGraph(start, end, graph, name=name)


@cache
def _graph(letter: int, subject: int, object_: int) -> Graph:
    named = f"s{subject}", ascii_uppercase[letter], f"o{object_}"
    subject_, predicate, target = (URIRef(EXAMPLE + name) for name in named)
    return frozenset({(subject_, predicate, target)})


def enumerated_streams(letters: str, items: int) -> Iterator[tuple[Item, ...]]:
    """Return every stream of a number of graphs, up to renaming."""
    return filter(_is_least, _streams(letters + OTHER, items))


def _streams(letters: str, items: int) -> Iterator[tuple[Item, ...]]:
    if items == 0:
        yield ()
        return
    for earlier in _streams(letters, items - 1):
        last = earlier[-1][0] if earlier else 0
        for instant, letter in product((last + 1, last) if earlier else (1,), letters):
            subjects = {item[2] for item in earlier if item[1] != OTHER}
            objects = {item[3] for item in earlier if item[1] == letter}
            for subject, object_ in (
                product(range(len(subjects) + 1), range(len(objects) + 1))
                if letter != OTHER else ((0, 0),)
            ):
                item = (instant, letter, subject, object_)
                # Graphs of one instant have no order.
                if not earlier or instant > last or earlier[-1] <= item:
                    yield (*earlier, item)


def _is_least(stream: tuple[Item, ...]) -> bool:
    """Return True if no other order of the graphs of one instant gives an earlier stream."""
    return all(
        stream <= renamed(stream[place] for place in order) for order in orders(stream)
    )


def orders(stream: tuple[Item, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the orders of a stream's places in which no instant comes before an earlier one."""
    together = [
        tuple(places)
        for _, places in groupby(range(len(stream)), key=lambda place: stream[place][0])
    ]
    for order in product(*map(permutations, together)):
        yield tuple(place for places in order for place in places)


def renamed(stream: Iterable[Item]) -> tuple[Item, ...]:
    """Return the stream with subjects, and each letter's objects, numbered as they are met."""
    subjects: dict[int, int] = {}
    objects: dict[tuple[str, int], int] = {}
    result: list[Item] = []
    for instant, letter, subject, object_ in stream:
        if letter == OTHER:
            result.append((instant, letter, 0, 0))
            continue
        met = sum(1 for known, _ in objects if known == letter)
        result.append((
            instant, letter, subjects.setdefault(subject, len(subjects)),
            objects.setdefault((letter, object_), met),
        ))
    return tuple(result)
