"""Terms that users made with rdflib's own constructors, as denota keeps them."""

from __future__ import annotations

from rdflib.term import BNode, Literal, URIRef

from ..semantics.rdf.terms import LexicalLiteral, Term, literal


def exact(term: object) -> Term:
    """The term with its lexical form kept; raises TypeError for what is no RDF 1.1 term."""
    if isinstance(term, (LexicalLiteral, URIRef, BNode)):
        return term
    if isinstance(term, Literal):
        return literal(str(term), term.datatype, term.language)
    raise TypeError(f"not an RDF term: {term!r}")
