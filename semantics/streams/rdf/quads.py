"""Quads: a document's statements, one after the other, as rdflib's terms.

pyoxigraph parses; here its terms become ours and its errors get a place. Blank nodes are scoped to
the document (RDF 1.1 Concepts, 3.4): the label `x` becomes `SCOPE_x`, so that one label is one node
in all graphs of a document and another node in the next document; a node without a label becomes
`SCOPE-N`, the N-th of its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import IO, TypeAlias, cast

import pyoxigraph
from rdflib.term import BNode, URIRef

from ...model.errors import StreamError, UnsupportedError
from ...model.terms import Term, literal
from ..files.documents import OXIGRAPH_FORMATS, Document, Format
from ..files.input_errors import input_errors
from .json_ld import JsonLdDocument, JsonLinesDocument

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


OxigraphTerm: TypeAlias = (
    pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple
)
Quad: TypeAlias = tuple[Term, Term, Term, Term | None]

_CACHED_TERMS = 1 << 16
_PLACE = re.compile(r"Parser error (?:at|between) .*?: (?=\S)")

_scopes = (f"d{number}" for number in count(1))


def fresh_scope() -> str:
    """Return a blank node scope that no other document of this process has."""
    return next(_scopes)


class QuadReader:
    """The quads of one document, as they are read."""

    def __init__(
        self, document: Document, format: Format, scope: str | None = None, *, whole: bool = True,
        base: str | None = None,
    ) -> None:
        """With `whole` false, JSON-LD is rewritten so that it need not be read as a whole; `base`
        is the IRI that relative ones are relative to."""
        self.document = document
        rewritten = format is Format.JSON_LD and not whole
        feed: JsonLdDocument | JsonLinesDocument | XmlDocument | Document = document
        if rewritten:
            feed = JsonLdDocument(document)
        elif format is Format.JSON_LINES:
            feed = JsonLinesDocument(document)
        elif format is Format.RDF_XML:
            feed = XmlDocument(document)
        self._by_line = format is Format.JSON_LINES
        # JSON-LD 1.1 API, 8.2.2 (Object to RDF Conversion): `rdfDirection` is null by default.
        self._drops_directions = format in (Format.JSON_LD, Format.JSON_LINES)
        self._columns_known = not rewritten
        self._parser = pyoxigraph.parse(
            cast(IO[bytes], feed), format=OXIGRAPH_FORMATS[format], base_iri=base
        )
        self._blank_nodes = _BlankNodes(document, scope or fresh_scope())
        self._known: dict[OxigraphTerm, Term] = {}
        self._prologue: tuple[dict[str, str], str | None] | None = None

    def __iter__(self) -> Iterator[Quad]:
        """Yield each quad (s, p, o, g) as it is read; g is None in the default graph.

        Raises StreamError, with line and column where known, for a document that cannot be read or
        is not of its format, and for what RDF 1.2 has and RDF 1.1 has not.
        """
        known, new = self._known.get, self._new
        default = pyoxigraph.DefaultGraph()
        with input_errors(self.document.source, line=lambda: self.document.line):
            try:
                for oxigraph_quad in self._parser:
                    s, p, o, g = oxigraph_quad
                    yield (
                        known(s) or new(s),
                        known(p) or new(p),
                        known(o) or new(o),
                        known(g) or (None if g == default else new(g)),
                    )
            except SyntaxError as error:
                raise self._placed(error) from None

    def graph_named(self, written: str) -> Term | None:
        """Return the graph name for a TriG token at this place of the document, if any."""
        prefixes, base = self._prologue or (self._parser.prefixes, self._parser.base_iri)
        declared = "".join(f"PREFIX {p}: <{iri}>\n" for p, iri in prefixes.items())
        text = f"{declared}{written} {{ <x:s> <x:p> <x:o> }}"
        try:
            quad = next(iter(pyoxigraph.parse(
                text, format=pyoxigraph.RdfFormat.TRIG, base_iri=base
            )))
        except (SyntaxError, StopIteration):
            return None
        name = quad.graph_name
        return None if isinstance(name, pyoxigraph.DefaultGraph) else self._converted(name)

    def keep_prologue(self) -> None:
        """Store the prefixes for `graph_named`, which may be called while the parser waits."""
        self._prologue = self._parser.prefixes, self._parser.base_iri

    def forget(self) -> None:
        """Discard the unlabelled nodes so far, which later statements do not mention."""
        self.document.forget()
        self._blank_nodes.forget()

    def _new(self, term: OxigraphTerm) -> Term:
        converted = self._converted(term)
        if len(self._known) >= _CACHED_TERMS:
            self._known.clear()
        self._known[term] = converted
        return converted

    def _converted(self, term: OxigraphTerm) -> Term:
        match term:
            case pyoxigraph.NamedNode():
                # The parser has validated the IRI, rdflib's constructor would do it again.
                return str.__new__(URIRef, term.value)
            case pyoxigraph.BlankNode():
                return self._blank_nodes.named(term.value)
            case pyoxigraph.Literal(direction=None):
                return literal(term.value, term.datatype.value, term.language)
            case pyoxigraph.Literal() if self._drops_directions:
                return literal(term.value, language=term.language)
        raise StreamError(
            f"{term} is RDF 1.2, expected RDF 1.1",
            source=self.document.source, line=self.document.line,
        )

    def _placed(self, error: SyntaxError) -> StreamError:
        line = error.lineno or 0
        column = error.offset or 0 if self._columns_known else 0
        if self._by_line:  # the parser has seen no further, and one character more
            line, column = self.document.line, max(column - 1, 0)
        if line:
            line = max(line - self.document.prologue_lines, 1)
        message = _PLACE.sub("", error.msg, count=1)
        if "LoadDocumentCallback" in message:
            message = "a remote JSON-LD @context is not fetched: write it into the document"
        return StreamError(message, source=self.document.source, line=line, column=column)


class _BlankNodes:
    """The blank nodes of one document.

    pyoxigraph keeps written labels and gives random ones to nodes without. A label that might be
    random is one if the text read so far does not contain it.
    """

    _RANDOM = re.compile(r"[0-9a-f]{20,32}")
    _WRITTEN = re.compile(rb"_:([0-9a-f]{20,32})")
    _LONGEST = 2 + 32

    def __init__(self, document: Document, scope: str) -> None:
        self._document = document
        self._scope = scope
        self._number = count()
        self._unlabelled: dict[str, BNode] = {}
        self.forget()

    def forget(self) -> None:
        """Discard what was named before the last call: the item that has begun has named some."""
        self._before = self._unlabelled
        self._unlabelled = {}
        self._written: set[bytes] = set()
        self._searched = 0
        self._tail = b""

    def named(self, label: str) -> BNode:
        if not self._RANDOM.fullmatch(label) or self._is_written(label):
            return BNode(f"{self._scope}_{label}")
        node = self._unlabelled.get(label) or self._before.get(label)
        if node is None:
            node = BNode(f"{self._scope}-{next(self._number)}")
        self._unlabelled[label] = node
        return node

    def _is_written(self, label: str) -> bool:
        recent = self._document.recent
        if self._searched < len(recent):
            text = self._tail + b"".join(recent[self._searched :])
            self._written.update(self._WRITTEN.findall(text))
            self._searched, self._tail = len(recent), text[-self._LONGEST :]
        return label.encode() in self._written
