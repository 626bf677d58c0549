"""RDF terms, triples, graphs and schemas, drawn by choices, over small vocabularies.

Few terms mean that patterns match, variables join and filters hold often enough to be worth
checking. Every tuple is ordered simplest first, because Hypothesis shrinks towards the front.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import Graph, Term, Triple, literal
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
from ...semantics.rdf.syntax.tree import Prologue
from .choices import Choices

NAMESPACE: Final = "http://example.org/"

PROLOGUE: Final = Prologue(prefixes=(("", NAMESPACE),))


def name(local: str) -> URIRef:
    """Return the IRI `:local`."""
    return URIRef(NAMESPACE + local)


def number(lexical: str, datatype: URIRef = XSD.integer) -> Literal:
    """Return a numeric literal with this lexical form, as written."""
    return literal(lexical, str(datatype))


RESOURCES: Final = (name("a"), name("b"))

LINK: Final = name("p")
"""Leads from a resource to a resource."""

QUANTITY: Final = name("q")
"""Leads from a resource to a number."""

KNOWN: Final = name("k")
"""Leads from a resource to a resource, mostly in background graphs."""

PREDICATES: Final = (LINK, QUANTITY, KNOWN)

NUMBERS: Final = (number("1"), number("2"), number("3"))

ODD_LITERALS: Final = (
    # Equal by value to numbers above, but other terms (SPARQL 1.1 Query, 17.3 and 18.3).
    number("01"),
    number("2.0", XSD.decimal),
    number("1.0E0", XSD.double),
    # No numbers at all: type errors in arithmetic and in some comparisons.
    literal("1"),
    literal("a", language="en"),
    literal("x", str(XSD.integer)),
    literal("true", str(XSD.boolean)),
    literal("a\nb\\c"),  # which texts escape
)

THINGS: Final = (Variable("x"), Variable("y"), Variable("z"))
"""Variables that patterns bind to resources."""

AMOUNTS: Final = (Variable("n"), Variable("m"), Variable("l"))
"""Variables that patterns bind to numbers."""

STREAMS: Final = (name("s1"), name("s2"), name("s3"))

BACKGROUNDS: Final = (name("g1"), name("g2"))
"""Names of background graphs."""


def blank_node(document: URIRef) -> BNode:
    """Return the one blank node of a document: blank nodes are never shared between documents."""
    return BNode("b_" + document.rsplit("/", 1)[-1])


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
