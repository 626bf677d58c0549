"""The verdicts on cases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .levels import Answer, Level


class Outcome(StrEnum):
    """The five verdicts; all but `pass` and `unsupported` are failures."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    CRASH = "crash"

    @property
    def is_failure(self) -> bool:
        """Return whether the outcome is a failure of the engine."""
        return self in (Outcome.FAIL, Outcome.TIMEOUT, Outcome.CRASH)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one case.

    `level` is the level of the comparison, None where an error was expected or nothing was
    reported.
    `missing`, `unexpected` and `duplicate` (reported again where the level is a set) are answers
    at that level; `detail` says in one line what else there is to say (an engine's error message,
    why it does not support the case, what it said last).
    `seconds` is what the engine took. `schedule` is the text of the schedule under which a case
    failed, where several were tried; `translated` the query in the engine's own language, where an
    adapter names it and the verdict is a failure.
    """

    outcome: Outcome
    level: Level | None = None
    missing: tuple[Answer, ...] = ()
    unexpected: tuple[Answer, ...] = ()
    duplicate: tuple[Answer, ...] = ()
    detail: str = ""
    stderr: str = ""
    seconds: float = 0.0
    schedule: str = ""
    translated: str = ""

    def __reduce__(self) -> tuple[object, ...]:  # much quicker than what a dataclass does
        return Verdict, (
            self.outcome, self.level, self.missing, self.unexpected, self.duplicate, self.detail,
            self.stderr, self.seconds, self.schedule, self.translated,
        )

    @property
    def counted(self) -> str:
        """Return the numbers of missing, unexpected and, if there are any, duplicate results."""
        said = f"{len(self.missing)} missing, {len(self.unexpected)} unexpected"
        return said + (f", {len(self.duplicate)} duplicate" if self.duplicate else "")

    @property
    def ok(self) -> bool:
        """True if the verdict is `pass`."""
        return self.outcome is Outcome.PASS

    @property
    def is_failure(self) -> bool:
        """Return whether the verdict is a failure of the engine."""
        return self.outcome.is_failure
