"""Streams to judge answers on: files of timestamped graphs, or one graph a file with its time in
the file's name.

A folder (or a pattern such as `data/data_*.ttl`) is a stream of RDF graphs: each file is an item,
and the last number in its name is its time, in seconds unless another unit is named. Files without
a number, and files that are no RDF graphs, are not a part of it.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rdflib.term import URIRef

from .....semantics.model.errors import StreamError
from .....semantics.model.items import TimeKind, TimestampedGraph
from .....semantics.model.time import parse_duration
from .....semantics.streams.rdf.graphs import read_graph
from .....semantics.streams.rdf.reading import read_stream

SECOND = 1_000_000
_SUFFIXES = (".ttl", ".nt", ".rdf", ".owl", ".xml", ".jsonld")
_NUMBER = re.compile(r"[0-9]+")


def stream_at(where: str | os.PathLike[str], *, unit: int | None = None) -> list[TimestampedGraph]:
    """The stream in a folder, behind a pattern or in a file of timestamped graphs.

    `unit` is what a number in a file's name stands for, in microseconds (1 s); for a file whose
    times are integers it makes them a number of microseconds too. Raises StreamError.
    """
    place = os.fspath(where)
    if os.path.isdir(place) or (not os.path.exists(place) and glob.has_magic(place)):
        return _of_files(files_at(place), place, unit)
    return _in_unit(list(read_stream(place)), unit)


def files_at(place: str) -> list[Path]:
    """Return the files in a folder or behind a pattern; of any other place, the file itself."""
    if os.path.isdir(place):
        return [path for path in Path(place).iterdir() if path.is_file()]
    if not os.path.exists(place) and glob.has_magic(place):
        return [Path(path) for path in glob.glob(place)]
    return [Path(place)]


def _of_files(paths: Sequence[Path], place: str, unit: int | None) -> list[TimestampedGraph]:
    timed = []
    for path in paths:
        name = path.name.removesuffix(".gz").removesuffix(".zst")
        stem, suffix = os.path.splitext(name)
        numbers = _NUMBER.findall(stem)
        if suffix.lower() in _SUFFIXES and numbers:
            timed.append((int(numbers[-1]), path))
    if not timed:
        raise StreamError(
            "no RDF files with a number in their names (the number is the time)", source=place
        )
    timed.sort(key=lambda entry: (entry[0], entry[1].name))
    scale = SECOND if unit is None else unit
    return [
        TimestampedGraph(number * scale, read_graph(str(path)), TimeKind.DATETIME)
        for number, path in timed
    ]


def _in_unit(items: list[TimestampedGraph], unit: int | None) -> list[TimestampedGraph]:
    if unit is None:
        return items
    return [
        TimestampedGraph(item.time * unit, item.graph, TimeKind.DATETIME, item.name)
        if item.kind is TimeKind.INTEGER
        else item
        for item in items
    ]


def unit_of(text: str) -> int:
    """The microseconds of a unit: `ms`, `1s`, `5 MINUTES`. Raises QueryError."""
    written = text.strip()
    length, kind = parse_duration(written if written[:1].isdigit() or written[:1] in "Pp"
                                  else f"1 {written}")
    if kind is not TimeKind.DATETIME or length <= 0:
        raise StreamError(f"a unit is a length of time such as ms or 1s, not '{text}'")
    return length


def time_kind(streams: Mapping[URIRef, Sequence[TimestampedGraph]]) -> TimeKind:
    """What the instants of these streams count. Raises StreamError where that differs."""
    kinds = {item.kind for stream in streams.values() for item in stream}
    if len(kinds) > 1:
        raise StreamError("integer and dateTime streams cannot be mixed (name a stream unit)")
    return kinds.pop() if kinds else TimeKind.INTEGER
