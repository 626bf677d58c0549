"""Text: a query, and a case with its results, is the same when it is printed and read."""

from __future__ import annotations

import pytest
from hypothesis import given

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.engines.builtin import Oracle
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import cases_strategy

from ..examples import examples


@pytest.mark.parametrize("language", fuzzable())
def test_parse_after_print_is_the_identity(language: str) -> None:
    @examples(300)
    @given(cases_strategy(language))
    def holds(case: Case) -> None:
        text = case.language.print(case.tree)
        again = case.language.parse(text)
        assert again == case.tree, text
        assert case.language.print(again) == text

    holds()


@pytest.mark.parametrize("language", fuzzable())
def test_a_case_has_the_same_results_when_it_is_written_and_read(language: str) -> None:
    @examples(60)
    @given(cases_strategy(language))
    def holds(case: Case) -> None:
        text = case_text(case.but(expect=expectation_of(case), title="a case"))
        verdict = check_case(parse_case(text), Oracle())
        assert verdict.ok, f"{verdict}\n{text}"

    holds()
