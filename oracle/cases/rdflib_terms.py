"""From terms and IRIs that users give to those that denota keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rdflib.term import BNode, Literal, URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.terms import LexicalLiteral, Term, literal

# What no IRI contains (SPARQL 1.1 Query, IRIREF); rdflib would only log a warning.
_NOT_IN_IRIS = re.compile(r"[<>\"{}|\\^`\x00-\x20]")


def iri_of(written: str) -> URIRef:
    """The IRI with this text; raises DenotaError for a text that is none."""
    if not written or _NOT_IN_IRIS.search(written):
        raise DenotaError(f"not an IRI: {written!r}")
    return URIRef(written)


def expanded(written: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI that a text is, or that it abbreviates as a prefixed name."""
    prefix, colon, local = written.partition(":")
    if colon and prefix in prefixes and not local.startswith("//"):
        return prefixes[prefix] + local
    return written


def exact(term: object) -> Term:
    """The term with its lexical form kept; raises TypeError for what is no RDF 1.1 term."""
    if isinstance(term, (LexicalLiteral, URIRef, BNode)):
        return term
    if isinstance(term, Literal):
        return literal(str(term), term.datatype, term.language)
    raise TypeError(f"not an RDF term: {term!r}")
