"""The main property: the production engine computes what the definitions say, however driven.

It is `denota fuzz`: cases of every operator and reading, each under three schedules (item by item,
in batches, any).
"""

from __future__ import annotations

from random import Random, SystemRandom

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.oracle.cases.case_writer import case_text
from denota.oracle.cases.schedule import KINDS, Schedule, parse_schedule, random_schedule
from denota.oracle.engines.engine import Engine
from denota.oracle.engines.engine_specs import engine
from denota.oracle.fuzzing.differential import fuzz, fuzzable

from ..examples import count

pytestmark = pytest.mark.long

CASES = 1_250
NEW_CASES = CASES // 2


@pytest.fixture(scope="module")
def production() -> Engine:
    """The engine, in one process for all languages."""
    return engine("production")


def assert_agree(production: Engine, language: str, seed: int, examples: int) -> None:
    number = count(examples)
    report = fuzz(
        production, [language], examples=number, seed=seed, stop_after=1, covering=number
    )
    command = f"denota fuzz --language {language} --cases {number} --seed {seed}"
    found = [f"{each.verdict}\n{case_text(each.case)}" for each in report.discrepancies]
    assert report.ok, "\n".join([command, *found])
    assert report.unsupported <= number / 20


@pytest.mark.parametrize("language", fuzzable())
def test_the_engine_computes_what_the_definitions_say(
    production: Engine, language: str
) -> None:
    assert_agree(production, language, 0, CASES)


@pytest.mark.parametrize("language", fuzzable())
def test_also_on_new_cases(production: Engine, language: str) -> None:
    """Each run has a seed of its own, which a failure names."""
    assert_agree(production, language, SystemRandom().randrange(2**32), NEW_CASES)


SCHEDULES = st.builds(
    lambda seed, kind: random_schedule(Random(seed), kind),
    st.integers(0, 10_000), st.sampled_from(KINDS),
)


@given(SCHEDULES)
def test_a_schedule_is_its_text_and_shrinks_to_the_usual_one(schedule: Schedule) -> None:
    assert parse_schedule(str(schedule)) == schedule
    steps = 0
    while simpler := list(schedule.simpler()):
        assert all(each.size < schedule.size for each in simpler)
        schedule, steps = simpler[-1], steps + 1
    assert schedule == Schedule()
    assert steps < 500
