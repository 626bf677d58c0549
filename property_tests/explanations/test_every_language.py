"""What the definitions return, the rules derive; what they do not return, some condition fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.oracle.explanations.explain_case import explanation_lines
from denota.oracle.explanations.explainer import RequestedRow
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
        denied = explainer.result_text(number).endswith("no")
        assert proof.holds is not denied, explanation_lines(proof)


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
        (row,) = explainer.requests({"end": time, "time": time})
        if explainer.result_number(row) or explainer.impossible(row) or explainer.open_choice(row):
            return
    except DenotaError:
        return
    proof = explainer.absence(row).proof
    assert not proof.holds
    assert proof.failure
    assert explanation_lines(proof)
    assert isinstance(row, RequestedRow) or explainer.request_text(row)
