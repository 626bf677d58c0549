"""Judging rows of a corpus, in whatever process they arrive: Spark's workers, or a plain pool's.

A process makes its engine once and keeps the queries and streams that it has parsed, so rows with
equal queries are best judged one after the other.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from time import perf_counter
from typing import Any

import pyarrow as pa

from ...semantics.errors import DenotaError
from ..engines import Engine, engine
from ..judging import judge_case
from ..verdicts import Outcome, Verdict
from .apart import ended, ending
from .corpus_cases import case_of
from .corpus_file import CorpusRow, rows_of
from .verdict_files import VERDICT_SCHEMA

_PATIENCE = 30.0
"""Seconds beyond the time that an engine has, for everything else that has to be done."""

_REARM = 5.0


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """A row of the verdict files, but for the case's id: see `verdict_files.VERDICT_SCHEMA`."""

    outcome: str
    missing: int = 0
    unexpected: int = 0
    detail: str = ""
    seconds: float = 0.0


def judge_batches(
    batches: Iterable[pa.RecordBatch],
    engine_name: str,
    timeout: float,
    *,
    isolated: bool = False,
    search_path: tuple[str, ...] = (),
) -> Iterator[pa.RecordBatch]:
    """The verdicts on batches of corpus rows, columns in and columns out.

    With `isolated`, cases are judged in a further process each time, so that an engine that takes
    its process down is a verdict. `search_path` is where else the engine's module may be found.
    """
    sys.path += [entry for entry in search_path if entry not in sys.path]
    judge_all = judge_rows_apart if isolated else judge_rows
    for batch in batches:
        rows = list(rows_of(batch))
        yield verdict_batch(rows, judge_all(rows, engine_name, timeout))


def verdict_batch(rows: Iterable[CorpusRow], verdicts: Iterable[RowVerdict]) -> pa.RecordBatch:
    """The verdicts on rows, as columns."""
    columns: dict[str, list[Any]] = {name: [] for name in VERDICT_SCHEMA.names}
    for row, verdict in zip(rows, verdicts, strict=True):
        columns["number"].append(row.number)
        columns["id"].append(row.id)
        for name, value in asdict(verdict).items():
            columns[name].append(value)
    return pa.RecordBatch.from_pydict(columns, schema=VERDICT_SCHEMA)


def judge_rows(
    rows: Iterable[CorpusRow], engine_name: str, timeout: float
) -> Iterator[RowVerdict]:
    """The verdicts on rows, one after the other."""
    watchdog = _Watchdog(2 * timeout + _PATIENCE)
    try:
        for row in rows:
            watchdog.feed()
            yield judge_row(row, engine_name, timeout)
    finally:
        watchdog.end()


def judge_row(row: CorpusRow, engine_name: str, timeout: float) -> RowVerdict:
    """The verdict on one row."""
    try:
        case = case_of(row)
        verdict = judge_case(case, judged_engine(engine_name, timeout), timeout=timeout)
    except DenotaError as error:  # a malformed row, or nothing that the oracle could answer
        return RowVerdict(str(Outcome.UNSUPPORTED), detail=str(error))
    except Exception as error:  # the engine's own are verdicts already
        detail = f"the oracle failed: {type(error).__name__}: {error}"
        return RowVerdict(str(Outcome.CRASH), detail=detail)
    return row_verdict(verdict)


def row_verdict(verdict: Verdict) -> RowVerdict:
    """A verdict as the verdict files keep it."""
    return RowVerdict(
        str(verdict.outcome),
        len(verdict.missing),
        len(verdict.unexpected),
        verdict.detail,
        verdict.seconds,
    )


@cache
def judged_engine(name: str, timeout: float) -> Engine:
    """This process's engine of this name."""
    return engine(name, timeout=timeout)


# --- processes that may die ----------------------------------------------------------------------


def judge_rows_apart(
    rows: Sequence[CorpusRow], engine_name: str, timeout: float
) -> Iterator[RowVerdict]:
    """As `judge_rows`, in a child process: if it dies that is a verdict, and a new one goes on."""
    left = rows
    while left:
        judged = 0
        with _Child(left, engine_name, timeout) as child:
            for verdict in child.verdicts():
                yield verdict
                judged += 1
        left = left[judged:]


class _Child:
    """A fork of this process that judges rows and sends each verdict as a line of JSON."""

    def __init__(self, rows: Sequence[CorpusRow], engine_name: str, timeout: float) -> None:
        self.count = len(rows)
        self.timeout = timeout
        self.received = b""
        self.pipe, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            try:
                with os.fdopen(writing, "w", encoding="utf-8") as stream:
                    for row in rows:
                        verdict = judge_row(row, engine_name, timeout)
                        print(json.dumps(asdict(verdict)), file=stream, flush=True)
            finally:
                os._exit(1)
        os.close(writing)

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self.pipe)
        if self.pid:
            self.end()

    def verdicts(self) -> Iterator[RowVerdict]:
        """Those that the child has sent; if it ends early, the last one says how."""
        for _ in range(self.count):
            began = perf_counter()
            line = self.line(began + 2 * self.timeout + _PATIENCE)
            if line is None:
                self.end()
                detail = f"no answer within {self.timeout:g} s"
                yield RowVerdict(str(Outcome.TIMEOUT), detail=detail, seconds=_since(began))
                return
            if not line:
                detail = f"the process ended ({ending(self.end())})"
                yield RowVerdict(str(Outcome.CRASH), detail=detail, seconds=_since(began))
                return
            yield RowVerdict(**json.loads(line))

    def line(self, deadline: float) -> bytes | None:
        """The next line; empty if the child ended before it was complete, None if time is up."""
        while b"\n" not in self.received:
            ready, _, _ = select.select([self.pipe], [], [], max(0.0, deadline - perf_counter()))
            if not ready:
                return None
            more = os.read(self.pipe, 1 << 16)
            if not more:
                return b""
            self.received += more
        line, _, self.received = self.received.partition(b"\n")
        return line

    def end(self) -> int:
        """Make sure that the child has ended; how it did, as os.waitpid says."""
        pid, self.pid = self.pid, 0
        return ended(pid)


def _since(began: float) -> float:
    return perf_counter() - began


class _Watchdog:
    """Ends this process if it is not fed for `seconds`: not even a signal reaches a stuck C call.

    Arming costs more than judging a small case, so it is done every few seconds only.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._armed = float("-inf")
        self._silent = open(os.devnull, "w")  # noqa: SIM115  (open for as long as the dog)

    def feed(self) -> None:
        now = perf_counter()
        if now - self._armed > _REARM:
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=self._silent)
            self._armed = now

    def end(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self._silent.close()


__all__ = [
    "RowVerdict", "judge_batches", "judge_row", "judge_rows", "judge_rows_apart", "judged_engine",
    "row_verdict", "verdict_batch",
]
