"""The same judging without Spark: a plain pool of processes, over a sample of the corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..judging.pool import Judge
from .corpus_file import CorpusRow, open_corpus, rows_of
from .row_verdicts import judge_row, row_verdicts

DEFAULT_SAMPLE = 4_000
_BATCH = 250


@dataclass(frozen=True, slots=True)
class Baseline:
    """How fast the pool was: `seconds` from the first case to the last, its start left out."""

    processes: int
    cases: int
    seconds: float

    @property
    def cases_per_second(self) -> float:
        return self.cases / self.seconds


def sample(corpus: Path, size: int, *, limit: int | None) -> list[CorpusRow]:
    """About `size` rows: all those of every k-th query, so that queries recur as in the corpus."""
    with open_corpus(corpus) as file:
        table = file.read()
    table = table.sort_by("number").slice(0, limit)
    if table.num_rows > size:
        codes = pc.dictionary_encode(table.column("query")).combine_chunks().indices.to_numpy()
        wanted = np.flatnonzero(codes % (table.num_rows // size) == 0)
        if len(wanted) > size:  # the queries are so few that one has more rows than the sample
            wanted = wanted[np.linspace(0, len(wanted) - 1, size).astype(np.int64)]
        table = table.take(pa.array(wanted))
    rows = [row for batch in table.to_batches() for row in rows_of(batch)]
    return sorted(rows, key=lambda row: (row.query, row.number))


def measure(
    rows: list[CorpusRow], engine_name: str, timeout: float, processes: int
) -> Baseline | None:
    """Judge the rows in a pool; None if one of the pool's processes was killed."""
    # Fresh interpreters: a fork would inherit the threads and the cached parses of this one.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        try:
            # Every process is busy at once, so every one is started and has its engine.
            list(pool.map(_start, [(engine_name, timeout)] * processes))
            began = perf_counter()
            batches = [(batch, engine_name, timeout) for batch in _batches(rows)]
            judged_rows = sum(pool.map(_judge, batches))
            return Baseline(processes, judged_rows, perf_counter() - began)
        except BrokenProcessPool:
            return None


def local_processes(master: str) -> int:
    """How many processes `master` stands for on this machine (all cores if it is not local[n])."""
    inside = master.removeprefix("local").strip("[]").split(",")[0]
    if master == "local":
        return 1
    return int(inside) if inside.isdigit() else len(os.sched_getaffinity(0))


@cache
def _judge_of(engine_name: str, timeout: float) -> Judge[CorpusRow]:
    """This process's judge."""
    return Judge(engine_name, timeout, judge_row)


def _start(engine: tuple[str, float]) -> None:
    _judge_of(*engine)


def _judge(work: tuple[list[CorpusRow], str, float]) -> int:
    rows, engine_name, timeout = work
    return sum(1 for _ in row_verdicts([_judge_of(engine_name, timeout)], rows))


def _batches(rows: list[CorpusRow]) -> Iterator[list[CorpusRow]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
