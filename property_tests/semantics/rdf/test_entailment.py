"""What holds of every closure (RDF 1.1 Semantics, 9)."""

from __future__ import annotations

from hypothesis import given

from denota.semantics.model.terms import Graph
from denota.semantics.rdf.entailment import entailed, is_rdf
from denota.strategies import schema_graphs


@given(schema_graphs(max_size=6), schema_graphs(max_size=3))
def test_entailment_is_monotonic_and_says_what_it_is_told(graph: Graph, more: Graph) -> None:
    concluded = entailed(graph, "rdfs")
    assert graph <= concluded
    assert concluded <= entailed(graph | more, "rdfs")
    assert concluded <= entailed(graph, "rdfs-reflexive")


@given(schema_graphs(max_size=6))
def test_what_is_concluded_is_rdf_and_mentions_nothing_new(graph: Graph) -> None:
    words = {word for triple in graph for word in triple}
    for subject, predicate, target in entailed(graph, "rdfs") - graph:
        assert is_rdf((subject, predicate, target))
        assert {subject, target} <= words
