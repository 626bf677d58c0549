"""Stream files as blocks of items: what `semantics.streams.rdf.reading` reads, by the column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ....semantics.model.items import Item
from ....semantics.streams.files.documents import Document, PathOrFile, open_document
from ....semantics.streams.files.formats import STREAM_FORMATS, Format, format_of
from ....semantics.streams.rdf.quads import fresh_scope
from ....semantics.streams.rdf.reading import StreamFile, read_items
from ...capacities import IN_USE
from ..data.dictionary import Dictionary
from .blocks import ItemBlock, block_of
from .nquads import NQuadsBlocks

_SCOPE = re.compile("[A-Za-z0-9]*")


def read_blocks(
    where: PathOrFile, dictionary: Dictionary, *, format: str | None = None,
    scope: str | None = None,
) -> Iterator[ItemBlock | list[Item]]:
    """The items of a file that is at rest, as `read_items` reads them, in blocks.

    An element is a list of items where columns cannot hold their times. Raises StreamError after
    the same items, and with the same message, as `read_items` does.
    """
    known = format_of(where, format, STREAM_FORMATS)
    # A label follows the first underscore: see `data.tokens`.
    if known is not Format.N_QUADS or not _SCOPE.fullmatch(scope or ""):
        return blocks(read_items(where, format=format, scope=scope), dictionary)
    return _n_quads(open_document(where), dictionary, scope)


def file_blocks(
    file: StreamFile, dictionary: Dictionary
) -> Iterator[ItemBlock | list[Item]]:
    """The items of a file of which none has been read yet."""
    if file.format is not Format.N_QUADS or not _SCOPE.fullmatch(file.scope or ""):
        yield from blocks(file, dictionary)
        return
    first = True
    for block in _n_quads(file.document, dictionary, file.scope):
        if first:
            file.look(block[0] if isinstance(block, list) else block.head(0))
            first = False
        yield block


def blocks(items: Iterable[Item], dictionary: Dictionary) -> Iterator[ItemBlock | list[Item]]:
    """Items in blocks; an error among them comes after those before it."""
    rest = iter(items)
    failed: Exception | None = None
    while failed is None:
        some: list[Item] = []
        try:
            for item in rest:
                some.append(item)
                if len(some) >= IN_USE.together:
                    break
        except Exception as error:
            failed = error
        if not some:
            break
        yield block_of(some, dictionary) or some
    if failed is not None:
        raise failed


def _n_quads(
    document: Document, dictionary: Dictionary, scope: str | None
) -> Iterator[ItemBlock | list[Item]]:
    with document:
        yield from NQuadsBlocks(
            document.file, document.source, dictionary, scope or fresh_scope()
        )
