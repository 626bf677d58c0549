"""Streams are merged by the batch as item by item, and refused in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef

from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rdf.columns.batch_merge import merged_batches
from denota.engine.rdf.columns.block_reader import blocks
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from denota.semantics.model.terms import Graph, literal
from denota.semantics.streams.merging import StreamItem, merge, merge_intervals
from denota.semantics.streams.rdf.reader import instants

from ...examples import examples

NAMES = [URIRef(f"http://example.org/{name}") for name in "abc"]
TRIPLES = [(URIRef("x:s"), URIRef("x:p"), literal(str(number))) for number in range(3)]
GREAT = 1 << 70

graphs: st.SearchStrategy[Graph] = st.frozensets(st.sampled_from(TRIPLES), max_size=2)


@st.composite
def streams(draw: st.DrawFn, lasting: bool) -> list[Item | StreamError]:
    """What a file holds: items in order, of one kind of time, perhaps an error at the end."""
    kind = draw(st.sampled_from([TimeKind.INTEGER] * 5 + [TimeKind.DATETIME]))
    time = draw(st.integers(-1, 2))
    found: list[Item | StreamError] = []
    for number in range(draw(st.integers(0, 6))):
        time += draw(st.sampled_from([0, 1, 1, 2]))
        time = draw(st.sampled_from([time] * 20 + [GREAT]))
        name, graph = URIRef(f"x:g{number}"), draw(graphs)
        if lasting or draw(st.integers(0, 15)) == 0:
            found.append(IntervalGraph(time - draw(st.integers(0, 2)), time, graph, kind, name))
        else:
            found.append(TimestampedGraph(time, graph, kind, name))
    if draw(st.integers(0, 3)) == 0:
        found.append(StreamError("it breaks off", source="file", line=len(found)))
    return found


def read(stream: list[Item | StreamError]) -> Iterator[Any]:
    """The items, one after the other."""
    for each in stream:
        if isinstance(each, StreamError):
            raise each
        yield each


def outcome(items: Iterable[Any]) -> list[Any]:
    """The items without names, and the error that ends them."""
    found: list[Any] = []
    try:
        for each in items:
            found.append((each.iri, each.time, each.rank, each.graph, each.kind, each.lasted))
    except StreamError as error:
        found.append((error.message, error.source, error.line))
    return found


def by_batch(batches: Iterable[GraphBatch | StreamItem], dictionary: Dictionary) -> Iterator[Any]:
    for batch in batches:
        for item in batch.items() if isinstance(batch, GraphBatch) else [batch]:
            dictionary.sweep()  # forgets nothing that is still to come
            yield item


@examples(400)
@given(st.data(), st.booleans(), st.integers(1, 5))
def test_batches_hold_what_merge_gives(
    data: st.DataObject, lasting: bool, together: int
) -> None:
    count = data.draw(st.integers(1, 3))
    given_streams = {name: data.draw(streams(lasting)) for name in NAMES[:count]}
    order = data.draw(st.permutations(NAMES))[:2]
    ties = None if lasting else data.draw(st.sampled_from(["error", "merge", "sequence"]))
    if ties is None:
        expected = merge_intervals({n: read(s) for n, s in given_streams.items()}, order)
    else:
        expected = merge(
            {n: instants(read(s), f"{n}.nq") for n, s in given_streams.items()}, ties, order
        )
    dictionary = Dictionary()
    with capacities(together=together):
        found = merged_batches(
            {n: blocks(read(s), dictionary) for n, s in given_streams.items()}, dictionary, ties,
            order, {n: f"{n}.nq" for n in given_streams},
        )
        assert outcome(by_batch(found, dictionary)) == outcome(expected)
