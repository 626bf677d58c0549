"""Streams of the further alphabets: items of every kind that a query can tell apart.

Items of one instant come in an order, by which windows count them and the engine takes them. Nodes
are numbered as they are met. Of all choices of instants there is one of those to which the query's
windows are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise, product
from typing import Any, TypeAlias

from rdflib.term import URIRef

from .....semantics.model.items import IntervalGraph, TimestampedGraph
from .....semantics.model.temporal_graphs import TemporalGraph
from .....semantics.model.terms import Graph
from ....ranks.numbered_streams import NumberedStreams, Symbols, choices, held_one_by_one
from ...enumerated_graphs import EXAMPLE, OTHER


@dataclass(frozen=True, slots=True)
class Kind:
    """What an item may be: one of this stream, with a triple of each of these letters."""

    stream: str
    letters: str

    @property
    def met(self) -> bool:
        """Whether the query has a pattern for it."""
        return self.letters.strip(OTHER) != ""


@dataclass(frozen=True, slots=True)
class EndTimes:
    """When items end, the first one at 1 or, of a window that slides, in its first step.

    Without a `width` an item ends with the one before or one time unit later. With one, of all
    times there is one of each that differ in this: which of any two starts and ends is first,
    whether they are less than `width` apart, as much or more, and where they lie to the edges of a
    window that slides by `slide`. `lasting` items may have begun one time unit before they end.
    """

    width: int | None = None
    slide: int | None = None
    lasting: bool = False


Background: TypeAlias = tuple[tuple[str, tuple[tuple[int | None, str], ...]], ...]
"""Graphs by their names: since when each knows which nodes, or (None) always"""


@dataclass(frozen=True, slots=True)
class ItemSort:
    """Which items the streams have: their kinds, and how many nodes there are at most.

    An item's triples are of one subject and one object; with `objects` that is a node, too. Nodes
    that a background knows have names, so that streams differ by them.
    """

    kinds: tuple[Kind, ...]
    instants: EndTimes
    nodes: int = 1
    objects: bool = False
    background: Background = ()

    @property
    def streams(self) -> tuple[URIRef, ...]:
        """The streams' names."""
        return tuple(URIRef(EXAMPLE + name) for name in dict.fromkeys(
            kind.stream for kind in self.kinds
        ))


@cache
def item_streams(sort: ItemSort, items: int) -> NumberedStreams:
    """Every stream of so many items, each (start, end, kind, subject, object)."""
    return held_one_by_one(_streams(sort, items), items, 5)


def _streams(sort: ItemSort, items: int) -> Iterator[Symbols]:
    names = [kind.stream for kind in sort.kinds]
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    for kinds in product(range(len(sort.kinds)), repeat=items):
        met = [sort.kinds[kind].met for kind in kinds]
        streams = [order[names[kind]] for kind in kinds]
        may_last = ((0, 1) if sort.instants.lasting and each else (0,) for each in met)
        for lasted in product(*may_last):
            for ends in _ends(lasted, sort.instants):
                # Two streams' items of one instant have no order.
                if any(
                    a == b and one > other
                    for (a, b), (one, other) in zip(
                        pairwise(ends), pairwise(streams), strict=True
                    )
                ):
                    continue
                places = sum(met) * (2 if sort.objects else 1)
                for nodes in (
                    product(range(sort.nodes), repeat=places) if sort.background
                    else _nodes(places, sort.nodes)
                ):
                    left = iter(nodes)
                    yield tuple(
                        (end - length, end, kind, *_terms(sort, left, each))
                        for end, length, kind, each in zip(ends, lasted, kinds, met, strict=True)
                    )


def _terms(sort: ItemSort, nodes: Iterator[int], met: bool) -> tuple[int, int]:
    if not met:
        return 0, 0
    return next(nodes), next(nodes) if sort.objects else 0


