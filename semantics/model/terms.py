"""RDF terms, triples, graphs and datasets (RDF 1.1 Concepts, section 3).

Terms are rdflib's. An RDF graph is what the recommendation says it is: a set of triples.
Literals keep their lexical form ("01"^^xsd:integer is not the term "1"^^xsd:integer), so they are
always made by `literal`, never by rdflib's constructor: that one normalises some lexical forms,
normalises again whatever is unpickled, and logs a traceback for each ill-typed literal. What a
literal's *value* is, is for the expressions to say (SPARQL 1.1 Query, 17); `.value` is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

from .errors import DenotaError

if TYPE_CHECKING:
    from rdflib.namespace import NamespaceManager

Term: TypeAlias = URIRef | BNode | Literal
Triple: TypeAlias = tuple[Term, Term, Term]
Graph: TypeAlias = frozenset[Triple]

EMPTY_GRAPH: Graph = frozenset()

_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


class LexicalLiteral(Literal):
    """A literal that is no more than its lexical form, datatype and language tag.

    It equals (and hashes as) rdflib's literal of the same three.
    """

    __slots__ = ()

    def n3(self, namespace_manager: NamespaceManager | None = None) -> str:
        """Return the literal in N-Triples, always on one line, or abbreviated by the manager."""
        if namespace_manager is not None:
            return super().n3(namespace_manager)
        quoted = '"' + self.translate(_ESCAPES) + '"'
        if self._language is not None:
            return f"{quoted}@{self._language}"
        return quoted if self._datatype is None else f"{quoted}^^<{self._datatype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return literal, (str(self), self._datatype, self._language)


def variable(name: str) -> Variable:
    """Return the variable of a name, with or without question mark. Raises DenotaError if none."""
    bare = name.removeprefix("?")
    if not bare:
        raise DenotaError("a variable has no name")
    return Variable(bare)


@lru_cache(maxsize=1 << 10)
def _datatype(iri: str) -> URIRef:
    return URIRef(iri)


@lru_cache(maxsize=1 << 16)
def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> Literal:
    """Return the literal with this lexical form, unchanged, and this datatype or language tag.

    A language tag is kept in lower case, and "a"^^xsd:string is the simple literal "a" (RDF 1.1
    Concepts, 3.3).

    >>> literal("01", "http://www.w3.org/2001/XMLSchema#integer").n3()
    '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    term = str.__new__(LexicalLiteral, lexical)
    term._language = None if language is None else language.lower()
    # As a string: rdflib's IRIs are unequal to strings.
    typed = language is None and str(datatype) != _XSD_STRING
    term._datatype = _datatype(datatype) if typed and datatype is not None else None
    term._value = None
    term._ill_typed = None
    return term


@dataclass(frozen=True, slots=True)
class Dataset:
    """An RDF dataset D: a default graph and named graphs."""

    default: Graph = EMPTY_GRAPH
    named: Mapping[URIRef | BNode, Graph] = field(default_factory=lambda: MappingProxyType({}))


__all__ = [
    "EMPTY_GRAPH", "BNode", "Dataset", "Graph", "Literal", "Term", "Triple", "URIRef", "Variable",
    "literal",
]
