"""The engine answers what the definitions say where it is full and sweeps all the time, too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.oracle.cases.case import Case
from denota.oracle.engines.own import VARIATIONS, Production
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.judging.judge import expectation_of, judge

SETUPS = sorted({variation for variation in VARIATIONS if variation})


@pytest.mark.parametrize("language", fuzzable())
def test_capacities_do_not_show(language: str) -> None:
    @settings(max_examples=60)
    @given(cases_strategy(language), st.sampled_from(SETUPS))
    def holds(case: Case, setup: str) -> None:
        verdict = judge(case.but(expect=expectation_of(case)), Production(setup), timeout=None)
        assert not verdict.against, (setup, verdict)

    holds()
