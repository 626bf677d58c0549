"""Cases as the profile `ci` draws them meet every situation that definitions speak of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from denota.oracle.cases.expectations import ExpectedResults
from denota.oracle.fuzzing.graph_situations import GRAPH_SITUATIONS, MORE_SITUATIONS
from denota.oracle.fuzzing.rounds import cases_strategy, situations_met
from denota.oracle.fuzzing.strategies.plain_generation import plain_backend
from denota.oracle.fuzzing.strategies.sparql import questions
from denota.oracle.judging.judge import expectation_of
from denota.oracle.languages.registry import having, part_of
from denota.oracle.studies.opinions.asking import situations_of
from denota.oracle.studies.opinions.questions import Question
from denota.semantics.model.terms import Dataset
from denota.semantics.rdf.syntax.tree import GroupGraphPattern

EXAMPLES = 500
GRAPH_PATTERNS = {**GRAPH_SITUATIONS, **MORE_SITUATIONS}


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


def test_every_situation_of_graph_patterns_is_met() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=2 * EXAMPLES, backend=plain_backend())
    @given(questions(ruled=True))
    def count(asked: tuple[GroupGraphPattern, Dataset]) -> None:
        question = Question(*asked)
        if question.solutions:
            met.update(situations_of(question))

    count()
    assert set(met) <= set(GRAPH_PATTERNS), "a situation without a sentence"
    assert [name for name in GRAPH_PATTERNS if not met[name]] == []
