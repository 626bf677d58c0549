"""Stream files as blocks of items: the columnar form of `semantics.streams.rdf.reader`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rdflib.term import URIRef

from ....semantics.model.items import Item
from ....semantics.streams.files.documents import (
    STREAM_FORMATS,
    Document,
    Format,
    PathOrFile,
    compression_of,
    format_of,
    open_document,
)
from ....semantics.streams.merging import StreamItem
from ....semantics.streams.rdf.quads import fresh_scope
from ....semantics.streams.rdf.reader import StreamFile, read_items
from ...tuning import IN_USE
from ..data.dictionary import Dictionary

if TYPE_CHECKING:
    from .batch import GraphBatch, ItemBlock


_SCOPE = re.compile("[A-Za-z0-9]*")


def read_blocks(
    where: PathOrFile, dictionary: Dictionary, *, format: str | None = None,
    scope: str | None = None,
) -> Iterator[ItemBlock | list[Item]]:
    """Return the items of a bounded file, as `read_items` reads them, in blocks.

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
    """Yield the items of a file of which none has been read yet."""
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
    """Yield items in blocks; an error comes after the items before it."""
    from .batch import block_of

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
    from .nquads_reader import NQuadsBlocks

    with document:
        yield from NQuadsBlocks(
            document.file, document.source, dictionary, scope or fresh_scope()
        )


_EXPANDED = 8  # what a compressed file holds, roughly


def large_files(streams: Mapping[URIRef, Iterable[Any]]) -> dict[URIRef, StreamFile] | None:
    """Return the streams, if all are bounded files, and those of N-Quads are large."""
    files = {iri: file for iri, file in streams.items() if isinstance(file, StreamFile)}
    if len(files) < len(streams):
        return None
    size = sum(
        os.path.getsize(file.path) * (_EXPANDED if compression_of(file.path) else 1)
        for file in files.values() if file.format is Format.N_QUADS
    )
    return files if size >= IN_USE.large else None


def batches_of(
    files: Mapping[URIRef, StreamFile], dictionary: Dictionary, ties: str | None,
    order: Sequence[URIRef] | None = None,
) -> Iterator[GraphBatch | StreamItem]:
    """Yield the items of the files, as `merge` or, with `ties` None, as `merge_intervals` does.

    Batches are small at first, so that results come soon.
    """
    from .batch_merge import merged_batches

    size = IN_USE.handed_first
    sources = {iri: file.path for iri, file in files.items() if file.instants_only}
    streams = {iri: file_blocks(file, dictionary) for iri, file in files.items()}
    for batch in merged_batches(streams, dictionary, ties, order, sources):
        if isinstance(batch, StreamItem):
            yield batch
            continue
        begin = 0
        while begin < len(batch):
            yield batch.cut(begin, min(begin + size, len(batch)))
            begin += size
            size = min(2 * size, IN_USE.handed_most)
