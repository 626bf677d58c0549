"""RDF terms, triples, graphs and schemas, drawn by choices (RDF 1.1 Concepts, 3)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from rdflib.term import BNode, URIRef

from ...semantics.model.terms import Graph, Term, Triple
from ...semantics.model.trees import changed
from ...semantics.rdf.syntax.rdfs import (
    CLASS,
    DOMAIN,
    PROPERTY,
    RANGE,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TYPE,
)
from .choices import Choices
from .vocabulary import (
    KNOWN,
    LINK,
    NUMBERS,
    ODD_LITERALS,
    PREDICATES,
    QUANTITY,
    RESOURCES,
    STREAMS,
    blank_node,
)

_LINKS: Final = tuple(predicate for predicate in PREDICATES if predicate != QUANTITY)
_TRIPLE: Final = "data/triple", ("link", "quantity", "any")


@lru_cache(maxsize=64)
def resources(document: URIRef = STREAMS[0]) -> tuple[URIRef | BNode, ...]:
    """Return the terms that may be subjects: IRIs and the document's blank node."""
    return (*RESOURCES, blank_node(document))


@lru_cache(maxsize=64)
def terms(document: URIRef = STREAMS[0]) -> tuple[Term, ...]:
    """Return RDF terms of all three kinds, as they may stand in one document."""
    return (*RESOURCES, *NUMBERS, blank_node(document), *ODD_LITERALS)


def triple(choices: Choices, document: URIRef = STREAMS[0]) -> Triple:
    """Draw a triple: mostly numbers are objects of `:q`, and resources those of the others."""
    subject = choices.among("", resources(document))
    match choices.among(*_TRIPLE):
        case "link":
            return subject, choices.among("", _LINKS), choices.among("", resources(document))
        case "quantity":
            return subject, QUANTITY, choices.among("", NUMBERS)
    return subject, choices.among("", PREDICATES), choices.among("", terms(document))


def any_graph(choices: Choices, document: URIRef = STREAMS[0], *, max_size: int = 4) -> Graph:
    """Draw a graph of at most `max_size` triples, which may be empty."""
    return _graph(choices, lambda: triple(choices, document), max_size)


def _graph(choices: Choices, one: Callable[[], Triple], most: int) -> Graph:
    return frozenset([one() for _ in range(choices.among("", range(most + 1)))])


def in_document(graph: Graph, document: URIRef) -> Graph:
    """Return the graph with the one blank node of a document in place of its own."""
    own = blank_node(document)
    return changed(graph, lambda term: own if isinstance(term, BNode) else term)


# --- schemas --------------------------------------------------------------------------------------

_CLASSES: Final = (*RESOURCES, BNode("c"))
_SCHEMA_WORDS: Final = (SUB_CLASS_OF, SUB_PROPERTY_OF, DOMAIN, RANGE)
_NODES: Final[tuple[Term, ...]] = (
    *RESOURCES, *PREDICATES, BNode("c"), TYPE, SUB_PROPERTY_OF, CLASS,
)
_STATEMENTS: Final[dict[str, tuple[tuple[Term, ...], tuple[URIRef, ...], tuple[Term, ...]]]] = {
    "subclass": (_CLASSES, (SUB_CLASS_OF,), _CLASSES),
    "subproperty": ((LINK, QUANTITY, KNOWN), (SUB_PROPERTY_OF,), (LINK, QUANTITY, KNOWN)),
    "domain or range": (PREDICATES, (DOMAIN, RANGE), _CLASSES),
    "class": (_CLASSES, (TYPE,), (*_CLASSES, CLASS)),
    "property": (PREDICATES, (TYPE,), (PROPERTY,)),
    "instance": (_CLASSES, PREDICATES, (*_CLASSES, *NUMBERS)),
    # Schemas of the schema: a subproperty of rdf:type, a range of rdfs:domain, a blank node above.
    "odd": (_NODES, (*_SCHEMA_WORDS, TYPE, *PREDICATES), (*_NODES, NUMBERS[0])),
}
"""Subjects, predicates and objects of the triples of a schema."""
_USUAL: Final = tuple(kind for kind in _STATEMENTS if kind != "odd")
_STATEMENT: Final = "schema/triple", (*_USUAL * 2, *("odd",) * len(_USUAL))


def schema_graph(choices: Choices, *, max_size: int = 8) -> Graph:
    """Draw a graph of classes, properties, domains and ranges, cycles included, and instances."""
    def statement() -> Triple:
        subjects, predicates, objects = _STATEMENTS[choices.among(*_STATEMENT)]
        subject = choices.among("", subjects)
        return subject, choices.among("", predicates), choices.among("", objects)

    return _graph(choices, statement, max_size)
