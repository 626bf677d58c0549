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
    max_examples=2_000, database=None, deadline=None, suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


ATTEMPTS = 4  # Hypothesis ends a descent after 500 steps, wherever that is


def smallest(
    condition: Callable[[SpaseqCase], bool], most_operators: int, most_events: int
) -> SpaseqCase:
    """What the first descent comes to that gets as far as that, or the last one."""
    for seed in range(ATTEMPTS):
        case = find(spaseq_cases(), condition, settings=QUIET, random=Random(seed))
        if operator_count(case.query.sequence) <= most_operators and events(case) <= most_events:
            break
    return case


def events(case: SpaseqCase) -> int:
    return sum(map(len, case.streams.values()))


def test_the_simplest_case_is_one_pattern_on_one_event() -> None:
    case = smallest(lambda case: True, 0, 1)
    assert operator_count(case.query.sequence) == 0
    assert events(case) <= 1
    assert features(case) <= {"empty stream"}


def test_a_match_of_an_operator_takes_one_operator_and_two_events() -> None:
    case = smallest(
        lambda case: Operator.NEXT in operators(case.query.sequence) and bool(case.denotation()),
        1, 2,
    )  # fmt: skip
    assert operator_count(case.query.sequence) == 1
    assert events(case) == 2


@pytest.mark.parametrize("construct", ["&", "!", "deferred filter", "kleene=collect"])
def test_a_construct_shrinks_to_itself(construct: str) -> None:
    case = smallest(lambda case: construct in features(case), 2, 2)
    assert operator_count(case.query.sequence) <= 2
    assert events(case) <= 2


def test_a_difference_of_next_and_any_is_small() -> None:
    case = smallest(lambda case: case.denotation() != with_any(case).denotation(), 2, 4)
    assert operator_count(case.query.sequence) <= 2
    assert events(case) <= 4


def with_any(case: SpaseqCase) -> SpaseqCase:
    sequence = case.query.sequence
    steps = tuple(Step(Operator.ANY, step.atom) for step in sequence.steps)
    return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))
