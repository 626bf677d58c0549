"""Queries and cases as text: what is printed is read back as the same."""

from __future__ import annotations

from hypothesis import given

from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.printing import to_text
from denota.semantics.rsepql.syntax.tree import RsepqlQuery
from denota.strategies import rsepql_cases, rsepql_queries

from ..examples import examples


@examples(160)
@given(rsepql_queries())
def test_parse_after_print_is_the_identity(query: RsepqlQuery) -> None:
    assert parse(to_text(query)) == query


@examples(60)
@given(rsepql_queries())
def test_print_after_parse_is_the_identity_on_printed_texts(query: RsepqlQuery) -> None:
    text = to_text(query)
    assert to_text(parse(text)) == text


@examples(60)
@given(rsepql_cases())
def test_a_case_means_the_same_when_it_is_written_and_read(case: RsepqlCase) -> None:
    answer = ExpectedResults(list(case.denotation()), "solutions", partial=False)
    text = case_text(case.but(expect=answer, title="a case"))
    verdict = check_case(parse_case(text), Oracle())
    assert verdict.ok, f"{verdict}\n{text}"
