"""The writer of streams as TriG, N-Quads, JSON-LD or JSON Lines; `reader` reads them back."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol

import pyoxigraph
from rdflib.term import BNode, Literal, URIRef

from ...model.errors import StreamError
from ...model.items import IntervalGraph, Item
from ...model.terms import Graph, Term, Triple
from ...model.time import XSD, time_literal
from ..files.documents import STREAM_FORMATS, Format, compression_of, format_named, format_of
from ..files.input_errors import input_errors
from ..prefixes import PREDECLARED, declarations
from .item_assembly import ENDED, GENERATED, STARTED, RecentNames

_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
# Fewer names than Turtle allows, but none that it does not.
_LOCAL_NAME = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*))?")
_PLAIN_INTEGER = re.compile(r"[+-]?[0-9]+")
_QUOTED = re.compile(r'[\x00-\x1f"\\\x7f]')
_SHORT_ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


@lru_cache(maxsize=1 << 14)
def iri_text(iri: str) -> str:
    """`<iri>`; a StreamError for what is not an absolute IRI (RFC 3987)."""
    try:
        return str(pyoxigraph.NamedNode(iri))
    except ValueError:
        raise StreamError(f"<{iri}> is not an absolute IRI and cannot be written") from None


def blank_node_text(node: BNode) -> str:
    """`_:label`; a StreamError for a label that the formats do not have."""
    if not _LABEL.fullmatch(node):
        raise StreamError(f"'{node}' is not a blank node label and cannot be written")
    return f"_:{node}"


def quoted(lexical: str) -> str:
    """Return a lexical form in quotation marks, on one line."""
    if not lexical.isascii() and any("\ud800" <= character <= "\udfff" for character in lexical):
        raise StreamError(f"{lexical!r} is not Unicode text and cannot be written")
    return '"' + _QUOTED.sub(_escape, lexical) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04X}"


class TermWriter:
    """Writes terms, abbreviated by prefixes (none in N-Quads)."""

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        # The longest namespace first, so that the most specific prefix is used.
        by_length = sorted((prefixes or {}).items(), key=lambda pair: -len(pair[1]))
        self._prefixes = [(iri, prefix) for prefix, iri in by_length if iri]
        self._abbreviates = bool(prefixes)

    def text(self, term: Term) -> str:
        """Return the term; a StreamError if it cannot be written."""
        match term:
            case URIRef():
                return self._iri(term)
            case BNode():
                return blank_node_text(term)
            case _:
                return self._literal(term)

    def _iri(self, iri: URIRef) -> str:
        for namespace, prefix in self._prefixes:
            if iri.startswith(namespace) and _LOCAL_NAME.fullmatch(iri, len(namespace)):
                return f"{prefix}:{iri[len(namespace):]}"
        return iri_text(iri)

    def _literal(self, term: Literal) -> str:
        if term.language:
            return f"{quoted(term)}@{term.language}"
        if term.datatype is None:
            return quoted(term)
        integer = str(term.datatype) == XSD + "integer"
        if self._abbreviates and integer and _PLAIN_INTEGER.fullmatch(term):
            return str(term)
        return f"{quoted(term)}^^{self._iri(term.datatype)}"


_ITEM_NAMES = "urn:denota:item:"


class Writable(Protocol):
    """A binary file, as far as it is needed here."""

    def write(self, data: bytes, /) -> object: ...


def write_stream(
    items: Iterable[Item], where: str | os.PathLike[str] | Writable, format: str | None = None,
    *, prefixes: Mapping[str, str] | None = None,
) -> None:
    """Write items, one by one, to a path (`-` is standard output) or an open binary file.

    The format follows from the suffix unless named, else it is TriG; a path may end in .gz or .zst.
    `prefixes` abbreviate TriG. An item without a name is given one. Raises StreamError for what the
    format cannot state: an empty graph in N-Quads, two items of one name, a term that is not RDF.
    """
    known = format_of(where, format, STREAM_FORMATS)
    with _destination(where) as file:
        for piece in _pieces(items, known, prefixes):
            file.write(piece.encode())


def stream_text(
    items: Iterable[Item], format: str = "trig", *, prefixes: Mapping[str, str] | None = None,
    declare: bool = True,
) -> str:
    """Return the text that `write_stream` would write.

    Without `declare` the prefixes are used but not declared, as in a case file, which declares them
    elsewhere.
    """
    known = format_named(format, STREAM_FORMATS)
    return "".join(_pieces(items, known, prefixes, declare=declare))


def write_graph(graph: Graph, where: str | os.PathLike[str] | Writable) -> None:
    """Write a background graph as N-Triples, which `graphs.read_graph` reads (as .nt)."""
    text = TermWriter().text
    with _destination(where) as file:
        for line in sorted(f"{text(s)} {text(p)} {text(o)} .\n" for s, p, o in graph):
            file.write(line.encode())


def _pieces(
    items: Iterable[Item], format: Format, prefixes: Mapping[str, str] | None, *,
    declare: bool = True,
) -> Iterator[str]:
    numbered = _with_names(items)
    if format is Format.JSON_LD:
        yield from _json_ld(numbered)
    elif format is Format.JSON_LINES:
        for name, item in numbered:
            yield _json_object(name, item) + "\n"
    elif format is Format.N_QUADS:
        writer = TermWriter()
        for name, item in numbered:
            yield _n_quads(name, item, writer)
    else:
        known = {**PREDECLARED, **(prefixes or {})}
        if declare:
            yield declarations(known)
        writer = TermWriter(known)
        for name, item in numbered:
            yield _trig(name, item, writer)


def _with_names(items: Iterable[Item]) -> Iterator[tuple[URIRef | BNode, Item]]:
    used = RecentNames()
    for number, item in enumerate(items):
        name = item.name if item.name is not None else URIRef(f"{_ITEM_NAMES}{number}")
        if name in used:
            raise StreamError(f"two items are named <{name}>")
        used.add(name)
        yield name, item


def _times(item: Item) -> list[tuple[URIRef, Literal]]:
    if isinstance(item, IntervalGraph):
        return [
            (STARTED, time_literal(item.start, item.kind)),
            (ENDED, time_literal(item.end, item.kind)),
        ]
    return [(GENERATED, time_literal(item.time, item.kind))]


# --- TriG and N-Quads ----------------------------------------------------------------------------


def _trig(name: URIRef | BNode, item: Item, writer: TermWriter) -> str:
    text = writer.text
    times = " ; ".join(f"{text(p)} {text(o)}" for p, o in _times(item))
    block = " ".join(_predicate_lists(item.graph, text))
    return f"{text(name)} {times} . {text(name)} {{ {block} }}\n"


def _predicate_lists(graph: Iterable[Triple], text: Callable[[Term], str]) -> Iterator[str]:
    """Yield one statement per subject, ordered by text: equal graphs have equal texts."""
    by_subject: dict[str, dict[str, list[str]]] = {}
    for s, p, o in sorted((text(s), text(p), text(o)) for s, p, o in graph):
        by_subject.setdefault(s, {}).setdefault(p, []).append(o)
    for s, by_predicate in by_subject.items():
        yield f"{s} " + " ; ".join(f"{p} {' , '.join(os)}" for p, os in by_predicate.items()) + " ."


def _n_quads(name: URIRef | BNode, item: Item, writer: TermWriter) -> str:
    if not item.graph:
        raise StreamError(f"N-Quads cannot state the empty graph <{name}>; TriG can")
    text = writer.text
    shown = text(name)
    times = (f"{shown} {text(p)} {text(o)} .\n" for p, o in _times(item))
    triples = sorted(f"{text(s)} {text(p)} {text(o)} {shown} .\n" for s, p, o in item.graph)
    return "".join(times) + "".join(triples)


# --- JSON-LD -------------------------------------------------------------------------------------


def _json_ld(numbered: Iterable[tuple[URIRef | BNode, Item]]) -> Iterator[str]:
    """Yield an array of named graphs, one a line, expanded: numbers keep their lexical form."""
    separator = "[\n"
    for name, item in numbered:
        yield separator + _json_object(name, item)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _json_object(name: URIRef | BNode, item: Item) -> str:
    graph = [{"@id": s, **by_predicate} for s, by_predicate in _node_objects(item.graph).items()]
    node = {"@id": _id(name), **{str(p): _value(o) for p, o in _times(item)}, "@graph": graph}
    return json.dumps(node, ensure_ascii=False, separators=(",", ":"))


def _node_objects(graph: Iterable[Triple]) -> dict[str, dict[str, list[dict[str, str]]]]:
    nodes: dict[str, dict[str, list[dict[str, str]]]] = {}
    text = TermWriter().text
    for s, p, o in sorted(graph, key=lambda triple: [text(term) for term in triple]):
        nodes.setdefault(_id(s), {}).setdefault(_id(p), []).append(_value(o))
    return nodes


def _id(term: Term) -> str:
    if isinstance(term, BNode):
        return blank_node_text(term)
    iri_text(str(term))
    return str(term)


def _value(term: Term) -> dict[str, str]:
    if not isinstance(term, Literal):
        return {"@id": _id(term)}
    if term.language:
        return {"@value": str(term), "@language": term.language}
    return {"@value": str(term), "@type": str(term.datatype or XSD + "string")}


# --- destinations --------------------------------------------------------------------------------


@contextmanager
def _destination(where: str | os.PathLike[str] | Writable) -> Iterator[Writable]:
    if not isinstance(where, str | os.PathLike):
        yield where
        return
    path = os.fspath(where)
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with input_errors(path, what="cannot be written"), _created(path) as file:
        yield file


class _GzipFile(gzip.GzipFile):
    """A .gz file without name and time in its header: the same stream gives the same file."""

    def __init__(self, path: str) -> None:
        self._opened = open(path, "wb")  # noqa: SIM115, closed below
        super().__init__("", "wb", fileobj=self._opened, mtime=0)

    def close(self) -> None:
        super().close()
        self._opened.close()


def _created(path: str) -> Any:
    compression = compression_of(path)
    if compression == ".gz":
        return _GzipFile(path)
    if compression == ".zst":
        import zstandard

        return zstandard.open(path, "wb")
    return open(path, "wb")
