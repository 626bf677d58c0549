"""Answers of an engine that are kept, so that the engine is asked once about a case."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from ...semantics.model.errors import DenotaError
from ..cases.case import Task
from ..engines.apart import in_fresh_process
from ..engines.engine import Engine, EngineCrash, EngineTimeout, close
from ..judging.judge import answer_of

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
        """How many cases `ask_ahead` asks at the same time."""
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
        """Itself, with the engine set up for the round with this number."""
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
