"""Every stream of graphs of one triple each, over nodes: an edge from one to another.

Streams are listed up to a renaming of the nodes that a query does not name, or none is renamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, permutations, product
from string import ascii_uppercase
from typing import Any, TypeAlias

from rdflib.term import URIRef

from .....semantics.epsparql.syntax.parse import parse
from .....semantics.epsparql.syntax.readings import Readings
from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.items import IntervalGraph, TimestampedGraph
from .....semantics.model.terms import Graph, literal
from .....semantics.model.time import XSD
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one
from ...enumerated_graphs import EXAMPLE, OTHER, PREFIXES, STREAM
from ...enumeration import Bounds, BoundsError, Enumeration
from .operators import unrestricted

_NODES, _VALUES = 2, (1, 2)
_INTEGER = XSD + "integer"


@dataclass(frozen=True, slots=True)
class ToldApart:
    """What a query can tell apart: the predicates that it names, and that many nodes.

    Of what has another predicate it sees the nodes if `others` is set. Where terms are `ordered`,
    no node is renamed, and objects are numbers.
    """

    letters: str
    nodes: int = 0
    others: bool = False
    ordered: bool = False


Event: TypeAlias = tuple[int, int, int, int, int]
"""(end, how long, number of the letter, number of the subject, number of the object)"""


class EdgeEnumeration(Enumeration[EpsparqlQuery, ToldApart, Readings]):
    """A query is what its text says; an event is (end, how long, letter, subject, object)."""

    language, prefixes, readings_type = "epsparql", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        unrestricted(bounds, self.readings)
        if bounds.within is not None or bounds.slide is not None or bounds.events:
            raise BoundsError(f"nothing of the alphabet '{bounds.alphabet}' has a width")

    @property
    def called(self) -> str:
        return f"{self.language}-{self.bounds.alphabet}"

    def streams(self, about: ToldApart, events: int) -> NumberedStreams:
        return edge_streams(about, events)

    def written(self, about: ToldApart, streams: Symbols) -> str:
        return json.dumps({str(STREAM): "".join(
            f":g{number} {_time(end - length, end)} . :g{number} {{ :n{subject} "
            f":{ascii_uppercase[letter]} {_VALUES[target] if about.ordered else f':n{target}'} }}\n"
            for number, (end, length, letter, subject, target) in enumerate(streams)
        )})

    def items(self, about: ToldApart, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return {STREAM: tuple(
            _item(number, event, about.ordered) for number, event in enumerate(streams)
        )}


@cache
def query_of(text: str) -> EpsparqlQuery:
    """The query that a text over the prefix of the cases says."""
    return parse(f"PREFIX : <{EXAMPLE}>\n{text}")


@cache
def edge_streams(told: ToldApart, events: int) -> NumberedStreams:
    """Every stream of so many graphs."""
    found = _streams(told, events)
    least = found if told.ordered else (each for each in found if _is_least(each, told))
    return held_one_by_one(least, events, 5)


def _streams(told: ToldApart, events: int) -> Iterator[tuple[Event, ...]]:
    if events == 0:
        yield ()
        return
    for earlier in _streams(told, events - 1):
        last = earlier[-1][0] if earlier else 0
        for end in (last + 1, last) if earlier else (1,):
            for content in _contents(told, earlier):
                event = (end, *content)
                # Graphs of one instant have no order.
                if not earlier or end > last or earlier[-1] <= event:
                    yield (*earlier, event)


def _contents(
    told: ToldApart, earlier: Sequence[Event]
) -> Iterator[tuple[int, int, int, int]]:
    letters = [ascii_uppercase.index(letter) for letter in told.letters]
    other = ascii_uppercase.index(OTHER)
    if told.ordered:
        # What lasts over three time units may begin before what has ended already.
        yield from product((0, 2), letters, range(_NODES), range(len(_VALUES)))
    else:
        seen = letters + [other] * told.others
        known = max((max(e[3:]) + 1 for e in earlier if e[2] in seen), default=told.nodes)
        known = max(known, told.nodes)
        for letter in seen:
            for subject in range(known + 1):
                for target in range(max(known, subject + 1) + 1):
                    yield 0, letter, subject, target
    if told.ordered or not told.others:
        yield 0, other, 0, 0


def _is_least(stream: tuple[Event, ...], told: ToldApart) -> bool:
    """Whether no other order of the graphs of one instant gives an earlier stream."""
    together = [list(those) for _, those in groupby(stream, key=lambda event: event[0])]
    return all(
        stream <= _renamed((event for events in order for event in events), told)
        for order in product(*map(permutations, together))
    )


def _renamed(stream: Iterable[Event], told: ToldApart) -> tuple[Event, ...]:
    """The stream with the nodes that the query does not name numbered as they are met."""
    nodes = {node: node for node in range(told.nodes)}
    unseen = None if told.others else ascii_uppercase.index(OTHER)

    def number(node: int) -> int:
        return nodes.setdefault(node, len(nodes))

    return tuple(
        (end, length, letter, subject, target) if letter == unseen
        else (end, length, letter, number(subject), number(target))
        for end, length, letter, subject, target in stream
    )


def _time(start: int, end: int) -> str:
    if start == end:
        return f"prov:generatedAtTime {end}"
    return f"prov:startedAtTime {start} ; prov:endedAtTime {end}"


@cache
def _item(number: int, event: tuple[int, ...], valued: bool) -> Any:
    end, length, *content = event
    name, graph = URIRef(f"{EXAMPLE}g{number}"), _graph(*content, valued)
    if not length:
        return TimestampedGraph(end, graph, name=name)
    return IntervalGraph(end - length, end, graph, name=name)


@cache
def _graph(letter: int, subject: int, target: int, valued: bool) -> Graph:
    node, predicate = (
        URIRef(f"{EXAMPLE}{name}") for name in (f"n{subject}", ascii_uppercase[letter])
    )
    if valued:
        return frozenset({(node, predicate, literal(str(_VALUES[target]), _INTEGER))})
    return frozenset({(node, predicate, URIRef(f"{EXAMPLE}n{target}"))})
