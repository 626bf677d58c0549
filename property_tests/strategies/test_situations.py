"""Cases as the profile `ci` draws them meet every situation that definitions speak of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from denota.oracle.cases.expectations import ExpectedResults
from denota.oracle.fuzzing.differential import cases_strategy, situations_met
from denota.oracle.judging.judge import expectation_of
from denota.oracle.languages.registry import having, part_of

EXAMPLES = 500


@pytest.mark.parametrize("language", having("situations"))
def test_every_situation_is_met(language: str) -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES)
    @given(cases_strategy(language))
    def count(generated: Any) -> None:
        expected = expectation_of(generated)
        if isinstance(expected, ExpectedResults) and expected.results:
            met.update(situations_met(language, generated, expected))

    count()
    known = part_of(language, "situations").SITUATIONS
    assert set(met) <= set(known), "a situation without a sentence"
    assert [name for name in known if not met[name]] == []
