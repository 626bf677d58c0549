"""What an engine does outside a batch is seen by samples, of which every stretch has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from denota.engine import spaseq
from denota.oracle.checking.batch_checker import LONGEST, BatchChecker, BatchLook, chosen, stretches
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps import case_sources
from denota.oracle.sweeps.case_sources import CheckSettings, RankPiece

BOUNDS = Bounds(1, 2, alphabet="single")
CASES = 266


def test_stretches_are_the_same_however_they_are_asked_for() -> None:
    whole = list(stretches(0, 5 * LONGEST))
    assert [each.start for each in whole] == [0, *(each.stop for each in whole[:-1])]
    assert {len(each) for each in whole if each.start >= LONGEST} == {LONGEST}
    for first, end in pairwise([0, 1, 2, 3, 700, 1024, 1025, 3000, 5 * LONGEST]):
        part = list(stretches(first, end))
        assert part == [each for each in whole if each.start < end and first < each.stop]


def samples_of(cases: int) -> tuple[list[range], list[int]]:
    """The stretches of so many cases, and what is chosen of each."""
    cut = list(stretches(0, cases))
    return cut, [next(rank for rank in chosen(each) if rank < cases) for each in cut]


@pytest.mark.parametrize("cases", [1, 3, 266, 1024, 10_000])
def test_every_stretch_has_a_sample_that_there_is(cases: int) -> None:
    cut, samples = samples_of(cases)
    assert all(sample in stretch for sample, stretch in zip(samples, cut, strict=True))


def test_samples_are_one_in_so_many_and_anywhere_in_their_stretch() -> None:
    cut, samples = samples_of(400 * LONGEST)
    short = [each for each in cut if len(each) < LONGEST]
    assert len(samples) - len(short) == 399  # the short ones are as long as one of these
    places = [sample % LONGEST * 4 // LONGEST for sample in samples[len(short):]]
    assert all(70 <= places.count(quarter) <= 130 for quarter in range(4))


# --- planted outside a batch ----------------------------------------------------------------------


Run = Callable[..., Iterator[Any]]


def _nothing(*given: Any) -> Iterator[Any]:
    return iter(())


def _without_the_last_answer_on_one_event(run: Run) -> Run:
    def faulty(query: Any, streams: Any, *others: Any) -> Iterator[Any]:
        found = list(run(query, streams, *others))
        return iter(found[:-1] if sum(map(len, streams.values())) == 1 else found)

    return faulty


@pytest.fixture
def no_judge_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No check is left from before, and none stays that has a fault."""
    kept: list[Any] = []
    monkeypatch.setattr(case_sources, "_judging", kept)
    yield
    for _, _, checker in kept:
        checker.__exit__()


@pytest.mark.usefixtures("no_judge_yet")
def test_a_fault_in_the_outermost_function_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    look, space = BatchLook("spaseq"), Space.of("spaseq", BOUNDS)
    answered = sum(len([*look.answered(run)]) for run in space.runs(0, CASES))
    monkeypatch.setattr(spaseq, "run", _nothing)
    [found] = RankPiece("spaseq", BOUNDS, 0, CASES).sums(CheckSettings("production", 10.0))
    assert found.outcomes == {"fail": answered, "pass": CASES - answered}
    [why] = found.alone
    assert "does not pass from its text" in why
    assert answered <= found.alone[why] < CASES


def test_what_a_sample_says_counts_in_its_stretch_however_the_work_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = Space.of("spaseq", BOUNDS)
    monkeypatch.setattr(spaseq, "run", _without_the_last_answer_on_one_event(spaseq.run))
    with BatchChecker("spaseq", "production", 10.0, space.runs) as checker:
        whole = checker.judged(0, CASES)
        parts = [checker.judged(first, end) for first, end in pairwise([0, 3, 20, 33, 70, CASES])]
    assert b"".join(part.outcomes for part in parts) == whole.outcomes
    assert [rank for part in parts for rank, _ in part.asked] == [rank for rank, _ in whole.asked]
    asked = {rank for rank, _ in whole.asked}
    trusted = [each for each in stretches(0, CASES) if each.start not in asked]
    assert whole.failures
    assert trusted
    assert asked.isdisjoint(rank for each in trusted for rank in each)
