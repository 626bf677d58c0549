"""Judging chunks of a corpus on Spark: `mapInArrow`, columns in and verdicts out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ....semantics.model.errors import UnsupportedError
from ..corpus_file import SPARK_CORPUS
from ..plan import Chunk
from ..row_verdicts import judge_batches
from ..verdict_files import SPARK_VERDICTS
from .causes import cause_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# While one chunk is in its last tasks, the next one's keep the other cores busy.
_AT_ONCE = 2

_BATCH_ROWS = "1000"
_ROWS_A_TASK = 250  # fewer are not worth a task
_TASKS_A_CORE = 4  # so that the last ones end at about the same time
_QUERIES_A_TASK = 8  # enough for tasks of about one size


class SparkJudge:
    """Judges chunks of one corpus on one Spark session.

    `partitions` is the number of tasks a chunk is cut into (None: as suits its size and the cores).
    Rows with equal queries go to one task, if there are enough different ones among the `queries`
    to keep all tasks busy.
    """

    def __init__(
        self,
        session: SparkSession,
        corpus: Path,
        engine_name: str,
        timeout: float,
        *,
        partitions: int | None,
        queries: int,
    ) -> None:
        self.session = session
        self.partitions = partitions
        self.queries = queries
        self.judge = partial(
            judge_batches,
            engine_name=engine_name,
            timeout=timeout,
            search_path=_own_paths(),
        )
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _BATCH_ROWS)
        self.rows = session.read.schema(SPARK_CORPUS).parquet(corpus.resolve().as_uri())

    def judged(self, chunks: list[Chunk]) -> Iterator[tuple[Chunk, pa.Table]]:
        """Each chunk with its verdicts, in the order in which they are done."""
        waiting = iter(chunks)
        running: dict[Future[pa.Table], Chunk] = {}
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="chunk") as threads:
            try:
                while True:
                    while len(running) < _AT_ONCE and (chunk := next(waiting, None)) is not None:
                        running[threads.submit(self._chunk, chunk)] = chunk
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield running.pop(future), future.result()
            except BaseException:
                self.session.sparkContext.cancelAllJobs()
                raise

    def _chunk(self, chunk: Chunk) -> pa.Table:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        number = self.rows["number"]
        rows: DataFrame = self.rows.where((number >= chunk.first) & (number < chunk.end))
        tasks = self.partitions or self._tasks(chunk)
        keys = ["query"] if self.queries >= _QUERIES_A_TASK * tasks else ["query", "number"]
        rows = rows.repartition(tasks, *keys).sortWithinPartitions("query", "number")
        try:
            table: pa.Table = rows.mapInArrow(self.judge, SPARK_VERDICTS).toArrow()
        except (PySparkException, Py4JError) as error:
            cause = cause_of(error)
            raise UnsupportedError(f"Spark failed in chunk {chunk.index}: {cause}") from error
        return table

    def _tasks(self, chunk: Chunk) -> int:
        cores = self.session.sparkContext.defaultParallelism
        return min(max(chunk.rows // _ROWS_A_TASK, cores), _TASKS_A_CORE * cores)


def _own_paths() -> tuple[str, ...]:
    """The entries of sys.path besides the interpreter's own: engines may live there."""
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    paths = [Path(entry or os.curdir).resolve() for entry in ("", *sys.path)]
    own = [p for p in paths if p.is_dir() and not any(p.is_relative_to(i) for i in installed)]
    return tuple(dict.fromkeys(map(str, own)))
