"""Discrepancies: a failing case shrunk, and written as a conformance case.

Two shrunk cases are the same discrepancy if their queries are in one language
and have the same operators and constructs, their readings are the same, and the verdict is of the
same kind. Two crashes are the same if the engine says the same on stderr.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from ..cases.case import Case
from ..cases.expectations import Expectation, ExpectedError
from ..cases.reading import SUFFIX
from ..engines.engine import Engine
from ..judging.judge import expectation_of, judge
from ..judging.verdicts import Outcome, Verdict
from ..languages.features import features_of
from ..languages.readings import reading_features
from ..languages.registry import has
from .shrinking import LIMIT, shrink

_SLOW_LIMIT = 40  # shrinking a time-out takes as many times the time limit

Signature: TypeAlias = frozenset[str]

FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class ShrunkFailure:
    """A shrunk case whose expectation is the oracle's answer, and the verdict on it.

    A failure is `flaky` if the engine, asked the same once more, did not fail in this way.
    """

    case: Case
    verdict: Verdict
    flaky: bool = False


def shrunk_failure(
    case: Case,
    verdict: Verdict,
    engine: Engine,
    *,
    timeout: float | None,
    limit: int | None = None,
    tags: tuple[str, ...] = (),
) -> ShrunkFailure:
    """The simplest case found that fails as this one does, by the oracle's answer to it.

    In a language that cannot be shrunk it is the case itself.

    `verdict` is the one on `case`; if it does not recur, the case is told as it is. At most `limit`
    simplifications are tried (None: as many as is sensible for such a verdict); `tags` are put
    before the tags that name the operators.
    """
    expected_first = expectation_of(case)
    seen = verdict  # the last one on a case that fails alike

    def fails_alike(simpler: Case) -> bool:
        nonlocal seen
        expected = expectation_of(simpler)
        if isinstance(expected, ExpectedError) != isinstance(expected_first, ExpectedError):
            return False
        again = judge(simpler.but(expect=expected), engine, timeout=timeout)
        if not _alike(again, verdict):
            return False
        seen = again
        return True

    if not fails_alike(case):
        told = _told(case, expected_first, verdict, engine.name, tags, flaky=True)
        return ShrunkFailure(told, verdict, flaky=True)
    if limit is None:
        limit = _SLOW_LIMIT if verdict.outcome is Outcome.TIMEOUT else LIMIT
    shrunk = case
    if has(case.language_name, "shrink"):
        shrunk = shrink(case, fails_alike, limit=limit)
    flaky = not fails_alike(shrunk)
    told = _told(shrunk, expectation_of(shrunk), seen, engine.name, tags, flaky=flaky)
    return ShrunkFailure(told, seen, flaky)


def _alike(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts are of one kind; crashes are told apart by what was said."""
    return (
        one.outcome is other.outcome
        and _repetition(one) == _repetition(other)
        and last_words(one) == last_words(other)
    )


def _repetition(verdict: Verdict) -> tuple[bool, bool]:
    """Whether answers are repeated, and whether that is all that is wrong."""
    repeats = bool(verdict.repeated)
    return repeats, repeats and not (verdict.missing or verdict.unexpected)


def signature(case: Case, verdict: Verdict, *, flaky: bool = False) -> Signature:
    """What tells one discrepancy from another."""
    kind = kind_of_failure(
        verdict.outcome, missing=bool(verdict.missing), unexpected=bool(verdict.unexpected),
        repeated=bool(verdict.repeated),
    )
    if verdict.outcome is Outcome.CRASH:
        kind |= {last_words(verdict)}
        if verdict.stderr:
            return kind  # wherever it happens
    kind |= {case.language_name}
    if flaky:
        return kind | {FLAKY}  # the case it happened on says little
    known = features_of(case.language_name)
    return kind | known.query_features(case.tree) | reading_features(case.readings)


def kind_of_failure(
    outcome: str, *, missing: bool, unexpected: bool, repeated: bool
) -> Signature:
    """The outcome, and on which side something is wrong."""
    sides = {"missing": missing, "unexpected": unexpected, "repeated": repeated}
    return frozenset({str(outcome), *(name for name, wrong in sides.items() if wrong)})


def _told(
    case: Case,
    expected: Expectation,
    verdict: Verdict,
    engine: str,
    tags: tuple[str, ...],
    *,
    flaky: bool,
) -> Case:
    """The case with a title, a file name, the definitions that decide it, the oracle's answer."""
    known = features_of(case.language_name)
    readings = sorted(reading_features(case.language.readings(case.reading_names)))
    under = f" under {', '.join(readings)}" if readings else ""
    digest = sha256(json.dumps(case.message(), sort_keys=True).encode()).hexdigest()[:8]
    words = known.words_of(case.tree)
    values = [reading.split("=")[1] for reading in readings]
    return case.but(
        title=f"{known.title_of(case.tree)}{under}: {engine} {_in_words(verdict)}"
        + (", but not every time" if flaky else ""),
        cites="; ".join(case.language.cites(case.tree, case.readings)),
        expect=expected,
        tags=(*tags, *((FLAKY,) if flaky else ()), *words[1:]),
        path=Path("-".join([*words, *values, digest]) + SUFFIX),
    )


def _in_words(verdict: Verdict) -> str:
    match verdict.outcome:
        case Outcome.CRASH:
            return "crashes"
        case Outcome.TIMEOUT:
            return "does not answer"
    said = []
    if verdict.missing:
        said.append(f"misses {_counted(len(verdict.missing), 'answer')}")
    if verdict.unexpected:
        said.append(f"returns {_counted(len(verdict.unexpected), 'answer')} too many")
    if verdict.repeated:
        said.append(f"repeats {_counted(len(verdict.repeated), 'answer')}")
    return " and ".join(said) or verdict.detail or "fails"


def _counted(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count} {noun}s"


# --- crashes --------------------------------------------------------------------------------------

_LINES = 12  # of what was said last, that tell one crash from another
_TRACEBACK = "Traceback (most recent call last)"
_PLACE = re.compile(r"line \d+|\.\w+:\d+(?::\d+)?")
_KEPT = re.compile(_PLACE.pattern + r"|exit code -?\d+")
_NOISE = re.compile(
    r"""0x[0-9a-fA-F]+|@[0-9a-f]{5,}                # addresses, hashes of Java's objects
    |<[^<>\s]+>                                     # IRIs
    |[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}          # UUIDs
    |(?:/[\w.+-]+)+/                                # folders
    |-?\d+(?:[.,:/-]?\d+)*                          # numbers, dates, times
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"""'[^'\n]*'|"[^"\n]*\"""")


def last_words(verdict: Verdict) -> str:
    """What an engine said on stderr as it crashed, without what differs from one to the next.

    The numbers of lines tell crashes apart, addresses, other numbers and folders do not. Where
    frames say the place, quoted names and values do not either. If it said nothing, how it crashed;
    '' if it did not crash.
    """
    if verdict.outcome is not Outcome.CRASH:
        return ""
    said = verdict.stderr or verdict.detail
    said = said[max(said.rfind(_TRACEBACK), 0):]
    lines = [line.strip() for line in said.splitlines() if line.strip()][-_LINES:]
    text = "\n".join(dict.fromkeys(map(_without_noise, lines)))
    return _QUOTED.sub("…", text) if _PLACE.search(text) else text


def _without_noise(line: str) -> str:
    kept = _KEPT.findall(line)
    pieces = (_NOISE.sub("…", piece) for piece in _KEPT.split(line))
    return "".join(piece + place for piece, place in zip_longest(pieces, kept, fillvalue=""))
