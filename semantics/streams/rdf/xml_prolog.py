"""RDF/XML without a document type: entities that stand for entities would fill the memory."""

from __future__ import annotations

from ...model.errors import UnsupportedError
from ..files.documents import Document

_SKIPPED = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
_LONGEST_OPENING = 9


class XmlDocument:
    """The bytes of an XML document; `read` is all that a parser needs.

    Raises UnsupportedError where `<!DOCTYPE` or another declaration stands outside of comments and
    CDATA, before the parser sees what it declares.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._unseen = b""
        self._closing = b""  # what ends the comment that has begun, say

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        piece = self._document.read(size)
        self._unseen += piece
        while self._step():
            pass
        return piece

    def _step(self) -> bool:
        """Passes over one part of what has not been looked at; False if that takes more bytes."""
        text = self._unseen
        if self._closing:
            end = text.find(self._closing)
            if end < 0:
                self._unseen = text[-len(self._closing) + 1 :]
                return False
            self._unseen, self._closing = text[end + len(self._closing) :], b""
            return True
        if b"\0" in text:
            raise self._error("it is not UTF-8")
        start = text.find(b"<")
        while start >= 0 and text[start + 1 : start + 2] not in (b"", b"!", b"?"):
            start = text.find(b"<", start + 1)
        self._unseen = text[start:] if start >= 0 else b""
        for opening, closing in _SKIPPED:
            if self._unseen.startswith(opening):
                self._unseen, self._closing = self._unseen[len(opening) :], closing
                return True
        if self._unseen.startswith(b"<!") and len(self._unseen) >= _LONGEST_OPENING:
            raise self._error("a document type (<!DOCTYPE …>) and its entities are not read")
        return False

    def _error(self, message: str) -> UnsupportedError:
        document = self._document
        return UnsupportedError(f"RDF/XML: {message}", source=document.source, line=document.line)
