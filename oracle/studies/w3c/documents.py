"""The documents that a manifest refers to: file IRIs, the graphs and texts behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rdflib.term import URIRef

from ....semantics.model.errors import StreamError
from ....semantics.model.terms import Graph
from ....semantics.streams.files.boundaries import input_errors, named_file
from ....semantics.streams.rdf.graphs import read_graph


def file_iri(path: Path) -> URIRef:
    """The IRI of a file."""
    return URIRef(path.absolute().as_uri())


class DocumentGraphs(Mapping[URIRef, Graph]):
    """The documents in a folder by their IRIs, as files, as texts and, read once, as graphs.

    A manifest may come from a stranger: with a `root`, documents outside of this folder are not
    read. Nothing is fetched from elsewhere. Relative IRIs in a document are relative to the
    document.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root
        self._read: dict[URIRef, Graph] = {}

    def path(self, iri: str) -> Path:
        """Return the file that an IRI names. Raises StreamError where there is none to be read."""
        try:
            parts = urlsplit(iri)
        except ValueError as error:
            raise StreamError(f"<{iri}> is no IRI: {error}") from None
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            raise StreamError(f"<{iri}> is no file, and nothing is fetched from elsewhere")
        return named_file(unquote(parts.path), self.root or Path("/"), self.root is None)

    def text(self, iri: str) -> str:
        """Return the text of a document. Raises StreamError."""
        path = self.path(iri)
        with input_errors(str(path)):
            return path.read_text(encoding="utf-8")

    def graph(self, iri: URIRef, base: str | None = None) -> Graph:
        """Return the graph of a document; raises StreamError. `base` is an IRI other than its own.
        """
        path = self.path(iri)
        if not path.is_file():
            raise StreamError(f"there is no file {path}")
        return read_graph(str(path), base=base or iri)

    def __getitem__(self, iri: URIRef) -> Graph:
        if iri not in self._read:
            self._read[iri] = self.graph(iri)
        return self._read[iri]

    def __contains__(self, iri: object) -> bool:
        try:
            return isinstance(iri, str) and self.path(iri).is_file()
        except StreamError:
            return False

    def __iter__(self) -> Iterator[URIRef]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)
