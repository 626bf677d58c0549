"""CEQL as text: what is printed is read back as the same, queries as well as whole cases."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.cases.tuple_sources import table_of, tuples_of
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries, tuple_streams
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.printing import to_text
from denota.semantics.ceql.syntax.tree import CeqlQuery
from denota.semantics.model.tuples import EventTuple, batches, rows

from ..examples import examples


@examples(160)
@given(ceql_queries())
def test_parse_after_print_is_the_identity(query: CeqlQuery) -> None:
    text = to_text(query)
    assert parse(text) == query, text
    assert to_text(parse(text)) == text


@examples(100)
@given(tuple_streams())
def test_tuples_are_the_same_as_csv_and_as_batches(stream: tuple[EventTuple, ...]) -> None:
    assert [row for batch in batches(stream, 2) for row in rows(batch)] == list(stream)
    # The arrival time is an attribute of what is read, by which it is known.
    read = [
        replace(each, attributes={n: v for n, v in each.attributes.items() if n != "arrival_time"})
        for each in tuples_of(table_of(stream), "S")
    ]
    assert read == list(stream)


@examples(50)
@given(ceql_cases())
def test_a_case_means_the_same_when_it_is_written_and_read(case: CeqlCase) -> None:
    answer = ExpectedResults(sorted(case.denotation()), "positions", partial=False)
    text = case_text(case.but(expect=answer, title="a case"))
    verdict = check_case(parse_case(text), Oracle())
    assert verdict.ok, f"{verdict}\n{text}"
