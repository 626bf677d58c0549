"""Engines of RSEP-QL with a mistake: fuzzing finds each, and makes the case that shows it small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.languages.rsepql.features import RsepqlCase, operator_count
from denota.semantics.rsepql import consumption, dataset, denotation, event_patterns
from denota.semantics.rsepql import window_functions as windows
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.semantics.rsepql.syntax.tree import (
    Bounds,
    ConsumptionPolicy,
    NestedWindow,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
)

from .finding import first_found

Change = Callable[[RsepqlCase], RsepqlCase]


@dataclass(frozen=True)
class Planted:
    """The definitions on a changed case, or with one of them changed."""

    name: str
    change: Change = lambda case: case
    patched: tuple[tuple[Any, str, Any], ...] = ()
    version: str = ""
    languages: tuple[str, ...] = ("rsepql",)
    level: str = "solutions"

    def run(self, task: Case) -> Iterable[TimedAnswer]:
        case = RsepqlCase(
            task.tree,
            {iri: tuple(stream) for iri, stream in task.streams.items()},
            dict(task.kb),
            task.readings,
            Evaluation.of(task.evaluation),
        )
        with self.mistaken():
            return self.change(case).denotation()

    @contextmanager
    def mistaken(self) -> Iterator[None]:
        patches = [mock.patch.object(*patched) for patched in self.patched]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()


def _query(**changes: Any) -> Change:
    return lambda case: case.but(query=replace(case.query, **changes))


def _readings(**changes: Any) -> Change:
    return lambda case: case.but(readings=replace(case.readings, **changes))


def _unbounded(case: RsepqlCase) -> RsepqlCase:
    def plain(function: WindowFunction) -> WindowFunction:
        match function:
            case TimeBasedWindow():
                return replace(function, bounds=Bounds.OPEN_CLOSED)
            case NestedWindow(outer, inner):
                return NestedWindow(plain(outer), plain(inner))
        return function

    changed = tuple(replace(c, function=plain(c.function)) for c in case.query.windows)
    return case.but(query=replace(case.query, windows=changed))


def _no_steps(self: windows.TimeBased, t: int) -> int:
    return t


def _same_time(t3: int, active: windows.Window) -> windows.Window:
    return windows.Nested(windows.Interval(None, t3), active)


PLANTED = [
    Planted("rivals_any", _readings(rivals="any")),
    Planted("consumes_triples", _readings(consumption="triple")),
    Planted("forgets_consumption", _query(consumption=ConsumptionPolicy.UNRESTRICTED)),
    Planted("reports_everything", _query(operator=StreamOperator.RSTREAM)),
    Planted("bounds_ignored", _unbounded),
    Planted("steps_ignored", patched=((windows.TimeBased, "last_step", _no_steps),)),
    Planted("ties_in_sequence", patched=((event_patterns, "up_to", _same_time),)),
    Planted(
        "naive_is_unrestricted",
        patched=((event_patterns, "naive_sequence", event_patterns.sequence),),
    ),
    Planted("sees_the_future", patched=((dataset, "arrived", lambda stream, t: stream),)),
    Planted(
        "consumes_forever",
        patched=((denotation, "available", lambda content, before: consumption.delta(
            content, before
        )),),
    ),
]

EXAMPLES = 1_500


@pytest.mark.parametrize(
    "planted",
    [pytest.param(PLANTED[0], marks=pytest.mark.slow), *PLANTED[1:]],  # its shrinking is long
    ids=lambda planted: planted.name,
)
def test_a_planted_bug_is_found_and_shrunk(planted: Planted, tmp_path: Path) -> None:
    found = first_found(planted, "rsepql", EXAMPLES, tmp_path)
    case = found.case.parsed()
    assert operator_count(case.query) <= 2
    assert sum(map(len, case.streams.values())) <= 4

    assert found.path is not None
    saved = read_case(found.path)
    assert check_case(saved, Oracle()).ok, found.path.read_text()
    assert check_case(saved, planted).is_failure, found.path.read_text()  # type: ignore[arg-type]
