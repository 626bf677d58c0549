"""Streams of graphs that two queries can tell apart, in the four languages over RDF streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise, product
from random import Random
from typing import Any

from rdflib.term import URIRef

from ...semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from ...semantics.model.terms import Graph
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import GroupGraphPattern, NamedGraphPattern, TriplesBlock
from ..fuzzing.shrinking.stream_shrinking import (
    earlier,
    moved_streams,
    subgraphs,
    with_smaller_graphs,
)
from ..languages.registry import of_query, part_of
from .alphabet import NAMES, UNRELATED, Choices, critical_values, instances
from .search import Data, Side

ONLY = URIRef(NAMES + "stream")
"""The stream of a query that names none."""


@dataclass(frozen=True, slots=True)
class ItemTemplate:
    """A pattern that an item of a stream may fill, or `several` items in a row."""

    stream: URIRef
    pattern: GroupGraphPattern
    several: bool = False


@dataclass(frozen=True, slots=True)
class QueryRequirements:
    """The requirements of a query, according to its language.

    `templates` are for items of its streams, in the order in which it wants them; `lengths` the
    lengths of time that it speaks of, each in a unit; `named` and `default` its background graphs,
    and `where` what it asks of the default one. `ties` says whether items of one stream may always
    have one time.
    """

    templates: Sequence[ItemTemplate]
    lengths: Sequence[tuple[int, TimeKind]] = ()
    named: Sequence[URIRef] = ()
    default: Sequence[URIRef] = ()
    where: GroupGraphPattern | None = None
    ties: bool = False


def asked_by(query: Any) -> QueryRequirements:
    """Return the requirements of a query."""
    asked: QueryRequirements = part_of(of_query(query).name, "distinguish").asked(query)
    return asked


def stream_names(query: Any) -> list[URIRef]:
    """Return the streams that a query names."""
    return [URIRef(name) for name in sorted(of_query(query).streams_read(query) or ())] or [ONLY]


def asked_of_graphs(
    query: Any, asked: QueryRequirements
) -> Iterator[tuple[URIRef, GroupGraphPattern]]:
    """Yield (graph, pattern) for each pattern on background graphs."""
    for part in find(query, NamedGraphPattern):
        name = part.name if isinstance(part.name, URIRef) else None
        for graph in [name] if name else asked.named or [URIRef(NAMES + "graph")]:
            yield graph, part.pattern
    elements = asked.where.elements if asked.where is not None else ()
    blocks = tuple(each for each in elements if isinstance(each, TriplesBlock))
    for graph in asked.default if blocks else ():
        yield graph, GroupGraphPattern(blocks)


_UNNAMED = URIRef(NAMES + "another-stream")
"""A stream that neither query names."""

_BEYOND = 3  # numbers above the greatest constant: a few values that all fulfil `?x > c`

Placed = tuple[int, int, URIRef, Graph]
"""(start, end, stream, graph)"""


SECOND = 1_000_000


def graph_streams(a: Side, b: Side) -> GraphStreams:
    """Return the streams of graphs that two queries may tell apart."""
    asked = asked_by(a.query), asked_by(b.query)
    # Readings may say what items of one stream at one time mean.
    told = (getattr(side.readings, "ties", "") for side in (a, b))
    return GraphStreams(
        (a.query, b.query), asked, intervals=a.language.items == "intervals",
        ties=any(each.ties for each in asked) or not {*told} <= {"", "error"},
    )


@dataclass(frozen=True)
class GraphStreams:
    """Streamsets, with background graphs, for two queries over streams of graphs."""

    queries: tuple[Any, Any]
    asked: tuple[QueryRequirements, QueryRequirements]
    intervals: bool
    ties: bool
    """whether items of one stream may have one time"""

    @cached_property
    def names(self) -> list[URIRef]:
        return list(dict.fromkeys(name for query in self.queries for name in stream_names(query)))

    @cached_property
    def kind(self) -> TimeKind:
        kinds = {kind for asked in self.asked for _, kind in asked.lengths}
        return TimeKind.DATETIME if TimeKind.DATETIME in kinds else TimeKind.INTEGER

    @cached_property
    def step(self) -> int:
        return SECOND if self.kind is TimeKind.DATETIME else 1

    @cached_property
    def gaps(self) -> list[int]:
        """A step, none, what just fits and just exceeds a window, and what is between two."""
        found = {self.step: None, 0: None}
        lengths = sorted({length for asked in self.asked for length, _ in asked.lengths})
        for length in lengths:
            found.update({length: None, length + self.step: None})
        found.update(dict.fromkeys((low + high) // 2 for low, high in pairwise(lengths)))
        return list(found)

    @cached_property
    def letters(self) -> list[tuple[URIRef, Graph]]:
        """(stream, graph), the plainest first; the last ones match nothing."""
        values = critical_values(self.queries)
        found: dict[tuple[URIRef, Graph], None] = {}
        for asked in self.asked:
            for template in asked.templates:
                for graph in instances(template.pattern, values):
                    found[template.stream, graph] = None
        for stream in (*self.names, _UNNAMED):
            found[stream, UNRELATED] = None
        return list(found)

    @cached_property
    def backgrounds(self) -> list[dict[URIRef, Graph]]:
        """None, and one in which all that the queries ask of it can be found."""
        values = critical_values(self.queries)
        whole: dict[URIRef, Graph] = {}
        for query, asked in zip(self.queries, self.asked, strict=True):
            for name, pattern in asked_of_graphs(query, asked):
                for graph in instances(pattern, values):
                    whole[name] = whole.get(name, frozenset()) | graph
        return [whole, {}] if whole else [{}]

    # --- all of them ---

    def listed(self, events: int) -> Iterator[Data]:
        """Yield all streamsets of a number of items over the alphabet."""
        lasting = [0, self.step] if self.intervals else [0]
        for kb in self.backgrounds:
            for times in self._times(events):
                for chosen in product(self.letters, repeat=events):
                    for lasts in product(lasting, repeat=events):
                        placed = [
                            (time, time + last, *letter)
                            for time, last, letter in zip(times, lasts, chosen, strict=True)
                        ]
                        if self._is_listed(placed):
                            yield Data(self._streams(placed), kb)

    def _times(self, events: int) -> Iterator[tuple[int, ...]]:
        for chosen in product(self.gaps, repeat=max(0, events - 1)):
            times = [0]
            for gap in chosen:
                times.append(times[-1] + gap)
            yield tuple(times[:events])

    def _is_listed(self, placed: Sequence[Placed]) -> bool:
        # Items of one time are listed once, in the order of their streams' IRIs.
        for (time, _, iri, _), (later, _, other, _) in pairwise(placed):
            if time == later and (iri > other or (iri == other and not self.ties)):
                return False
        return True

    def _streams(self, placed: Sequence[Placed]) -> dict[URIRef, tuple[Item, ...]]:
        streams: dict[URIRef, tuple[Item, ...]] = dict.fromkeys(self.names, ())
        for start, end, iri, graph in placed:
            item: Item = TimestampedGraph(start, graph, self.kind)
            if start != end:
                item = IntervalGraph(start, end, graph, self.kind)
            streams[iri] = (*streams.get(iri, ()), item)
        return streams

    # --- some of them ---

    @cached_property
    def scripts(self) -> list[list[Any]]:
        return [[*asked.templates] for asked in self.asked if asked.templates]

    @cached_property
    def wide(self) -> Any:
        return critical_values(self.queries, beyond=_BEYOND)

    def drawn(self, random: Random, most: int) -> Data:
        """Draw the items that one of the queries requires, in order, with a change."""
        choices = Choices(random, self.wide)
        letters = [
            (template.stream, choices.instance(template.pattern, again=number > 0))
            for template in (random.choice(self.scripts) if self.scripts else [])
            for number in range(_times_drawn(random, several=template.several))
        ]
        if random.random() < 0.3:  # at the end it is one more time to evaluate at
            place = len(letters) if random.random() < 0.5 else random.randint(0, len(letters))
            letters.insert(place, (random.choice(self.names), UNRELATED))
        if len(letters) > 1 and random.random() < 0.2:
            place = random.randrange(len(letters) - 1)
            letters[place : place + 2] = reversed(letters[place : place + 2])
        while len(letters) > most:
            letters.pop(random.randrange(len(letters)))
        regular = random.random() < 0.5
        placed: list[Placed] = []
        time = 0
        for stream, graph in letters:
            if placed:
                time += self.step if regular or random.random() < 0.5 else random.choice(self.gaps)
            last = random.choice(self.gaps[:3]) if self.intervals and random.random() < 0.4 else 0
            placed.append((time, time + last, stream, graph))
        return Data(self._streams(self._untied(placed)), random.choice(self.backgrounds))

    def _untied(self, placed: list[Placed]) -> list[Placed]:
        """Return one item where several of a stream have one time, unless they may."""
        if self.ties:
            return placed
        found: dict[tuple[int, int, URIRef], Graph] = {}
        for start, end, stream, graph in placed:
            found[start, end, stream] = found.get((start, end, stream), frozenset()) | graph
        return [(*place, graph) for place, graph in found.items()]

    # --- less ---

    def smaller(self, data: Data) -> Iterator[Data]:
        """Yield streams without an item or a triple, or at plainer times."""
        streams: Mapping[URIRef, tuple[Item, ...]] = data.streams
        for iri, items in streams.items():
            for place in range(len(items)):
                yield replace(data, streams={**streams, iri: items[:place] + items[place + 1 :]})
        for iri, graph in data.kb.items():
            for less in subgraphs(graph):
                yield replace(data, kb={**data.kb, iri: less})
        for less_in_one in with_smaller_graphs(streams, _less):
            yield replace(data, streams=less_in_one)
        times = sorted({item.start for items in streams.values() for item in items})
        for one, two in pairwise([0, *times]):
            shift = two - one - (self.step if one or times.index(two) else 0)
            if shift > 0:
                closer = moved_streams(streams, partial(earlier, two, shift))
                yield replace(data, streams=closer)


def _less(graph: Graph) -> Iterator[Graph]:
    """Yield graphs without a triple; an empty one is no item of a stream."""
    if len(graph) > 1:
        yield from filter(None, subgraphs(graph))
    elif graph != UNRELATED:
        yield UNRELATED


def _times_drawn(random: Random, *, several: bool) -> int:
    if several:
        return random.choice((1, 2, 2, 3))
    return random.choice((1,) * 7 + (2, 2, 0))
