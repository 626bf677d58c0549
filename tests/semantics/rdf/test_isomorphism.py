"""Equality up to the names of blank nodes."""

from __future__ import annotations

from itertools import permutations

from rdflib.term import BNode, URIRef

from denota.semantics.model.terms import Graph
from denota.semantics.rdf.isomorphism import isomorphic, isomorphic_graphs

P = URIRef("urn:p")


def cycle(*names: str) -> Graph:
    nodes = [BNode(name) for name in names]
    return frozenset(
        (a, P, b) for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True)
    )


def test_ground_rows_are_a_bag() -> None:
    assert isomorphic([(1, 2), (3, 4)], [(3, 4), (1, 2)])
    assert not isomorphic([(1, 2), (1, 2)], [(1, 2), (3, 4)])
    assert not isomorphic([(1,)], [(1,), (1,)])


def test_blank_nodes_correspond_one_to_one() -> None:
    a, b = BNode("a"), BNode("b")
    assert isomorphic([(a, 1), (a, 2)], [(b, 1), (b, 2)])
    assert not isomorphic([(a, 1), (a, 2)], [(a, 1), (b, 2)])
    assert not isomorphic([(a, b)], [(a, a)])
    assert not isomorphic([(a, 1)], [(1, a)])
    assert isomorphic([(a, b), (b, a)], [(a, b), (b, a)])


def test_symmetric_graphs_need_a_choice() -> None:
    for order in permutations("uvwx"):
        assert isomorphic_graphs(cycle(*"abcd"), cycle(*order))
    two_pairs = cycle("a", "b") | cycle("c", "d")
    assert not isomorphic_graphs(cycle(*"abcd"), two_pairs)
    six, triangles = cycle(*"abcdef"), cycle(*"abc") | cycle(*"def")
    assert not isomorphic_graphs(six, triangles)
    assert isomorphic_graphs(triangles, cycle(*"ace") | cycle(*"bdf"))
