"""The execution of one query on many streams, by an engine that is reset between them.

The engine is compiled once for all streams that tell it the same, and rewound between two
(`engine.checkpoints.reset`). The definitions are asked stream by stream, as they are always.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from ...engine.checkpoints.reset import NotResettable, StateReset
from ...semantics.model.errors import DenotaError
from ..languages.base import Inputs

Given: TypeAlias = Mapping[Any, Sequence[Any]]
Told: TypeAlias = tuple[Hashable, ...]

NOTHING: Mapping[Any, Any] = MappingProxyType({})


class OnManyStreams:
    """A query of `language`, asked of both sides: what `checking.batches.QueryOnMany` is.

    `kb` are its background graphs, `evaluation` is what its cases' `evaluate` says.
    """

    def __init__(
        self, language: Any, query: Any, readings: Any,
        kb: Mapping[Any, Any] = NOTHING, evaluation: Mapping[str, Any] = NOTHING,
    ) -> None:
        self._language = language
        self._query = query
        self._readings = readings
        self._kb = kb
        self._evaluation = evaluation
        self._resets: dict[Told, StateReset | None] = {}

    def rows(self, results: Iterable[Any]) -> Collection[Hashable]:
        """Return results as rows that are equal where they are compared as the same; a bag.

        Where a result is compared by all that it has, it is a row.
        """
        return list(results)

    def expected(self, batch: Sequence[Given]) -> Iterator[Collection[Hashable] | None]:
        """Yield the results of the definitions for each: a set, if they return one."""
        is_set = self._language.levels[0] in self._language.sets
        for streams in batch:
            try:
                rows = self.rows(self.denoted(streams))
            except DenotaError:  # what it has to do with the engine's, the case checker says
                yield None
            else:
                yield frozenset(rows) if is_set else rows

    def reported(self, batch: Sequence[Given]) -> Iterator[Collection[Hashable] | None]:
        """Yield the results of the engine for each, reset to its initial state."""
        for streams in batch:
            try:
                yield self.rows(self._answered(streams))
            except DenotaError:
                yield None

    def denoted(self, streams: Given) -> Iterable[Any]:
        """Return the results of the definitions for one."""
        results: Iterable[Any] = self._language.evaluate(self._query, **self._inputs(streams))
        return results

    def _answered(self, streams: Given) -> Iterable[Any]:
        told = _told(streams)
        if told not in self._resets:
            self._resets[told] = self._reset_for(streams)
        state_reset = self._resets[told]
        try:
            running = None if state_reset is None else state_reset.reset()
        except NotResettable:  # it has compiled itself anew, as it does when a background changes
            running = self._resets[told] = None
        if running is None:
            results: Iterable[Any] = self._language.run(self._query, **self._inputs(streams))
            return results
        return running.run(self._language.elements(running, self._query, streams))

    def _reset_for(self, streams: Given) -> StateReset | None:
        """Return the engine, compiled for these streams; None where it cannot be rewound, or where
        nothing tells it anything."""
        if not any(streams.values()):
            return None
        first = self._language.running(self._query, (), **self._inputs(streams))
        for arrival in self._language.elements(first, self._query, streams):
            first.take(arrival)
            break
        running = self._language.running(self._query, (), **self._inputs(streams))
        running.compile(first.compile_parameters())
        try:
            return StateReset(running)
        except NotResettable:
            return None

    def _inputs(self, streams: Given) -> Inputs:
        return Inputs(
            streams=streams, kb=self._kb, readings=self._readings, evaluation=self._evaluation
        )


def _told(streams: Given) -> Told:
    """Return the compile-time parameters of streams: their names, time kinds and first times."""
    return tuple(
        (name, items[0].kind, items[0].end) if items else (name, None, None)
        for name, items in streams.items()
    )
