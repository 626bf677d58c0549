"""JSON-LD and JSON Lines of it, in a form that the parser reads item by item.

pyoxigraph reads an array of named graphs one by one, but holds a whole `{"@context": C, "@graph":
[ … ]}` in memory. So the latter is rewritten, while it is read, to the array of its members, each
with the context C. An empty `"@graph": []` leads to no quad; it is given a marker triple instead.
Lines stay lines, so that line numbers stay true.

The parser sees a line at a time, and what it cannot see, that a line is an object of its own, is
checked before. Lines stay lines; each has one character more, before its first.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator

from rdflib.term import URIRef

from ...model.errors import StreamError, UnsupportedError
from ..files.documents import Document
from ..files.input_errors import input_errors

EMPTY_GRAPH_MARKER = URIRef("urn:denota:empty-graph")

_EMPTY_GRAPH = re.compile(rb'("@graph"\s*:\s*\[)(\s*)\]')
_MARKED = rb'\1{"@id":"%b","%b":"%b"}\2]' % ((EMPTY_GRAPH_MARKER.encode(),) * 3)
_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+|\s+|"')

_PIECE_BYTES = 1 << 16
_HELD_BACK_BYTES = 1 << 10


class JsonLdDocument:
    """The bytes of a JSON-LD document, rewritten as above; `read` is all that a parser needs."""

    def __init__(self, document: Document) -> None:
        self._chunks = _with_markers(_as_array(document))
        self._chunk = b""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        while not self._chunk:
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._chunk = chunk
        piece, self._chunk = self._chunk[:size], self._chunk[size:]
        return piece


def with_empty_graphs_marked(text: bytes) -> bytes:
    """Return the text, in which an empty graph has the marker triple."""
    return _EMPTY_GRAPH.sub(_MARKED, text)


def trig_hint(text: bytes) -> str:
    """Return the end of an error message about a text that is no JSON: whether it is TriG."""
    trig = re.match(rb"@prefix|@base|prefix\b|base\b|#|<|_:|\w*:", text, re.IGNORECASE)
    return "; the file looks like TriG (--stream-format trig)" if trig is not None else ""


def _with_markers(chunks: Iterator[bytes]) -> Iterator[bytes]:
    held = b""
    for chunk in chunks:
        text = with_empty_graphs_marked(held + chunk)
        held = b""
        if not text.endswith(b"\n"):
            # What might be the beginning of `"@graph": []` has one or two quotation marks.
            last = text.rfind(b'"')
            start = text.rfind(b'"', 0, max(last, 0))
            cut = start if start >= 0 else last
            if cut >= 0 and len(text) - cut < _HELD_BACK_BYTES:
                text, held = text[:cut], text[cut:]
        yield text
    yield held


def _as_array(document: Document) -> Iterator[bytes]:
    splitter = _Splitter(document)
    unfinished = b""
    begun = False
    while piece := document.read(_PIECE_BYTES):
        if not begun and (text := piece.lstrip(codecs.BOM_UTF8 + b" \t\r\n")):
            begun = True
            if text[:1] not in (b"{", b"["):
                raise StreamError(
                    f"not JSON-LD: expected {{ or [, got '{text.decode(errors='replace')[0]}'"
                    + trig_hint(text),
                    source=document.source, line=document.line,
                )
        if splitter.passes:
            yield unfinished + piece
            unfinished = b""
            continue
        tokens = _TOKEN.findall(unfinished + piece)
        unfinished = b""
        if not piece.endswith(b"\n"):
            # A string, a number or a word may go on in the next piece.
            start = tokens.index(b'"') if b'"' in tokens else len(tokens) - 1
            unfinished = b"".join(tokens[start:])
            del tokens[start:]
        yield b"".join([splitter.step(token) for token in tokens])
    yield b"".join([splitter.step(token) for token in _TOKEN.findall(unfinished)])
    yield splitter.rest()


class _Splitter:
    """Token by token: is this `{"@context": C, "@graph": [ {… "@graph" …}, … ]}`, and if so, split.

    `step` is the state: what to do with the next token. It returns what the parser is to see.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.step: Callable[[bytes], bytes] = self._at_start
        self._held: list[bytes] = []
        self._depth = 0
        self._key = b""
        self._last = b""
        self._context = b""
        self._context_start = 0
        self._array_start = 0

    @property
    def passes(self) -> bool:
        """True if the rest of the document is as the parser expects it."""
        return self.step == self._pass

    def rest(self) -> bytes:
        """Return the bytes that are still buffered when the document ends."""
        held, self._held = b"".join(self._held), []
        return held

    def _pass(self, token: bytes) -> bytes:
        return token

    def _release(self) -> bytes:
        self.step = self._pass
        return self.rest()

    def _at_start(self, token: bytes) -> bytes:
        if token == b"{":
            self._hold(token)
            self.step = self._in_header
            return b""
        if not token.isspace():
            self.step = self._pass
        return token

    def _hold(self, token: bytes) -> None:
        self._held.append(token)
        self._count(token)

    def _count(self, token: bytes) -> None:
        if token in b"{[":
            self._depth += 1
        elif token in b"}]":
            self._depth -= 1
        if not token.isspace():
            self._last = token

    def _in_header(self, token: bytes) -> bytes:
        key = self._last
        self._hold(token)
        if self._depth == 0:
            return self._release()
        if self._depth > 1 or token not in b":,":
            return b""
        if token == b",":
            if self._context_start and not self._context:
                self._context = b"".join(self._held[self._context_start : -1])
        elif key == b'"@context"':
            self._context_start = len(self._held)
        elif key == b'"@graph"' and self._context:
            self.step = self._before_array
        else:
            return self._release()
        return b""

    def _before_array(self, token: bytes) -> bytes:
        self._hold(token)
        if token == b"[":
            self._array_start = len(self._held)
            self.step = self._in_probe
        elif not token.isspace():
            return self._release()
        return b""

    def _in_probe(self, token: bytes) -> bytes:
        key = self._last
        self._hold(token)
        if self._depth == 1:
            return self._release()
        if self._depth == 3 and token == b":" and key == b'"@graph"':
            return self._split()
        return b""

    def _split(self) -> bytes:
        header, members = self._held[: self._array_start], self._held[self._array_start :]
        self._held = []
        try:
            self._context = json.dumps(json.loads(self._context)).encode()
        except ValueError:  # the parser will say what is wrong with it
            self.step = self._pass
            return b"".join(header + members)
        self._depth = 2
        self._last = b"["
        self.step = self._in_members
        lines = b"\n" * sum(token.count(b"\n") for token in header)
        return lines + b"[" + b"".join([self._in_members(token) for token in members])

    def _in_members(self, token: bytes) -> bytes:
        if token.isspace():
            return token
        opened = self._depth == 3 and self._last == b"{" and token != b"}"
        own_context = self._depth == 3 and token == b":" and self._last == b'"@context"'
        self._count(token)
        if own_context:
            raise UnsupportedError(
                "a member of the top-level '@graph' has an '@context' of its own; write an array of"
                " such members instead",
                source=self._document.source, line=self._document.line,
            )
        if self._depth == 1:
            self.step = self._after_array
        if opened:
            return b'"@context":' + self._context + b"," + token
        return token

    def _after_array(self, token: bytes) -> bytes:
        if token.isspace():
            return token
        if token != b"}":
            raise UnsupportedError(
                "what follows the top-level '@graph' comes too late to be read in one pass; write"
                " it before", source=self._document.source, line=self._document.line,
            )
        self.step = self._pass
        return b""


