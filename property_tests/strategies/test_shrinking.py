"""Hypothesis alone, without denota's own shrinker, makes generated cases small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from denota.oracle.languages.spaseq.case import SpaseqCase, operator_count, operators
from denota.oracle.languages.spaseq.features import features
from denota.semantics.spaseq.syntax.tree import Operator, Step
from denota.strategies import spaseq_cases

QUIET = settings(
    database=None, deadline=None, suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)
ComesTo = Callable[..., bool]


def of_size(operator_limit: int, event_limit: int) -> Callable[[SpaseqCase], bool]:
    """Whether a case has no more operators and events than that."""
    return lambda case: (
        operator_count(case.query.sequence) <= operator_limit and events(case) <= event_limit
    )


def events(case: SpaseqCase) -> int:
    return sum(map(len, case.streams.values()))


def test_the_simplest_case_is_one_pattern_on_one_event() -> None:
    case = find(spaseq_cases(), lambda case: True, settings=QUIET, random=Random(0))
    assert operator_count(case.query.sequence) == 0
    assert events(case) <= 1
    assert features(case) <= {"empty stream"}


@pytest.mark.slow
def test_a_match_of_an_operator_takes_two_operators_and_two_events(comes_to: ComesTo) -> None:
    def matches(case: SpaseqCase) -> bool:
        return Operator.NEXT in operators(case.query.sequence) and bool(case.denotation())

    assert comes_to(spaseq_cases(), matches, of_size(2, 2))


@pytest.mark.parametrize("construct", [
    "|", ":", "window=match",  # the others take several descents
    *(
        pytest.param(each, marks=pytest.mark.slow)
        for each in ("kleene=collect", "&", "!", "deferred filter")
    ),
])
def test_a_construct_shrinks_to_itself(comes_to: ComesTo, construct: str) -> None:
    assert comes_to(spaseq_cases(), lambda case: construct in features(case), of_size(2, 2))


@pytest.mark.slow
def test_a_difference_of_next_and_any_is_small(comes_to: ComesTo) -> None:
    def differs(case: SpaseqCase) -> bool:
        return bool(case.denotation() != with_any(case).denotation())

    assert comes_to(spaseq_cases(), differs, of_size(2, 4))


def with_any(case: SpaseqCase) -> SpaseqCase:
    sequence = case.query.sequence
    steps = tuple(Step(Operator.ANY, step.atom) for step in sequence.steps)
    return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))
