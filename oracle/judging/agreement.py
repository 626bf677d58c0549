"""`denota.assert_agrees`: a case as an assertion about an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...semantics.model.errors import DenotaError, UnsupportedError
from ..cases.case import Case
from ..cases.writing import case_text
from ..engines.engine import DEFAULT_TIMEOUT, Engine
from ..engines.naming import FunctionEngine
from ..engines.naming import engine as named_engine
from ..reports.judged import Judged
from ..reports.lines import explanation
from .judge import expectation_of, judge
from .verdicts import Outcome


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
    verdict = judge(case, judged, timeout=timeout)
    if verdict.outcome is Outcome.UNSUPPORTED:
        raise UnsupportedError(f"{judged.name} does not support this case: {verdict.detail}")
    if verdict.against:
        lines = [*explanation(Judged(case, verdict, case.id)), "", case_text(case).rstrip()]
        raise AssertionError(f"{judged.name}: {verdict.outcome}\n" + "\n".join(lines))
