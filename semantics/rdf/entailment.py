"""The entailment of a graph and its schema (RDF 1.1 Semantics, 9.2.1, Patterns of RDFS entailment).

The rules that follow from the words of a schema: domain (rdfs2), range (rdfs3), subproperties
(rdfs5, rdfs7) and subclasses (rdfs9, rdfs11); where asked, also those that make properties and
classes parts of themselves (rdfs6, rdfs10). The rules by which everything is a resource, and those
about datatypes and containers (rdfs1, 4, 8, 12, 13), are left out.

A rule reads G ⊢ G': `rule(G)` returns the conclusions that it draws at once from the triples of G.
As in the recommendation, G may be generalized: a literal may be a subject, anything a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from rdflib.term import BNode, URIRef

from ..model.terms import Graph, Term, Triple
from .syntax.rdfs import (
    AXIOMS,
    CLASS,
    DOMAIN,
    PROPERTY,
    RANGE,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TYPE,
    Entailment,
)

Rule: TypeAlias = Callable[[Graph], Graph]


@lru_cache(maxsize=1 << 8)
def entailed(graph: Graph, entailment: Entailment) -> Graph:
    """Return the RDF graph that a background graph is taken to say under a reading; computed once.

    Under `rdfs-reflexive` the axioms are premises. What they entail by themselves is about the
    schema's own words, not about the graph, and is left out unless the graph says it.

    >>> from denota.semantics.streams.rdf.graphs import parse_graph
    >>> prefixes = {"": "urn:", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
    >>> said = parse_graph(":i a :C . :C rdfs:subClassOf :D .", prefixes)
    >>> [triple[2] for triple in entailed(said, "rdfs") - said]
    [rdflib.term.URIRef('urn:D')]
    """
    match entailment:
        case "none":
            return graph
        case "rdfs":
            return rdf_part(closure(graph, RULES))
        case "rdfs-reflexive":
            rules = (*RULES, *REFLEXIVE_RULES)
            return graph | rdf_part(closure(graph | AXIOMS, rules) - closure(AXIOMS, rules))


def closure(graph: Graph, rules: Sequence[Rule]) -> Graph:
    """Return the least set of triples with the graph and the rules' conclusions from it."""
    while True:
        concluded = graph.union(*(rule(graph) for rule in rules))
        if concluded == graph:
            return graph
        graph = concluded


def rdf_part(graph: Graph) -> Graph:
    """Return the triples of a generalized graph that are RDF triples."""
    return frozenset(triple for triple in graph if is_rdf(triple))


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
    """rdfs5: xxx rdfs:subPropertyOf yyy . yyy rdfs:subPropertyOf zzz
    ⊢ xxx rdfs:subPropertyOf zzz"""
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
    """Return the subjects and objects of the triples with this predicate."""
    return ((s, o) for s, p, o in graph if p == predicate)


RULES: tuple[Rule, ...] = (rdfs2, rdfs3, rdfs5, rdfs7, rdfs9, rdfs11)

REFLEXIVE_RULES: tuple[Rule, ...] = (rdfs6, rdfs10)


def rdfD2(graph: Graph) -> Graph:
    """rdfD2 (8.1.1): xxx aaa yyy ⊢ aaa rdf:type rdf:Property. Of RDF entailment, not a schema's."""
    return frozenset((aaa, TYPE, PROPERTY) for _, aaa, _ in graph)
