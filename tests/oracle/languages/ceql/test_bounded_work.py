"""How much work a CEQL query makes, counted without doing it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import denota
from denota.oracle.cases.case import Case, ExpectedError
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.fuzzing.shrinking import shrink
from denota.oracle.languages.ceql.cost_estimate import MOST_WORK, feasible, work
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases
from denota.semantics.ceql.denotation import valuations
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.tree import EventType
from denota.semantics.ceql.valuations import Stream
from denota.semantics.model.pretty_printing import text_of
from denota.semantics.model.trees import find
from denota.semantics.model.tuples import EventTuple, merged

ROOT = Path(denota.__file__).resolve().parent
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
    assert work(parse(EXPLOSIVE), "ABABABABABAB") > MOST_WORK


def test_a_stream_that_is_too_much_for_table_2_is_evaluated_by_a_law() -> None:
    query = parse("SELECT * FROM S WHERE A AS x ; A AS y ; A AS z FILTER x[n = 1] AND z[n = 1]")
    assert feasible(query, "A" * 10) == query
    assert text_of(feasible(query, "A" * 500).formula) == (
        "(A AS x FILTER x[n = 1]) ; A AS y ; (A AS z FILTER z[n = 1])"
    )


def test_no_case_of_the_corpus_needs_the_law() -> None:
    cases = [
        case.parsed()
        for path in find_cases([ROOT / "corpus"]) if "ceql" in path.relative_to(ROOT).parts
        for case in [read_case(path)] if not isinstance(case.expect, ExpectedError)
    ]
    assert len(cases) > 100
    for case in cases:
        types = [t.type for t in merged(case.streams, case.query.streams)]
        assert feasible(case.query, types) is case.query


def test_shrinking_tries_nothing_of_such_work() -> None:
    stream = tuple(EventTuple("A", {}, number) for number in range(20))
    looked_at: list[int] = []

    def fails(smaller: Case) -> bool:
        looked_at.append(pairs(smaller))
        formula = smaller.query.formula
        return (
            smaller.stream_sources.get("S") == stream
            and not isinstance(formula, EventType)
            and EventType("A") in find(formula, EventType)
        )

    shrink(CeqlCase(parse("SELECT * FROM S WHERE A ; C ; C"), {"S": stream}), fails)
    assert max(looked_at) <= MOST_WORK  # A+ on all of the stream is much more


def pairs(case: Case) -> int:
    return work(case.query, [t.type for t in merged(case.stream_sources, case.query.streams)])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ceql_cases())
def test_generated_cases_are_no_such_work(case: CeqlCase) -> None:
    stream = case.merged()
    counted = work(case.query, [t.type for t in stream])
    assert counted <= MOST_WORK
    made = valuations(case.query.formula, Stream(dict(enumerate(stream))))
    assert len(made) <= counted + 5 * len(stream)  # a type a tuple needs no pair
