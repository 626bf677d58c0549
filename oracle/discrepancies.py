"""Discrepancies: a failing case shrunk, and told as a conformance case.

What is told apart: two shrunk cases are the same discrepancy if their queries have the same
operators and constructs, their readings are the same, and the verdict is of the same kind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from .cases import SUFFIX, Case
from .engines import Engine
from .features import features_of
from .judging import Expectation, ExpectedError, expectation_of, judge
from .readings import reading_features
from .shrinking import LIMIT, shrink
from .tasks import Task
from .verdicts import Outcome, Verdict

_SLOW_LIMIT = 40  # shrinking a time-out takes as many times the time limit

Signature: TypeAlias = frozenset[str]


@dataclass(frozen=True, slots=True)
class ShrunkFailure:
    """A shrunk case whose expectation is the oracle's answer, and the verdict on it."""

    case: Case
    verdict: Verdict


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

    `verdict` is the one on `case`; at most `limit` simplifications are tried (None: as many as is
    sensible for such a verdict); `tags` are put before the tags that name the operators.
    """
    expects_error = isinstance(expectation_of(case.task()), ExpectedError)

    def fails_alike(simpler: Case) -> bool:
        task = simpler.task()
        expected = expectation_of(task)
        if isinstance(expected, ExpectedError) != expects_error:
            return False
        return judge(task, engine, expected, timeout=timeout).outcome is verdict.outcome

    if limit is None:
        limit = _SLOW_LIMIT if verdict.outcome is Outcome.TIMEOUT else LIMIT
    shrunk = shrink(case, fails_alike, limit=limit)
    task = shrunk.task()
    expected = expectation_of(task)
    last = judge(task, engine, expected, timeout=timeout)
    return ShrunkFailure(_told(shrunk, task, expected, last, engine.name, tags), last)


def signature(task: Task, verdict: Verdict) -> Signature:
    """What tells one discrepancy from another."""
    known = features_of(task.language_name)
    own = known.query_features(task.tree) | reading_features(task.readings)
    return own | kind_of_failure(
        verdict.outcome, missing=bool(verdict.missing), unexpected=bool(verdict.unexpected)
    )


def kind_of_failure(outcome: str, *, missing: bool, unexpected: bool) -> Signature:
    """The outcome, and on which side something is wrong."""
    kind = {str(outcome)}
    if missing:
        kind.add("missing")
    if unexpected:
        kind.add("unexpected")
    return frozenset(kind)


def _told(
    case: Case,
    task: Task,
    expected: Expectation,
    verdict: Verdict,
    engine: str,
    tags: tuple[str, ...],
) -> Case:
    """The case with a title, a file name, the definitions that decide it, the oracle's answer."""
    known = features_of(case.language)
    readings = sorted(reading_features(task.language.readings(case.readings)))
    under = f" under {', '.join(readings)}" if readings else ""
    digest = sha256(json.dumps(task.message(), sort_keys=True).encode()).hexdigest()[:8]
    words = known.words_of(task.tree)
    values = [reading.split("=")[1] for reading in readings]
    return replace(
        case,
        title=f"{known.title_of(task.tree)}{under}: {engine} {_in_words(verdict)}",
        cites="; ".join(task.language.cites(task.tree, task.readings)),
        expect=expected,
        tags=(*tags, *words[1:]),
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
    return " and ".join(said) or verdict.detail or "fails"


def _counted(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count} {noun}s"


__all__ = ["ShrunkFailure", "Signature", "kind_of_failure", "shrunk_failure", "signature"]
