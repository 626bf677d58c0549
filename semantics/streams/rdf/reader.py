"""The reader of streams of timestamped graphs: TriG, N-Quads, JSON-LD and JSON Lines.

An item is a named graph; its time stands in the default graph, in either order but next to it:

    :g1 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime .     (or an integer)
    :g1 { … }

or, for an interval, prov:startedAtTime and prov:endedAtTime. In JSON Lines an item is a JSON-LD
object on a line of its own; blank node labels are those of the whole document. What else the
default graph says is not about the stream, and is passed over. Items are read one by one: each is
yielded as soon as the next one begins or the document ends, and no more than one is held in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...model.errors import StreamError
from ...model.items import Item, TimestampedGraph
from ..files.documents import (
    STREAM_FORMATS,
    Document,
    Format,
    PathOrFile,
    format_named,
    format_of,
    open_document,
)
from ..prefixes import declarations
from .item_assembly import ItemReader, Progress, items_of
from .parquet_and_jelly import TABLE, packed_lines


def read_items(
    where: PathOrFile, *, format: str | None = None, follow: bool = False,
    scope: str | None = None,
) -> Iterator[Item]:
    """Return the items in a file (plain, .gz or .zst), standard input (`-`) or open binary file.

    The format follows from the suffix unless named; without either it is TriG. With `follow` a
    growing file is read for ever. Items must be in time order. `scope` names the document for its
    blank nodes; by default it is a document of its own. Raises StreamError, with line and column
    where known: at once if the file cannot be opened, later for what it holds.
    """
    document, known = _opened(where, format, follow=follow)
    if isinstance(where, str | os.PathLike) and not follow and os.path.isfile(where):
        return StreamFile(os.fspath(where), document, known, scope)
    return _items(document, known, scope)


def times_as_written(
    where: PathOrFile, time: int | None, *, format: str | None = None
) -> Sequence[str]:
    """Return the time, or start and end, of an item of a file that ends at an instant.

    It is the first item if the instant is None.
    """
    document, known = _opened(where, format, follow=False)
    with document:
        reader = ItemReader(document, known, None, Progress())
        return next((reader.times for item in reader.items() if time in (None, item.end)), ())


def read_stream(
    where: PathOrFile, *, format: str | None = None, follow: bool = False
) -> Iterator[TimestampedGraph]:
    """As `read_items`, for streams of instants: an interval is a StreamError."""
    items = read_items(where, format=format, follow=follow)
    return items.of_instants() if isinstance(items, StreamFile) else instants(items, str(where))


class StreamFile(Iterator[Item]):
    """The items of a file that is there as a whole, to be read once.

    Who can read the file faster than item by item takes `document`, before the first item.
    """

    def __init__(self, path: str, document: Document, format: Format, scope: str | None) -> None:
        self.path = path
        self.document = document
        self.format = format
        self.scope = scope
        self.instants_only = False
        """True if an interval raises a StreamError."""
        self._items = _items(document, format, scope)
        self._look: Callable[[Item], None] | None = None

    def __next__(self) -> Item:
        item = next(self._items)
        if self._look is not None:
            self.look(item)
        return item

    def of_instants(self) -> Iterator[Any]:
        """Return the same, where intervals are refused."""
        self.instants_only = True
        self._items = instants(self._items, self.path)
        return self

    def watched(self, look: Callable[[Item], None]) -> StreamFile:
        """Return the same, whose first item is shown to `look` when it is read."""
        self._look = look
        return self

    def look(self, item: Item) -> None:
        """Show the first item to the callback."""
        look, self._look = self._look, None
        if look is not None:
            look(item)


def parse_items(
    text: str, *, format: str = "trig", prefixes: Mapping[str, str] | None = None,
    source: str = "<stream>", scope: str | None = None,
) -> Iterator[Item]:
    """Return the items of a text. `prefixes`, `prov:` and `xsd:` are predeclared in TriG."""
    known = format_named(format, STREAM_FORMATS)
    prologue = declarations(prefixes or {}) if known is Format.TRIG else ""
    document = Document.of_text(text, source, prologue=prologue)
    return _items(document, known, scope)


def parse_stream(
    text: str, *, format: str = "trig", prefixes: Mapping[str, str] | None = None,
    source: str = "<stream>", scope: str | None = None,
) -> Iterator[TimestampedGraph]:
    """As `parse_items`, for streams of instants: an interval is a StreamError.

    >>> [item.time for item in parse_stream(":g prov:generatedAtTime 7 . :g { :a :b :c }",
    ...                                     prefixes={"": "http://example.org/"})]
    [7]
    """
    items = parse_items(text, format=format, prefixes=prefixes, source=source, scope=scope)
    return instants(items, source)


def _opened(where: PathOrFile, format: str | None, *, follow: bool) -> tuple[Document, Format]:
    packed = None if follow else packed_lines(where, format)
    known = Format.N_QUADS if packed else format_of(where, format, STREAM_FORMATS)
    name = TABLE if hasattr(where, "schema") else str(where)
    return Document(packed, name) if packed else open_document(where, follow=follow), known


def _items(document: Document, format: Format, scope: str | None) -> Iterator[Item]:
    with document:
        yield from items_of(document, format, scope)


def instants(items: Iterable[Item], source: str) -> Iterator[TimestampedGraph]:
    """Yield the items, as long as each is at an instant."""
    for item in items:
        if not isinstance(item, TimestampedGraph):
            name = "a graph" if item.name is None else f"graph {item.name.n3()}"
            raise StreamError(
                f"{name} holds over an interval (prov:startedAtTime, prov:endedAtTime), expected an"
                " instant (prov:generatedAtTime)",
                source=source,
            )
        yield item
