"""Every set of streams of given graphs at given instants, one of those that renaming makes alike.

An event is (instant, number of its content). Contents are graphs on streams; names may be said to
be alike, and are renamed into one another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, TypeAlias

import numpy
from rdflib.term import URIRef

from .....semantics.model.items import TimestampedGraph
from .....semantics.model.terms import Graph
from ....ranks.moments import ends
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one
from ...enumerated_graphs import EXAMPLE

Triple: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Content:
    """A graph on a stream; names are local ones."""

    stream: str
    triples: tuple[Triple, ...]

    def renamed(self, names: Mapping[str, str]) -> Content:
        """The graph with other names."""
        return Content(self.stream, tuple(sorted(
            (names.get(s, s), p, names.get(o, o)) for s, p, o in self.triples
        )))


@dataclass(frozen=True, slots=True)
class InstantChoices:
    """Where graphs may come: at 0 to `latest`; or, where only distances count, from 1 on, less
    than, exactly and more than `width` apart."""

    width: int
    latest: int | None = None

    def choices(self, count: int) -> list[tuple[int, ...]]:
        """Every choice of so many ascending instants."""
        return _choices(self, count)


@cache
def _choices(instants: InstantChoices, count: int) -> list[tuple[int, ...]]:
    if instants.latest is not None:
        return list(combinations(range(instants.latest + 1), count))
    return [tuple(at + 1 for at in each) for each in ends((False,) * count, instants.width)]


@dataclass(frozen=True, slots=True)
class Contents:
    """What streams are made of.

    Names of one tuple of `alike` are renamed into one another. Graphs of one stream and instant
    have an order if they are `counted`: a window may hold one of them without the other.
    """

    graphs: tuple[Content, ...]
    alike: tuple[tuple[str, ...], ...]
    instants: InstantChoices
    counted: bool = False

    def renamings(self) -> Iterator[tuple[int, ...]]:
        """Of each renaming the numbers that the contents become."""
        for chosen in product(*map(permutations, self.alike)):
            names = {
                name: other
                for those, others in zip(self.alike, chosen, strict=True)
                for name, other in zip(those, others, strict=True)
            }
            yield tuple(self.graphs.index(each.renamed(names)) for each in self.graphs)


@cache
def content_streams(contents: Contents, events: int) -> NumberedStreams:
    """Every set of streams of so many events."""
    words = held_one_by_one(_words(contents, events), events, 2)
    choices = contents.instants.choices
    last = [word[-1][0] if word else 0 for word in words]
    after = numpy.fromiter((len(choices(count)) for count in last), numpy.int64).cumsum()

    def made(number: int) -> Symbols:
        place = int(after.searchsorted(number, side="right"))
        chosen = choices(last[place])
        instants = chosen[number - int(after[place]) + len(chosen)]
        return tuple((instants[at - 1], content) for at, content in words[place])

    return NumberedStreams(range(int(after[-1])), made)


def _words(contents: Contents, events: int) -> Iterator[Symbols]:
    """Contents at the instants 1, 2, …, the least of those that are alike."""
    renamings = list(contents.renamings())
    for steps in product((0, 1), repeat=max(events - 1, 0)):
        at = [1 + sum(steps[:place]) for place in range(events)]
        for chosen in product(range(len(contents.graphs)), repeat=events):
            word = tuple(zip(at, chosen, strict=True))
            if all(
                word <= _ordered(contents, tuple((when, new[each]) for when, each in word))
                for new in renamings
            ) and word == _ordered(contents, word):
                yield word


def _ordered(contents: Contents, word: Symbols) -> Symbols:
    """What has no order, in one: graphs of one instant, or those of different streams."""
    if contents.counted:
        return tuple(sorted(word, key=lambda event: (event[0], contents.graphs[event[1]].stream)))
    return tuple(sorted(word))


def written(contents: Contents, streams: tuple[str, ...], events: Symbols) -> str:
    """The streams as a JSON object of their texts."""
    texts = dict.fromkeys(streams, "")
    for number, (time, content) in enumerate(events):
        graph = contents.graphs[content]
        triples = " . ".join(f":{s} :{p} :{o}" for s, p, o in graph.triples)
        texts[graph.stream] += (
            f":g{number} prov:generatedAtTime {time} . :g{number} {{ {triples} }}\n"
        )
    return json.dumps({EXAMPLE + name: text for name, text in texts.items()})


def items(
    contents: Contents, streams: tuple[str, ...], events: Symbols
) -> dict[URIRef, tuple[Any, ...]]:
    """The streams as the data model has them."""
    found: dict[str, list[TimestampedGraph]] = {name: [] for name in streams}
    for number, (time, content) in enumerate(events):
        graph = contents.graphs[content]
        found[graph.stream].append(_item(number, time, graph))
    return {URIRef(EXAMPLE + name): tuple(each) for name, each in found.items()}


@cache
def _item(number: int, time: int, content: Content) -> TimestampedGraph:
    return TimestampedGraph(time, graph_of(content.triples), name=URIRef(f"{EXAMPLE}g{number}"))


@cache
def graph_of(triples: tuple[Triple, ...]) -> Graph:
    """The graph of these triples."""
    return frozenset(
        (URIRef(EXAMPLE + s), URIRef(EXAMPLE + p), URIRef(EXAMPLE + o)) for s, p, o in triples
    )