@cache
def _nodes(count: int, most: int) -> list[tuple[int, ...]]:
    """Every naming of so many places, a node that is new or known at each."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(count):
        found = [
            (*before, node) for before in found
            for node in range(min(len(set(before)) + 1, most))
        ]
    return found


@cache
def _ends(lasted: tuple[int, ...], instants: EndTimes) -> list[tuple[int, ...]]:
    if not lasted:
        return [()]
    width, slide = instants.width, instants.slide
    if width is None:
        gaps, firsts = range(2), range(1, 2)
    elif slide is None:
        gaps, firsts = range(width + 2 + instants.lasting), range(1, 2)
    else:
        gaps, firsts = range(width + 2 * slide + instants.lasting), range(1, slide + 1)
    chosen = [tuple(accumulate(steps)) for steps in choices(firsts, gaps, len(lasted))]
    if width is None:
        return chosen
    found: dict[object, tuple[int, ...]] = {}
    for ends in sorted(chosen, key=lambda ends: (ends[-1], ends)):
        found.setdefault(tuple(_told(ends, lasted, width, slide)), ends)
    return list(found.values())


def _told(
    ends: Sequence[int], lasted: Sequence[int], width: int, slide: int | None
) -> Iterator[int]:
    """What windows can tell of these times."""
    points = [*ends, *(end - 1 for end, length in zip(ends, lasted, strict=True) if length)]
    for one, other in combinations(points, 2):
        yield _sign(other - one)
        yield _sign(abs(other - one) - width)
    if slide is not None:
        for edge in (end // slide * slide for end in ends):
            for point in points:
                yield _sign(point - edge)
                yield _sign(point - edge + width)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


# --- what they stand for -------------------------------------------------------------------------


def written(sort: ItemSort, streams: Symbols) -> str:
    """The streams as a JSON object of their texts."""
    texts = {str(name): "" for name in sort.streams}
    for number, (start, end, kind, subject, object_) in enumerate(streams):
        letters = sort.kinds[kind].letters
        graph = " . ".join(
            f":s{subject} :{letter} :{_object(sort, object_)}" for letter in letters
        )
        texts[EXAMPLE + sort.kinds[kind].stream] += (
            f":g{number} {_time(start, end)} . :g{number} {{ {graph} }}\n"
        )
    return json.dumps(texts)


def items_of(sort: ItemSort, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
    """The streams as the data model has them."""
    found: dict[URIRef, list[Any]] = {name: [] for name in sort.streams}
    for number, (start, end, kind, subject, object_) in enumerate(streams):
        name = URIRef(EXAMPLE + sort.kinds[kind].stream)
        graph = _graph(sort.kinds[kind].letters, subject, _object(sort, object_))
        found[name].append(_item(number, start, end, graph))
    return {name: tuple(items) for name, items in found.items()}


@cache
def background_of(sort: ItemSort) -> dict[URIRef, Graph | TemporalGraph]:
    """The background graphs: of each node that one knows, :s0 :K :k, and :k :L :s0."""
    return {URIRef(EXAMPLE + name): _graphs(said) for name, said in sort.background}


def _graphs(said: Sequence[tuple[int | None, str]]) -> Graph | TemporalGraph:
    graphs = [frozenset(_known(nodes)) for _, nodes in said]
    times = [time for time, _ in said if time is not None]
    return TemporalGraph(tuple(zip(times, graphs, strict=True))) if times else graphs[0]


def _known(nodes: str) -> Iterator[Any]:
    for node in nodes:
        for named in ((f"s{node}", "K", "k"), ("k", "L", f"s{node}")):
            yield tuple(URIRef(EXAMPLE + name) for name in named)


def _object(sort: ItemSort, object_: int) -> str:
    return f"{'s' if sort.objects else 'o'}{object_}"


def _time(start: int, end: int) -> str:
    if start == end:
        return f"prov:generatedAtTime {end}"
    return f"prov:startedAtTime {start} ; prov:endedAtTime {end}"


@cache
def _item(number: int, start: int, end: int, graph: Graph) -> Any:
    name = URIRef(f"{EXAMPLE}g{number}")
    if start == end:
        return TimestampedGraph(end, graph, name=name)
    return IntervalGraph(start, end, graph, name=name)


@cache
def _graph(letters: str, subject: int, object_: str) -> Graph:
    return frozenset(_triples(letters, subject, object_))


def _triples(letters: Iterable[str], subject: int, object_: str) -> Iterator[Any]:
    for letter in letters:
        yield tuple(
            URIRef(EXAMPLE + name) for name in (f"s{subject}", letter, object_)
        )
