"""Checking rows of a corpus, in whatever process they arrive: Spark's workers, or a plain pool's.

A process makes its engine once and keeps the queries and streams that it has parsed, so rows with
equal queries are best checked one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from ...semantics.model.errors import DenotaError
from ..checking.case_checker import check_case
from ..checking.verdicts import Outcome, Verdict
from ..checking.worker_pool import CheckWorker, check_workers, side_by_side
from ..engines.engine import Engine
from .corpus_file import CorpusRow, case_of
from .verdict_sum import VERDICT_SCHEMA


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """A row of the verdict files, but for the case's id: see `verdict_sum.VERDICT_SCHEMA`."""

    outcome: str
    missing: int = 0
    unexpected: int = 0
    repeated: int = 0
    detail: str = ""
    seconds: float = 0.0


def verdict_batch(rows: Iterable[CorpusRow], verdicts: Iterable[RowVerdict]) -> pa.RecordBatch:
    """Return the verdicts on rows, as columns."""
    columns: dict[str, list[Any]] = {name: [] for name in VERDICT_SCHEMA.names}
    for row, verdict in zip(rows, verdicts, strict=True):
        columns["number"].append(row.number)
        columns["id"].append(row.id)
        for name, value in asdict(verdict).items():
            columns[name].append(value)
    return pa.RecordBatch.from_pydict(columns, schema=VERDICT_SCHEMA)


_judging: list[tuple[tuple[str, float], CheckWorker[CorpusRow]]] = []


def worker_for(engine_name: str, timeout: float) -> CheckWorker[CorpusRow]:
    """Return the worker of this process; it is kept while engine and time limit stay the same."""
    key = (engine_name, timeout)
    if not _judging or _judging[0][0] != key:
        for _, worker in _judging:
            worker.close()
        _judging[:] = [(key, CheckWorker(engine_name, timeout, check_row))]
    return _judging[0][1]


def check_rows(
    rows: Iterable[CorpusRow], engine_name: str, timeout: float
) -> Iterator[RowVerdict]:
    """Yield the verdicts on rows, one after the other."""
    with check_workers(engine_name, timeout, check_row) as several:
        yield from row_verdicts(several, rows)


def row_verdicts(
    several: Sequence[CheckWorker[CorpusRow]], rows: Iterable[CorpusRow]
) -> Iterator[RowVerdict]:
    """Yield the verdicts of these workers on rows."""
    return (row_verdict(verdict) for verdict, _ in side_by_side(several, rows))


def check_row(row: CorpusRow, engine: Engine, /, *, timeout: float | None) -> Verdict:
    """Return the verdict on one row."""
    try:
        return check_case(case_of(row), engine, timeout=timeout)
    except DenotaError as error:  # a malformed row, or nothing that the oracle could answer
        return Verdict(Outcome.UNSUPPORTED, detail=str(error))
    except Exception as error:  # the engine's own are verdicts already
        detail = f"the oracle failed: {type(error).__name__}: {error}"
        return Verdict(Outcome.CRASH, detail=detail)


def row_verdict(verdict: Verdict) -> RowVerdict:
    """Return a verdict as the verdict files keep it."""
    return RowVerdict(
        str(verdict.outcome),
        len(verdict.missing),
        len(verdict.unexpected),
        len(verdict.duplicate),
        verdict.detail,
        verdict.seconds,
    )
