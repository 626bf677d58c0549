"""The triples of a batch as they occur, and those of them that match a triple pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.columns.matching.predicates import partition
from ..blocks import Pattern, Store
from ..rows import Occurrence


class Occurring:
    """The triples of a batch, those left out that occur a second time at one instant."""

    def __init__(self, batch: GraphBatch, before: AbstractSet[Occurrence], now: float) -> None:
        """`before` are the occurrences so far at the instant `now`, which may not be over."""
        self.start, self.end = batch.start, batch.time
        self.batch = _first_times(batch, before, now)
        self._triples = partition(self.batch)

    def matching(self, pattern: Pattern) -> tuple[Sequence[Column], Column]:
        """Subjects, predicates and objects of the triples that match, and their items"""
        predicate = pattern[1]
        everything = isinstance(predicate, Variable)
        triples = (
            self._triples.all if isinstance(predicate, Variable)
            else self._triples.having(predicate)
        )
        columns = [triples.subject, self._triples.predicate, triples.object]
        items = triples.item
        first: dict[Variable, int] = {}
        for place, term in enumerate(pattern):
            if not isinstance(term, Variable):
                if place == 1:
                    continue
                holds = columns[place] == term
            else:
                before = first.setdefault(term, place)
                if before == place:
                    continue
                holds = columns[before] == columns[place]
            columns = [
                each if place == 1 and not everything else each[holds]
                for place, each in enumerate(columns)
            ]
            items = items[holds]
        return columns, items


def _first_times(batch: GraphBatch, before: AbstractSet[Occurrence], now: float) -> GraphBatch:
    """The batch without triples that occur again at the instant, over the same interval"""
    ends = batch.time
    going_on = ends == now if before else np.zeros(len(ends), np.bool_)
    tied = going_on.copy()
    same = ends[1:] == ends[:-1]
    tied[1:] |= same
    tied[:-1] |= same
    if not bool(tied.any()):
        return batch
    items = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    whole = np.array(
        [batch.subject, batch.predicate, batch.object, batch.start[items], ends[items]]
    )
    fresh = np.ones(len(items), np.bool_)
    numbers = np.flatnonzero(tied[items])
    if numbers.size:
        order = numbers[np.lexsort(whole[:, numbers])]
        again = (whole[:, order[1:]] == whole[:, order[:-1]]).all(axis=0)
        fresh[order[1:][again]] = False
    for number in np.flatnonzero(going_on[items]).tolist():
        s, p, o, start, end = whole[:, number].tolist()
        fresh[number] &= (s, p, o, start, end) not in before
    return _only(batch, fresh)


def asked_for(batch: GraphBatch, store: Store) -> GraphBatch:
    """The batch without triples that a store does not look up"""
    predicates = np.unique(batch.predicate).tolist()
    wanted = [predicate for predicate in predicates if store.asks_for(predicate)]
    if len(wanted) == len(predicates):
        return batch
    return _only(batch, np.isin(batch.predicate, wanted))


def _only(batch: GraphBatch, chosen: NDArray[np.bool_]) -> GraphBatch:
    offsets = np.concatenate(([0], np.cumsum(chosen)))[batch.offsets]
    return replace(
        batch, offsets=offsets, subject=batch.subject[chosen], predicate=batch.predicate[chosen],
        object=batch.object[chosen],
    )


def latest_of(batch: GraphBatch) -> set[Occurrence]:
    """The occurrences of the last instant"""
    first = int(np.searchsorted(batch.time, batch.time[-1]))
    return set(occurrences(batch.cut(first, len(batch))))


def occurrences(batch: GraphBatch) -> Iterator[Occurrence]:
    """The triples with the intervals of their items"""
    items = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    columns = (batch.subject, batch.predicate, batch.object, batch.start[items], batch.time[items])
    return zip(*(column.tolist() for column in columns), strict=True)
