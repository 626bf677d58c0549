"""How much work a CEQL query makes, counted without doing it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from denota.oracle.ceql_case import CeqlCase
from denota.oracle.strategies.ceql import ceql_cases
from denota.oracle.strategies.ceql_work import work
from denota.semantics.ceql.formulas import valuations
from denota.semantics.ceql.parse import parse
from denota.semantics.ceql.valuations import Stream

EXPLOSIVE = "SELECT * FROM S WHERE (((A+ AS x ; B+ AS y)+ OR (A OR B)+ AS z)+ ; (B+ OR A+)+)+"


@pytest.mark.parametrize(
    ("where", "types", "pairs"),
    [
        ("A", "AAA", 0),
        ("A ; B", "AAB", 2),
        ("A+", "AAA", 3 * 7),
        ("(A ; B)+", "ABAB", 4 + 3 * 4),
        ("(A+)+", "AA", 2 * 3 + 3 * 4),
    ],
)
def test_pairs_are_counted(where: str, types: str, pairs: int) -> None:
    assert work(parse(f"SELECT * FROM S WHERE {where}"), types) == pairs


def test_what_would_take_ages_is_counted_at_once() -> None:
    assert work(parse(EXPLOSIVE), "ABABABABABAB") > 10**11


@settings(max_examples=60)
@given(ceql_cases())
def test_generated_cases_are_no_such_work(case: CeqlCase) -> None:
    stream = case.merged()
    counted = work(case.query, [t.type for t in stream])
    assert counted <= 300_000
    made = valuations(case.query.formula, Stream(dict(enumerate(stream))))
    assert len(made) <= counted + 5 * len(stream)  # a type a tuple needs no pair
