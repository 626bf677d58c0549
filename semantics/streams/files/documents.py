"""Documents: the bytes of streams and graphs, their file formats and compression.

A document is read line by line, so that a parser knows no more than it has been given: an item is
seen as soon as its last line is there, and what is seen can be traced to its line.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import PurePath
from typing import Any, BinaryIO, Protocol, cast

import pyoxigraph

from ...model.errors import StreamError, TruncatedInputError
from ..live.addresses import address_of
from ..live.byte_sources import AtRest, Bytes, GrowingFile, LiveFile, Pipe, StopSignal, is_live
from .input_errors import input_errors


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
    """Return the format that a user names, as in `trig`, `N-Quads` or `json-ld`."""
    plain = name.lower().replace("-", "").replace("/", "")
    found = _OTHER_NAMES.get(plain) or (Format(plain) if plain in set(Format) else None)
    if found not in allowed:
        raise StreamError(f"unknown format '{name}' (there are: {', '.join(allowed)})")
    return found


def format_of(where: object, named: str | None, allowed: tuple[Format, ...]) -> Format:
    """Return the format named, else the path's, else (a pipe, an open file) the first one."""
    if named is not None:
        return format_named(named, allowed)
    if isinstance(where, str | os.PathLike) and where != "-":
        return format_of_path(os.fspath(where), allowed)
    return allowed[0]


def format_of_path(path: str, allowed: tuple[Format, ...]) -> Format:
    """Return the format of a file, by its suffix before that of its compression."""
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


class Readable(Protocol):
    """A binary file, as far as it is needed here."""

    def readline(self, size: int = -1, /) -> bytes: ...


PathOrFile = str | os.PathLike[str] | Readable

_LONGEST_PIECE = 1 << 16
_COMPRESSED_BYTES = 1 << 12  # few, as what they expand to is held in memory

LARGEST_ITEM = 1 << 26
"""The bytes of text of a stream's item, or of one line; more is an error, as in a .gz file a line
without end may be small."""

LARGEST_GRAPH = 1 << 30
"""The bytes of text of a background graph."""


class Document:
    """The lines of one document, handed to a parser one at a time.

    `line` is the number of the line that was handed out last, from 1. `recent` holds the lines (of
    very long ones, pieces) handed out since `forget` was called the time before last, and
    `recent_from_line_start` says whether the first of them is the beginning of a line. As a context
    manager it closes the file, if `owned`.
    """

    def __init__(
        self, file: Readable, source: str, *, prologue: str = "", owned: bool = False,
        before: int = 0,
    ) -> None:
        """`before` is how many lines of the document were read by another; an item had begun."""
        self.source = source
        self.largest = LARGEST_ITEM
        self.line = before
        self.recent: list[bytes] = []
        self.recent_from_line_start = True
        self._kept_from = 0
        self._held = 0
        self.file = file
        self._owned = owned
        self._at_line_start = True
        self._rest = b""
        self._prologue = io.BytesIO(prologue.encode("utf-8", "surrogatepass"))
        self.prologue_lines = prologue.count("\n") - before
        """The number of lines that a parser counts beyond those of the document."""
        self._counts = not before

    def read(self, size: int = -1) -> bytes:
        """Return the next line, at most `size` bytes of it; b"" at the end of the document."""
        declaration = self._prologue.readline(size)
        if declaration:
            return declaration
        line = self._rest or self._next_line()
        if 0 <= size < len(line):
            line, self._rest = line[:size], line[size:]
        else:
            self._rest = b""
        return line

    def _next_line(self) -> bytes:
        line = self.file.readline(_LONGEST_PIECE)
        if not self.line:
            line = line.removeprefix(codecs.BOM_UTF8)
        self.line += self._at_line_start and bool(line)
        self._at_line_start = line.endswith(b"\n")
        self.recent.append(line)
        if self._counts:
            self._held += len(line)
        self._counts = self._counts or self._at_line_start  # the first told that an item ended
        if self._held > self.largest:
            raise StreamError(
                f"more than {self.largest:,} bytes without the end of an item",
                source=self.source, line=self.line,
            )
        return line

    @classmethod
    def of_text(cls, text: str, source: str, *, prologue: str = "") -> Document:
        """Return a text as a document."""
        return cls(io.BytesIO(text.encode("utf-8", "surrogatepass")), source, prologue=prologue)

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned and hasattr(self.file, "close"):
            self.file.close()

    def forget(self) -> None:
        """Drop what was handed out before the line that was present at the last call."""
        if self._kept_from:
            self.recent_from_line_start = self.recent[self._kept_from - 1].endswith(b"\n")
            del self.recent[: self._kept_from]
        self._kept_from = max(len(self.recent) - 1, 0)
        self._held = 0


