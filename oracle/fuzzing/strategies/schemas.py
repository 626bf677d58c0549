"""Strategies for graphs that say something with the words of RDF Schema."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from rdflib.term import BNode

from ....semantics.model.terms import Graph, Term, Triple
from ....semantics.rdf.syntax.rdfs import (
    CLASS,
    DOMAIN,
    PROPERTY,
    RANGE,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TYPE,
)
from .choices import among, choice
from .vocabulary import KNOWN, LINK, NUMBERS, QUANTITY, RESOURCES

_PROPERTIES = (LINK, QUANTITY, KNOWN)
_CLASSES = (*RESOURCES, BNode("c"))
_SCHEMA_WORDS = (SUB_CLASS_OF, SUB_PROPERTY_OF, DOMAIN, RANGE)
_NODES: tuple[Term, ...] = (*RESOURCES, *_PROPERTIES, BNode("c"), TYPE, SUB_PROPERTY_OF, CLASS)

_SAYS: dict[str, SearchStrategy[Triple]] = {
    "subclass": st.tuples(among(_CLASSES), st.just(SUB_CLASS_OF), among(_CLASSES)),
    "subproperty": st.tuples(among(_PROPERTIES), st.just(SUB_PROPERTY_OF), among(_PROPERTIES)),
    "domain or range": st.tuples(
        among(_PROPERTIES), among((DOMAIN, RANGE)), among(_CLASSES)
    ),
    "class": st.tuples(among(_CLASSES), st.just(TYPE), among((*_CLASSES, CLASS))),
    "property": st.tuples(among(_PROPERTIES), st.just(TYPE), st.just(PROPERTY)),
    "instance": st.tuples(among(_CLASSES), among(_PROPERTIES), among((*_CLASSES, *NUMBERS))),
    # Schemas of the schema: a subproperty of rdf:type, a range of rdfs:domain, a blank node above.
    "odd": st.tuples(
        among(_NODES), among((*_SCHEMA_WORDS, TYPE, *_PROPERTIES)), among((*_NODES, NUMBERS[0]))
    ),
}
_USUAL = tuple(kind for kind in _SAYS if kind != "odd")
_TRIPLES = choice("schema/triple", (*_USUAL * 2, *("odd",) * len(_USUAL))).flatmap(
    _SAYS.__getitem__
)


def schema_graphs(*, max_size: int = 8) -> SearchStrategy[Graph]:
    """Graphs of classes, properties, domains, ranges and what is said with them; cycles too."""
    return st.frozensets(_TRIPLES, max_size=max_size)
