"""What Spark costs a sweep over ranks: the same cases in a plain pool, and on Spark, in one run.

    python bench/sweeps_on_spark.py [LANGUAGE …] [--size 2] [--length 3] [--cases 20000] [--cores 2]

In processor time of all processes (the pool's, or Java and Spark's workers), so that it says
something on a machine that others use, too; seconds by the clock stand beside it. Both begin warm:
their processes are started and have checked some of the cases.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

from measuring.process_trees import processor_seconds, resident_bytes

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import having
from denota.oracle.sweeps.case_sources import CheckSettings, Chunk, RankPiece, RankSource, SweepPlan
from denota.oracle.sweeps.spark.session import spark_session
from denota.oracle.sweeps.sweep import SparkChecker, own_paths
from denota.oracle.sweeps.verdict_sum import VerdictSum

SETTINGS = CheckSettings("production", 10.0, "against")
ALPHABETS = {"spaseq": "keys"}


def judged(piece: RankPiece) -> VerdictSum:
    """What a process of the pool does."""
    [found] = piece.sums(SETTINGS)
    return found


Run: TypeAlias = Callable[[list[Chunk]], VerdictSum]
"""Checks chunks."""


def in_a_pool(source: RankSource, cores: int) -> Run:
    """Checks in a pool; a chunk is cut as Spark cuts it."""
    pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"))

    def run(chunks: list[Chunk]) -> VerdictSum:
        pieces = [
            RankPiece(
                source.language, source.bounds, *(c.first + c.rows * k // parts for k in (p, p + 1))
            )
            for c in chunks for parts in [4 * cores] for p in range(parts)
        ]
        total = VerdictSum()
        for found in pool.map(judged, pieces):
            total.add(found)
        return total

    return run


def on_spark(source: RankSource, session: Any) -> Run:
    """Checks on Spark."""
    frames = source.frames(
        session, SETTINGS, partitions=None, planned=SweepPlan(()), search_path=own_paths(),
    )

    def run(chunks: list[Chunk]) -> VerdictSum:
        total = VerdictSum()
        for _, found in SparkChecker(session, frames).judged(chunks):
            total.add(found)
        return total

    return run


def measured(run: Run, chunks: list[Chunk]) -> tuple[float, dict[str, float], VerdictSum]:
    """Seconds by the clock, and of processors by program; the first chunk is for warming up."""
    run(chunks[:1])
    before, began = processor_seconds(os.getpid()), perf_counter()
    found = run(chunks)
    seconds = perf_counter() - began
    after = processor_seconds(os.getpid())
    return seconds, {name: after[name] - before[name] for name in after}, found


def main() -> None:
    able = [name for name in having("batch") if name in having("enumerate")]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", choices=[*able, []], metavar="LANGUAGE")
    parser.add_argument("--size", type=int, default=2, help="operators of a query")
    parser.add_argument("--length", type=int, default=3, help="events")
    parser.add_argument("--cases", type=int, default=60_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--chunk", type=int, default=20_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, spark_session(
        f"local[{asked.cores}]", Path(folder, "spark.log")
    ) as session:
        for name in asked.languages or able:
            bounds = Bounds(asked.size, asked.length, alphabet=ALPHABETS.get(name, ""))
            source = RankSource(name, bounds)
            chunks = list(source.plan(asked.chunk, asked.cases).chunks)
            digests = []
            for where, run in (
                ("pool", in_a_pool(source, asked.cores)), ("Spark", on_spark(source, session)),
            ):
                seconds, processor, found = measured(run, chunks)
                taken = sum(processor.values())
                digests.append(found.digest)
                by = ", ".join(f"{each} {used:.1f} s" for each, used in processor.items() if used)
                print(
                    f"{name}: {where} of {asked.cores}: {found.cases:,} cases in {seconds:.1f} s; "
                    f"{found.cases / taken:,.0f} cases a second of one processor ({by})",
                    flush=True,
                )
            assert digests[0] == digests[1]
        most = max(resident_bytes(os.getpid()).values(), key=lambda each: each[1])
        print(f"the largest process is {most[0]} with {most[1] >> 20:,} MiB")


if __name__ == "__main__":
    main()
