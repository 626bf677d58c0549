"""Repairs: the smallest rewritings of a case that avoid a difference.

A language's folder may have `repairs`, whose REPAIRS are rewritings by name, the smaller ones
first. A rewriting returns None where there is nothing to repair. Known differences name them, and
failures that the same one cures have one cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...semantics.model.errors import DenotaError
from ...semantics.model.trees import changed
from ..cases.case import Case, ExpectedResults
from ..cases.schedule import parse_schedule
from ..checking.case_checker import check_case, expectation_of
from ..checking.verdicts import Verdict
from ..engines.engine import Engine
from ..languages.registry import has, part_of
from .clusters import kind_of

Rewriting: TypeAlias = Callable[[Case], Case | None]


def rewriting(change: Callable[[Any], Any]) -> Rewriting:
    """Return the rewriting of all constructs of the query; unchanged ones stay the same object."""
    def rewritten(case: Case) -> Case | None:
        query = changed(case.tree, change)
        return None if query is case.tree else case.but(query=query)

    return rewritten


def repairs_of(language: str) -> Mapping[str, Rewriting]:
    """Return the rewritings of a language by name, the smaller ones first."""
    found: Mapping[str, Rewriting] = (
        getattr(part_of(language, "shrink"), "REPAIRS", {}) if has(language, "shrink") else {}
    )
    return found


def repaired(case: Case, name: str) -> Case | None:
    """Return the rewritten case; None if there is nothing to repair, or too much work is left."""
    found = repairs_of(case.language_name)[name](case)
    if found is not None and has(case.language_name, "shrink"):
        affordable = part_of(case.language_name, "shrink").HOOK.affordable
        return found if affordable(found) or not affordable(case) else None
    return found


def after_repair(
    case: Case, verdict: Verdict, name: str, engine: Engine, *, timeout: float | None
) -> tuple[Case, Verdict] | None:
    """Return a failing case under a rewriting, with the verdict on it by its own expected results.

    None if there is nothing to repair, as where all answers are right and only repeated, or if the
    engine, which gave answers, gives none any more. One that refused the query may crash now: it
    had not begun to evaluate it.
    """
    if kind_of(verdict) == "repeated":
        return None
    if verdict.schedule:
        case = case.but(schedule=parse_schedule(verdict.schedule))
    try:
        rewritten = repaired(case, name)
        expected = None if rewritten is None else expectation_of(rewritten)
    except DenotaError:
        return None
    if rewritten is None or not isinstance(expected, ExpectedResults):
        return None
    if kind_of(verdict) == "answers" and verdict.missing and not expected.results:
        return None  # an engine that finds nothing would pass it
    rewritten = rewritten.but(expect=expected)
    again = check_case(rewritten, engine, timeout=timeout)
    if again.ok:
        return rewritten, again
    before, after = kind_of(verdict), kind_of(again)
    goes_on = after in (before, "answers", "repeated") or (before, after) == ("error", "crash")
    return (rewritten, again) if again.is_failure and goes_on else None


def cure_of(case: Case, verdict: Verdict, engine: Engine, *, timeout: float | None) -> str:
    """Return the name of the first rewriting after which a failing case passes; '' if none does."""
    for name in repairs_of(case.language_name):
        after = after_repair(case, verdict, name, engine, timeout=timeout)
        if after is not None and after[1].ok:
            return name
    return ""
