"""The check of a case: an engine's answer against the expected one; `denota.assert_agrees`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from ...semantics.model.errors import DenotaError, UnsupportedError
from ..cases.case import Case, Expectation, ExpectedError, ExpectedResults, Task
from ..cases.case_writer import case_text
from ..cases.schedule import Schedule
from ..engines.builtin import Oracle
from ..engines.engine import DEFAULT_TIMEOUT, Engine, EngineCrash, EngineError, EngineTimeout
from ..engines.engine_specs import FunctionEngine
from ..engines.engine_specs import engine as named_engine
from ..engines.isolated_engine import IsolatedEngine, answered_here, apart_of
from ..engines.worker_process import inside, one_line, uncharged
from ..reports.console import explanation
from ..reports.run_result import CaseResult
from ..results.json_objects import ResultError
from .comparison import Difference, common_level, compare
from .levels import Answer, Level
from .verdicts import Outcome, Verdict


def check_case(
    case: Case, engine: Engine, *, timeout: float | None = DEFAULT_TIMEOUT
) -> Verdict:
    """Return the verdict on an engine's answer to a case; without an expectation the oracle has it.

    `timeout` is in seconds and holds for the engine alone; None is for ever. An engine that has
    `schedules` is asked under each of them, unless the case has one of its own; the verdict is the
    first that is a failure.
    """
    schedules: Sequence[Schedule | None] = getattr(engine, "schedules", ())
    if case.schedule is not None or not schedules:
        return _judged(case, engine, timeout)
    return check_under(schedules, case, engine, timeout=timeout)


def check_under(
    schedules: Sequence[Schedule | None], case: Case, engine: Engine, *,
    timeout: float | None = DEFAULT_TIMEOUT,
) -> Verdict:
    """Return the verdict on a case under schedules: the first failure, with its schedule."""
    if case.expect is None:
        case = case.but(expect=expectation_of(case))
    if isinstance(case.expect, ExpectedError):  # which error is raised first may differ
        schedules = schedules[:1]
    seconds = 0.0
    for schedule in schedules:
        verdict = _judged(case.but(schedule=schedule), engine, timeout)
        seconds += verdict.seconds
        if not verdict.ok:
            text = "" if schedule is None else str(schedule)
            return replace(verdict, seconds=seconds, schedule=text if verdict.is_failure else "")
    return replace(verdict, seconds=seconds)


def _judged(case: Case, engine: Engine, timeout: float | None) -> Verdict:
    verdict = _verdict(case, engine, timeout)
    translated = getattr(engine, "translated", "")
    return replace(verdict, translated=translated) if translated and verdict.is_failure else verdict


def _verdict(case: Case, engine: Engine, timeout: float | None) -> Verdict:
    began = _now()
    try:
        if case.language_name not in engine.languages and not _speaks_later(engine):
            raise UnsupportedError(f"{engine.name} does not support {case.language_name}")
        # The oracle finds its answer at the case; other engines must not.
        asked: Task = case if case.expect is None else case.but(expect=None)
        results = answer_of(
            engine, asked if getattr(engine, "own", False) else case.task(), timeout
        )
    except UnsupportedError as error:
        return Verdict(Outcome.UNSUPPORTED, detail=error.message, seconds=_since(began))
    except EngineTimeout as error:
        return Verdict(
            Outcome.TIMEOUT, detail=str(error), stderr=error.stderr, seconds=_since(began)
        )
    except EngineCrash as error:
        return Verdict(
            Outcome.CRASH, detail=one_line(error), stderr=error.stderr, seconds=_since(began)
        )
    except (EngineError, ResultError) as error:
        return Verdict(Outcome.CRASH, detail=str(error), seconds=_since(began))
    except DenotaError as error:
        return _on_error(error, case, _since(began))
    return _on_results(results, case, engine, _since(began))


def expectation_of(case: Case) -> Expectation:
    """Return the oracle's expectation for a case: its results, or a clear error."""
    try:
        return ExpectedResults(
            list(Oracle().run(case)), level=case.language.levels[0], partial=False
        )
    except UnsupportedError:
        raise
    except DenotaError as error:
        return ExpectedError(None, str(error))


def _on_results(
    results: list[Any], case: Case, engine: Engine, seconds: float
) -> Verdict:
    expected = expectation_of(case) if case.expect is None else case.expect
    language = case.language
    asked = expected.level if isinstance(expected, ExpectedResults) else language.levels[0]
    level = common_level(asked, engine.level)
    if level not in language.levels:
        return Verdict(
            Outcome.UNSUPPORTED,
            detail=f"{language.title} has no comparison level {level}",
            seconds=seconds,
        )
    wanted: list[Answer] = []
    if isinstance(expected, ExpectedResults):
        wanted = language.answers(expected.results, level, partial=expected.partial)
    try:
        reported = language.answers(results, level, partial=engine.level != language.levels[0])
        if isinstance(expected, ExpectedResults) and _leaves_a_choice(case):
            wanted = _nearest(wanted, results, case, level)
        difference = compare(wanted, reported, level, sets=language.sets)
        if difference.duplicate and isinstance(expected, ExpectedResults) and expected.partial:
            duplicate = _recounted(difference, reported, case, level)
            difference = replace(difference, duplicate=duplicate)
    except Exception as error:  # results may be anything, and so may be what goes wrong with them
        known = error.message if isinstance(error, ResultError) else None
        detail = f"invalid result: {known or f'{type(error).__name__}: {one_line(error)}'}"
        return Verdict(Outcome.CRASH, level, detail=detail, seconds=seconds)
    if isinstance(expected, ExpectedError):
        return Verdict(
            Outcome.FAIL,
            level,
            unexpected=tuple(reported),
            detail=f"expected {_described(expected)}, got none",
            seconds=seconds,
        )
    return Verdict(
        Outcome.FAIL if difference else Outcome.PASS,
        level,
        missing=difference.missing,
        unexpected=difference.unexpected,
        duplicate=difference.duplicate,
        seconds=seconds,
    )


