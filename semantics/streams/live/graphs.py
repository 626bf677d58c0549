"""Streams of graphs that are read while they grow, and when an item of them is complete.

- Its time comes after its triples (both times of an interval): the time ends it.
- In TriG, and in JSON-LD that is an array, its time comes first: the `}` of its graph ends it.
- In JSON Lines its line ends it.

Otherwise an item is complete with the next item, a heartbeat or the end of the stream, or, where
`idle` is given, when nothing has been read for so many seconds. A heartbeat is a statement of the
default graph, `[] <urn:denota:heartbeat> TIME`: no item earlier than TIME comes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...model.items import Item
from ..files.documents import STREAM_FORMATS, Document, Format, format_named, format_of, open_live
from ..rdf.item_assembly import LiveItems
from .addresses import address_of
from .byte_sources import Bytes, LiveFile
from .kafka_source import Message
from .reader import Arrivals, Element, Idle, LiveStream, Put

_LEXICAL = {
    Format.TRIG: re.compile(
        rb'\#[^\r\n]* | <[^<>"{}|^`\\\s]*> | """ | \'\'\''
        rb' | "(?:[^"\\\r\n]|\\.)*" | \'(?:[^\'\\\r\n]|\\.)*\' | [{}]',
        re.VERBOSE,
    ),
    Format.JSON_LD: re.compile(rb'"(?:[^"\\\n]|\\.)*"|[{}\[]'),
}


class Depth:
    """The number of open braces at the end of the lines of a text (TriG, or a JSON-LD array)."""

    def __init__(self, format: Format) -> None:
        self._lexical = _LEXICAL.get(format)
        self._format = format
        self._first = b""
        self._depth = 0
        self._line = b""
        self._quotes = b""  # of the long string that the text is in

    @property
    def outside(self) -> bool:
        """True if the text read so far ends between two items, according to its braces."""
        if self._format is Format.JSON_LINES:
            return not self._line
        if self._lexical is None or self._line or self._quotes or self._depth:
            return False
        return self._format is not Format.JSON_LD or self._first == b"["

    def feed(self, piece: bytes) -> None:
        """Process a line, or a piece of one."""
        if self._format is Format.JSON_LINES:
            self._line = b"" if piece.endswith(b"\n") else piece
        if self._lexical is None:
            return
        self._line += piece
        if not self._line.endswith(b"\n"):
            return
        line, self._line = self._line, b""
        at = 0
        while at < len(line):
            if self._quotes:
                end = re.compile(rb"(?:[^\\]|\\.)*?" + self._quotes, re.DOTALL).match(line, at)
                if end is None:
                    return
                at, self._quotes = end.end(), b""
                continue
            token = self._lexical.search(line, at)
            if token is None:
                return
            at = token.end()
            self._first = self._first or token[0]
            if token[0] in (b'"""', b"'''"):
                self._quotes = token[0]
            elif token[0] in b"{}":
                self._depth += 1 if token[0] == b"{" else -1


class _LiveDocument(Document):
    """A document that knows how deep in braces the text is that was handed out."""

    def __init__(self, file: LiveFile, source: str, format: Format) -> None:
        super().__init__(file, source, owned=True)
        self.depth = Depth(format)

    def _next_line(self) -> bytes:
        line = super()._next_line()
        self.depth.feed(line)
        return line


class _GraphMessages:
    """The items and heartbeats of messages, each of which is a document of its own."""

    timed = True

    def __init__(self, format: Format, *, in_order: bool) -> None:
        self._format = format
        self._in_order = in_order

    def __call__(
        self, messages: Sequence[Message], shown: Callable[[Any], str], /
    ) -> Iterator[tuple[Element, Message]]:
        for message in messages:
            document = Document(io.BytesIO(message.value), shown(message.place))
            for item in LiveItems(document, self._format, in_order=self._in_order):
                yield item, message


def live_items(
    arrivals: Arrivals, path: str, *, format: str | None = None, idle: float | None = None,
    follow: bool = False, opened: Bytes | None = None,
) -> LiveStream[Item]:
    """Return the items of a document that is read while it grows; from an address it is N-Quads."""
    address = address_of(path)
    if address is None:
        known = format_of(path, format, STREAM_FORMATS)
        name = "<stdin>" if path == "-" else path
    else:
        known = format_named(address.format or format or Format.N_QUADS, STREAM_FORMATS)
        name = address.name
    if address is not None and address.scheme == "kafka":
        from .kafka_source import TopicStream

        messages = _GraphMessages(known, in_order=arrivals.delay is None)
        return TopicStream(arrivals, address, messages, idle=idle)
    source = opened or open_live(
        path, arrivals.stop, follow=follow, listening=arrivals.listening_at
    )

    def read(put: Put) -> None:
        file = LiveFile(source, idle)
        document = _LiveDocument(file, name, known)
        items = LiveItems(document, known, in_order=arrivals.delay is None)

        def put_item(item: Element) -> None:
            stream.times = stream.times or items.times
            put(item, items.line)

        def complete() -> None:
            item = items.complete()
            if item is not None:
                put_item(item)

        def silent() -> None:
            complete()
            put(Idle())
            stream.flush()

        def waiting() -> None:
            if document.depth.outside:
                complete()
            stream.flush()

        file.waiting = waiting
        file.silent = silent
        with document:
            for item in items:
                put_item(item)

    stream: LiveStream[Item] = LiveStream(arrivals, name, read)
    return stream
