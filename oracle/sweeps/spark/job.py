"""Judging chunks on Spark, two at a time: their verdicts come back added up."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

from ....semantics.model.errors import UnsupportedError
from ..case_sources.case_source import Chunk, Frames
from ..verdict_sum import VerdictSum
from .causes import cause_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# While one chunk is in its last tasks, the next one's keep the other cores busy.
_AT_ONCE = 2


class SparkJudge:
    """Judges chunks on one Spark session; `frames` says what is to be judged in a chunk."""

    def __init__(self, session: SparkSession, frames: Frames) -> None:
        self.session = session
        self.frames = frames

    def judged(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, VerdictSum]]:
        """Each chunk with its verdicts, in the order in which they are done."""
        waiting = iter(chunks)
        running: dict[Future[VerdictSum], Chunk] = {}
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

    def _chunk(self, chunk: Chunk) -> VerdictSum:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            return VerdictSum.total(self.frames(chunk).toArrow())
        except (PySparkException, Py4JError) as error:
            cause = cause_of(error)
            raise UnsupportedError(f"Spark failed in chunk {chunk.index}: {cause}") from error


def own_paths() -> tuple[str, ...]:
    """The entries of sys.path besides the interpreter's own: engines may live there."""
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    paths = [Path(entry or os.curdir).resolve() for entry in ("", *sys.path)]
    own = [p for p in paths if p.is_dir() and not any(p.is_relative_to(i) for i in installed)]
    return tuple(dict.fromkeys(map(str, own)))
