"""Resident memory over a long stream, measured in a process that does nothing else."""

from __future__ import annotations

from measuring.memory import resident_mib

from denota.engine.ceql.runtime import CeqlEngine
from denota.semantics.ceql.syntax.parse import parse

from . import data
from .queries import QUERIES

_BATCH = 100_000


def report(events: int) -> None:
    """Print events and resident MiB ten times on the way; S3 with output, in batches."""
    engine = CeqlEngine(parse(QUERIES["S3"]))
    time = 0
    for first in range(0, events, _BATCH):
        batch = data.generated(_BATCH, seed=first, first=first, time=time)
        time = batch.column("stock_time")[-1].as_py()
        for _ in engine.batches(batch):
            pass
        done = first + _BATCH
        if done % max(_BATCH, events // 10) == 0:
            print(done, resident_mib(), flush=True)