def open_document(where: PathOrFile, *, follow: bool = False) -> Document:
    """Return the document at a path (`-` is standard input), or in an open file.

    A path may end in .gz or .zst. With `follow`, the end of the file is waited at for more, for
    ever. Raises StreamError if the file cannot be opened.
    """
    if not isinstance(where, str | os.PathLike):
        name = str(getattr(where, "name", "<stream>"))
        file = _bytes_of(where)
        return Document(_growing(file) if follow else file, name)
    path = os.fspath(where)
    if path == "-":
        return Document(sys.stdin.buffer, "<stdin>")
    compression = compression_of(path)
    if follow and compression:
        raise StreamError(f"a {compression} file cannot be followed while it grows", source=path)
    with input_errors(path):
        file = _open(path, compression)
        return Document(_growing(file) if follow else file, path, owned=True)


def open_live(
    path: str, stop: StopSignal, *, follow: bool = False,
    listening: Callable[[str], object] = lambda name: None,
) -> Bytes:
    """Return the bytes at a path (`-`: standard input) or address as they arrive, until `stop`.

    `listening` is told the address to which writers may connect, where it is ours. Raises
    StreamError if it cannot be opened.
    """
    address = address_of(path)
    if address is not None:
        if address.scheme == "rate":
            raise StreamError("a rate brings tuples, for CEQL", source=address.name)
        from ..live.socket_source import open_socket

        return open_socket(address, stop, follow=follow, listening=listening)
    if path == "-":
        try:
            return Pipe(sys.stdin.fileno(), stop)
        except OSError:  # a text in memory
            return AtRest(sys.stdin.buffer)
    compression = compression_of(path)
    if follow and compression:
        raise StreamError(f"a {compression} file cannot be followed while it grows", source=path)
    with input_errors(path):
        if is_live(path):
            # Nobody need have opened a pipe to write yet: several may be opened in any order.
            return Pipe(os.open(path, os.O_RDONLY | os.O_NONBLOCK), stop, owned=True)
        file = _open(path, compression)
        return GrowingFile(file, sleep=stop.wait) if follow else AtRest(file)


def _bytes_of(file: Readable | io.TextIOBase) -> Readable:
    """Return the bytes beneath an open text file; those of a text in memory, encoded."""
    if not isinstance(file, io.TextIOBase):
        return file
    beneath = getattr(file, "buffer", None)
    return beneath or io.BytesIO(file.read().encode("utf-8"))


def _growing(file: Any) -> LiveFile:
    """Return the file; at its end, reading waits for more."""
    return LiveFile(GrowingFile(file))


def _open(path: str, compression: str | None) -> BinaryIO:
    file = io.BufferedReader(_WholeFile(path))
    if compression == ".gz":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    if compression == ".zst":
        return io.BufferedReader(_ZstandardFile(file))
    return file


class _WholeFile(io.FileIO):
    """The bytes of a file that must not become shorter while it is read.

    A parser would take its end for the end of the stream.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._size = os.fstat(self.fileno()).st_size

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        if count == 0 and len(buffer):
            self._check_size()
        return count

    def readall(self) -> bytes:
        found = super().readall()
        self._check_size()
        return found

    def _check_size(self) -> None:
        size = os.fstat(self.fileno()).st_size
        if size < self._size:
            raise TruncatedInputError(
                f"the file was truncated while it was read: {size:,} bytes are left of "
                f"{self._size:,}",
                source=str(self.name),
            )


@contextmanager
def open_bytes(where: PathOrFile, *, follow: bool = False) -> Iterator[BinaryIO]:
    """Provide the decompressed bytes of a path (`-` is standard input) or an open binary file.

    A file that was opened here is closed. Raises StreamError if it cannot be opened.
    """
    if not isinstance(where, str | os.PathLike):
        yield where  # type: ignore[misc]
        return
    path = os.fspath(where)
    if path == "-":
        yield sys.stdin.buffer
        return
    compression = compression_of(path)
    if follow and compression:
        raise StreamError(f"a {compression} file cannot be followed while it grows", source=path)
    with input_errors(path):
        file = _open(path, compression)
    with file:
        yield cast(BinaryIO, _growing(file)) if follow else file


class _ZstandardFile(io.RawIOBase):
    """The decompressed bytes of a .zst file, frame after frame.

    zstandard's own reader takes a file cut off in the middle of a frame for a complete one.
    """

    def __init__(self, compressed: BinaryIO) -> None:
        import zstandard

        self._compressed = compressed
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._started = False
        self._pending = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._pending:
            chunk = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._decompressor.decompressobj()
                self._started = False
            chunk = chunk or self._compressed.read(_COMPRESSED_BYTES)
            if not chunk:
                if self._started:
                    raise EOFError("the file ends in the middle of a zstandard frame")
                return 0
            self._started = True
            self._pending = memoryview(self._frame.decompress(chunk))
        size = min(len(buffer), len(self._pending))
        buffer[:size], self._pending = self._pending[:size], self._pending[size:]
        return size

    def close(self) -> None:
        self._compressed.close()
        super().close()
