"""The engine concludes from background graphs what the rules say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.terms import Graph
from denota.semantics.rdf.entailment import entailed
from denota.semantics.rdf.syntax.rdfs import Entailment
from denota.strategies import schema_graphs

from ...examples import examples

ENTAILMENTS = st.sampled_from(("rdfs", "rdfs-reflexive", "none"))


@examples(300)
@given(schema_graphs(), ENTAILMENTS)
def test_the_engine_concludes_what_the_rules_say(graph: Graph, entailment: Entailment) -> None:
    dictionary = Dictionary()
    triples = dictionary.background(graph, entailment).triples
    concluded = {tuple(map(dictionary.decode, triple)) for triple in triples}
    assert concluded == entailed(graph, entailment)
    assert len(triples) == len(concluded)
