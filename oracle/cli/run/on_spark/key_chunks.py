"""What arrives, cut by key: all items of one key in a micro-batch are one chunk, bytes and times.

Tuples go as an Arrow stream with their positions; items of RDF as JSON, each term written once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from .asked_run import AskedRun
from .keyed_time import POSITION, group_name, on_the_clock, tuple_keys


class KeyChunk(NamedTuple):
    """What the state `group` takes of one micro-batch.

    Its last item stands at the event time `at`, its first one at the place `first` of the merged
    stream.
    """

    group: str
    at: int
    first: int
    content: bytes


class ArrivingItems(NamedTuple):
    """The content of a chunk of RDF: t of the first window, the items, and their times' kind."""

    start: int
    items: list[Any]


def tuple_chunks(asked: AskedRun, batches: Iterable[tuple[int, Any]]) -> Iterator[KeyChunk]:
    """The chunks of record batches, each with the position of its first tuple."""
    names = dict.fromkeys(name for names in asked.query.partition for name in names)
    pieces: dict[str, list[Any]] = defaultdict(list)
    for first, batch in batches:
        rows: dict[str, list[int]] = defaultdict(list)
        for row, key in enumerate(tuple_keys(batch, names)):
            if key is not None:
                rows[group_name(key, asked.groups)].append(row)
        positions = pa.array(range(first, first + batch.num_rows), pa.int64())
        whole = batch.append_column(POSITION, positions)
        for group, taken in rows.items():
            pieces[group].append(whole.take(pa.array(taken)))
    clock = asked.a_millisecond(dated=False)
    for group, parts in pieces.items():
        there = parts[-1].schema.names
        # Where time is measured and is not there, the engine says so.
        last = parts[-1].column(asked.measure)[-1].as_py() if asked.measure in there else None
        first = parts[0].column(POSITION)[0].as_py()
        yield KeyChunk(group, on_the_clock(last or 0, clock), first, _packed(parts))


def _packed(parts: list[Any]) -> bytes:
    """Batches as Arrow streams, one after the other: their columns may differ."""
    sink = pa.BufferOutputStream()
    for part in parts:
        with pa.ipc.new_stream(sink, part.schema) as stream:
            stream.write_batch(part)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def tuples_of(content: bytes) -> Iterator[Any]:
    """The record batches of a chunk."""
    source = pa.BufferReader(content)
    while source.tell() < len(content):
        yield from pa.ipc.open_stream(source).read_all().to_batches()


def item_chunks(
    asked: AskedRun, keys: Any, items: Iterable[tuple[int, Any]], start: int
) -> Iterator[KeyChunk]:
    """The chunks of items, each with its place; `start` is the time of the very first one."""
    of_group: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for place, item in items:
        key = keys.key(item)
        if key is not None:
            of_group[group_name(key, asked.groups)].append((place, item))
    for group, taken in of_group.items():
        (first, _), (_, last) = taken[0], taken[-1]
        clock = asked.a_millisecond(dated=last.kind.name == "DATETIME")
        at = on_the_clock(last.time, clock)
        yield KeyChunk(group, at, first, _written(start, [item for _, item in taken]))


def _written(start: int, items: list[Any]) -> bytes:
    from ....results.json_objects import term_to_json

    numbers: dict[Any, int] = {}

    def number(term: Any) -> int:
        return numbers.setdefault(term, len(numbers))

    written = [
        [str(item.iri), item.time, item.rank, item.kind.name,
         [[number(term) for term in triple] for triple in item.graph]]
        for item in items
    ]
    terms = [term_to_json(term) for term in numbers]
    return json.dumps({"start": start, "terms": terms, "items": written}).encode()


def items_of(content: bytes) -> ArrivingItems:
    """The items of a chunk."""
    from rdflib.term import URIRef

    from .....semantics.model.items import TimeKind
    from .....semantics.streams.merging import StreamItem
    from ....results.json_objects import term_from_json

    said = json.loads(content)
    terms = [term_from_json(written) for written in said["terms"]]
    return ArrivingItems(said["start"], [
        StreamItem(
            URIRef(iri), time, rank,
            frozenset((terms[s], terms[p], terms[o]) for s, p, o in triples), TimeKind[kind],
        )
        for iri, time, rank, kind, triples in said["items"]
    ])
