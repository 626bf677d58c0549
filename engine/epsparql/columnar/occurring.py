"""The triples of a batch as they occur, and those of them that match a triple pattern."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from ....semantics.model.terms import Variable
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.columns.matching.predicates import partition
from ..blocks import Pattern
from ..rows import Occurrence


class Occurring:
    """The triples of a batch, those left out that occur a second time at one instant."""

    def __init__(self, batch: GraphBatch, before: AbstractSet[Occurrence], now: float) -> None:
        """`before` are the occurrences so far at the instant `now`, which may not be over."""
        self.start, self.end = batch.start, batch.time
        self._triples = partition(_first_times(batch, before, now))

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
    offsets = np.concatenate(([0], np.cumsum(fresh)))[batch.offsets]
    return replace(
        batch, offsets=offsets, subject=batch.subject[fresh], predicate=batch.predicate[fresh],
        object=batch.object[fresh],
    )


def latest_of(batch: GraphBatch) -> set[Occurrence]:
    """The occurrences of the last instant"""
    first = int(np.searchsorted(batch.time, batch.time[-1]))
    here = batch.cut(first, len(batch))
    items = np.repeat(np.arange(len(here)), np.diff(here.offsets))
    columns = (here.subject, here.predicate, here.object, here.start[items], here.time[items])
    return set(zip(*(column.tolist() for column in columns), strict=True))
