"""The rules of RDFS entailment, one by one and together."""

from __future__ import annotations

import pytest

from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.terms import Graph
from denota.semantics.rdf.entailment import (
    Rule,
    entailed,
    rdfD2,
    rdfs2,
    rdfs3,
    rdfs5,
    rdfs6,
    rdfs7,
    rdfs9,
    rdfs10,
    rdfs11,
)
from denota.semantics.rdf.syntax.rdfs import Entailment
from denota.semantics.streams.rdf.graphs import parse_graph

PREFIXES = {
    "": "http://example.org/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}


def graph(text: str) -> Graph:
    return parse_graph(text, PREFIXES)


@pytest.mark.parametrize("rule, premises, conclusions", [
    (rdfs2, ":p rdfs:domain :C . :a :p :b .", ":a a :C ."),
    (rdfs3, ":p rdfs:range :C . :a :p :b .", ":b a :C ."),
    (rdfs5, ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", ":p rdfs:subPropertyOf :r ."),
    (rdfs6, ":p a rdf:Property .", ":p rdfs:subPropertyOf :p ."),
    (rdfs7, ":p rdfs:subPropertyOf :q . :a :p 1 .", ":a :q 1 ."),
    (rdfs9, ":C rdfs:subClassOf :D . :a a :C .", ":a a :D ."),
    (rdfs10, ":C a rdfs:Class .", ":C rdfs:subClassOf :C ."),
    (rdfs11, ":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .", ":C rdfs:subClassOf :E ."),
    (rdfD2, ":a :p :b .", ":p a rdf:Property ."),
], ids=lambda value: value.__name__ if callable(value) else "")
def test_each_rule_draws_its_conclusion_and_no_other(
    rule: Rule, premises: str, conclusions: str
) -> None:
    assert rule(graph(premises)) == graph(conclusions)


@pytest.mark.parametrize("said, entailment, concluded", [
    # Nothing without a schema, and nothing without being asked.
    (":a :p :b .", "rdfs", ""),
    (":p rdfs:domain :C . :a :p :b .", "none", ""),
    # A chain of rules: subproperty, then domain, then subclass.
    (":p rdfs:subPropertyOf :q . :q rdfs:domain :C . :C rdfs:subClassOf :D . :a :p :b .", "rdfs",
     ":a :q :b ; a :C , :D ."),
    # A cycle ends, and is the only way to be a part of oneself without being asked.
    (":C rdfs:subClassOf :D . :D rdfs:subClassOf :C . :a a :C .", "rdfs",
     ":a a :D . :C rdfs:subClassOf :C . :D rdfs:subClassOf :D ."),
    # A literal has a class, which no RDF triple can say; a superclass's name may be a blank node.
    (":p rdfs:range :C . :C rdfs:subClassOf [] . :a :p 1 .", "rdfs", ""),
    # What a generalized triple leads to can be said: a subproperty of rdf:type, with a range.
    ("rdf:type rdfs:subPropertyOf :is . :is rdfs:range :Kind . :p rdfs:range :C . :a :p 1 .",
     "rdfs", ":C a :Kind ; :is :Kind . :Kind a :Kind ; :is :Kind ."),
    # The schema may speak of itself.
    (":sub rdfs:subPropertyOf rdfs:subClassOf . :C :sub :D . :a a :C .", "rdfs",
     ":C rdfs:subClassOf :D . :a a :D ."),
    # Where asked, properties and classes are parts of themselves, also those that a word of the
    # schema makes such; the schema's own words are not listed.
    (":C a rdfs:Class . :p a rdf:Property .", "rdfs-reflexive",
     ":C rdfs:subClassOf :C . :p rdfs:subPropertyOf :p ."),
    (":C rdfs:subClassOf :D .", "rdfs-reflexive",
     ":C a rdfs:Class ; rdfs:subClassOf :C . :D a rdfs:Class ; rdfs:subClassOf :D ."),
    (":p rdfs:range :C .", "rdfs-reflexive",
     ":p a rdf:Property ; rdfs:subPropertyOf :p . :C a rdfs:Class ; rdfs:subClassOf :C ."),
    ("rdfs:Class a rdfs:Class .", "rdfs-reflexive", ""),
    ("", "rdfs-reflexive", ""),
])
def test_definitions_and_engine_conclude(
    said: str, entailment: Entailment, concluded: str
) -> None:
    premises = graph(said)
    expected = premises | graph(concluded)
    assert entailed(premises, entailment) == expected
    dictionary = Dictionary()
    encoded = dictionary.background(premises, entailment)
    assert {tuple(map(dictionary.decode, triple)) for triple in encoded.triples} == expected


def test_a_graph_is_closed_once() -> None:
    premises = graph(":p rdfs:domain :C . :a :p :b .")
    assert entailed(premises, "rdfs") is entailed(premises, "rdfs")
    dictionary = Dictionary()
    closed = dictionary.background(premises, "rdfs")
    assert dictionary.background(premises, "rdfs") is closed
    assert dictionary.background(premises) is not closed
