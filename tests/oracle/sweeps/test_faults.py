"""Faults during a sweep over ranks: no verdict is lost and no case is checked twice."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from denota.oracle.languages.enumeration import Bounds
from denota.oracle.sweeps.case_sources import CheckSettings, RankPiece, RankSource
from denota.oracle.sweeps.sweep import SweepOptions, sweep
from denota.oracle.sweeps.verdict_sum import VerdictSum
from denota.semantics.model.errors import DenotaError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BOUNDS = Bounds(1, 2, alphabet="single")
FIRST = 240

ENGINES = '''
import os
import signal
from pathlib import Path

from denota.engine.spaseq import run

held = []


def killer(query, *, streams, kb, readings, start):
    """Kills the process that judges, once: the worker of Spark's that has started this one."""
    if sum(map(len, streams.values())) == 2:
        try:
            Path("FOLDER/killed").touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getppid(), signal.SIGKILL)
            signal.pause()
    return run(query, streams, kb, readings, start)


def leaking(query, *, streams, kb, readings, start):
    """Keeps a megabyte of each case."""
    held.append(bytearray(os.urandom(16) * (1 << 16)))
    return run(query, streams, kb, readings, start)
'''


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ENGINE prefix of `ENGINES`."""
    name = f"faulty_{abs(hash(tmp_path))}"
    text = ENGINES.replace("FOLDER", str(tmp_path))
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"python:{name}"


def judged_here(first: int, end: int, settings: CheckSettings) -> VerdictSum:
    """The verdicts without Spark, in this process."""
    [found] = RankPiece("spaseq", BOUNDS, first, end).sums(settings)
    return found


@contextmanager
def full_disk(kept: int) -> Iterator[None]:
    """No file that this process writes can be longer than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kept, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.spark
@pytest.mark.slow
def test_a_killed_worker_costs_no_verdict(
    spark: SparkSession, tmp_path: Path, faulty: str
) -> None:
    options = SweepOptions(
        RankSource("spaseq", BOUNDS), tmp_path / "out", engine=f"{faulty}:killer", baseline=0,
        limit=FIRST, chunk=FIRST, timeout=1000.0,
    )
    report = sweep(options, spark=spark)
    assert (tmp_path / "killed").exists()
    assert report.outcomes == {"pass": FIRST}
    assert report.total.restarts >= 1
    assert report.total.digest == judged_here(0, FIRST, CheckSettings("production", 10.0)).digest
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["restarted_tasks"] >= 1


@pytest.mark.spark
def test_a_full_disk_and_a_damaged_chunk_cost_no_verdict(
    spark: SparkSession, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = SweepOptions(
        RankSource("spaseq", BOUNDS), out, baseline=0, limit=FIRST, chunk=100, verdicts="all"
    )
    with full_disk(1500), pytest.raises(DenotaError) as failed:  # the manifest is shorter
        sweep(options, spark=spark)
    assert "chunk-00000" in str(failed.value)
    assert "too large" in str(failed.value)
    assert list((out / "verdicts").iterdir()) == []
    report = sweep(replace(options, resume=True), spark=spark)
    assert (report.cases, report.judged) == (FIRST, FIRST)
    files = sorted((out / "verdicts").iterdir())
    assert len(files) == 3
    damaged = bytearray(files[1].read_bytes())
    damaged[100] ^= 1
    files[1].write_bytes(damaged)
    before = [file.stat().st_mtime_ns for file in files]
    again = sweep(replace(options, resume=True), spark=spark)
    after = [file.stat().st_mtime_ns for file in files]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True]
    assert (again.cases, again.judged) == (FIRST, 100)
    assert again.total.digest == report.total.digest
    [reason] = again.removed
    assert "chunk-000001" in reason
    assert json.loads((out / "summary.json").read_text())["unreadable_chunks"] == [reason]


def test_a_leaking_engine_is_begun_anew(faulty: str) -> None:
    usual = judged_here(0, 60, CheckSettings("production", 10.0))
    settings = CheckSettings(f"{faulty}:leaking", 10.0, most_held=1)
    parts = [judged_here(first, first + 20, settings) for first in range(0, 60, 20)]
    assert [part.renewed for part in parts] == [1, 1, 1]
    total = VerdictSum()
    for part in parts:
        total.add(part)
    assert (total.digest, total.outcomes) == (usual.digest, usual.outcomes)


def test_what_is_lost_with_a_batch_is_judged_alone_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import os

    from denota.oracle.checking import batch_checker

    usual = judged_here(0, FIRST, CheckSettings("production", 10.0))
    parent = os.getpid()

    def dying(self: object, run: object) -> list[int]:
        assert os.getpid() != parent
        os._exit(9)

    monkeypatch.setattr(batch_checker.BatchLook, "left", dying)
    # Another worker, so another process.
    found = judged_here(0, FIRST, CheckSettings("production", 11.0))
    assert (found.digest, found.outcomes) == (usual.digest, usual.outcomes)
    why = "the batch was lost: the process ended (exit code 9)"
    assert found.alone == {why: FIRST}
    assert found.ranges == [(0, FIRST, why)]
    assert not usual.alone
