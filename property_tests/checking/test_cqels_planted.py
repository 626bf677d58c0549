"""Engines of CQELS-CEP with a mistake: fuzzing finds each, the case that shows it is small."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.inputs.streams import SECOND, instant
from denota.semantics.cqels import denotation, operators
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import TimeKind

from .finding import first_found


class Planted:
    """The definitions, with one of their functions exchanged."""

    version = ""
    languages = ("cqels",)
    level = "solutions"

    def __init__(self, name: str, module: Any, function: str, change: Callable[..., Any]) -> None:
        self.name = name
        self.module = module
        self.function = function
        self.change = change

    def run(self, task: Case) -> Iterable[IntervalSolution]:
        original = getattr(self.module, self.function)
        setattr(self.module, self.function, self.change)
        try:
            return list(Oracle().run(task))
        finally:
            setattr(self.module, self.function, original)


def _seq_that_touches(one: Any, two: Any) -> Any:
    return operators.seq(one, two) | frozenset(
        IntervalSolution(a.start, b.end, a.mapping.merge(b.mapping))
        for a in one for b in two
        if a.end == b.start and a.mapping.compatible(b.mapping)
    )


def _never_between(first: Any, second: Any, third: Any, inside: str) -> bool:
    return inside == "closed" and first.end < second.start and second.end < third.start


def _unclipped(stream: Any, t: int, width: int) -> Any:
    return (each for each in stream if each.start <= t and each.end >= t - width)


def _join_that_covers(one: Any, other: Any) -> IntervalSolution:
    start, end = min(one.start, other.start), max(one.end, other.end)
    return IntervalSolution(start, end, one.mapping.merge(other.mapping))


def _head_is_tail(absent: Any, rows: Any) -> Any:
    return operators.no_tail(rows, absent, 1 << 80)


_background_pattern = denotation.background_pattern


def _since_ever(pattern: Any, context: Any) -> Any:
    found = _background_pattern(pattern, context)
    return frozenset(replace(each, start=denotation.SINCE_EVER) for each in found)


PLANTED = (
    Planted("sequences that touch", denotation, "seq", _seq_that_touches),
    Planted("closed is open", operators, "lies_between", _never_between),
    Planted("no clipping", denotation, "w_range", _unclipped),
    Planted("joins that cover", operators, "joined", _join_that_covers),
    Planted("NO_HEAD is NO_TAIL", denotation, "no_head", _head_is_tail),
    Planted("changes are not noticed", denotation, "background_pattern", _since_ever),
)


@pytest.mark.parametrize(
    "planted",
    [PLANTED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in PLANTED[1:])],
    ids=lambda planted: planted.name,
)
def test_a_planted_bug_is_found_and_shrunk(planted: Planted, tmp_path: Path) -> None:
    found = first_found(planted, "cqels", 1_000, tmp_path)
    small = found.case.parsed()
    items = [item for stream in small.streams.values() for item in stream]
    assert len(items) <= 3
    assert sum(len(item.graph) for item in items) <= 3
    assert all(abs(_ticks(item)) <= 12 for item in items)
    assert found.path is not None
    saved = read_case(found.path)
    assert check_case(saved, Oracle()).ok
    assert check_case(saved, planted).is_failure


def _ticks(item: Any) -> int:
    """Return the end of an item: units or, of dateTimes, seconds after the generator's origin."""
    after = item.end - instant(0, item.kind)
    return after // SECOND if item.kind is TimeKind.DATETIME else after
