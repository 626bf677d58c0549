"""Background graphs: with a schema, and with what GRAPH asks for."""

from __future__ import annotations

from rdflib.term import URIRef

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from .....semantics.model.terms import Graph, Triple
from .....semantics.model.trees import has
from .....semantics.rdf.syntax import tree as s
from .....semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ....inputs.choices import COIN, Choices, several
from ....inputs.graphs import in_document
from ....inputs.instances import Usual, background_instance
from ....inputs.vocabulary import (
    BACKGROUNDS,
    KNOWN,
    LINK,
    NUMBERS,
    QUANTITY,
    RESOURCES,
)
from .patterns import ABOVE, CLASS, rarely
from .streams import asked_by

_KNOWN_TRIPLES: list[Triple] = [
    (CLASS, SUB_CLASS_OF, ABOVE), (QUANTITY, DOMAIN, CLASS), (LINK, RANGE, ABOVE),
    (LINK, SUB_PROPERTY_OF, KNOWN), (RESOURCES[0], KNOWN, RESOURCES[1]),
    (RESOURCES[1], KNOWN, RESOURCES[0]), (RESOURCES[0], LINK, RESOURCES[1]),
    (RESOURCES[0], TYPE, ABOVE), (RESOURCES[1], QUANTITY, NUMBERS[0]),
    (RESOURCES[0], LINK, BACKGROUNDS[0]), (RESOURCES[0], LINK, BACKGROUNDS[1]),
]


def _background(choices: Choices) -> Graph:
    return frozenset(several(choices, _KNOWN_TRIPLES, 4))


def background(choices: Choices, query: EpsparqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """Background graphs now and then, or where GRAPH asks for them; with what it asks for"""
    kb: dict[URIRef, Graph] = {}
    asks = has(query, s.NamedGraphPattern)
    if asks or rarely(choices, "background"):
        kb[BACKGROUNDS[0]] = _background(choices)
        if asks:
            kb[BACKGROUNDS[0]] |= in_document(frozenset().union(*(
                background_instance(choices, where, BACKGROUNDS[0], usual)
                for where in asked_by(query)
            )), BACKGROUNDS[0])
        if choices.among("", COIN):
            kb[BACKGROUNDS[1]] = _background(choices)
    return kb
