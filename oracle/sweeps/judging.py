"""Judging rows of a corpus, in whatever process they arrive: Spark's workers, or a plain pool's.

A process makes its engine once and keeps the queries and streams that it has parsed, so rows with
equal queries are best judged one after the other.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

import pyarrow as pa

from ...semantics.errors import DenotaError
from ..engines import Engine, engine
from ..judging import judge_case
from ..verdicts import Outcome, Verdict
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


JudgeRow: TypeAlias = Callable[[CorpusRow, str, float], RowVerdict]


def judge_batches(
    batches: Iterable[pa.RecordBatch],
    engine_name: str,
    timeout: float,
    *,
    isolated: bool = False,
    search_path: tuple[str, ...] = (),
) -> Iterator[pa.RecordBatch]:
    """The verdicts on batches of corpus rows, columns in and columns out.

    With `isolated`, each case has a process of its own, so that an engine that takes its process
    down is a verdict. `search_path` is where else the engine's module may be found.
    """
    sys.path += [entry for entry in search_path if entry not in sys.path]
    judge_one = judge_row_apart if isolated else judge_row
    for batch in batches:
        yield judged(rows_of(batch), engine_name, timeout, judge_one)


def judged(
    rows: Iterable[CorpusRow], engine_name: str, timeout: float, judge_one: JudgeRow
) -> pa.RecordBatch:
    """The verdicts on rows, as columns."""
    columns: dict[str, list[Any]] = {name: [] for name in VERDICT_SCHEMA.names}
    watchdog = _Watchdog(2 * timeout + _PATIENCE)
    try:
        for row in rows:
            watchdog.feed()
            verdict = judge_one(row, engine_name, timeout)
            columns["number"].append(row.number)
            columns["id"].append(row.id)
            for name, value in asdict(verdict).items():
                columns[name].append(value)
    finally:
        watchdog.end()
    return pa.RecordBatch.from_pydict(columns, schema=VERDICT_SCHEMA)


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


# --- a process of its own ------------------------------------------------------------------------


def judge_row_apart(row: CorpusRow, engine_name: str, timeout: float) -> RowVerdict:
    """The verdict on one row, judged in a process of its own: its death is a crash."""
    began = perf_counter()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            verdict = judge_row(row, engine_name, timeout)
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                json.dump(asdict(verdict), stream)
        finally:
            os._exit(1)
    os.close(writing)
    written = _read_until(reading, began + timeout + _PATIENCE)
    if written is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = perf_counter() - began
    if written is None:
        detail = f"no answer within {timeout:g} s"
        return RowVerdict(str(Outcome.TIMEOUT), detail=detail, seconds=seconds)
    try:
        return RowVerdict(**json.loads(written))
    except ValueError:
        detail = f"the process ended ({_ending(status)})"
        return RowVerdict(str(Outcome.CRASH), detail=detail, seconds=seconds)


def _read_until(pipe: int, deadline: float) -> bytes | None:
    """What comes through a pipe until it is closed; None if it is not closed in time."""
    parts: list[bytes] = []
    with os.fdopen(pipe, "rb", buffering=0) as stream:
        while (left := deadline - perf_counter()) > 0:
            ready, _, _ = select.select([stream], [], [], left)
            if ready:
                part = stream.read(1 << 16)
                if not part:
                    return b"".join(parts)
                parts.append(part)
    return None


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit code {os.WEXITSTATUS(status)}"


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
    "RowVerdict", "judge_batches", "judge_row", "judge_row_apart", "judged", "judged_engine",
    "row_verdict",
]
