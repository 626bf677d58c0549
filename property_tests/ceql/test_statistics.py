"""What is generated for CEQL: how often it matches, and that every construct occurs."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings

from denota.oracle.fuzzing.strategies.plain_generation import plain_backend
from denota.oracle.languages.ceql.case import CeqlCase
from denota.oracle.languages.ceql.features import features
from denota.oracle.languages.ceql.generate import ceql_cases

EXPECTED = {
    ";", ":", "+", ":+", "OR", "AS", "FILTER", "NOT", "S>R", "nested +", "OR in +",
    "θ AND θ", "θ OR θ", "NOT θ", "P AND P", "P OR P", "NOT P",
    "LIKE", "IN", "NOT IN", "interval", "IN RANGE", "arithmetic",
    "SELECT NEXT", "SELECT LAST", "SELECT MAX", "SELECT STRICT", "SELECT ANY", "SELECT NONE",
    "projection", "PARTITION BY", "several lists", "several streams", "LIMIT",
    "WITHIN events", "WITHIN time", "WITHIN attribute", "CONSUME BY ANY", "CONSUME BY PARTITION",
    "within=core", "strategy=after-within", "output=valuation", "limit=query",
    "partition=core",
    "empty stream", "missing attribute", "equal times", "tuple in no partition",
    "several partitions",
}


def test_everything_is_generated_and_half_of_it_matches() -> None:
    seen: Counter[str] = Counter()
    matching = 0

    @settings(
        max_examples=800, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), backend=plain_backend(), derandomize=True,
    )
    @given(ceql_cases())
    def count(case: CeqlCase) -> None:
        nonlocal matching
        seen.update(features(case))
        matching += bool(case.denotation())

    count()
    assert set(seen) >= EXPECTED, EXPECTED - set(seen)
    assert matching > 370
