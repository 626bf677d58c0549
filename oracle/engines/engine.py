"""The interface of engines under test, and their errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

from ...semantics.model.errors import DenotaError
from ..checking.levels import Level

DEFAULT_TIMEOUT = 10.0
"""Seconds that an engine may take for a case."""

CEILING = 10
"""Times the limit that may pass by the clock, however busy the machine is."""


@runtime_checkable
class Engine(Protocol):
    """Protocol of an engine under test.

    `languages` names its languages (a case in another one is `unsupported`), `level` the finest
    comparison level of its results: `pair`, `bag` or `row` for SPAseq.

    `run` takes a `denota.Task`: `case.text` is the query, `case.streams` and `case.kb` hold
    timestamped graphs and graphs by IRI, `case.reading_names` the readings and `case.evaluation`
    the evaluation times; `case.message()` returns all of these as text. A task has neither the file
    nor the expected results of the case. `run` returns results: native ones (SPAseq: `Pair`s) or
    the objects of `--format jsonl`; a row may be `{"time": …, "solution": {…}}`.

    It raises `denota.UnsupportedError` for a case that it does not support and another
    `denota.DenotaError` for a case without a meaning; any other exception is a crash.

    An engine for a fragment of a language may have `capabilities`: the supported constructs by
    language and group, as in an adapter's `hello` (docs/adapters.md). `fuzz` generates only these.

    The engine runs in a process of its own, which ends at the time limit. An engine with
    `keeps_time` (one behind a connection, say) runs in the tester's process and raises
    EngineTimeout itself.
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
