"""Terms as Turtle, TriG and N-Quads write them (RDF 1.1 Turtle, 2.4 to 2.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import pyoxigraph
from rdflib.term import BNode, Literal, URIRef

from ...model.errors import StreamError
from ...model.terms import Term
from ...model.time import XSD

_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
# Fewer names than Turtle allows, but none that it does not.
_LOCAL_NAME = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*))?")
_PLAIN_INTEGER = re.compile(r"[+-]?[0-9]+")
_QUOTED = re.compile(r'[\x00-\x1f"\\\x7f]')
_SHORT_ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


@lru_cache(maxsize=1 << 14)
def iri_text(iri: str) -> str:
    """`<iri>`; a StreamError for what is not an absolute IRI (RFC 3987)."""
    try:
        return str(pyoxigraph.NamedNode(iri))
    except ValueError:
        raise StreamError(f"<{iri}> is not an absolute IRI and cannot be written") from None


def blank_node_text(node: BNode) -> str:
    """`_:label`; a StreamError for a label that the formats do not have."""
    if not _LABEL.fullmatch(node):
        raise StreamError(f"'{node}' is not a blank node label and cannot be written")
    return f"_:{node}"


def quoted(lexical: str) -> str:
    """A lexical form in quotation marks, on one line."""
    if not lexical.isascii() and any("\ud800" <= character <= "\udfff" for character in lexical):
        raise StreamError(f"{lexical!r} is not Unicode text and cannot be written")
    return '"' + _QUOTED.sub(_escape, lexical) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04X}"


class TermWriter:
    """Writes terms, abbreviated by prefixes (none in N-Quads)."""

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        # The longest namespace first, so that the most specific prefix is used.
        by_length = sorted((prefixes or {}).items(), key=lambda pair: -len(pair[1]))
        self._prefixes = [(iri, prefix) for prefix, iri in by_length if iri]
        self._abbreviates = bool(prefixes)

    def text(self, term: Term) -> str:
        """The term; a StreamError if it cannot be written."""
        match term:
            case URIRef():
                return self._iri(term)
            case BNode():
                return blank_node_text(term)
            case _:
                return self._literal(term)

    def _iri(self, iri: URIRef) -> str:
        for namespace, prefix in self._prefixes:
            if iri.startswith(namespace) and _LOCAL_NAME.fullmatch(iri, len(namespace)):
                return f"{prefix}:{iri[len(namespace):]}"
        return iri_text(iri)

    def _literal(self, term: Literal) -> str:
        if term.language:
            return f"{quoted(term)}@{term.language}"
        if term.datatype is None:
            return quoted(term)
        integer = str(term.datatype) == XSD + "integer"
        if self._abbreviates and integer and _PLAIN_INTEGER.fullmatch(term):
            return str(term)
        return f"{quoted(term)}^^{self._iri(term.datatype)}"
