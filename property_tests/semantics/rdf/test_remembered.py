"""What the oracle remembers of patterns changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from denota.semantics.model.terms import Graph, URIRef
from denota.semantics.rdf.evaluation import solutions
from denota.semantics.rdf.pattern_cache import GraphPatterns
from denota.semantics.rdf.syntax.tree import GroupGraphPattern
from denota.strategies import group_graph_patterns, rdf_graphs

_NAME = URIRef("urn:g")


@given(
    st.lists(group_graph_patterns(), min_size=1, max_size=3),
    st.lists(rdf_graphs(), min_size=1, max_size=3),
    rdf_graphs(),
)
def test_what_is_remembered_is_what_the_definition_says(
    patterns: list[GroupGraphPattern], graphs: list[Graph], named: Graph
) -> None:
    remembered = GraphPatterns({_NAME: named})
    for _ in range(2):
        for pattern in patterns:
            for graph in graphs:
                expected = solutions(pattern, graph, {_NAME: named})
                assert remembered(pattern, graph) == expected


@given(group_graph_patterns(), rdf_graphs(), st.lists(rdf_graphs(), min_size=2, max_size=3))
def test_what_is_remembered_is_of_the_same_graphs(
    pattern: GroupGraphPattern, graph: Graph, named: list[Graph]
) -> None:
    """Also where one evaluation follows another, on graphs of the same names."""
    for each in (*named, named[0]):
        expected = solutions(pattern, graph, {_NAME: each})
        assert GraphPatterns.lately({_NAME: each})(pattern, graph) == expected
