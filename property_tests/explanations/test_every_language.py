"""What the definitions return, the rules derive; what they do not return, some condition fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.oracle.explanations.asked import AskedRow
from denota.oracle.explanations.prose import told
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.languages.registry import having, part_of
from denota.semantics.model.errors import DenotaError

from ..examples import examples

_MOST = 4  # results of a case that are looked at

EXPLAINED = [language for language in having("explain") if language in having("generate")]


@pytest.mark.parametrize("language", EXPLAINED)
@examples(25)
@given(data=st.data())
def test_every_result_is_derived(language: str, data: st.DataObject) -> None:
    case = data.draw(cases_strategy(language))
    try:
        explainer = part_of(language, "explain").EXPLAINER(case)
        results = explainer.results
    except DenotaError:
        return
    for number in range(1, min(len(results), _MOST) + 1):
        proof = explainer.presence(number).proof
        assert proof.holds is not explainer.result(number).endswith("no"), told(proof)


@pytest.mark.parametrize("language", EXPLAINED)
@examples(25)
@given(data=st.data())
def test_what_is_missing_has_a_first_condition_that_fails(
    language: str, data: st.DataObject
) -> None:
    case = data.draw(cases_strategy(language))
    time = data.draw(st.integers(0, 4))
    try:
        explainer = part_of(language, "explain").EXPLAINER(case)
        (asked,) = explainer.asked({"end": time, "time": time})
        if explainer.among(asked) or explainer.impossible(asked) or explainer.left_open(asked):
            return
    except DenotaError:
        return
    proof = explainer.absence(asked).proof
    assert not proof.holds
    assert proof.failure
    assert told(proof)
    assert isinstance(asked, AskedRow) or explainer.named(asked)
