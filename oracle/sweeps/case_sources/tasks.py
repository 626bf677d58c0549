"""What a task of Spark's does: it judges pieces, and says their sums."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from .case_source import Chunk, Judging, Piece

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROWS_A_TASK = 250  # fewer are not worth a task
_TASKS_A_CORE = 4  # so that the last ones end at about the same time


def judged_pieces(
    batches: Iterable[pa.RecordBatch],
    *,
    pieces: Callable[[pa.RecordBatch], Sequence[Piece]],
    judging: Judging,
    search_path: tuple[str, ...] = (),
) -> Iterator[pa.RecordBatch]:
    """The sums of what batches stand for, each as a row (`SPARK_SUMS`).

    `search_path` is where else the engine's module may be found.
    """
    sys.path += [entry for entry in search_path if entry not in sys.path]
    again = _attempt()
    for batch in batches:
        for piece in pieces(batch):
            for found in piece.sums(judging):
                found.restarts, again = again, 0
                yield found.batch()
    _settled()


def tasks_of(chunk: Chunk, session: SparkSession) -> int:
    """Into how many tasks a chunk is best cut."""
    cores = session.sparkContext.defaultParallelism
    return min(max(chunk.rows // _ROWS_A_TASK, cores), _TASKS_A_CORE * cores)


@cache
def _settled() -> None:
    """What this process holds after its first task, it holds to its end.

    Spark collects garbage after every task, and would look through all of it: a tenth of a second.
    """
    gc.freeze()


def _attempt() -> int:
    """Return how often this task was begun before, in processes that were lost.

    It is a lower bound: a task of a repeated stage counts from 0, and Python does not see stages'
    attempts.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.attemptNumber())
