"""RDF terms, streams and graphs as text: Turtle and TriG as a person would write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby

import pyoxigraph
from rdflib.term import BNode, Literal, URIRef

from ...semantics.model.errors import DenotaError
from ...semantics.model.items import IntervalGraph, Item, TimestampedGraph
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import Graph, LexicalLiteral, Term, literal
from ...semantics.model.time import time_literal
from ...semantics.streams.files.input_errors import input_errors
from .embedded_text import STANDARD_PREFIXES, turtle_header

# What no IRI contains (SPARQL 1.1 Query, IRIREF); rdflib would only log a warning.
_NOT_IN_IRIS = re.compile(r"[<>\"{}|\\^`\x00-\x20]")


def iri_of(written: str) -> URIRef:
    """Return the IRI with this text; raises DenotaError for a text that is none."""
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
    """Return the term, its lexical form kept; raise TypeError for a term that is not RDF 1.1."""
    if isinstance(term, (LexicalLiteral, URIRef, BNode)):
        return term
    if isinstance(term, Literal):
        return literal(str(term), term.datatype, term.language)
    raise TypeError(f"not an RDF term: {term!r}")


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
    """Return the term that a Turtle text names; raises TermError if it is none, or more than one.

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
    """Return a term in Turtle, as short as the prefixes allow.

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


_RDF_TYPE = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_GENERATED = "prov:generatedAtTime"
_STARTED, _ENDED = "prov:startedAtTime", "prov:endedAtTime"

# Where a colon is none of a prefix; a prefix that is used; one that is declared.
_OPAQUE = re.compile(
    r"""<[^<>"{}|^`\\\s]*>|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*""",
    re.DOTALL,
)
_PREFIXED = re.compile(r"(?<![\w.:-])((?:[^\W\d_](?:[\w.-]*[\w-])?)?):")
_DECLARED = re.compile(r"(?i:@?prefix)\s+((?:[^\W\d_](?:[\w.-]*[\w-])?)?):")


class BlankLabels:
    """Short labels for blank nodes, in the order in which they are met."""

    def __init__(self) -> None:
        self.labels: dict[BNode, BNode] = {}

    def relabelled(self, term: Term) -> Term:
        if not isinstance(term, BNode):
            return term
        return self.labels.setdefault(term, BNode(f"b{len(self.labels)}"))


def stream_text(items: Iterable[Item], prefixes: Mapping[str, str]) -> str:
    """Return the TriG of a stream, one item a line, for declared `prefixes`, prov: and xsd:.

    Without prefixes the text is complete in itself.
    """
    nodes = BlankLabels()
    items = list(items)
    declared = {**STANDARD_PREFIXES, **prefixes}
    taken = {str(item.name) for item in items if isinstance(item.name, URIRef)}
    base = prefixes.get("", "urn:graph:")
    fresh = (f"{base}g{n}" for n in range(1, 1 << 62) if f"{base}g{n}" not in taken)
    lines = []
    seen: set[str] = set()
    for item in items:
        name = item.name if isinstance(item.name, URIRef) else None
        if name is None or str(name) in seen:
            name = URIRef(next(fresh))
        seen.add(str(name))
        shown = shortened(name, declared)
        time = _times(item, declared)
        body = _statements(item.graph, declared, nodes)
        braces = f"{{ {body} }}" if body else "{ }"
        lines.append(f"{shown} {time} .  {shown} {braces}\n")
    header = "" if prefixes else f"@prefix prov: <{STANDARD_PREFIXES['prov']}> .\n" + (
        f"@prefix xsd: <{STANDARD_PREFIXES['xsd']}> .\n"
    )
    return header + "".join(lines)


def changes_text(graph: TemporalGraph, prefixes: Mapping[str, str]) -> str:
    """Return the TriG of a background graph that changes, one change a line; as `stream_text`."""
    return stream_text(
        [TimestampedGraph(time, said, graph.kind) for time, said in graph.changes], prefixes
    )


def _times(item: Item, declared: Mapping[str, str]) -> str:
    def shown(time: int) -> str:
        return shortened(time_literal(time, item.kind), declared)

    if isinstance(item, IntervalGraph):
        return f"{_STARTED} {shown(item.start)} ; {_ENDED} {shown(item.end)}"
    return f"{_GENERATED} {shown(item.time)}"


def graph_text(graph: Graph, prefixes: Mapping[str, str]) -> str:
    """Return the Turtle of a graph, one subject a line; as `stream_text` with prefixes."""
    declared = {**STANDARD_PREFIXES, **prefixes}
    nodes = BlankLabels()
    header = "" if prefixes else f"@prefix xsd: <{STANDARD_PREFIXES['xsd']}> .\n"
    return header + _statements(graph, declared, nodes, between="\n") + "\n"


def _statements(
    graph: Graph, prefixes: Mapping[str, str], nodes: BlankLabels, between: str = " "
) -> str:
    # Blank nodes are relabelled in the order of the sorted triples: the text is reproducible.
    triples = sorted(graph, key=lambda triple: [term.n3() for term in triple])
    relabelled = [tuple(nodes.relabelled(term) for term in triple) for triple in triples]
    sentences = []
    for subject, of_subject in groupby(relabelled, key=lambda triple: triple[0]):
        parts = []
        for predicate, of_both in groupby(of_subject, key=lambda triple: triple[1]):
            verb = "a" if predicate == _RDF_TYPE else shortened(predicate, prefixes)
            objects = ", ".join(shortened(triple[2], prefixes) for triple in of_both)
            parts.append(f"{verb} {objects}")
        sentences.append(f"{shortened(subject, prefixes)} {' ; '.join(parts)} .")
    return between.join(sentences)


def with_declarations(text: str, prefixes: Mapping[str, str]) -> str:
    """Return a TriG or Turtle text with declarations of the prefixes that it does not declare.

    >>> print(with_declarations(":a :b _:c .", {"": "http://example.org/"}))
    @prefix : <http://example.org/> .
    :a :b _:c .
    """
    said = _OPAQUE.sub(" ", text)
    undeclared = set(_PREFIXED.findall(said)) - set(_DECLARED.findall(said))
    return turtle_header((n, i) for n, i in prefixes.items() if n in undeclared) + text
