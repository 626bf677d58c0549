"""Derivations in any language: the search for one or for the closest, and their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.explanations.derivations import Event, Goal, Step, Way, check
from denota.oracle.explanations.explain_case import explanation_lines
from denota.oracle.languages.registry import having, part_of
from denota.semantics.model.errors import DenotaError


def event(name: str, at: int, *premises: Goal | Step) -> Way:
    return Way(name, premises, Event("S", at, at))


def test_the_first_way_whose_premises_hold_is_the_derivation():
    goal = Goal(lambda: [
        event("a at 1", 1, check(False, false="a is late")),
        event("a at 2", 2, check(True, true="a is in time")),
    ])
    assert goal.proof.holds
    assert [each.start for each in goal.proof.events] == [2]
    assert explanation_lines(goal.proof) == ["a at 2", "  a is in time"]


def test_events_are_counted_and_what_stands_on_them_comes_after_them():
    both = Way("b follows a", [
        Goal(lambda: [event("a", 1)]), Goal(lambda: [event("b", 2, Step("b is red"))]),
        Step("1 < 2"),
    ])
    lines = explanation_lines(both.apply())
    assert lines == ["1. a", "2. b", "   b is red", "b follows a", "  1 < 2"]


def test_without_a_derivation_the_nearest_is_told_up_to_what_fails():
    first = Goal(lambda: [event("a", 1)])
    goal = Goal(lambda: [
        Way("", [Goal(list, "there is no c")]),
        event("b at 2", 2, first, check(True), check(False, false="2 is even")),
        event("b at 3", 3, check(False, false="3 is odd")),
    ])
    assert not goal.proof.holds
    assert goal.proof.failure == "2 is even"
    assert explanation_lines(goal.proof) == [
        "a", "Fails at b at 2:", "  2 is even", "Also fails at b at 3: 3 is odd",
    ]


def test_what_is_not_reached_is_not_told():
    nothing = Goal(list, "nothing begins it")
    goal = Goal(lambda: [event("b at 2", 2, nothing)])
    assert explanation_lines(goal.proof) == ["nothing begins it"]


def test_a_premise_after_one_that_fails_is_never_asked():
    def premises():
        yield check(False, false="no")
        raise AssertionError

    assert explanation_lines(Goal(lambda: [Way("", premises())]).proof) == ["no"]


def test_a_supposition_stands_before_what_is_tried_under_it():
    goal = Goal(lambda: [
        Way(premises=(Step("the window is empty"), check(False, false="nothing matches")),
            context="At 4")
    ])
    assert explanation_lines(goal.proof) == ["At 4:", "  the window is empty", "  nothing matches"]


@pytest.mark.parametrize("language", having("explain"))
def test_every_result_of_the_corpus_is_derived(
    language: str, corpus_cases: list[tuple[Path, Case]]
):
    """What the definitions return, the rules derive; what ASK denies, they do not."""
    derived = 0
    for path, case in corpus_cases:
        if case.language != language:
            continue
        try:
            explainer = part_of(language, "explain").EXPLAINER(case)
            results = explainer.results
        except DenotaError:
            continue
        for number in range(1, len(results) + 1):
            proof = explainer.presence(number).proof
            denied = explainer.result_text(number).endswith("no")
            assert proof.holds is not denied, (path, number, explanation_lines(proof))
            assert proof.holds or proof.failure
            derived += proof.holds
    assert derived > 150
