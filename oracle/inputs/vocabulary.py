"""The small alphabets that generated cases are written in.

Few terms mean that patterns match, variables join and filters hold often enough to be worth
judging. Every tuple is ordered simplest first, because Hypothesis shrinks towards the front.
"""

from __future__ import annotations

from typing import Final

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import literal
from ...semantics.rdf.syntax.tree import Prologue

NAMESPACE: Final = "http://example.org/"

PROLOGUE: Final = Prologue(prefixes=(("", NAMESPACE),))


def name(local: str) -> URIRef:
    """The IRI `:local`."""
    return URIRef(NAMESPACE + local)


def number(lexical: str, datatype: URIRef = XSD.integer) -> Literal:
    """A numeric literal with this lexical form, as written."""
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
)

THINGS: Final = (Variable("x"), Variable("y"), Variable("z"))
"""Variables that patterns bind to resources."""

AMOUNTS: Final = (Variable("n"), Variable("m"), Variable("l"))
"""Variables that patterns bind to numbers."""

STREAMS: Final = (name("s1"), name("s2"), name("s3"))

BACKGROUNDS: Final = (name("g1"), name("g2"))
"""Names of background graphs."""


def blank_node(document: URIRef) -> BNode:
    """The one blank node of a document: blank nodes are never shared between documents."""
    return BNode("b_" + document.rsplit("/", 1)[-1])
