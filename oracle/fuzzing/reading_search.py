"""Differences of meaning: an engine that answers as the definitions do under another reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice
from typing import Any, TypeAlias

from ...semantics.model.errors import DenotaError
from ..cases.case import Case
from ..checking.case_checker import check_case, expectation_of
from ..checking.verdicts import Outcome, Verdict
from ..engines.engine import Engine

MOST_TRIED = 60
"""The maximum number of other readings tried for a case: the single ones first, then pairs."""

Readings: TypeAlias = Mapping[str, str]
"""Readings by name: those alone that are not the case's."""


def explaining_readings(
    case: Case, verdict: Verdict, engine: Engine, *, timeout: float | None
) -> tuple[Readings, ...]:
    """Return the other readings of a case, as few as explain it, under which the definitions answer
    as the engine does: every single one that does, or else every pair.

    None explains an engine that crashes or gives no answer.
    """
    if verdict.outcome is not Outcome.FAIL:
        return ()
    changes = list(_changes(case))
    left = MOST_TRIED
    for many in (1, 2):
        candidates = list(islice(_together(changes, many), left))
        left -= len(candidates)
        found = [c for c in candidates if is_read_so(case, c, engine, timeout=timeout)]
        if found:
            return tuple(found)
    return ()


def is_read_so(
    case: Case, readings: Readings, engine: Engine, *, timeout: float | None
) -> bool:
    """Return True if an engine answers a case as the definitions do under these other readings.

    The engine is asked the case as it is. Readings that the case has already explain nothing.
    """
    if all(str(getattr(case.readings, name, value)) == value for name, value in readings.items()):
        return False
    try:
        otherwise = expectation_of(case.but(readings={**case.reading_names, **readings}))
    except DenotaError:
        return False  # no readings of this query
    return check_case(case.but(expect=otherwise), engine, timeout=timeout).ok


def _changes(case: Case) -> Iterator[tuple[str, str]]:
    readings: Any = case.readings
    for name, values in getattr(type(readings), "choices", dict)().items():
        for value in values:
            if str(getattr(readings, name, value)) != value:
                yield name, value


def _together(changes: list[tuple[str, str]], many: int) -> Iterator[Readings]:
    for chosen in combinations(changes, many):
        readings = dict(chosen)
        if len(readings) == many:
            yield readings
