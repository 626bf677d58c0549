"""The engine returns what the definitions say, however it is driven."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.oracle.cases.case import Case
from denota.oracle.cases.schedule import KINDS, Schedule, parse_schedule, random_schedule
from denota.oracle.engines.own import Production
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.judging.judge import expectation_of, judge

SCHEDULES = st.builds(
    lambda seed, kind: random_schedule(Random(seed), kind),
    st.integers(0, 10_000), st.sampled_from(KINDS),
)


@pytest.mark.parametrize("language", fuzzable())
def test_no_schedule_changes_a_result(language: str) -> None:
    @settings(max_examples=60)
    @given(cases_strategy(language), SCHEDULES)
    def holds(case: Case, schedule: Schedule) -> None:
        asked = case.but(expect=expectation_of(case), schedule=schedule)
        verdict = judge(asked, Production(), timeout=None)
        assert not verdict.against, (str(schedule), verdict)

    holds()


@given(SCHEDULES)
def test_a_schedule_is_its_text_and_shrinks_to_the_usual_one(schedule: Schedule) -> None:
    assert parse_schedule(str(schedule)) == schedule
    steps = 0
    while simpler := list(schedule.simpler()):
        assert all(each.size < schedule.size for each in simpler)
        schedule, steps = simpler[-1], steps + 1
    assert schedule == Schedule()
    assert steps < 500
