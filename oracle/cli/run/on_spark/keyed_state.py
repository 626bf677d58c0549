"""The state of a key on Spark: its items, chunk by chunk, and the production engine.

Tuples go as an Arrow stream with their positions; items of RDF as JSON, each term written once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from .....engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from .....engine.checkpoints.streaming_query import StreamingQuery, restore_state, save_state
from .....engine.tuning import capacities
from .run_spec import POSITION, AskedRun, group_name, on_the_clock, tuple_keys


class KeyChunk(NamedTuple):
    """The part of one micro-batch for the state `group`.

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
    """Yield the chunks of record batches, each with the position of its first tuple."""
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
    """Return batches as Arrow streams, one after the other: their columns may differ."""
    sink = pa.BufferOutputStream()
    for part in parts:
        with pa.ipc.new_stream(sink, part.schema) as stream:
            stream.write_batch(part)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def tuples_of(content: bytes) -> Iterator[Any]:
    """Yield the record batches of a chunk."""
    source = pa.BufferReader(content)
    while source.tell() < len(content):
        yield from pa.ipc.open_stream(source).read_all().to_batches()


def item_chunks(
    asked: AskedRun, keys: Any, items: Iterable[tuple[int, Any]], start: int
) -> Iterator[KeyChunk]:
    """Yield the chunks of items, each with its place; `start` is the time of the very first one."""
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
    """Return the items of a chunk."""
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


STATE = "engine binary, until long"
RESULTS = "at bigint, result string"

_NODES = 64  # of a CEQL engine's ring at first: a key has few runs


@dataclass
class KeyedEngine:
    """The engine of one key, or of one group of keys."""

    asked: AskedRun
    running: StreamingQuery
    positions: list[int]
    """Of tuples: where those that the engine counts from `forgotten` on stand in the stream."""
    measures: list[int]
    """The window's measures of the tuples; none if it is an attribute, or there is no window."""
    forgotten: int = 0

    @staticmethod
    def fresh(asked: AskedRun, start: int | None) -> KeyedEngine:
        return KeyedEngine(asked, _made(asked, start, ()), [], [])

    @staticmethod
    def resumed(asked: AskedRun, start: int | None, content: bytes) -> KeyedEngine:
        checkpoint = parsed(content)
        with capacities(nodes=_NODES):
            running = restore_state(lambda known: _made(asked, start, known), checkpoint.state)
        about = checkpoint.about
        positions, measures, forgotten = about["tuples"]
        return KeyedEngine(asked, running, positions, measures, forgotten)

    def saved(self) -> bytes:
        about = {"tuples": [self.positions, self.measures, self.forgotten]}
        return written(Checkpoint(about, save_state(self.running)))

    # --- tuples ---

    def take_tuples(self, content: bytes) -> Iterator[tuple[int, Any]]:
        """Yield the results that a chunk makes final, each with the position where it ends."""
        for batch in tuples_of(content):
            self.positions += batch.column(POSITION).to_pylist()
            if self.asked.span is not None:
                self.measures += batch.column(self.asked.measure).to_pylist()
            for result in self.running.take(batch):
                placed = self._placed(result)
                yield placed.end, placed
        self._forget()

    def _placed(self, result: Any) -> Any:
        def place(local: int) -> int:
            return self.positions[local - self.forgotten]

        bindings = result.bindings
        if bindings is not None:
            bindings = tuple((name, tuple(map(place, there))) for name, there in bindings)
        return replace(
            result, start=place(result.start), end=place(result.end),
            positions=tuple(map(place, result.positions)), bindings=bindings,
        )

    def _forget(self) -> None:
        """Discard the positions that have left the window."""
        if self.measures and self.asked.span is not None:
            oldest = self.measures[-1] - self.asked.span
            gone = next(n for n, measure in enumerate(self.measures) if measure >= oldest)
            del self.positions[:gone], self.measures[:gone]
            self.forgotten += gone

    # --- items ---

    def take_items(self, items: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the results that these items make final, each with its time."""
        for item in items:
            for result in self.running.take(item):
                yield result.time, result


def _made(asked: AskedRun, start: int | None, dictionaries: Any) -> StreamingQuery:
    evaluation = asked.evaluation if start is None else {**asked.evaluation, "from": start}
    with capacities(nodes=_NODES):
        running: StreamingQuery = asked.language.running(
            asked.keyed, dictionaries, streams={}, kb=asked.graphs, readings=asked.readings,
            evaluation=evaluation,
        )
    return running


class KeyedState(StatefulProcessor):
    """The processor that Spark calls for each key with input, and when its window is over."""

    def __init__(self, description: str) -> None:
        self.description = description

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.state = handle.getValueState("state", STATE)

    def handleInputRows(
        self, key: Any, rows: Iterator[Row], timerValues: Any
    ) -> Iterator[Row]:
        chunks = sorted((row["first"], bytes(row["content"])) for row in rows)
        asked = AskedRun.of(self.description)
        before = self.state.get()
        results: list[tuple[int, Any]] = []
        engine: KeyedEngine | None = None
        dated, last = False, 0
        for _, content in chunks:
            if asked.keys is None:
                engine = engine or _engine(asked, None, before)
                results += engine.take_tuples(content)
                last = engine.measures[-1] if engine.measures else 0
            else:
                arriving = items_of(content)
                dated = arriving.items[-1].kind.name == "DATETIME"
                engine = engine or _engine(asked, arriving.start, before)
                results += engine.take_items(arriving.items)
                last = arriving.items[-1].time
        if engine is None:
            return
        until = 0
        if asked.span is not None:  # else what has no window is kept for good
            clock = asked.a_millisecond(dated=dated)
            until = on_the_clock(last + asked.span, clock, up=True) + 1
            if before is None:
                self.handle.registerTimer(until)
        self.state.update((engine.saved(), until))
        if results:
            lines = asked.lines([result for _, result in results], dated=dated)
            for (at, _), line in zip(results, lines, strict=True):
                yield Row(at=at, result=line)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        """Remove the state when no later item can match it."""
        before = self.state.get()
        if before is not None:
            until = before[1]
            if until > timerValues.getCurrentWatermarkInMs():
                self.handle.registerTimer(until)
            else:
                self.state.clear()
        return iter(())


def _engine(asked: AskedRun, start: int | None, before: Any) -> KeyedEngine:
    if before is None:
        return KeyedEngine.fresh(asked, start)
    return KeyedEngine.resumed(asked, start, bytes(before[0]))
