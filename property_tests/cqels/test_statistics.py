"""What is generated for CQELS-CEP: how often it has answers, and that every construct occurs."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings

from denota.oracle.fuzzing.strategies.plain_generation import plain_backend
from denota.oracle.languages.cqels.case import CqelsCase
from denota.oracle.languages.cqels.features import case_features
from denota.oracle.languages.cqels.generate import cqels_cases

EXPECTED = {
    "[RANGE]", "[RANGE SLIDE]", "[NOW]", "[ALL]", "[TRIPLES]", "SEQ", "SEQ of windows", "SEQ_WO",
    "NO_HEAD", "NO_TAIL", "JOIN", "OPTIONAL", "UNION", "MINUS", "FILTER", "EXISTS", "GRAPH",
    "axis", "nested path", "node test", "background", "inside=open", "intervals", "at",
    "changing background", "CONSTRUCT", "RSTREAM", "ISTREAM", "DSTREAM",
}


def test_everything_is_generated_and_much_of_it_has_answers() -> None:
    seen: Counter[str] = Counter()
    answered = 0

    @settings(
        max_examples=400, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), backend=plain_backend(), derandomize=True,
    )
    @given(cqels_cases())
    def count(case: CqelsCase) -> None:
        nonlocal answered
        seen.update(case_features(case))
        answered += bool(case.denotation())

    count()
    assert set(seen) >= EXPECTED, EXPECTED - set(seen)
    assert answered > 175
