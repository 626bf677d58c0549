"""Explanations of CEQL: every match has one that names its events, every absence has a reason."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from denota.oracle.explanations.explain_case import explanation_lines
from denota.oracle.languages.ceql.explain import CeqlExplainer
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases

from ..examples import examples


@examples(100)
@given(ceql_cases())
def test_a_match_is_explained_by_its_events(case: CeqlCase) -> None:
    explainer = CeqlExplainer(case)
    assert set(explainer.results) == set(case.denotation())
    for number, event in enumerate(explainer.results[:5], start=1):
        proof = explainer.presence(number).proof
        assert proof.holds
        named = [step.start for step in proof.events]
        assert named == sorted(set(named))
        assert (named[0], named[-1]) == (event.start, event.end)
        assert set(event.positions) <= set(named)
        lines = explanation_lines(proof)
        steps = [line for line in lines if line.split(".")[0].isdecimal()] or lines[:1]
        assert [int(line.split(" at ")[1].split(" ")[0].rstrip(",")) for line in steps] == named


@examples(100)
@given(ceql_cases(), st.sets(st.integers(0, 6), min_size=1, max_size=3))
def test_an_absence_has_a_reason(case: CeqlCase, positions: set[int]) -> None:
    explainer = CeqlExplainer(case)
    (asked,) = explainer.requests(
        {"start": min(positions), "end": max(positions), "positions": sorted(positions)}
    )
    if explainer.result_number(asked) is None:
        at_once = explainer.open_choice(asked) or explainer.impossible(asked)
        lines = [at_once] if at_once else explanation_lines(explainer.absence(asked).proof)
        assert lines
        assert all(line.strip() for line in lines)
