"""What can be judged, and how it may fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

from ...semantics.model.errors import DenotaError
from ..judging.levels import Level

DEFAULT_TIMEOUT = 10.0
"""Seconds that an engine may take for a case."""

CEILING = 10
"""Times the limit that may pass by the clock, however busy the machine is."""


@runtime_checkable
class Engine(Protocol):
    """What a third party's engine implements to be judged.

    `languages` names those that it takes (a case in another one is `unsupported`), `level` the
    finest at which its results mean something: `pair`, `bag` or `row` for SPAseq.

    `run` takes a `denota.Task`: `case.text` is the query, `case.streams` and `case.kb` hold
    timestamped graphs and graphs by IRI, `case.reading_names` and `case.evaluation` say how to read
    and from when; `case.message()` has it all as text. A task has neither the case's file nor its
    expectation, and no method that answers it. `run` returns results: native ones (SPAseq: `Pair`s)
    or the objects of `--format jsonl`; a row may be `{"time": …, "solution": {…}}`.

    It raises `denota.UnsupportedError` for what it does not do and another `denota.DenotaError`
    for what has no meaning; any other exception is a crash.

    Where it takes a fragment of a language it may say so: `capabilities` names, by language and
    group, what it takes, as an adapter's `hello` does (docs/adapters.md), and `fuzz` asks for that.

    It runs in a process of its own, which is ended when its time is up. An engine with `keeps_time`
    (one behind a connection, say) is asked where the judge is: it raises EngineTimeout itself.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def languages(self) -> Sequence[str]: ...

    @property
    def level(self) -> Level: ...

    def run(self, case: Any, /) -> Iterable[Any]:
        """Return the results of one case, given as a `denota.Task`."""
        ...


class EngineError(DenotaError):
    """An ENGINE string that names nothing, or an engine that does not follow its protocol."""


class TaskError(DenotaError):
    """An engine's own message that a case has no meaning."""


class EngineCrash(Exception):
    """An engine crashed on a case; `stderr` is the end of its stderr."""

    def __init__(self, reason: str, stderr: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.stderr = stderr

    def __reduce__(self) -> tuple[object, ...]:
        return EngineCrash, (self.reason, self.stderr)


class EngineTimeout(Exception):
    """An engine did not answer in time; `stderr` is what it said last.

    `by_clock` says that it was not charged the `seconds` of the limit, but that `CEILING` times as
    many passed by the clock.
    """

    def __init__(self, seconds: float, stderr: str = "", *, by_clock: bool = False) -> None:
        within = f"{CEILING * seconds:g} s by the clock" if by_clock else f"{seconds:g} s"
        super().__init__(
            f"no answer within {within}"
            + (f", {CEILING} times the limit: it waited for processors" if by_clock else "")
        )
        self.seconds = seconds
        self.stderr = stderr
        self.by_clock = by_clock

    def __reduce__(self) -> tuple[object, ...]:
        return partial(EngineTimeout, by_clock=self.by_clock), (self.seconds, self.stderr)


def close(judged: Engine) -> None:
    """Let an engine end what it holds (a child process)."""
    finish = getattr(judged, "close", None)
    if callable(finish):
        finish()
