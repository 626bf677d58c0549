"""What is said to happen in a graph pattern happens there, and not where it nearly does."""

from __future__ import annotations

import pytest

from denota.oracle.fuzzing.graph_situations import GRAPH_SITUATIONS, MORE_SITUATIONS
from denota.oracle.studies.opinions.asking import situations_of
from denota.oracle.studies.opinions.questions import Question, pattern_of
from denota.semantics.model.terms import Dataset, URIRef
from denota.semantics.streams.rdf.graphs import parse_graph

PREFIXES = {"": "http://example.org/"}
DATA = Dataset(
    parse_graph(':a :p :b . :b :p :a . :a :q 1 , "1" .', PREFIXES),
    {URIRef("http://example.org/g"): parse_graph(":a :p :b .", PREFIXES)},
)


def met(pattern: str) -> frozenset[str]:
    question = Question(pattern_of(f"PREFIX : <http://example.org/> SELECT * {pattern}"), DATA)
    assert question.solutions
    return situations_of(question)


@pytest.mark.parametrize(
    ("situation", "pattern", "near"),
    [
        ("absent value", "{ VALUES ?x { :z } OPTIONAL { ?x :p* ?y } }", "{ ?x :p* ?y }"),
        ("condition sees outside", "{ ?x :p ?y OPTIONAL { ?x :q ?n FILTER (?y = :b) } }",
         "{ ?x :p ?y OPTIONAL { ?x :p ?y FILTER (?y = :b) } }"),
        ("condition is blind", "{ ?x :p ?y { ?x :q ?n FILTER (!BOUND(?y)) } }",
         "{ ?x :p ?y { ?x :p ?y FILTER (BOUND(?y)) } }"),
        ("bound late", "{ OPTIONAL { ?x :z ?y } ?z :p ?y }", "{ ?x :q ?y . ?x :q ?y }"),
        ("bound late", "{ { ?x :q ?y } UNION { ?x :p :b } VALUES ?y { 1 } }",
         "{ { ?x :q ?y } UNION { ?x :p ?y } VALUES ?y { 1 } }"),
        ("assigned in exists", "{ ?x :q ?y FILTER EXISTS { BIND (1 AS ?y) } }",
         "{ ?x :q ?y FILTER EXISTS { BIND (1 AS ?z) } }"),
        ("hidden", "{ ?x :q ?y { SELECT ?x { ?x :p ?y } } }",
         "{ ?x :q ?y { SELECT ?x ?y { ?x :q ?y } } }"),
        ("hidden in exists", "{ ?x :q ?y FILTER EXISTS { SELECT ?x { ?x :p ?y } } }",
         "{ ?x :q ?y FILTER EXISTS { SELECT ?x { ?x :p ?z } } }"),
        ("exists in exists",
         "{ ?x :p ?y FILTER EXISTS { ?z :p ?x FILTER EXISTS { ?x :p ?y } } }",
         "{ ?x :p ?y FILTER EXISTS { ?x :p ?y FILTER EXISTS { ?x :p ?y } } }"),
        ("aggregate", "{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } }", "{ SELECT ?x { ?x :p ?y } }"),
        ("least of several sorts", "{ SELECT (MIN(?n) AS ?m) { ?x :q ?n } }",
         "{ SELECT (COUNT(?n) AS ?m) { ?x :q ?n } }"),
        ("ordered and cut", "{ SELECT * { ?x :q ?n } ORDER BY ?n LIMIT 1 }",
         "{ SELECT * { ?x :q ?n } ORDER BY ?n }"),
        ("absent graph", "{ ?x :p ?y OPTIONAL { GRAPH :z { ?x :p ?y } } }",
         "{ ?x :p ?y OPTIONAL { GRAPH :g { ?x :p ?y } } }"),
    ],
)
def test_a_situation_is_met(situation: str, pattern: str, near: str) -> None:
    assert situation in met(pattern)
    assert situation not in met(near)


def test_every_situation_has_one_sentence() -> None:
    assert not GRAPH_SITUATIONS.keys() & MORE_SITUATIONS.keys()
