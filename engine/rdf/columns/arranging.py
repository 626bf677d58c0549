"""Columns put in order: what is done to batches of one stream, or of several, as wholes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rdflib.term import URIRef

from .batch import Column, GraphBatch


def taken(batch: GraphBatch, items: Column) -> GraphBatch:
    """The items with these numbers, in this order."""
    lengths = np.diff(batch.offsets)[items]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    rows = np.repeat(batch.offsets[items] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return replace(
        batch, stream=batch.stream[items], time=batch.time[items], start=batch.start[items],
        rank=batch.rank[items], offsets=offsets, subject=batch.subject[rows],
        predicate=batch.predicate[rows], object=batch.object[rows],
    )


def concatenated(batches: Sequence[GraphBatch]) -> GraphBatch:
    """The items of all of them, at least one, over the same dictionary and streams."""
    if len(batches) == 1:
        return batches[0]
    before = np.cumsum([0, *(batch.offsets[-1] for batch in batches)])
    ends = [
        batch.offsets[1:] + here for batch, here in zip(batches, before[:-1], strict=True)
    ]
    joined: Any = {
        name: np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("stream", "time", "start", "rank", "subject", "predicate", "object")
    }
    return replace(batches[0], offsets=np.concatenate(([0], *ends)), **joined)


def named(batch: GraphBatch, streams: tuple[URIRef, ...], number: int) -> GraphBatch:
    """The items as those of the stream with this number."""
    return replace(batch, streams=streams, stream=np.full(len(batch), number, np.int64))


def in_order(batch: GraphBatch) -> GraphBatch:
    """By time, then rank, then stream; else as they are."""
    return taken(batch, np.lexsort((batch.stream, batch.rank, batch.time)))


def first_of_tie(time: Column) -> NDArray[np.bool_]:
    """Of each item, whether the one before it is earlier, or there is none."""
    return np.concatenate(([True], time[1:] != time[:-1]))[:len(time)]


def ranked(batch: GraphBatch, first: int) -> GraphBatch:
    """The items with their ranks; `first` is that of the first one."""
    numbers = np.arange(len(batch))
    starts = first_of_tie(batch.time)
    ranks = numbers - np.maximum.accumulate(np.where(starts, numbers, 0))
    ranks[batch.time == batch.time[0]] += first
    return replace(batch, rank=ranks)


def ties_united(batch: GraphBatch) -> GraphBatch:
    """What is at one time is one item, in which no triple is twice."""
    starts = first_of_tie(batch.time)
    if starts.all():
        return batch
    item = np.repeat(np.cumsum(starts) - 1, np.diff(batch.offsets))
    rows = np.lexsort((batch.object, batch.predicate, batch.subject, item))
    item, triples = item[rows], [
        column[rows] for column in (batch.subject, batch.predicate, batch.object)
    ]
    new = np.ones(len(rows), np.bool_)
    if len(rows):
        new[1:] = item[1:] != item[:-1]
        for column in triples:
            new[1:] |= column[1:] != column[:-1]
    counts = np.bincount(item[new], minlength=int(starts.sum()))
    subject, predicate, obj = (column[new] for column in triples)
    return replace(
        batch, stream=batch.stream[starts], time=batch.time[starts], start=batch.start[starts],
        rank=batch.rank[starts], offsets=np.concatenate(([0], np.cumsum(counts))),
        subject=subject, predicate=predicate, object=obj,
    )
