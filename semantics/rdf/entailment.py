"""What a graph entails by the schema in it (RDF 1.1 Semantics, 9.2.1, Patterns of RDFS entailment).

The rules that follow from the words of a schema: domain (rdfs2), range (rdfs3), subproperties
(rdfs5, rdfs7) and subclasses (rdfs9, rdfs11); where asked, also those that make declared properties
and classes parts of themselves (rdfs6, rdfs10). Axiomatic triples and the rules which only say that
everything is a resource (rdfs1, 4, 8, 12, 13) are left out.

A rule reads G ⊢ G': `rule(G)` returns the conclusions that it draws at once from the triples of G.
As in the recommendation, G may be generalized: a literal may be a subject, anything a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from rdflib.term import BNode, URIRef

from .terms import Graph, Term, Triple

Entailment: TypeAlias = Literal["none", "rdfs", "rdfs-reflexive"]
"""What background graphs are taken to say: their triples, or also what these entail."""

Rule: TypeAlias = Callable[[Graph], Graph]

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = URIRef(_RDF + "type")
PROPERTY = URIRef(_RDF + "Property")
CLASS = URIRef(_RDFS + "Class")
DOMAIN = URIRef(_RDFS + "domain")
RANGE = URIRef(_RDFS + "range")
SUB_CLASS_OF = URIRef(_RDFS + "subClassOf")
SUB_PROPERTY_OF = URIRef(_RDFS + "subPropertyOf")


def closure(graph: Graph, entailment: Entailment) -> Graph:
    """The RDF graph that `graph` entails by the rules of a reading.

    It is the least set that includes the graph and the conclusions of every rule from it, without
    the triples that are generalized only.

    >>> from denota.semantics.streams.graphs import parse_graph
    >>> prefixes = {"": "urn:", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
    >>> said = parse_graph(":i a :C . :C rdfs:subClassOf :D", prefixes)
    >>> len(closure(said, "rdfs") - said)
    1
    """
    rules = RULES[entailment]
    while True:
        concluded = graph.union(*(rule(graph) for rule in rules))
        if concluded == graph:
            return frozenset(triple for triple in graph if is_rdf(triple))
        graph = concluded


def is_rdf(triple: Triple) -> bool:
    """RDF 1.1 Concepts, 3.1: the subject is an IRI or a blank node, the predicate an IRI."""
    subject, predicate, _ = triple
    return isinstance(subject, URIRef | BNode) and isinstance(predicate, URIRef)


def rdfs2(graph: Graph) -> Graph:
    """rdfs2: aaa rdfs:domain xxx . yyy aaa zzz ⊢ yyy rdf:type xxx"""
    return frozenset(
        (yyy, TYPE, xxx)
        for aaa, xxx in _pairs(graph, DOMAIN)
        for yyy, _ in _pairs(graph, aaa)
    )


def rdfs3(graph: Graph) -> Graph:
    """rdfs3: aaa rdfs:range xxx . yyy aaa zzz ⊢ zzz rdf:type xxx"""
    return frozenset(
        (zzz, TYPE, xxx)
        for aaa, xxx in _pairs(graph, RANGE)
        for _, zzz in _pairs(graph, aaa)
    )


def rdfs5(graph: Graph) -> Graph:
    """rdfs5: xxx rdfs:subPropertyOf yyy . yyy rdfs:subPropertyOf zzz ⊢ xxx rdfs:subPropertyOf zzz"""
    return frozenset(
        (xxx, SUB_PROPERTY_OF, zzz)
        for xxx, yyy in _pairs(graph, SUB_PROPERTY_OF)
        for middle, zzz in _pairs(graph, SUB_PROPERTY_OF)
        if middle == yyy
    )


def rdfs6(graph: Graph) -> Graph:
    """rdfs6: xxx rdf:type rdf:Property ⊢ xxx rdfs:subPropertyOf xxx"""
    return frozenset(
        (xxx, SUB_PROPERTY_OF, xxx) for xxx, kind in _pairs(graph, TYPE) if kind == PROPERTY
    )


def rdfs7(graph: Graph) -> Graph:
    """rdfs7: aaa rdfs:subPropertyOf bbb . xxx aaa yyy ⊢ xxx bbb yyy"""
    return frozenset(
        (xxx, bbb, yyy)
        for aaa, bbb in _pairs(graph, SUB_PROPERTY_OF)
        for xxx, yyy in _pairs(graph, aaa)
    )


def rdfs9(graph: Graph) -> Graph:
    """rdfs9: xxx rdfs:subClassOf yyy . zzz rdf:type xxx ⊢ zzz rdf:type yyy"""
    return frozenset(
        (zzz, TYPE, yyy)
        for xxx, yyy in _pairs(graph, SUB_CLASS_OF)
        for zzz, kind in _pairs(graph, TYPE)
        if kind == xxx
    )


def rdfs10(graph: Graph) -> Graph:
    """rdfs10: xxx rdf:type rdfs:Class ⊢ xxx rdfs:subClassOf xxx"""
    return frozenset(
        (xxx, SUB_CLASS_OF, xxx) for xxx, kind in _pairs(graph, TYPE) if kind == CLASS
    )


def rdfs11(graph: Graph) -> Graph:
    """rdfs11: xxx rdfs:subClassOf yyy . yyy rdfs:subClassOf zzz ⊢ xxx rdfs:subClassOf zzz"""
    return frozenset(
        (xxx, SUB_CLASS_OF, zzz)
        for xxx, yyy in _pairs(graph, SUB_CLASS_OF)
        for middle, zzz in _pairs(graph, SUB_CLASS_OF)
        if middle == yyy
    )


def _pairs(graph: Graph, predicate: Term) -> Iterator[tuple[Term, Term]]:
    """The subjects and objects of the triples with this predicate."""
    return ((s, o) for s, p, o in graph if p == predicate)


_SCHEMA: tuple[Rule, ...] = (rdfs2, rdfs3, rdfs5, rdfs7, rdfs9, rdfs11)

RULES: dict[Entailment, tuple[Rule, ...]] = {
    "none": (),
    "rdfs": _SCHEMA,
    "rdfs-reflexive": (*_SCHEMA, rdfs6, rdfs10),
}
