"""Streams of instants and intervals, of which many items say what a query asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from rdflib.term import URIRef

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.items import Item, TimeKind
from .....semantics.model.terms import Graph, Triple
from .....semantics.model.trees import find, has
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import TYPE
from ....inputs.choices import Choices
from ....inputs.graphs import in_document
from ....inputs.instances import Usual, instance
from ....inputs.profiles import MOST_REMEMBERED, WEIGHTED, arranged
from ....inputs.streams import lasting
from ....inputs.vocabulary import (
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    ODD_LITERALS,
    QUANTITY,
    RESOURCES,
    STREAMS,
    blank_node,
    name,
)
from .patterns import CLASS, Shape

_NODES = (*RESOURCES, name("c"))
_DATA: list[Triple] = [
    *((x, LINK, y) for x in RESOURCES for y in RESOURCES),
    *((x, QUANTITY, n) for x in RESOURCES for n in NUMBERS[:2]),
    (RESOURCES[0], TYPE, CLASS), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (blank_node(STREAMS[0]), LINK, RESOURCES[0]), (RESOURCES[0], LINK, BACKGROUNDS[0]),
]
_CHAINS: list[Triple] = [(x, LINK, y) for x in _NODES for y in (*_NODES[1:], _NODES[0]) if x != y]
_MIXED: list[Triple] = [
    *((x, QUANTITY, n) for x in RESOURCES for n in (*NUMBERS, *ODD_LITERALS)),
    *((x, QUANTITY, y) for x in RESOURCES for y in (RESOURCES[0], blank_node(STREAMS[0]))),
    *((x, LINK, y) for x in RESOURCES for y in (*RESOURCES, BACKGROUNDS[0], NUMBERS[0])),
]


def _graphs_of(triples: list[Triple]) -> tuple[Graph, ...]:
    """Graphs of one triple or two: no more than 127, from where on Hypothesis prefers the first"""
    single = [frozenset((triple,)) for triple in triples]
    double = [frozenset(pair) for pair in combinations(triples, 2)]
    return (*single, *Random(0).sample(double, min(len(double), 126 - len(single))))


_ALPHABETS = {
    "usual": _graphs_of(_DATA), "chains": _graphs_of(_CHAINS), "mixed": _graphs_of(_MIXED),
}
_TIMING = ("epsparql/timing", (
    *((1, 0),) * 5, *((0, 0), (2, 0)) * 2, (1, 1), (1, 2), (0, 1), (0, 2), (2, 1),
))
"""The gap to the item before, and how long it lasts."""
_Payload = tuple[Graph, int]
"""What an item says, and how long it has lasted when it ends."""


def stream(
    choices: Choices, *, kind: TimeKind = TimeKind.INTEGER, max_size: int = 7
) -> tuple[Item, ...]:
    """Draw a stream of small graphs, now and then over intervals, in the order of their ends."""
    events = _events(choices, STREAMS[0], [], max_size, {})
    return tuple(lasting(tick, *payload, kind) for tick, _, payload in events)


def _events(
    choices: Choices, iri: URIRef, wanted: Sequence[s.GroupGraphPattern], max_size: int,
    usual: Usual,
) -> list[tuple[int, URIRef, _Payload]]:
    """A few items, of which some say what one of these patterns asks for"""
    graphs = _ALPHABETS[choices.among("epsparql/data", ("usual", "usual", "chains", "mixed"))]
    made: list[tuple[int, URIRef, _Payload]] = []
    end = 0
    for _ in range(choices.among("", range(1, max_size + 1))):
        gap, length = choices.among(*_TIMING)
        end += gap
        graph: Graph = frozenset()
        if wanted and choices.among("epsparql/item", ("any", "asked")) == "asked":
            graph = instance(choices, choices.among("", wanted), iri, usual)
        made.append((end, iri, (graph or choices.among("", graphs), length)))
    return made


def streams_of(
    choices: Choices, query: EpsparqlQuery, shape: Shape, usual: Usual
) -> dict[URIRef, tuple[Item, ...]]:
    """The streams of a query, arranged by a profile all together"""
    wanted = asked_by(query)
    names = [clause.iri for clause in query.streams] or [STREAMS[0]]
    most = _most(query, shape)
    room = max(min(most // len(names), 7), 1)
    scripted = [event for iri in names for event in _events(choices, iri, wanted, room, usual)]
    options = [each for each in WEIGHTED if each != "long"]
    if most > MOST_REMEMBERED:
        options += ["long"] * 18
    events = arranged(
        choices, "epsparql/stream", scripted, widths=sorted({*shape.widths} - {0}), options=options,
        most=most,
    )
    if not events and shape.kind is TimeKind.DATETIME:
        events = scripted  # the times of an empty stream are numbers
    events.sort(key=lambda event: event[0])
    return {
        iri: tuple(
            lasting(tick, in_document(graph, iri), length, shape.kind)
            for tick, where, (graph, length) in events if where == iri
        )
        for iri in names
    }


def asked_by(query: EpsparqlQuery) -> list[s.GroupGraphPattern]:
    asked = [] if query.select is None else [query.select.where]
    return asked + [rule.where for rule in query.rules]


def _most(query: EpsparqlQuery, shape: Shape) -> int:
    """How many items the definitions, which try all choices of occurrences, can be asked about"""
    sizes = list(block_sizes(query))
    if len(query.rules) > 1:
        return 6
    if query.rules or any(size > 2 for size in sizes) or _has_closure(query):
        return 9
    if sum(sizes) > 3:
        return MOST_REMEMBERED
    return 60 if shape.widths else 2 * MOST_REMEMBERED


def block_sizes(query: EpsparqlQuery) -> Iterator[int]:
    return (len(block.triples) for block in find(query, s.TriplesBlock))


def _has_closure(query: EpsparqlQuery) -> bool:
    """Whether a path may go on for ever"""
    return has(query, s.ZeroOrMorePath, s.OneOrMorePath)
