"""Engines of CEQL with a mistake: fuzzing finds each, and makes the case that shows it small."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.semantics.ceql.core_extensions import evaluate
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import CeqlQuery, Consumption, Formula, Strategy, WindowUnit
from denota.semantics.model.trees import find
from denota.semantics.model.tuples import EventTuple, merged

from .finding import first_found


class Planted:
    """The definitions, asked another question."""

    version = ""
    languages = ("ceql",)
    level = "positions"

    def __init__(
        self, name: str, change: Callable[[CeqlQuery, list[EventTuple]], Iterable[ComplexEvent]]
    ) -> None:
        self.name = name
        self.change = change

    def run(self, task: Case) -> Iterable[ComplexEvent]:
        streams = {str(name): tuple(stream) for name, stream in task.streams.items()}
        self.readings = task.readings
        return self.change(task.tree, list(merged(streams, task.tree.streams)))

    def ask(self, query: CeqlQuery, stream: list[EventTuple]) -> frozenset[ComplexEvent]:
        return evaluate(query, stream, self.readings)


def forgets_consumption(query: CeqlQuery, stream: list[EventTuple]) -> Iterable[ComplexEvent]:
    return PLANTED["forgets_consumption"].ask(replace(query, consume=Consumption.NONE), stream)


def next_is_last(query: CeqlQuery, stream: list[EventTuple]) -> Iterable[ComplexEvent]:
    last = Strategy.LAST if query.strategy is Strategy.NEXT else query.strategy
    return PLANTED["next_is_last"].ask(replace(query, strategy=last), stream)


def windows_too_short(query: CeqlQuery, stream: list[EventTuple]) -> Iterable[ComplexEvent]:
    within = query.within
    if within is not None and within.unit is WindowUnit.EVENTS:
        query = replace(query, within=replace(within, value=within.value - 1))
    return PLANTED["windows_too_short"].ask(query, stream)


def missing_is_zero(query: CeqlQuery, stream: list[EventTuple]) -> Iterable[ComplexEvent]:
    filled = [replace(t, attributes={"n": 0, **t.attributes}) for t in stream]
    return PLANTED["missing_is_zero"].ask(query, filled)


def one_partition(query: CeqlQuery, stream: list[EventTuple]) -> Iterable[ComplexEvent]:
    return PLANTED["one_partition"].ask(replace(query, partition=()), stream)


PLANTED = {
    change.__name__: Planted(change.__name__, change)
    for change in (
        forgets_consumption, next_is_last, windows_too_short, missing_is_zero, one_partition
    )
}


@pytest.mark.parametrize(
    "name",
    [name if name == "forgets_consumption" else pytest.param(name, marks=pytest.mark.slow)
     for name in PLANTED],
)
def test_a_planted_bug_is_found_and_shrunk(name: str, tmp_path: Path) -> None:
    planted = PLANTED[name]
    found = first_found(planted, "ceql", 1_000, tmp_path)
    small = found.case.parsed()
    assert len(list(find(small.query.formula, Formula))) <= 3
    assert sum(map(len, small.streams.values())) <= 3
    assert found.path is not None
    saved = read_case(found.path)
    assert check_case(saved, Oracle()).ok
    assert check_case(saved, planted).is_failure
