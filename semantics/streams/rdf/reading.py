"""Reading streams of timestamped graphs from TriG, N-Quads and JSON-LD.

An item is a named graph; its time stands in the default graph, in either order but next to it:

    :g1 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime .     (or an integer)
    :g1 { … }

or, for an interval, prov:startedAtTime and prov:endedAtTime. What else the default graph says is
not about the stream, and is passed over. Items are read one by one: each is yielded as soon as the
next one begins or the document ends, and no more than one is held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model.errors import StreamError
from ...model.items import Item, TimestampedGraph
from ..files.documents import Document, PathOrFile, open_document
from ..files.formats import STREAM_FORMATS, Format, format_named, format_of
from ..merging import reorder as reordered
from ..prefixes import declarations
from .itemising import items_of


def read_items(
    where: PathOrFile, *, format: str | None = None, source: str | None = None,
    follow: bool = False, reorder: int = 0, scope: str | None = None,
) -> Iterator[Item]:
    """The items in a file (plain, .gz or .zst), in standard input (`-`) or in an open binary file.

    The format follows from the suffix unless named; without either it is TriG. `source` is what
    messages call the document. With `follow` a growing file is read for ever. Items must be in time
    order, unless a `reorder` buffer of so many items can put them into it. `scope` names the
    document for its blank nodes; by default it is a document of its own. Raises StreamError, with
    line and column where known: at once if the file cannot be opened, later for what it holds.
    """
    known = format_of(where, format, STREAM_FORMATS)
    document = open_document(where, source=source, follow=follow)
    return _items(document, known, reorder, scope)


def read_stream(
    where: PathOrFile, *, format: str | None = None, source: str | None = None,
    follow: bool = False, reorder: int = 0, scope: str | None = None,
) -> Iterator[TimestampedGraph]:
    """As `read_items`, for streams of instants: an interval is a StreamError."""
    items = read_items(
        where, format=format, source=source, follow=follow, reorder=reorder, scope=scope
    )
    return _instants(items, source or str(where))


def parse_items(
    text: str, *, format: str = "trig", prefixes: Mapping[str, str] | None = None,
    source: str = "<stream>", reorder: int = 0, scope: str | None = None,
) -> Iterator[Item]:
    """The items that a text states. `prefixes`, `prov:` and `xsd:` are predeclared in TriG."""
    known = format_named(format, STREAM_FORMATS)
    prologue = declarations(prefixes or {}) if known is Format.TRIG else ""
    document = Document.of_text(text, source, prologue=prologue)
    return _items(document, known, reorder, scope)


def parse_stream(
    text: str, *, format: str = "trig", prefixes: Mapping[str, str] | None = None,
    source: str = "<stream>", reorder: int = 0, scope: str | None = None,
) -> Iterator[TimestampedGraph]:
    """As `parse_items`, for streams of instants: an interval is a StreamError.

    >>> [item.time for item in parse_stream(":g prov:generatedAtTime 7 . :g { :a :b :c }",
    ...                                     prefixes={"": "http://example.org/"})]
    [7]
    """
    items = parse_items(
        text, format=format, prefixes=prefixes, source=source, reorder=reorder, scope=scope
    )
    return _instants(items, source)


def _items(
    document: Document, format: Format, reorder: int, scope: str | None
) -> Iterator[Item]:
    with document:
        items = items_of(document, format, scope, in_order=not reorder)
        yield from reordered(items, reorder) if reorder else items


def _instants(items: Iterator[Item], source: str) -> Iterator[TimestampedGraph]:
    for item in items:
        if not isinstance(item, TimestampedGraph):
            name = "a graph" if item.name is None else f"graph {item.name.n3()}"
            raise StreamError(
                f"{name} holds over an interval (prov:startedAtTime, prov:endedAtTime), expected an"
                " instant (prov:generatedAtTime)",
                source=source,
            )
        yield item
