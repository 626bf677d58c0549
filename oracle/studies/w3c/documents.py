"""The documents that a manifest refers to: file IRIs, the graphs and texts behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rdflib.term import URIRef

from ....semantics.model.errors import StreamError
from ....semantics.model.terms import Graph
from ....semantics.streams.rdf.graphs import read_graph


def file_iri(path: Path) -> URIRef:
    """The IRI of a file."""
    return URIRef(path.absolute().as_uri())


def file_path(iri: str) -> Path:
    """The file that a file IRI names. Raises StreamError for any other IRI."""
    parts = urlsplit(iri)
    if parts.scheme != "file":
        raise StreamError(f"<{iri}> is no file, and nothing is fetched from elsewhere")
    return Path(unquote(parts.path))


def read_text(iri: str) -> str:
    """The text of a document. Raises StreamError."""
    path = file_path(iri)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StreamError(f"cannot be read: {error}", source=str(path)) from None


class DocumentGraphs(Mapping[URIRef, Graph]):
    """The graphs of all documents, by their IRIs, read when they are asked for.

    Relative IRIs in a document are relative to the document.
    """

    def __init__(self) -> None:
        self._read: dict[URIRef, Graph] = {}

    def __getitem__(self, iri: URIRef) -> Graph:
        if iri not in self._read:
            if iri not in self:
                raise KeyError(iri)
            self._read[iri] = read_graph(str(file_path(iri)), base=iri)
        return self._read[iri]

    def __contains__(self, iri: object) -> bool:
        return isinstance(iri, str) and urlsplit(iri).scheme == "file" and file_path(iri).exists()

    def __iter__(self) -> Iterator[URIRef]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)
