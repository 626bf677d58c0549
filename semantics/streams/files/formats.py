"""The file formats of streams and graphs: names, suffixes, compression."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import PurePath

import pyoxigraph

from ...model.errors import StreamError


class Format(StrEnum):
    """A concrete syntax of RDF, by the name that users write."""

    TRIG = "trig"
    N_QUADS = "nquads"
    JSON_LD = "jsonld"
    JSON_LINES = "jsonl"  # one JSON-LD object a line
    TURTLE = "turtle"
    N_TRIPLES = "ntriples"
    RDF_XML = "rdfxml"


STREAM_FORMATS = (Format.TRIG, Format.N_QUADS, Format.JSON_LD, Format.JSON_LINES)
GRAPH_FORMATS = (Format.TURTLE, Format.N_TRIPLES, Format.RDF_XML, Format.JSON_LD)

OXIGRAPH_FORMATS = {
    Format.TRIG: pyoxigraph.RdfFormat.TRIG,
    Format.N_QUADS: pyoxigraph.RdfFormat.N_QUADS,
    Format.JSON_LD: pyoxigraph.RdfFormat.JSON_LD,
    Format.JSON_LINES: pyoxigraph.RdfFormat.JSON_LD,
    Format.TURTLE: pyoxigraph.RdfFormat.TURTLE,
    Format.N_TRIPLES: pyoxigraph.RdfFormat.N_TRIPLES,
    Format.RDF_XML: pyoxigraph.RdfFormat.RDF_XML,
}

_SUFFIXES = {
    ".trig": Format.TRIG,
    ".nq": Format.N_QUADS,
    ".nquads": Format.N_QUADS,
    ".jsonld": Format.JSON_LD,
    ".json": Format.JSON_LD,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".ttl": Format.TURTLE,
    ".turtle": Format.TURTLE,
    ".nt": Format.N_TRIPLES,
    ".rdf": Format.RDF_XML,
    ".owl": Format.RDF_XML,
    ".xml": Format.RDF_XML,
}
_OTHER_NAMES = {
    "nq": Format.N_QUADS,
    "ttl": Format.TURTLE,
    "nt": Format.N_TRIPLES,
    "xml": Format.RDF_XML,
    "rdf": Format.RDF_XML,
    "ndjson": Format.JSON_LINES,
    "ndjsonld": Format.JSON_LINES,
}

COMPRESSIONS = (".gz", ".zst")


def compression_of(path: str) -> str | None:
    """`.gz`, `.zst` or None, by the last suffix of a path."""
    suffix = PurePath(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else None


def format_named(name: str, allowed: tuple[Format, ...]) -> Format:
    """The format that a user names, as in `trig`, `N-Quads` or `json-ld`."""
    plain = name.lower().replace("-", "").replace("/", "")
    found = _OTHER_NAMES.get(plain) or (Format(plain) if plain in set(Format) else None)
    if found not in allowed:
        raise StreamError(f"unknown format '{name}' (there are: {', '.join(allowed)})")
    return found


def format_of(where: object, named: str | None, allowed: tuple[Format, ...]) -> Format:
    """The format named, or else that of the path, or else (a pipe, an open file) the first one."""
    if named is not None:
        return format_named(named, allowed)
    if isinstance(where, str | os.PathLike) and where != "-":
        return format_of_path(os.fspath(where), allowed)
    return allowed[0]


def format_of_path(path: str, allowed: tuple[Format, ...]) -> Format:
    """The format of a file, by its suffix before that of its compression."""
    plain = PurePath(path)
    if plain.suffix.lower() in COMPRESSIONS:
        plain = plain.with_suffix("")
    found = _SUFFIXES.get(plain.suffix.lower())
    if found in allowed:
        return found
    if found in (Format.TURTLE, Format.N_TRIPLES, Format.RDF_XML):
        reason = "has no named graphs, so it cannot hold a stream of timestamped graphs"
    elif found is not None:
        reason = "holds several graphs, expected one"
    else:
        reason = "is of no known format"
    suffixes = ", ".join(suffix for suffix, known in _SUFFIXES.items() if known in allowed)
    raise StreamError(
        f"the file {reason}; expected one of {suffixes}, plain, .gz or .zst"
        + ("; --stream-format names it" if found is None and Format.TRIG in allowed else ""),
        source=path,
    )
