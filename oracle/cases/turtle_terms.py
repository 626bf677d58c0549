"""Single RDF terms in Turtle syntax (RDF 1.1 Turtle, 2), as people write them in cases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import pyoxigraph
from rdflib.term import BNode, URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.terms import Term, literal
from ...semantics.streams.files.boundaries import input_errors
from .sources import STANDARD_PREFIXES, turtle_header

_XSD = "http://www.w3.org/2001/XMLSchema#"

# A part of PN_LOCAL that needs no escapes; it may be empty.
_LOCAL = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)?")

_BARE = {
    f"{_XSD}integer": re.compile(r"[+-]?[0-9]+"),
    f"{_XSD}decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    f"{_XSD}double": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"),
    f"{_XSD}boolean": re.compile(r"true|false"),
}


class TermError(DenotaError):
    """A text that is not one term in Turtle."""


def term_of(text: str, prefixes: Mapping[str, str]) -> Term:
    """The term that a Turtle text names; raises TermError if it is none, or more than one.

    >>> term_of(":a", {"": "http://example.org/"}).n3()
    '<http://example.org/a>'
    """
    return _term(text, turtle_header({**STANDARD_PREFIXES, **prefixes}.items()))


@lru_cache(maxsize=1 << 14)
def _term(text: str, header: str) -> Term:
    document = f"{header}<s:> <p:>\n{text}\n."
    try:
        with input_errors(None, what=f"not a term in Turtle: {text!r}", kind=TermError):
            quads = list(pyoxigraph.parse(document.encode(), format=pyoxigraph.RdfFormat.TURTLE))
    except SyntaxError as error:
        reason = str(error.msg).split(": ", 1)[-1].split(" (line", 1)[0]
        raise TermError(f"not a term in Turtle: {text!r} ({reason})") from error
    if len(quads) != 1:
        raise TermError(f"not one term in Turtle: {text!r}")
    term = quads[0].object
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BNode(term.value)
    if isinstance(term, pyoxigraph.Literal):
        return literal(term.value, term.datatype.value, term.language)
    raise TermError(f"not an RDF 1.1 term: {text!r}")


def shortened(term: Term, prefixes: Mapping[str, str]) -> str:
    """A term in Turtle, as short as the prefixes allow.

    >>> shortened(URIRef("http://example.org/a"), {"": "http://example.org/"})
    ':a'
    """
    if isinstance(term, URIRef):
        return _short_iri(str(term), prefixes)
    if isinstance(term, BNode):
        return term.n3()
    if term.datatype is None:
        return term.n3()
    datatype, lexical = str(term.datatype), str(term)
    bare = _BARE.get(datatype)
    if bare is not None and bare.fullmatch(lexical):
        return lexical
    quoted = literal(lexical).n3()
    return f"{quoted}^^{_short_iri(datatype, {**STANDARD_PREFIXES, **prefixes})}"


def _short_iri(iri: str, prefixes: Mapping[str, str]) -> str:
    for name, space in sorted(prefixes.items(), key=lambda entry: -len(entry[1])):
        if space and iri.startswith(space):
            short = f"{name}:{iri[len(space):]}"
            if _LOCAL.fullmatch(iri[len(space):]):
                return short
    return f"<{iri}>"
