"""A run that is left at any item goes on from its checkpoint as if nothing had been."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.capacities import SMALL, capacities
from denota.engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from denota.engine.checkpoints.running_query import RunningQuery, state_of, taken_up
from denota.oracle.cases.case import Case
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.semantics.model.errors import DenotaError

LANGUAGES = ("spaseq", "ceql")


def running(case: Case, dictionary: Any = None) -> RunningQuery:
    made: RunningQuery = case.language.running(case.tree, dictionary, **case.inputs)
    return made


def content(run: RunningQuery) -> bytes:
    return written(Checkpoint({}, state_of(run)))


def taken(case: Case, left: Random | None) -> list[list[Any]]:
    """What comes with each arrival and at the end; left before arrivals that are drawn."""
    run = running(case)
    found: list[list[Any]] = []
    for arrival in case.language.arriving(run, case.tree, case.inputs["streams"]):
        if run.is_done:
            return found
        if left is not None and left.random() < 0.5:
            before = content(run)
            run = taken_up(lambda dictionary: running(case, dictionary), parsed(before).state)
            assert content(run) == before, "a checkpoint of a checkpoint is the same"
        found.append(run.take(arrival))
    if left is not None:
        run = taken_up(lambda dictionary: running(case, dictionary), parsed(content(run)).state)
    return [*found, [] if run.is_done else run.finish()]


def counted(results: Iterable[Any]) -> Any:
    """The results of one arrival, which have no order of their own."""
    try:
        return Counter(results)
    except TypeError:  # a solution that holds a list
        return sorted(map(repr, results))


@pytest.mark.parametrize("small", [False, True], ids=["", "small"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_goes_on_from_its_checkpoint(language: str, small: bool) -> None:
    @settings(max_examples=40)
    @given(cases_strategy(language), st.integers(0, 1 << 32))
    def holds(case: Case, seed: int) -> None:
        with capacities(SMALL if small else None, batch=1):
            try:
                whole = taken(case, None)
            except DenotaError:
                return
            assert list(map(counted, taken(case, Random(seed)))) == list(map(counted, whole))

    holds()