def _recounted(
    difference: Difference, reported: list[Answer], case: Case, level: Level
) -> tuple[Answer, ...]:
    """Return the seeming duplicates that the oracle does not have as often either.

    Expectations that people write leave windows and multiplicities out: a row that they name once
    may be there for each of two windows.
    """
    language = case.language
    try:
        expected = expectation_of(case)
    except UnsupportedError:
        return difference.duplicate
    if isinstance(expected, ExpectedError):
        return difference.duplicate
    known = language.answers(expected.results, level, partial=False)
    too_often = Counter(compare(known, reported, level, sets=language.sets).duplicate)
    return tuple((Counter(difference.duplicate) & too_often).elements())


def _leaves_a_choice(case: Case) -> bool:
    leaves = getattr(case.language, "leaves_a_choice", None)
    return leaves is not None and bool(leaves(case.tree))


def _nearest(
    wanted: list[Answer], results: list[Any], case: Case, level: Level
) -> list[Answer]:
    """Return the right result nearest to another, if several are right and the expected one is."""
    language: Any = case.language

    def nearest(reported: Sequence[Any]) -> list[Answer]:
        right = language.reconciled(
            reported, case.tree, streams=case.streams, readings=case.readings
        )
        found: list[Answer] = language.answers(right, level, partial=False)
        return found

    again = nearest([language.result_of(answer) for answer in wanted])
    if compare(again, wanted, level, sets=language.sets):
        return wanted
    return nearest(results)


def _on_error(error: DenotaError, case: Case, seconds: float) -> Verdict:
    try:
        expected = expectation_of(case) if case.expect is None else case.expect
    except UnsupportedError as unsupported:
        return Verdict(Outcome.UNSUPPORTED, detail=unsupported.message, seconds=seconds)
    text = str(error)
    if isinstance(expected, ExpectedError):
        if expected.pattern is None or re.search(expected.pattern, text):
            return Verdict(Outcome.PASS, detail=text, seconds=seconds)
        return Verdict(
            Outcome.FAIL,
            detail=f"expected {_described(expected)}, got: {text}",
            seconds=seconds,
        )
    try:
        level = expected.level
        missing = tuple(case.language.answers(expected.results, level, partial=expected.partial))
    except DenotaError:
        level, missing = None, ()
    return Verdict(
        Outcome.FAIL, level, missing=missing, detail=f"error: {text}", seconds=seconds
    )


def _described(expected: ExpectedError) -> str:
    if expected.pattern is None:
        return f"the error of the oracle, {expected.message}"
    return f"an error matching /{expected.pattern}/"


# --- time ----------------------------------------------------------------------------------------


def answer_of(engine: Engine, case: Task, timeout: float | None) -> list[Any]:
    """Return an engine's answer; raise DenotaError, EngineTimeout or EngineCrash in its place."""
    if isinstance(engine, IsolatedEngine):
        return engine.answer(case, timeout)
    trusted = timeout is None and getattr(engine, "own", False)
    if inside() or trusted or getattr(engine, "keeps_time", False):
        return answered_here(engine, case, timeout)
    return apart_of(engine, case.language_name).answer(case, timeout)


def _speaks_later(engine: Engine) -> bool:
    # A child names its languages when it is greeted, which is at its first case.
    return bool(getattr(engine, "speaks_later", False))


def _now() -> float:
    return perf_counter() - uncharged()


def _since(began: float) -> float:
    return _now() - began


def assert_agrees(
    engine: Engine | Callable[..., Iterable[Any]] | str,
    case: Case,
    *,
    timeout: float | None = DEFAULT_TIMEOUT,
) -> None:
    """Raise AssertionError unless an engine returns the results that a case expects.

    Args:
        engine: an Engine, the name of one as of `--engine`, or a function that takes what
            `denota.run` takes and returns results.
        case: a case; without expected results, those of the oracle are expected.
        timeout: the time in seconds that the engine may take; None: any.

    Raises:
        AssertionError: with the missing, unexpected and duplicate results, and the case.
        UnsupportedError: if the engine does not support the case.
        DenotaError: if a case has no meaning.
    """
    __tracebackhide__ = True  # pytest shows the difference without these lines
    judged: Any = engine
    if isinstance(engine, str):
        judged = named_engine(engine, timeout=timeout or DEFAULT_TIMEOUT)
    elif not hasattr(engine, "run"):
        if not callable(engine):
            raise DenotaError(
                f"not an engine: {engine!r}; expected a name, a function of a task, or an object"
                " with run, name, version, languages and level (denota.Engine)"
            )
        judged = FunctionEngine(engine, getattr(engine, "__name__", "function"))
    if case.expect is None:
        case = case.but(expect=expectation_of(case))
    verdict = check_case(case, judged, timeout=timeout)
    if verdict.outcome is Outcome.UNSUPPORTED:
        raise UnsupportedError(f"{judged.name} does not support this case: {verdict.detail}")
    if verdict.is_failure:
        lines = [*explanation(CaseResult(case, verdict, case.id)), "", case_text(case).rstrip()]
        raise AssertionError(f"{judged.name}: {verdict.outcome}\n" + "\n".join(lines))
