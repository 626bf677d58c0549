"""One thing that the protocol asks, and how the program did; and all of them, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..engine import EngineCrash, EngineTimeout


class Result(StrEnum):
    """The result of a check."""

    OK = "ok"
    FAILED = "FAILED"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Check:
    """One thing that the protocol asks.

    `note` says what there is to say of a check that has not failed; of one that has, `expected` and
    `came` say why, and `more` shows it.
    """

    title: str
    result: Result = Result.OK
    note: str = ""
    expected: str = ""
    came: str = ""
    more: Sequence[str] = ()


def failed(title: str, expected: str, came: str, more: Sequence[str] = ()) -> Check:
    """The check of a program that has done something else than was expected."""
    return Check(title, Result.FAILED, "", expected, came, more)


def left_out(title: str, reason: str) -> Check:
    """A check that does not apply."""
    return Check(title, Result.LEFT_OUT, reason)


def attempted(title: str, expected: str, check: Callable[[], Check]) -> Check:
    """Return the result of `check`; it is a failure if the program exits or does not respond."""
    try:
        return check()
    except (EngineCrash, EngineTimeout) as failure:
        return went_down(title, expected, failure)


def went_down(title: str, expected: str, failure: EngineCrash | EngineTimeout) -> Check:
    """The check of a program that has ended, kept silent or said what is no message."""
    said = failure.stderr.splitlines()[-6:]
    more = ["its stderr ended with:", *(f"  {line}" for line in said)] if said else []
    return failed(title, expected, str(failure), more)


def lines(check: Check) -> Iterator[str]:
    """A check as it is printed."""
    note = f" ({check.note})" if check.note else ""
    yield f"{check.result:9} {check.title}{note}"
    if check.result is Result.FAILED:
        yield f"          expected  {check.expected}"
        yield f"          came      {check.came}"
        yield from (f"          {line}" for line in check.more)
