"""Strategies of streams, graphs and terms."""

from __future__ import annotations

import pytest
from hypothesis import find, given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import Graph
from denota.strategies import graphs, streams, streamsets, terms


@given(streamsets())
def test_streams_are_ordered_and_without_ties(
    streamset: dict[URIRef, tuple[TimestampedGraph, ...]],
) -> None:
    for stream in streamset.values():
        times = [item.time for item in stream]
        assert times == sorted(set(times))


@given(st.data())
def test_blank_nodes_stay_in_their_document(data: st.DataObject) -> None:
    one, other = URIRef("http://example.org/s1"), URIRef("http://example.org/s2")
    assert not blank_nodes(data.draw(graphs(one))) & blank_nodes(data.draw(graphs(other)))


def blank_nodes(graph: Graph) -> set[BNode]:
    return {term for triple in graph for term in triple if isinstance(term, BNode)}


@pytest.mark.parametrize("kind", [URIRef, BNode, Literal])
def test_terms_are_of_all_kinds(kind: type) -> None:
    assert isinstance(find(terms(), lambda term: isinstance(term, kind)), kind)


def test_streams_may_tie_where_that_has_a_meaning() -> None:
    def has_ties(stream: tuple[TimestampedGraph, ...]) -> bool:
        return len({item.time for item in stream}) < len(stream)

    assert len(find(streams(ties="sequence"), has_ties)) == 2
