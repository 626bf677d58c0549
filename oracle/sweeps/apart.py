"""An engine kept apart: each case in a fork of this process, whose death is the engine's crash."""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from ...semantics.errors import DenotaError
from ..comparison import Level
from ..engines import Engine, EngineCrash, EngineTimeout
from ..tasks import Task


class EngineApart:
    """Another engine, as `engines.Engine`; it may take `timeout` seconds for a case."""

    keeps_time = True  # so that judging sets no alarm: the fork is killed when its time is up

    def __init__(self, engine: Engine, timeout: float) -> None:
        self.engine = engine
        self.timeout = timeout
        self.name = engine.name
        self.version = engine.version
        self.languages: Sequence[str] = engine.languages
        self.level: Level = engine.level

    def run(self, task: Task) -> list[Any]:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                with os.fdopen(writing, "wb") as stream:
                    stream.write(pickle.dumps(self.answer(task)))
            finally:
                os._exit(1)
        os.close(writing)
        try:
            answer = received(reading, perf_counter() + self.timeout)
        finally:
            os.close(reading)
            status = ended(child)
        if answer is None:
            raise EngineTimeout(self.timeout)
        if not answer:
            raise EngineCrash(f"the process ended ({ending(status)})")
        results = pickle.loads(answer)
        if isinstance(results, Exception):
            raise results
        return list(results)

    def answer(self, task: Task) -> list[Any] | Exception:
        """What crosses the border: results, or what was raised."""
        try:
            return list(self.engine.run(task))
        except (DenotaError, NotImplementedError) as error:
            return error
        except Exception as error:
            return EngineCrash(f"{type(error).__name__}: {error}")


def received(pipe: int, deadline: float) -> bytes | None:
    """All that comes through a pipe until it is closed; None if it is not closed in time."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - perf_counter()))
        if not ready:
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def ended(child: int) -> int:
    """Make sure that a child process has ended; how it did, as os.waitpid says."""
    # A child that has ended waits for us to ask, so there is one to be killed.
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def ending(status: int) -> str:
    """How a process ended, in words."""
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit code {os.WEXITSTATUS(status)}"


__all__ = ["EngineApart", "ended", "ending", "received"]
