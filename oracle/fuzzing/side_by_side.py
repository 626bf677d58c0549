"""Processes that check and shrink at the same time, and engines whose answers are kept.

Some engines wait while they answer, and all leave a processor to others. Which process works on an
item depends on its place alone, so that two runs with one seed ask the same in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

from ...semantics.model.errors import DenotaError
from ..cases.case import Case, Task
from ..cases.schedule import Schedule
from ..checking.case_checker import answer_of, check_under
from ..checking.verdicts import Verdict
from ..engines.engine import Engine, EngineCrash, EngineTimeout, close
from ..engines.isolated_engine import in_fresh_process
from ..engines.worker_process import WorkerProcess, when_told_to_end
from .attribution import Attempt, Remainder, remainder
from .discrepancies import ShrunkFailure, is_cured_alike, shrunk_failure
from .known_differences import KnownDifference

Answer: TypeAlias = list[Any] | DenotaError | EngineCrash | EngineTimeout
"""The results of an engine, or the exception in their place."""

_KEPT = 20_000  # answers


class RememberedAnswers:
    """An engine whose answers are kept; as `engine.Engine`.

    `forget` has the engine asked again about a case. `others` are engines alike, each with a
    process of its own, for `ask_ahead`.
    """

    keeps_time = True

    def __init__(
        self, engine: Engine, timeout: float | None, others: Sequence[Engine] = ()
    ) -> None:
        self.engine = engine
        self._all = (engine, *others)
        self._threads = ThreadPoolExecutor(len(self._all)) if others else None
        self.speaks_later = getattr(engine, "speaks_later", False)
        self.timeout = timeout
        self._answers: dict[Hashable, tuple[Answer, str]] = {}
        self.translated = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def run(self, case: Task) -> Iterable[Any]:
        asked = _key(case)
        found = self._answers.get(asked)
        if found is None:
            found = self._answer(self.engine, case)
            self._keep(asked, *found)
        answer, self.translated = found
        if isinstance(answer, list):
            return answer
        raise answer.with_traceback(None)

    @property
    def at_once(self) -> int:
        """The number of cases that `ask_ahead` asks at the same time."""
        return len(self._all)

    def ask_ahead(self, cases: Iterable[Task]) -> None:
        """Ask about cases at the same time, if there are engines for that."""
        if self._threads is None:
            return
        new = {_key(case): case for case in cases}
        asked = [(key, case) for key, case in new.items() if key not in self._answers]
        for begin in range(0, len(asked), len(self._all)):
            now = asked[begin : begin + len(self._all)]
            self._start(len(now))
            answers = self._threads.map(self._answer, self._all, (case for _, case in now))
            for (key, _), answer in zip(now, answers, strict=True):
                self._keep(key, *answer)
            self._start(len(now))  # those that have crashed

    def varied(self, number: int) -> RememberedAnswers:
        """Return itself, with the engine set up for the round with this number."""
        varied = getattr(self.engine, "varied", None)
        if varied is not None:
            self.engine = varied(number)
        return self

    def answer(self, case: Task) -> tuple[Answer, str] | None:
        """Return the kept answer to a case with the query as the engine's adapter translated it."""
        return self._answers.get(_key(case))

    def keep(self, case: Task, answer: tuple[Answer, str] | None) -> None:
        """Keep an answer that another process of the engine gave."""
        if answer is not None:
            self._keep(_key(case), *answer)

    def forget(self, case: Task) -> None:
        """Drop the answer to a case."""
        self._answers.pop(_key(case), None)

    def restart(self) -> None:
        """Have the next question asked in a new process."""
        self._answers.clear()
        in_fresh_process(self.engine)

    def close(self) -> None:
        """End the engines."""
        for engine in self._all:
            close(engine)

    def _start(self, count: int) -> None:
        # The main thread: the processes are to end with the thread that has started them.
        for engine in self._all[:count]:
            engine.start()  # type: ignore[attr-defined]

    def _answer(self, engine: Engine, case: Task) -> tuple[Answer, str]:
        answer: Answer
        try:
            answer = answer_of(engine, case, self.timeout)
        except (DenotaError, EngineCrash, EngineTimeout) as error:
            answer = error
        return answer, getattr(engine, "translated", "")

    def _keep(self, asked: Hashable, answer: Answer, translated: str) -> None:
        if len(self._answers) >= _KEPT:
            self._answers.clear()
        self._answers[asked] = answer, translated


def _key(case: Task) -> Hashable:
    # By their texts, since 1, 1.0 and True are equal.
    given = (case.query, case.reading_source, case.stream_sources, case.kb_sources, case.evaluation)
    return case.language_name, str(case.schedule), *map(repr, given)


Item = TypeVar("Item")
Found = TypeVar("Found")

Told: TypeAlias = tuple[Answer, str] | None
"""The engine's answer, which the process that asks for the work keeps."""


def judged(
    item: tuple[Sequence[tuple[Case, tuple[Schedule | None, ...]]], Sequence[Attempt]],
    engine: RememberedAnswers,
) -> list[tuple[Verdict, Remainder | None, Told]]:
    """Return the verdicts on cases under their schedules, with what repairs leave of failures."""
    cases, attempts = item
    engine.ask_ahead(case for case, _ in cases)
    found = []
    for case, schedules in cases:
        verdict = check_under(schedules, case, engine, timeout=engine.timeout)
        left = None
        if verdict.is_failure:
            left = remainder(case, verdict, attempts, engine, timeout=engine.timeout)
        found.append((verdict, left, engine.answer(case if left is None else left.case)))
    return found


def shrunk(
    item: tuple[Case, Verdict, str, Sequence[KnownDifference]], engine: RememberedAnswers
) -> tuple[ShrunkFailure, Told]:
    """Return a failing case shrunk."""
    case, verdict, repair, known = item
    found = shrunk_failure(
        case, verdict, engine, timeout=engine.timeout, tags=("fuzz",),
        has_cause=partial(is_cured_alike, repair, known),
    )
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
        self._processes: list[WorkerProcess | None] = [None] * self.count

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
            self._processes[k] = self._processes[k] or WorkerProcess(self._begin)

    def close(self) -> None:
        """End the processes."""
        for k in range(self.count):
            self._end(k)

    def _send(self, k: int, work: Any, items: Sequence[Any]) -> None:
        if not items:
            return
        process = self._processes[k] = self._processes[k] or WorkerProcess(self._begin)
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
