"""Simpler streams of graphs, whatever the language of the case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from rdflib.term import URIRef

from ...semantics.rdf.terms import Graph
from ...semantics.streams.items import IntervalGraph, Item, TimestampedGraph
from .trees import triple_key

ItemT = TypeVar("ItemT", bound=Item)


def without_blocks(
    streams: Mapping[URIRef, tuple[TimestampedGraph, ...]]
) -> Iterator[dict[URIRef, tuple[TimestampedGraph, ...]]]:
    """Without ever smaller blocks of items, in time order over all streams (delta debugging)."""
    items = [(u, k) for u, stream in streams.items() for k in range(len(stream))]
    items.sort(key=lambda item: streams[item[0]][item[1]].time)
    size = len(items)
    while size:
        for begin in range(0, len(items), size):
            gone = set(items[begin : begin + size])
            yield {
                u: tuple(item for k, item in enumerate(stream) if (u, k) not in gone)
                for u, stream in streams.items()
            }
        size //= 2


def shorter_streams(
    streams: Mapping[URIRef, tuple[ItemT, ...]]
) -> Iterator[dict[URIRef, tuple[ItemT, ...]]]:
    """One stream after the other without ever smaller blocks of its items (delta debugging)."""
    for name, stream in streams.items():
        size = len(stream)
        while size:
            for begin in range(0, len(stream), size):
                yield {**streams, name: (*stream[:begin], *stream[begin + size :])}
            size //= 2


def with_smaller_graphs(
    streams: Mapping[URIRef, tuple[ItemT, ...]], smaller: Callable[[Graph], Iterator[Graph]]
) -> Iterator[dict[URIRef, tuple[ItemT, ...]]]:
    """With a smaller graph at one item."""
    for name, stream in streams.items():
        for k, item in enumerate(stream):
            for graph in smaller(item.graph):
                changed = replace(item, graph=graph)
                yield {**streams, name: (*stream[:k], changed, *stream[k + 1 :])}


def subgraphs(graph: Graph) -> Iterator[Graph]:
    """The halves of a graph, then the graph without one triple."""
    triples = sorted(graph, key=triple_key)
    if len(triples) > 2:
        half = len(triples) // 2
        yield frozenset(triples[:half])
        yield frozenset(triples[half:])
    yield from without_a_triple(graph)


def without_a_triple(graph: Graph) -> Iterator[Graph]:
    """The graph without one triple or the other."""
    for triple in sorted(graph, key=triple_key):
        yield graph - {triple}


def moved(
    streams: Mapping[URIRef, tuple[ItemT, ...]], to: Callable[[int], int]
) -> dict[URIRef, tuple[ItemT, ...]]:
    """The same items at other times, ends of intervals included."""
    return {name: tuple(_moved(item, to) for item in stream) for name, stream in streams.items()}


def _moved(item: ItemT, to: Callable[[int], int]) -> ItemT:
    if isinstance(item, IntervalGraph):
        return replace(item, start=to(item.start), end=to(item.end))
    return replace(item, time=to(item.time))
