"""RDF terms, triples, graphs and datasets (RDF 1.1 Concepts, section 3).

Terms are rdflib's. An RDF graph is what the recommendation says it is: a set of triples.
Literals keep their lexical form ("01"^^xsd:integer is not the term "1"^^xsd:integer), so they are
always made by `literal`, never by rdflib's normalising constructor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

Term: TypeAlias = URIRef | BNode | Literal
Triple: TypeAlias = tuple[Term, Term, Term]
Graph: TypeAlias = frozenset[Triple]

EMPTY_GRAPH: Graph = frozenset()


@lru_cache(maxsize=1 << 16)
def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> Literal:
    """The literal with this lexical form, unchanged, and this datatype or language tag.

    >>> literal("01", "http://www.w3.org/2001/XMLSchema#integer").n3()
    '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    if language is not None:
        return Literal(lexical, lang=language, normalize=False)
    if datatype is not None:
        return Literal(lexical, datatype=URIRef(datatype), normalize=False)
    return Literal(lexical, normalize=False)


@dataclass(frozen=True, slots=True)
class Dataset:
    """An RDF dataset D: a default graph and named graphs."""

    default: Graph = EMPTY_GRAPH
    named: Mapping[URIRef | BNode, Graph] = field(default_factory=lambda: MappingProxyType({}))


__all__ = [
    "EMPTY_GRAPH", "BNode", "Dataset", "Graph", "Literal", "Term", "Triple", "URIRef", "Variable",
    "literal",
]
