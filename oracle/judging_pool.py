"""Judging many cases, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import engines
from .cases import Case
from .comparison import Level
from .engines import Engine
from .judging import judge_case
from .verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Identity:
    """Who was judged; a child process says so only once it has been greeted."""

    name: str
    version: str
    level: Level


def judge_cases(
    cases: Sequence[Case], engine: str, *, timeout: float, jobs: int = 1
) -> Iterator[tuple[Verdict, Identity]]:
    """The verdict on each case, in order, and whose it is.

    `engine` is an ENGINE string, `timeout` is in seconds a case, `jobs` the number of processes,
    each with an engine of its own. Raises EngineError if there is no such engine.
    """
    judged = engines.engine(engine, timeout=timeout)
    try:
        if jobs > 1 and len(cases) > 1:
            yield from _in_processes(cases, engine, timeout, min(jobs, len(cases)))
            return
        for case in cases:
            yield judge_case(case, judged, timeout=timeout), _identity(judged)
    finally:
        engines.close(judged)


def identity_of(name: str) -> Identity:
    """Whom an ENGINE string names, as far as that is known before the first case."""
    judged = engines.engine(name)
    try:
        return _identity(judged)
    finally:
        engines.close(judged)


def _identity(engine: Engine) -> Identity:
    return Identity(engine.name, engine.version, engine.level)


# --- several processes ---------------------------------------------------------------------------

_engine: Engine | None = None
_timeout = engines.DEFAULT_TIMEOUT


def _in_processes(
    cases: Sequence[Case], engine: str, timeout: float, jobs: int
) -> Iterator[tuple[Verdict, Identity]]:
    from multiprocessing import get_context

    with get_context("spawn").Pool(jobs, _start, (engine, timeout)) as pool:
        yield from pool.imap(_judge, cases, chunksize=max(1, min(16, len(cases) // (4 * jobs))))
        pool.close()  # lets the engines end their children
        pool.join()


def _start(engine: str, timeout: float) -> None:
    import atexit
    import signal

    global _engine, _timeout
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the pool
    _engine, _timeout = engines.engine(engine, timeout=timeout), timeout
    atexit.register(engines.close, _engine)


def _judge(case: Case) -> tuple[Verdict, Identity]:
    assert _engine is not None
    return judge_case(case, _engine, timeout=_timeout), _identity(_engine)
