"""Processes that judge and shrink at the same time, each with an engine of its own.

Some engines wait while they answer, and all leave a processor to others. Which process works on an
item depends on its place alone, so that two runs with one seed ask the same in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

from ..cases.case import Case
from ..cases.schedule import Schedule
from ..engines.engine import Engine, EngineCrash
from ..engines.processes import Apart, when_told_to_end
from ..judging.judge import judge_under
from ..judging.verdicts import Verdict
from .discrepancies import ShrunkFailure, shrunk_failure
from .remembered_answers import Answer, RememberedAnswers

Item = TypeVar("Item")
Found = TypeVar("Found")

Told: TypeAlias = tuple[Answer, str] | None
"""The engine's answer, which the process that asks for the work keeps."""


def judged(
    cases: Sequence[tuple[Case, tuple[Schedule | None, ...]]], engine: RememberedAnswers
) -> list[tuple[Verdict, Told]]:
    """Return the verdicts on cases under their schedules."""
    engine.ask_ahead(case for case, _ in cases)
    return [
        (judge_under(schedules, case, engine, timeout=engine.timeout), engine.answer(case))
        for case, schedules in cases
    ]


def shrunk(item: tuple[Case, Verdict], engine: RememberedAnswers) -> tuple[ShrunkFailure, Told]:
    """Return a failing case shrunk."""
    case, verdict = item
    found = shrunk_failure(case, verdict, engine, timeout=engine.timeout, tags=("fuzz",))
    return found, engine.answer(found.case)


class SideBySide:
    """Forks of this process, started when they are first needed.

    The engine has `side_by_side`, their number, `at_once`, how many engines each of them has, and
    `another`, which makes an engine like it.
    """

    def __init__(self, engine: Any, timeout: float | None) -> None:
        self.count: int = engine.side_by_side
        self.at_once: int = engine.at_once
        self._begin = partial(_Helper, engine.another, self.at_once, timeout)
        self._processes: list[Apart | None] = [None] * self.count

    def each(
        self, work: Callable[[Item, RememberedAnswers], Found], items: Sequence[Item]
    ) -> Iterator[Found | EngineCrash]:
        """Yield the results for the items in their order; EngineCrash if a process is lost."""
        left = {k: len(items[k :: self.count]) for k in range(self.count)}
        try:
            for k in left:
                self._send(k, work, items[k :: self.count])
            for place in range(len(items)):
                k = place % self.count
                found = self._found(k)
                left[k] -= 1
                if isinstance(found, EngineCrash):
                    self._send(k, work, items[place + self.count :: self.count])
                yield found
        finally:
            for k, count in left.items():
                if count:  # answers nobody waits for
                    self._end(k, at_once=True)

    def start(self) -> None:
        """Start the processes with their engines."""
        for k in range(self.count):
            self._processes[k] = self._processes[k] or Apart(self._begin)

    def close(self) -> None:
        """End the processes."""
        for k in range(self.count):
            self._end(k)

    def _send(self, k: int, work: Any, items: Sequence[Any]) -> None:
        if not items:
            return
        process = self._processes[k] = self._processes[k] or Apart(self._begin)
        process.send([(work, item) for item in items])

    def _found(self, k: int) -> Any:
        process = self._processes[k]
        assert process is not None
        try:
            return process.receive()
        except EngineCrash as crash:
            if process.pid:
                raise
            self._processes[k] = None
            return crash

    def _end(self, k: int, *, at_once: bool = False) -> None:
        process, self._processes[k] = self._processes[k], None
        if process is not None:
            with suppress(EngineCrash):
                process.leave(at_once=at_once)


class _Helper:
    """The service of one process."""

    greeting = "ready"

    def __init__(
        self, another: Callable[[], Engine], at_once: int, timeout: float | None
    ) -> None:
        engine, *others = (another() for _ in range(at_once))
        self._engine = RememberedAnswers(engine, timeout, others)
        when_told_to_end(self.close)

    def answer(self, request: tuple[Any, Any]) -> Any:
        work, item = request
        return work(item, self._engine)

    def close(self) -> None:
        self._engine.close()