class JsonLinesDocument:
    """The bytes of a document, as above; `read` is all that a parser needs."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._before = b"["
        self._text = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, of one line; b"" at the end."""
        while not self._text and not self._ended:
            self._text = self._next()
        piece, self._text = self._text[:size], self._text[size:]
        return piece

    def _next(self) -> bytes:
        pieces = []
        while piece := self._document.read():
            pieces.append(piece)
            if piece.endswith(b"\n"):
                break
        line = b"".join(pieces)
        if not line:
            self._ended = True
            return b"[]" if self._before == b"[" else b"]"
        if not line.strip():
            return line
        self._check(line)
        before, self._before = self._before, b","
        return before + with_empty_graphs_marked(line)

    def _check(self, line: bytes) -> None:
        source, number = self._document.source, self._document.line
        try:
            with input_errors(source, what="not JSON", line=lambda: number):
                written = json.loads(line.decode().rstrip("\r\n"))
        except json.JSONDecodeError as error:
            raise StreamError(
                f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
                + trig_hint(line.lstrip()) * (number == 1),
                source=source, line=number, column=error.colno,
            ) from None
        if not isinstance(written, dict):
            raise StreamError(
                "expected a JSON-LD object, a named graph with its time, on a line of its own",
                source=source, line=number,
            )
