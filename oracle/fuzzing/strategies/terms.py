"""Strategies for RDF terms, triples and graphs (RDF 1.1 Concepts, 3)."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from rdflib.term import BNode, Literal, URIRef

from ....semantics.model.terms import Graph, Term, Triple
from .choices import among, choice
from .vocabulary import NUMBERS, ODD_LITERALS, PREDICATES, QUANTITY, RESOURCES, STREAMS, blank_node


def iris() -> SearchStrategy[URIRef]:
    """IRIs of resources."""
    return st.sampled_from(RESOURCES)


def blank_nodes(document: URIRef = STREAMS[0]) -> SearchStrategy[BNode]:
    """Blank nodes of one document; those of different documents differ."""
    return st.just(blank_node(document))


def numbers() -> SearchStrategy[Literal]:
    """Small integers in canonical form."""
    return st.sampled_from(NUMBERS)


def literals() -> SearchStrategy[Literal]:
    """Small integers, then literals that equal them by value only, then other literals."""
    return st.sampled_from((*NUMBERS, *ODD_LITERALS))


def resources(document: URIRef = STREAMS[0]) -> SearchStrategy[URIRef | BNode]:
    """What may be a subject: IRIs and the document's blank node."""
    return st.sampled_from((*RESOURCES, blank_node(document)))


def terms(document: URIRef = STREAMS[0]) -> SearchStrategy[Term]:
    """RDF terms of all three kinds, as they may stand in one document."""
    return st.sampled_from((*RESOURCES, *NUMBERS, blank_node(document), *ODD_LITERALS))


def triples(document: URIRef = STREAMS[0]) -> SearchStrategy[Triple]:
    """Triples, mostly well-sorted: numbers stand behind `:q`, resources behind the others."""
    return _triples(document)


@lru_cache(maxsize=64)
def _triples(document: URIRef) -> SearchStrategy[Triple]:
    subjects = resources(document)
    links = among([predicate for predicate in PREDICATES if predicate != QUANTITY])
    kinds: dict[str, SearchStrategy[Triple]] = {
        "link": st.tuples(subjects, links, subjects),
        "quantity": st.tuples(subjects, st.just(QUANTITY), numbers()),
        "any": st.tuples(subjects, among(PREDICATES), terms(document)),
    }
    return choice("data/triple", kinds).flatmap(kinds.__getitem__)


def graphs(document: URIRef = STREAMS[0], *, max_size: int = 4) -> SearchStrategy[Graph]:
    """RDF graphs of at most `max_size` triples, the empty graph included."""
    return _graphs(document, max_size)


@lru_cache(maxsize=64)
def _graphs(document: URIRef, max_size: int) -> SearchStrategy[Graph]:
    return st.frozensets(triples(document), max_size=max_size)
