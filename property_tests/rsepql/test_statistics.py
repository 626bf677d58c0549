"""What is generated for RSEP-QL: how often it has answers, and that every construct occurs."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings

from denota.oracle.fuzzing.strategies.plain_generation import plain_backend
from denota.oracle.languages.rsepql.case import RsepqlCase
from denota.oracle.languages.rsepql.features import features
from denota.oracle.languages.rsepql.generate import rsepql_cases
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.settings import POLICIES
from denota.semantics.rsepql.syntax.tree import ConsumptionPolicy, SequenceOperator, StreamOperator

EXPECTED = {
    *SequenceOperator, "FIRST", "LAST", "MATCH", "WINDOW", "WINDOW ?w", "several patterns",
    "RANGE", "FROM", "BETWEEN", "ALL", "ELEMENTS", "OF", "FROM WINDOW", "dataset",
    "OPTIONAL", "UNION", "MINUS", "GRAPH", "FILTER", "BIND", "VALUES", "EXISTS", "sub-select",
    "aggregate", "ASK", "CONSTRUCT", "DESCRIBE",
    StreamOperator.ISTREAM, StreamOperator.DSTREAM,
    ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT,
    "at", *POLICIES, "equal timestamps", "empty stream",
    *(
        f"{name}={value}"
        for name, values in Readings.choices().items() for value in values[1:]
    ),
}


def test_everything_is_generated_and_half_of_it_has_answers() -> None:
    seen: Counter[str] = Counter()
    answered = 0

    @settings(
        max_examples=500, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), backend=plain_backend(), derandomize=True,
    )
    @given(rsepql_cases())
    def count(case: RsepqlCase) -> None:
        nonlocal answered
        seen.update(features(case))
        answered += bool(case.denotation())

    count()
    assert set(seen) >= EXPECTED, EXPECTED - set(seen)
    assert answered > 230
