"""The report on a terminal or in a log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from ...semantics.model.printable import printable
from ..checking.verdicts import Outcome, Verdict
from ..explanations.plurals import counted
from .differences import DUPLICATE, MISSING, UNEXPECTED, deciding_definitions, difference_table
from .run_result import CaseResult

_COLOURS = {
    Outcome.PASS: "32",
    Outcome.FAIL: "31",
    Outcome.CRASH: "31",
    Outcome.TIMEOUT: "31",
    Outcome.UNSUPPORTED: "33",
}

_SIDES = {MISSING: "33", UNEXPECTED: "35", DUPLICATE: "36"}


_TRANSLATED_LINES = 24


def colours(out: TextIO) -> bool:
    """Return True if colours are printed: on a terminal, unless NO_COLOR is set."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def case_lines(entry: CaseResult, *, colour: bool = False) -> Iterator[str]:
    """Yield a case with its verdict, and why."""
    verdict = entry.verdict
    word = f"{verdict.outcome.upper():11}"
    yield f"{_painted(word, _COLOURS[verdict.outcome], colour)} {printable(entry.title)}"
    yield f"            {printable(entry.place)}"
    for line in map(printable, explanation(entry)):
        if colour and (label := line.partition(" ")[0]) in _SIDES:
            line = _painted(line, _SIDES[label], colour)
        yield f"            {line}" if line else ""
    if verdict.outcome is not Outcome.PASS:
        yield ""


def explanation(entry: CaseResult) -> Iterator[str]:
    """Yield the details of a result: its detail, the differences, and the deciding definition."""
    verdict = entry.verdict
    if verdict.outcome is Outcome.PASS:
        return
    if verdict.schedule:
        yield f"schedule: {verdict.schedule}"
    if verdict.detail:
        yield verdict.detail
    if verdict.stderr:
        yield "end of its stderr:"
        yield from (f"  {line}" for line in verdict.stderr.splitlines()[-12:])
    yield from translated_lines(verdict)
    if verdict.outcome is not Outcome.FAIL:
        return
    table = difference_table(entry.case, verdict)
    if table is not None:
        yield from table.lines()
    for number, definition in enumerate(deciding_definitions(entry.case)):
        yield f"{'definitions:' if number == 0 else '':12} {definition}"


def translated_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the query as the adapter translated it, a longer one cut off."""
    if verdict.translated:
        lines = verdict.translated.splitlines()
        yield "the query as the adapter translated it:"
        yield from (f"  {line}" for line in lines[:_TRANSLATED_LINES])
        if len(lines) > _TRANSLATED_LINES:
            yield f"  … and {counted(len(lines) - _TRANSLATED_LINES, 'more line')}"


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
