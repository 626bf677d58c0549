"""Background graphs: with a schema, and with what GRAPH asks for."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.terms import Graph, Triple
from .....semantics.model.trees import has
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ....fuzzing.strategies.choices import among
from ....fuzzing.strategies.instances import Usual, background_instance
from ....fuzzing.strategies.vocabulary import (
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    QUANTITY,
    RESOURCES,
)
from .patterns import ABOVE, CLASS, COIN, rarely
from .streams import asked_by, in_document

_KNOWN_TRIPLES: list[Triple] = [
    (CLASS, SUB_CLASS_OF, ABOVE), (QUANTITY, DOMAIN, CLASS), (LINK, RANGE, ABOVE),
    (LINK, SUB_PROPERTY_OF, KNOWN), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (RESOURCES[1], KNOWN, RESOURCES[0]), (RESOURCES[0], LINK, RESOURCES[1]),
    (RESOURCES[0], TYPE, ABOVE), (RESOURCES[1], QUANTITY, NUMBERS[0]),
    (RESOURCES[0], LINK, BACKGROUNDS[0]), (RESOURCES[0], LINK, BACKGROUNDS[1]),
]
_BACKGROUND = st.frozensets(among(_KNOWN_TRIPLES), min_size=1, max_size=4)


def background(draw: DrawFn, query: EpsparqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """Background graphs now and then, or where GRAPH asks for them; with what it asks for"""
    kb: dict[URIRef, Graph] = {}
    asks = has(query, s.NamedGraphPattern)
    if asks or rarely(draw, "background"):
        kb[BACKGROUNDS[0]] = draw(_BACKGROUND)
        if asks:
            kb[BACKGROUNDS[0]] |= in_document(frozenset().union(*(
                background_instance(draw, where, BACKGROUNDS[0], usual)
                for where in asked_by(query)
            )), BACKGROUNDS[0])
        if draw(COIN):
            kb[BACKGROUNDS[1]] = draw(_BACKGROUND)
    return kb
