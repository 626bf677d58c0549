"""The same judging without Spark: a plain pool of processes, over a sample of the cases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter

from .case_sources.case_source import Judging, Piece

DEFAULT_SAMPLE = 4_000


@dataclass(frozen=True, slots=True)
class Baseline:
    """How fast the pool was: `seconds` from the first case to the last, its start left out."""

    processes: int
    cases: int
    seconds: float

    @property
    def cases_per_second(self) -> float:
        return self.cases / self.seconds


def measure(pieces: Sequence[Piece], judging: Judging, processes: int) -> Baseline | None:
    """Judge the pieces in a pool; None if one of the pool's processes was killed."""
    # Fresh interpreters: a fork would inherit the threads and the cached parses of this one.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        try:
            # Every process is busy at once, so every one is started and has its engine.
            list(pool.map(_judge, [(pieces[0], judging)] * processes))
            began = perf_counter()
            judged = sum(pool.map(_judge, [(piece, judging) for piece in pieces]))
            return Baseline(processes, judged, perf_counter() - began)
        except BrokenProcessPool:
            return None


def local_processes(master: str) -> int:
    """How many processes `master` stands for on this machine (all cores if it is not local[n])."""
    inside = master.removeprefix("local").strip("[]").split(",")[0]
    if master == "local":
        return 1
    return int(inside) if inside.isdigit() else len(os.sched_getaffinity(0))


def _judge(work: tuple[Piece, Judging]) -> int:
    piece, judging = work
    return sum(found.cases for found in piece.sums(judging))
