"""Background graphs: one RDF graph a file (Turtle, N-Triples, RDF/XML or JSON-LD)."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.errors import StreamError
from ...model.terms import Graph
from ..files.documents import (
    GRAPH_FORMATS,
    LARGEST_GRAPH,
    Document,
    Format,
    PathOrFile,
    format_named,
    format_of,
    open_document,
)
from ..prefixes import declarations
from .quads import QuadReader


def read_graph(
    where: PathOrFile, *, format: str | None = None, base: str | None = None
) -> Graph:
    """Return the graph in a file (plain, .gz or .zst), standard input (`-`) or open binary file.

    The format follows from the suffix unless named; without either it is Turtle. `base` is the IRI
    that relative ones are relative to. Raises StreamError, with line and column where known.
    """
    known = format_of(where, format, GRAPH_FORMATS)
    return _read(open_document(where), known, None, base)


def parse_graph(
    text: str, prefixes: Mapping[str, str] | None = None, *, format: str = "turtle",
    source: str = "<graph>", scope: str | None = None,
) -> Graph:
    """Return the graph of a text. `prefixes`, `prov:` and `xsd:` are predeclared in Turtle.

    >>> len(parse_graph(":a :b 1, 2 .", {"": "http://example.org/"}))
    2
    """
    known = format_named(format, GRAPH_FORMATS)
    prologue = declarations(prefixes or {}) if known is Format.TURTLE else ""
    return _read(Document.of_text(text, source, prologue=prologue), known, scope)


def _read(
    document: Document, format: Format, scope: str | None, base: str | None = None
) -> Graph:
    triples = []
    document.largest = LARGEST_GRAPH
    with document:
        for s, p, o, g in QuadReader(document, format, scope, base=base):
            if g is not None:
                raise StreamError(
                    f"expected one graph, but there is a named graph {g.n3()}",
                    source=document.source, line=document.line,
                )
            triples.append((s, p, o))
    return frozenset(triples)
