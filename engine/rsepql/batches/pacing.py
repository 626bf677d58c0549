"""When the query is evaluated while items come in batches, and where its windows are then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import URIRef
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ...rdf.columns.batch import Column, GraphBatch
from ..plan import Plan
from ..reports.policies import ContentChange
from ..reports.schedule import Schedule
from .moving import NOTHING, SteppingWindow, WindowAtOnce, WindowColumns, found_at_once

Arrived = tuple[NDArray[np.bool_], Column]
"""Which items of a batch a window admits, and at what positions; the others' mean nothing"""
Due = Callable[[int | None, int | None], Iterator[int]]
"""The instants up to one (None: all) at which the query is evaluated, the latest item being at \
another; each is asked for once"""


class Pace(Protocol):
    """The windows of a query, in its order, as they move together."""

    @property
    def windows(self) -> Sequence[WindowColumns]: ...

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[Arrived]:
        """Items arrive, the one before them came at `latest`: what that is to each window."""

    def due(self, until: int | None, latest: int | None) -> Column:
        """The evaluations up to an instant; the windows have moved to them."""


class PaceOfItems:
    """What is new in a window is reported, so that no schedule need be asked."""

    def __init__(self, windows: Sequence[WindowAtOnce], evaluation: Evaluation) -> None:
        self.windows = windows
        self._first, self._last = evaluation.first, evaluation.last

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[Arrived]:
        arrived = []
        for window in self.windows:
            mine = batch.stream == _number(batch, window.stream)
            times = batch.time[mine]
            position = np.zeros(len(batch), np.int64)
            position[mine] = window.arrive(times)
            admitted = window.admitted(times)
            if admitted is not None:
                mine[mine] = admitted
            arrived.append((mine, position))
        return arrived

    def due(self, until: int | None, latest: int | None) -> Column:
        due = [window.due(until) for window in self.windows]
        instants = due[0] if len(due) == 1 else np.unique(np.concatenate(due))
        if self._first is not None:
            instants = instants[instants >= self._first]
        if self._last is not None:
            instants = instants[instants <= self._last]
        for window in self.windows:
            window.move(instants)
        return instants


class PaceOfSchedule:
    """The schedule says when, as it does item by item."""

    def __init__(
        self, windows: Sequence[SteppingWindow], schedule: Schedule, due: Due
    ) -> None:
        self.windows = windows
        self._schedule = schedule
        self._due = due
        self._instants: list[int] = []

    def arrive(self, batch: GraphBatch, latest: int | None) -> list[Arrived]:
        on: dict[URIRef, list[tuple[int, SteppingWindow]]] = {}
        for place, window in enumerate(self.windows):
            on.setdefault(window.stream, []).append((place, window))
        listening = [(iri, on.get(iri, [])) for iri in batch.streams]
        items: list[list[int]] = [[] for _ in self.windows]
        positions: list[list[int]] = [[] for _ in self.windows]
        heads = zip(batch.stream.tolist(), batch.time.tolist(), strict=True)
        for number, (stream, time) in enumerate(heads):
            if time != latest:
                self._note(time - 1, latest)
                latest = time
            iri, concerned = listening[stream]
            for place, window in concerned:
                position = window.arrive(time)
                if position is not None:
                    items[place].append(number)
                    positions[place].append(position)
            self._schedule.arrive(iri, time)
        arrived = []
        for mine, where in zip(items, positions, strict=True):
            admitted, position_of = np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.int64)
            admitted[mine] = True
            position_of[mine] = where
            arrived.append((admitted, position_of))
        return arrived

    def _note(self, until: int | None, latest: int | None) -> None:
        for t in self._due(until, latest):
            self._instants.append(t)
            for window in self.windows:
                window.note(t)

    def due(self, until: int | None, latest: int | None) -> Column:
        self._note(until, latest)
        instants, self._instants = self._instants, []
        for window in self.windows:
            window.move()
        return np.array(instants, np.int64) if instants else NOTHING


def pace(plan: Plan, schedule: Schedule, evaluation: Evaluation, due: Due) -> Pace:
    """The pace of a query whose windows are columnar."""
    if evaluation.at is None and evaluation.policy == "content-change":
        at_once = [
            WindowAtOnce(window, reporter)
            for window, reporter in zip(plan.windows, schedule.reporters, strict=True)
            if isinstance(reporter, ContentChange) and found_at_once(window.function)
        ]
        if len(at_once) == len(plan.windows):
            return PaceOfItems(at_once, evaluation)
    return PaceOfSchedule([SteppingWindow(each) for each in plan.windows], schedule, due)


def _number(batch: GraphBatch, stream: URIRef) -> int:
    return batch.streams.index(stream) if stream in batch.streams else -1
