"""JSON Lines, one JSON-LD object a line, handed to the parser as the array that they make.

The parser sees a line at a time, and what it cannot see, that a line is an object of its own, is
checked before. Lines stay lines; each has one character more, before its first.
"""

from __future__ import annotations

import json

from ...model.errors import StreamError
from ..files.boundaries import input_errors
from ..files.documents import Document
from .json_ld import trig_hint, with_empty_graphs_marked


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
