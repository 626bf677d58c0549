"""Discrepancies: a failing case shrunk, and written as a conformance case."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..cases.case import Case, Expectation, ExpectedError
from ..cases.case_reader import SUFFIX
from ..cases.schedule import parse_schedule
from ..checking.case_checker import check_case, expectation_of
from ..checking.verdicts import Outcome, Verdict
from ..engines.engine import Engine
from ..engines.isolated_engine import in_fresh_process
from ..languages.features import features_of
from ..languages.readings import reading_features
from ..languages.registry import has
from .clusters import message_of, shape_of
from .known_differences import KnownDifference
from .repairs import cure_of
from .shrinking import LIMIT, shrink

_SLOW_LIMIT = 40  # shrinking a time-out takes as many times the time limit

FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class ShrunkFailure:
    """A shrunk case whose expectation is the oracle's answer, and the verdict on it.

    A failure is `flaky` if the engine, asked again in a new process, did not fail in this way.
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
    has_cause: Callable[..., bool] = lambda *case, timeout: True,
) -> ShrunkFailure:
    """Return the simplest case found that fails as this one does, by the oracle's answer to it.

    In a language that cannot be shrunk it is the case itself.

    `verdict` is the one on `case`; if it does not recur, the case is told as it is. At most `limit`
    simplifications are tried (None: as many as is sensible for such a verdict); `tags` are put
    before the tags that name the operators. A simplification that has another cause is none.
    """
    if verdict.schedule:
        case = case.but(schedule=parse_schedule(verdict.schedule))
    expected_first = expectation_of(case)
    seen = verdict  # the last one on a case that fails alike

    def fails_alike(simpler: Case) -> bool:
        nonlocal seen
        expected = expectation_of(simpler)
        if isinstance(expected, ExpectedError) != isinstance(expected_first, ExpectedError):
            return False
        again = check_case(simpler.but(expect=expected), engine, timeout=timeout)
        if not _alike(again, verdict):
            return False
        if simpler is not case and not has_cause(simpler, again, engine, timeout=timeout):
            return False
        seen = again
        return True

    def recurs(same: Case) -> bool:
        """Return True if the engine, in a new process, fails alike."""
        in_fresh_process(engine)
        return fails_alike(same)

    if hasattr(engine, "forget"):
        engine.forget(case)
    if not fails_alike(case) and not recurs(case):
        told = _told(case, expected_first, verdict, engine.name, tags, flaky=True)
        return ShrunkFailure(told, verdict, flaky=True)
    if limit is None:
        limit = _SLOW_LIMIT if verdict.outcome is Outcome.TIMEOUT else LIMIT
    shrunk = case
    if has(case.language_name, "shrink"):
        shrunk = shrink(
            case, fails_alike, limit=limit,
            ahead=getattr(engine, "ask_ahead", None), width=getattr(engine, "at_once", 1),
        )
    flaky = not recurs(shrunk)
    told = _told(shrunk, expectation_of(shrunk), seen, engine.name, tags, flaky=flaky)
    return ShrunkFailure(told, seen, flaky)


def is_cured_alike(
    repair: str, known: Sequence[KnownDifference],
    case: Case, verdict: Verdict, engine: Engine, *, timeout: float | None,
) -> bool:
    """Return True if a simpler case still fails for the cause that a repair cures ('': no repair).

    It does not if a known difference explains it, or if another repair is the first that cures it.
    If no repair cures it, the cause is another part of what the repair removed.
    """
    return cure_of(case, verdict, engine, timeout=timeout) in ("", repair) and not any(
        each.is_it(case, verdict, engine, timeout=timeout) for each in known
    )


def as_it_is(
    case: Case, verdict: Verdict, engine: Engine, *, tags: tuple[str, ...] = ()
) -> ShrunkFailure:
    """Return a failure that is not shrunk in the same form."""
    told = _told(case, expectation_of(case), verdict, engine.name, tags, flaky=False)
    return ShrunkFailure(told, verdict)


def _alike(one: Verdict, first: Verdict) -> bool:
    """Return True if a verdict is of the first one's kind, without any new difference.

    Crashes and errors are told apart by what was said.
    """
    return (
        one.outcome is first.outcome
        and _repetition(one) == _repetition(first)
        and shape_of(one) <= shape_of(first)
        and message_of(one) == message_of(first)
    )


def _repetition(verdict: Verdict) -> tuple[bool, bool]:
    """Return the pair: answers are repeated; nothing else is wrong."""
    repeats = bool(verdict.duplicate)
    return repeats, repeats and not (verdict.missing or verdict.unexpected)


def _told(
    case: Case,
    expected: Expectation,
    verdict: Verdict,
    engine: str,
    tags: tuple[str, ...],
    *,
    flaky: bool,
) -> Case:
    """Return the case with a title, file name, its deciding definitions and the oracle's answer."""
    known = features_of(case.language_name)
    readings = sorted(reading_features(case.language.readings(case.reading_names)))
    under = f" under {', '.join(readings)}" if readings else ""
    schedule = str(case.schedule or "")
    asked = json.dumps([case.message(), schedule], sort_keys=True)
    digest = sha256(asked.encode()).hexdigest()[:8]
    words = known.words_of(case.tree)
    values = [reading.split("=")[1] for reading in readings]
    return case.but(
        title=f"{known.title_of(case.tree)}{under}: {engine}: {_in_words(verdict)}"
        + (f" with the schedule {schedule}" if schedule else "")
        + (" (flaky)" if flaky else ""),
        cites="; ".join(case.language.cites(case.tree, case.readings)),
        expect=expected,
        tags=(*tags, *((FLAKY,) if flaky else ()), *words[1:]),
        path=Path("-".join([*words, *values, digest]) + SUFFIX),
    )


def _in_words(verdict: Verdict) -> str:
    match verdict.outcome:
        case Outcome.CRASH:
            return "crash"
        case Outcome.TIMEOUT:
            return "timeout"
    kinds = {
        "missing": verdict.missing, "unexpected": verdict.unexpected,
        "duplicate": verdict.duplicate,
    }
    found = [f"{len(some)} {kind}" for kind, some in kinds.items() if some]
    if not found:
        return verdict.detail or "failure"
    only_one = sum(map(len, kinds.values())) == 1
    return f"{', '.join(found)} {'result' if only_one else 'results'}"
