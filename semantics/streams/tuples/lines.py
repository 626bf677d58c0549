"""Text files of tuples in pieces of whole lines, so that what has arrived can be read at once."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from ...model.errors import StreamError

LONGEST_LINE = 1 << 26
"""The bytes of one line, or of one quoted cell; more is an error."""

_PIECE = 1 << 20  # what fits into a processor's second-level cache, parsed
_FIRST = 1 << 16


def pieces(
    file: BinaryIO, source: str, *, live: bool = False, quotes: bool = False
) -> Iterator[bytes]:
    """Yield the bytes of a file, cut behind line ends; the last piece may have none.

    A pipe's piece is what has arrived, but the first one, by which types are told, is at least 64
    KiB unless the file ends before or is `live`. Where `quotes` may enclose line ends, no piece
    is cut between two of them. Raises StreamError for a line longer than `LONGEST_LINE`.
    """
    rest = bytearray()  # where no line ends
    inside = False  # whether a quotation mark is open at its end
    first = True
    while True:
        chunk = _some(file)
        if first and not live:
            while chunk and len(chunk) < _FIRST and (more := _some(file)):
                chunk += more
        if first:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        first = first and not chunk
        if not chunk:
            break
        end = line_end(chunk, quotes, inside)
        if end:
            yield b"".join((rest, memoryview(chunk)[:end]))
            rest, inside = bytearray(), False
        rest += chunk[end:]
        inside ^= quotes and bool(quotation_marks(chunk, end) % 2)
        if len(rest) > LONGEST_LINE:
            raise StreamError(
                f"a line, or a quoted cell, is longer than {LONGEST_LINE:,} bytes", source=source
            )
    if rest:
        yield bytes(rest)


def _some(file: BinaryIO) -> bytes:
    read1 = getattr(file, "read1", None)
    chunk: bytes = read1(_PIECE) if read1 is not None else file.read(_PIECE)
    return chunk


def line_end(text: bytes, quotes: bool, inside: bool = False) -> int:
    """Behind the last line end that is outside quotes; 0 if there is none.

    `inside` says that the text begins inside quotes.
    """
    end = text.rfind(b"\n") + 1
    # An odd number of quotation marks before it: the line end stands inside a quoted cell.
    while quotes and end and (quotation_marks(text, 0, end) + inside) % 2:
        end = text.rfind(b"\n", 0, max(text.rfind(b'"', 0, end), 0)) + 1
    return end


def quotation_marks(text: bytes, begin: int = 0, end: int | None = None) -> int:
    """Return the number of quotation marks. Finding the first is much faster than counting."""
    first = text.find(b'"', begin, end)
    return 0 if first < 0 else text.count(b'"', first, end)
