"""Streams that are files at rest, read by the column where they are large enough to pay for it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rdflib.term import URIRef

from ....semantics.streams.files.formats import Format, compression_of
from ....semantics.streams.merging import StreamItem
from ....semantics.streams.rdf.reading import StreamFile
from ...capacities import IN_USE
from ..data.dictionary import Dictionary

if TYPE_CHECKING:
    from .batch import GraphBatch

_EXPANDED = 8  # what a compressed file holds, roughly


def large_files(streams: Mapping[URIRef, Iterable[Any]]) -> dict[URIRef, StreamFile] | None:
    """The streams, if all of them are files at rest, and those of N-Quads are large."""
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
    """What the files hold, as `merge` or, with `ties` None, as `merge_intervals` gives it.

    Batches are small at first, so that results come soon.
    """
    from .reading import file_blocks  # only large files pay for NumPy's start
    from .streamset import merged_batches

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
