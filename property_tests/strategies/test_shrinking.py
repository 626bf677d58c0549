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


DESCENTS = 8
EXAMPLES = 200  # in each: several short descents come further than a long one, which takes a minute


class Ended(BaseException):
    """The end of a descent: no failure of a condition, which Hypothesis would make small."""

    def __init__(self, *, is_small: bool) -> None:
        self.is_small = is_small


def comes_to(
    condition: Callable[[SpaseqCase], bool], most_operators: int, most_events: int
) -> bool:
    """Whether a descent meets a case of this size on which the condition holds."""
    return any(
        _comes_to(condition, most_operators, most_events, seed) for seed in range(DESCENTS)
    )


def _comes_to(
    condition: Callable[[SpaseqCase], bool], most_operators: int, most_events: int, seed: int
) -> bool:
    tried = 0

    def holds(case: SpaseqCase) -> bool:
        nonlocal tried
        tried += 1
        if tried > EXAMPLES:
            raise Ended(is_small=False)
        if not condition(case):
            return False
        if operator_count(case.query.sequence) <= most_operators and events(case) <= most_events:
            raise Ended(is_small=True)
        return True

    try:
        find(spaseq_cases(), holds, settings=QUIET, random=Random(seed))
    except Ended as end:
        return end.is_small
    return False


def events(case: SpaseqCase) -> int:
    return sum(map(len, case.streams.values()))


def test_the_simplest_case_is_one_pattern_on_one_event() -> None:
    case = find(spaseq_cases(), lambda case: True, settings=QUIET, random=Random(0))
    assert operator_count(case.query.sequence) == 0
    assert events(case) <= 1
    assert features(case) <= {"empty stream"}


def test_a_match_of_an_operator_takes_one_operator_and_two_events() -> None:
    assert comes_to(
        lambda case: Operator.NEXT in operators(case.query.sequence) and bool(case.denotation()),
        1, 2,
    )  # fmt: skip


@pytest.mark.parametrize("construct", ["&", "!", "deferred filter", "kleene=collect"])
def test_a_construct_shrinks_to_itself(construct: str) -> None:
    assert comes_to(lambda case: construct in features(case), 2, 2)


def test_a_difference_of_next_and_any_is_small() -> None:
    assert comes_to(lambda case: case.denotation() != with_any(case).denotation(), 2, 4)


def with_any(case: SpaseqCase) -> SpaseqCase:
    sequence = case.query.sequence
    steps = tuple(Step(Operator.ANY, step.atom) for step in sequence.steps)
    return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))
