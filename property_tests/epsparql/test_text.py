"""Queries and cases as text: what is printed is read back as the same."""

from __future__ import annotations

from hypothesis import given

from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.printing import to_text
from denota.semantics.epsparql.syntax.tree import EpsparqlQuery
from denota.strategies import EpsparqlCase, epsparql_cases, epsparql_queries

from ..examples import examples


@examples(120)
@given(epsparql_queries())
def test_parse_after_print_is_the_identity(query: EpsparqlQuery) -> None:
    text = to_text(query)
    assert parse(text) == query
    assert to_text(parse(text)) == text


@examples(40)
@given(epsparql_cases())
def test_a_case_means_the_same_when_it_is_written_and_read(case: EpsparqlCase) -> None:
    answer = ExpectedResults(list(case.denotation()), "solutions", partial=False)
    text = case_text(case.but(expect=answer, title="a case"))
    verdict = check_case(parse_case(text), Oracle())
    assert verdict.ok, f"{verdict}\n{text}"
