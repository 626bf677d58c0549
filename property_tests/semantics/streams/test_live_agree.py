"""What is read as it comes is what is read at rest, however the bytes, or the messages, come."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import BNode

from denota.semantics.model.items import IntervalGraph, Item, TimestampedGraph
from denota.semantics.model.terms import Term
from denota.semantics.streams.live import kafka_source
from denota.semantics.streams.live.addresses import Address
from denota.semantics.streams.live.graphs import live_items
from denota.semantics.streams.live.kafka_source import Message
from denota.semantics.streams.live.reader import Arrivals, LiveStream, all_of
from denota.semantics.streams.rdf.writer import stream_text

from ...examples import examples
from .test_round_trip import SCOPE, scoped, streams


class Pieces:
    """A source that brings pieces; before each it may have nothing for a while."""

    def __init__(self, pieces: list[tuple[bytes, bool]]) -> None:
        self.pieces = pieces

    def read_available(self, seconds: float | None) -> bytes | None:
        if not self.pieces:
            return b""
        piece, pause = self.pieces[0]
        if pause and seconds == 0:
            return None
        del self.pieces[0]
        return piece

    def close(self) -> None:
        pass


def in_document(item: Item) -> Item:
    """The item, whose blank nodes' labels are told from those of other documents by SCOPE."""

    def term(t: Term) -> Term:
        return BNode(re.sub(r"^d\d+_", f"{SCOPE}_", t)) if isinstance(t, BNode) else t

    graph = frozenset((term(s), term(p), term(o)) for s, p, o in item.graph)
    if isinstance(item, IntervalGraph):
        return IntervalGraph(item.start, item.end, graph, item.kind, term(item.name))  # type: ignore[arg-type]
    return TimestampedGraph(item.time, graph, item.kind, term(item.name))  # type: ignore[arg-type]


@st.composite
def pieces(draw: st.DrawFn, text: bytes) -> list[tuple[bytes, bool]]:
    """A text in pieces, with pauses."""
    cuts = draw(st.lists(st.integers(1, max(len(text) - 1, 1)), max_size=8, unique=True))
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(places)]
    return [(part, draw(st.booleans())) for part in parts if part]


@examples(50)
@given(
    items=streams(empty_graphs=True), format=st.sampled_from(["trig", "nquads", "jsonld", "jsonl"]),
    data=st.data(),
)
def test_however_the_bytes_come(items: list[Item], format: str, data: st.DataObject) -> None:
    if format == "nquads":  # which cannot state an empty graph
        items = [item for item in items if item.graph]
    source = Pieces(data.draw(pieces(stream_text(items, format).encode())))
    stream = live_items(Arrivals(), "-", format=format, opened=source)
    found = all_of(stream, lambda item: item.end)
    assert [in_document(item) for item in found] == [scoped(item) for item in items]


class Scripted:
    """A topic whose messages come as they are told."""

    def __init__(self, source: str, batches: list[list[Message]], partitions: int) -> None:
        self.source = source
        self.batches = batches
        self.partitions = range(partitions)

    def read_available(self, seconds: float) -> tuple[list[Message], list[int], list[str]]:
        if self.batches:
            return self.batches.pop(0), [], []
        return [], list(self.partitions), []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: None  # it is started, pauses, goes on and is closed


@examples(50)
@given(
    times=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=12), data=st.data(),
    reorder=st.booleans(), ahead=st.integers(1, 4),
)
def test_however_the_messages_are_spread_over_partitions(
    times: list[tuple[int, int]], data: st.DataObject, reorder: bool, ahead: int
) -> None:
    """With `reorder` a partition need not be in order; little is read ahead."""
    if not reorder:
        times.sort()
    shape = '{"http://www.w3.org/ns/prov#generatedAtTime": %d, "@graph": {"@id": "x:%d", "x:p": 1}}'
    batches, offsets = [], [0, 0, 0]
    for number, (time, partition) in enumerate(times):
        text = (shape % (time, number)).encode()
        if not batches or data.draw(st.booleans()):
            batches.append([])
        batches[-1].append(Message(partition, offsets[partition], text))
        offsets[partition] += 1
    where = Address("kafka", "h", "/t", {}, "kafka://h/t")
    scripted = Scripted(where.name, batches, 3)
    with (
        patch.object(kafka_source, "Topic", lambda address: scripted),
        patch.object(kafka_source, "READ_AHEAD", ahead),
        patch.object(LiveStream, "full", lambda self, lane: len(self._waiting[lane]) >= ahead),
    ):
        stream = live_items(Arrivals(delay=10 if reorder else None), where.name, format="jsonl")
        found = all_of(stream, lambda item: item.end)
    assert [item.time for item in found] == sorted(time for time, _ in times)
    subjects = {str(s) for item in found for s, _, _ in item.graph}
    assert subjects == {f"x:{number}" for number in range(len(times))}
