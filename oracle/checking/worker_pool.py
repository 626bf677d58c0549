"""The check of many cases, one after the other or by a pool of worker processes.

Cases are checked in forks of this process (`apart`), engine, oracle and comparison together: so a
small case costs no more than in this process, and an engine can take down its fork only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from ..cases.case import Case
from ..engines.engine import Engine, EngineCrash, EngineError, EngineTimeout, close
from ..engines.engine_specs import OWN
from ..engines.engine_specs import engine as engine_named
from ..engines.isolated_engine import EngineService, load
from ..engines.worker_process import WorkerProcess, until_readable, when_told_to_end
from .case_checker import check_case
from .levels import Level
from .verdicts import Outcome, Verdict

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)

_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of an engine; an adapter names itself in its hello message."""

    name: str
    version: str
    level: Level


def check_cases(
    cases: Sequence[Case], engine: str, *, timeout: float, jobs: int = 1
) -> Iterator[tuple[Verdict, Identity]]:
    """Yield the verdict on each case, in order, and the identity of the engine.

    `engine` is an ENGINE string, `timeout` is in seconds a case, `jobs` the number of processes,
    each with an engine of its own. Raises EngineError if there is no such engine.
    """
    languages = {case.language_name for case in cases}
    some = min(jobs, len(cases)) or 1

    def check_nth(number: int, judged: Engine, /, *, timeout: float | None) -> Verdict:
        return check_case(cases[number], judged, timeout=timeout)  # a fork has the cases as well

    with check_workers(engine, timeout, check_nth, languages=languages, count=some) as several:
        chunk = max(1, min(_CHUNK, len(cases) // (4 * some)))
        yield from side_by_side(several, range(len(cases)), chunk=chunk)


def identity_of(name: str) -> Identity:
    """Return the identity of an ENGINE string's engine, as far as known before the first case."""
    judged = engine_named(name)
    greet = getattr(judged, "greet", None)  # a child process has yet to say it
    try:
        if greet is not None:
            with suppress(EngineCrash, EngineTimeout, EngineError):
                greet()
        return identity(judged)
    finally:
        close(judged)


def identity(engine: Engine) -> Identity:
    """Return the identity that an engine states."""
    return Identity(engine.name, engine.version, engine.level)


# --- workers, each in its own process ------------------------------------------------------------


class CheckFunction(Protocol[Item_contra]):
    """A function that checks one item, such as `case_checker.check_case`."""

    def __call__(
        self, item: Item_contra, engine: Engine, /, *, timeout: float | None
    ) -> Verdict: ...


@contextmanager
def check_workers(
    engine: str,
    timeout: float,
    check: CheckFunction[Item],
    *,
    languages: Iterable[str] = (),
    count: int = 1,
) -> Iterator[list[CheckWorker[Item]]]:
    """Provide worker processes, each with an engine of its own; end them all on exit.

    `languages` are those of the items, as far as known. Raises EngineError if there is no such
    engine.
    """
    if engine in OWN:
        for language in languages:
            load(language)
    made: list[CheckWorker[Item]] = []
    try:
        while len(made) < count:
            made.append(CheckWorker(engine, timeout, check))
        yield made
    finally:
        for each in made:
            each.close()


def side_by_side(
    several: Sequence[CheckWorker[Item]], items: Iterable[Item], *, chunk: int = _CHUNK
) -> Iterator[tuple[Verdict, Identity]]:
    """Yield the verdict on each item, in the items' order; a worker takes `chunk` at a time."""
    waiting = enumerate(items)
    found: dict[int, tuple[Verdict, Identity]] = {}
    following = 0
    while True:
        for each in several:
            if not each.busy:
                each.take(islice(waiting, chunk))
        busy = [each for each in several if each.busy]
        if not busy:
            return
        if all(each.running for each in busy):
            until_readable(busy, min(each.wait() for each in busy))
        for each in busy:
            found.update(each.judged())
        while following in found:
            yield found.pop(following)
            following += 1


class CheckWorker(Generic[Item]):
    """A process that checks, started again whenever an engine has taken it down."""

    def __init__(self, engine: str, timeout: float, check: CheckFunction[Item]) -> None:
        self.timeout = timeout
        self._has_child = engine.startswith("command:")  # which has a process group of its own
        self._begin = partial(_CheckService, engine, timeout, check)
        self._pending: deque[tuple[int, Item]] = deque()
        try:
            self._process = WorkerProcess(self._begin)
        except EngineCrash as crash:
            raise EngineError(f"engine '{engine}': {crash}") from crash
        self._who: Identity = self._process.greeting
        self._since = perf_counter()

    @property
    def busy(self) -> bool:
        """Return whether unchecked items are left."""
        return bool(self._pending)

    @property
    def running(self) -> bool:
        """True if there is a process; if none can be started, the remaining cases are crashes."""
        return bool(self._process.pid)

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when there is a verdict."""
        return self._process.fileno()

    def wait(self) -> float:
        """Return the seconds after which `checked` should be called even if nothing is readable."""
        return self._process.wait()

    def take(self, items: Iterable[tuple[int, Item]]) -> None:
        """Check these, which have numbers."""
        self._pending.extend(items)
        if self._pending:
            self._since = perf_counter()
            self._send()

    def judged(self) -> Iterator[tuple[int, tuple[Verdict, Identity]]]:
        """Yield the available verdicts, with their numbers."""
        while self._pending:
            try:
                reply = self._process.poll()
            except EngineTimeout as late:
                error = EngineTimeout(self.timeout, by_clock=late.by_clock)
                yield self._against(Outcome.TIMEOUT, str(error))
            except EngineCrash as crash:
                yield self._against(Outcome.CRASH, str(crash))
            else:
                if reply is None:
                    return
                verdict, who = reply[0]
                self._who = who or self._who
                yield self._done(verdict)

    def renewed(self, most: int) -> bool:
        """Replace an idle process that held more bytes than `most`; return True if replaced.

        There is a new one for what comes next: an engine that never forgets costs no verdict.
        """
        if self.busy or self._process.held() <= most:
            return False
        self._process.leave()
        return True

    def close(self) -> None:
        """End the process, and what its engine holds."""
        if self.busy and not self._has_child:
            self._process.end()
        else:
            self._process.leave(at_once=self.busy)

    def _done(self, verdict: Verdict) -> tuple[int, tuple[Verdict, Identity]]:
        number, _ = self._pending.popleft()
        self._since = perf_counter()
        return number, (verdict, self._who)

    def _against(self, outcome: Outcome, detail: str) -> tuple[int, tuple[Verdict, Identity]]:
        verdict = Verdict(outcome, detail=detail, seconds=perf_counter() - self._since)
        done = self._done(verdict)
        if self._pending:
            self._send()
        return done

    def _send(self) -> None:
        items = [item for _, item in self._pending]
        for _ in range(2):  # it may have ended by itself since the last case
            with suppress(EngineCrash, EngineError):  # `checked` meets it, case by case
                if not self.running:
                    self._process = WorkerProcess(self._begin)
                self._process.send(items)
                return


class _CheckService:
    """The service of a worker inside its process."""

    def __init__(self, engine: str, timeout: float, check: CheckFunction[Any]) -> None:
        self.engine = engine_named(engine, timeout=timeout)
        self.timeout = timeout
        self.check = check
        self.service = EngineService(self.engine)
        self.greeting = identity(self.engine)
        if getattr(self.engine, "speaks_later", False):
            when_told_to_end(self.close)

    def answer(self, item: Any) -> tuple[Verdict, Identity | None]:
        """Return the verdict, and the engine's identity if it has changed."""
        verdict = self.check(item, self.engine, timeout=self.timeout)
        who = identity(self.engine)
        if who == self.greeting:
            return verdict, None
        self.greeting = who
        return verdict, who

    def close(self) -> None:
        self.service.close()
