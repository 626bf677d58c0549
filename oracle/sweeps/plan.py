"""Cutting a corpus into chunks: ranges of row numbers that are judged and committed together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...semantics.model.errors import CaseError
from .corpus_file import open_corpus

# What tells whether equal queries are spread thinly enough to deal out whole.
_LOOKED_AT = 100_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows with `first` <= number < `end`; there are `rows` of them."""

    index: int
    first: int
    end: int
    rows: int


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The chunks of a corpus that hold anything, in order."""

    chunks: tuple[Chunk, ...]
    queries: int
    """How many different queries there are among the first rows."""

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)


def plan(corpus: Path, *, chunk: int, limit: int | None) -> SweepPlan:
    """The chunks of the corpus's first `limit` rows, `chunk` row numbers each.

    Raises CaseError if the corpus is empty or two rows have one id.
    """
    with open_corpus(corpus) as file:
        numbers = file.read(columns=["number"]).column("number").to_numpy()
        ids = file.read(columns=["id"]).column("id")
        queries = _distinct_queries(next(file.iter_batches(_LOOKED_AT, columns=["query"]), None))
    _check_ids(ids, corpus)
    numbers = np.sort(numbers)[:limit]
    if len(numbers) == 0:
        raise CaseError("there is no case in this corpus", source=str(corpus))
    if numbers[0] < 0 or len(np.unique(numbers)) != len(numbers):
        raise CaseError("the rows' numbers are not different natural numbers", source=str(corpus))
    end = int(numbers[-1]) + 1
    held, counts = np.unique(numbers // chunk, return_counts=True)
    return SweepPlan(
        tuple(
            Chunk(int(index), int(index) * chunk, min((int(index) + 1) * chunk, end), int(rows))
            for index, rows in zip(held, counts, strict=True)
        ),
        queries,
    )


def _distinct_queries(batch: pa.RecordBatch | None) -> int:
    return 0 if batch is None else int(pc.count_distinct(batch.column("query")).as_py())


def _check_ids(ids: pa.ChunkedArray, corpus: Path) -> None:
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    counts = pc.value_counts(ids)
    twice = next(entry["values"] for entry in counts.to_pylist() if entry["counts"] > 1)
    raise CaseError(f"two cases have the id '{twice}'", source=str(corpus))
