"""A key's state on Spark: the production engine, between micro-batches as a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from .....engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from .....engine.checkpoints.streaming_query import RunningQuery, state_of, taken_up
from .....engine.tuning import capacities
from .asked_run import AskedRun
from .key_chunks import items_of, tuples_of
from .keyed_time import POSITION, on_the_clock

STATE = "engine binary, until long"
RESULTS = "at bigint, result string"

_NODES = 64  # of a CEQL engine's ring at first: a key has few runs


@dataclass
class KeyedEngine:
    """The engine of one key, or of one group of keys."""

    asked: AskedRun
    running: RunningQuery
    positions: list[int]
    """Of tuples: where those that the engine counts from `forgotten` on stand in the stream."""
    measures: list[int]
    """What the window measures of them; none where it is an attribute, or there is no window."""
    forgotten: int = 0

    @staticmethod
    def fresh(asked: AskedRun, start: int | None) -> KeyedEngine:
        return KeyedEngine(asked, _made(asked, start, ()), [], [])

    @staticmethod
    def resumed(asked: AskedRun, start: int | None, content: bytes) -> KeyedEngine:
        checkpoint = parsed(content)
        with capacities(nodes=_NODES):
            running = taken_up(lambda known: _made(asked, start, known), checkpoint.state)
        about = checkpoint.about
        positions, measures, forgotten = about["tuples"]
        return KeyedEngine(asked, running, positions, measures, forgotten)

    def saved(self) -> bytes:
        about = {"tuples": [self.positions, self.measures, self.forgotten]}
        return written(Checkpoint(about, state_of(self.running)))

    # --- tuples ---

    def take_tuples(self, content: bytes) -> Iterator[tuple[int, Any]]:
        """The results that a chunk makes certain, each with the position where it ends."""
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
        """Of positions that have left the window nobody asks any more."""
        if self.measures and self.asked.span is not None:
            oldest = self.measures[-1] - self.asked.span
            gone = next(n for n, measure in enumerate(self.measures) if measure >= oldest)
            del self.positions[:gone], self.measures[:gone]
            self.forgotten += gone

    # --- items ---

    def take_items(self, items: list[Any]) -> Iterator[tuple[int, Any]]:
        """The results that these items make certain, each with its time."""
        for item in items:
            for result in self.running.take(item):
                yield result.time, result


def _made(asked: AskedRun, start: int | None, dictionaries: Any) -> RunningQuery:
    evaluation = asked.evaluation if start is None else {**asked.evaluation, "from": start}
    with capacities(nodes=_NODES):
        running: RunningQuery = asked.language.running(
            asked.keyed, dictionaries, streams={}, kb=asked.graphs, readings=asked.readings,
            evaluation=evaluation,
        )
    return running


class KeyedState(StatefulProcessor):
    """What Spark calls for each key that something has come for, and when its window is over."""

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
        """The state goes when no later item can meet what it remembers."""
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
