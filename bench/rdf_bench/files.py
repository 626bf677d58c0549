"""Files of N-Quads: read as columns, and run from end to end, beside pyoxigraph's parser alone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyoxigraph

import denota
from denota.engine.rdf.columns.block_reader import read_blocks
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.streams.rdf.writer import write_stream

from .figures import Figure, rates
from .spaseq import KEYED
from .streams import STREAM, keyed

_BESIDE = "pyoxigraph.parse"


def section_f(items: int, runs: int) -> list[Figure]:
    """Items a second from a file to the matches, and to columns alone; what tokens take."""
    query = denota.parse(KEYED.replace("$", str(items)))
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "keyed.nq"))
        graphs = (TimestampedGraph(item.time, item.graph) for item in keyed(items, 10_000))
        write_stream(graphs, path)

        def end_to_end() -> int:
            return sum(1 for _ in denota.run(query, {STREAM: path}, readings={"window": "match"}))

        def columns() -> int:
            dictionary = Dictionary()
            return sum(map(len, read_blocks(path, dictionary)))

        def alone() -> int:
            form = pyoxigraph.RdfFormat.N_QUADS
            return sum(1 for _ in pyoxigraph.parse(path=path, format=form))

        print(f"  f {end_to_end():,} matches in {items:,} items", flush=True)
        found = rates({"run": end_to_end, "read": columns, "parse": alone}, items, runs)
    parse = found["parse"]
    what = f"`SEQ(A: B: C)` with equal ?k, {items:,} items of N-Quads"
    return [
        Figure("f", f"{what}, from the file to matches", found["run"], "items/s", parse, _BESIDE,
               "0.5"),
        Figure("f", f"{what}, from the file to columns", found["read"], "items/s", parse, _BESIDE),
        *_memory(10 * items),
    ]


class Fresh(io.RawIOBase):
    """Items that have no term in common but a predicate, made as they are read."""

    def __init__(self, items: int) -> None:
        self._lines = self._made(items)

    def _made(self, items: int) -> Iterator[bytes]:
        for n in range(items):
            yield (
                f'<x:g{n}> <http://www.w3.org/ns/prov#generatedAtTime> "{n}"^^'
                "<http://www.w3.org/2001/XMLSchema#integer> .\n"
                f'<http://example.org/subject/{n}> <x:p> "value {n}" <x:g{n}> .\n'
            ).encode()

    def read1(self, size: int) -> bytes:
        return next(self._lines, b"")


def _memory(items: int) -> list[Figure]:
    """Bytes of tokens in the second half, at most, beside the first: no window needs any."""
    dictionary = Dictionary()
    read = 0
    most = [0.0, 0.0]
    for block in read_blocks(Fresh(items), dictionary, format="nquads"):
        half = min(2 * read // items, 1)
        most[half] = max(most[half], _held(dictionary) / 2**20)
        read += len(block)
        if dictionary.due:
            dictionary.sweep()
    what = f"tokens of {items:,} items of fresh terms, at most"
    return [Figure("f", what, most[1], "MiB", most[0], "in the first half", "1")]


def _held(dictionary: Dictionary) -> int:
    return sum(column.nbytes for column in dictionary.interned.tokens.arrays)
