"""pandas-match-recognize: what it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from denota.oracle.checking.case_checker import check_case
from denota.oracle.languages.ceql.features import CeqlCase
from denota.peers.pandas_match_recognize import (
    CAPABILITIES,
    DataFrames,
    question,
)
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import EventTuple, Value

PEER = DataFrames
SECOND = 1_000_000_000
EVENTS: tuple[tuple[str, Value], ...] = (("A", 1), ("B", 2), ("B", 3), ("A", 5))


def case(query: str, events: tuple[tuple[str, Value], ...] = EVENTS) -> CeqlCase:
    stream = tuple(
        EventTuple(kind, {"n": n}, tick * SECOND) for tick, (kind, n) in enumerate(events)
    )
    return CeqlCase(parse(query), {"S": stream}, Readings())


def asked(query: str) -> str:
    return str(question(case(query))["query"])


def definitions(query: str) -> str:
    return asked(query).split(" DEFINE ")[1]


@pytest.mark.parametrize(
    "query, pattern",
    [
        ("A : B", "V0 V1 $"),
        ("A : B OR C", "(V0 V1 | V2) $"),
        ("A : (B OR C):+", "V0 ((V1 | V2))+ $"),
        ("A : B FILTER A[n = 1] OR B[n = 2]", "(V0 V1 | V2 V3) $"),
    ],
)
def test_operators_are_those_of_row_patterns(query: str, pattern: str) -> None:
    assert f"PATTERN ({pattern})" in asked(f"SELECT * FROM S WHERE {query}")


@pytest.mark.parametrize(
    "formula, said",
    [
        ("A FILTER A[n > 1]", "V0 AS kind = 'A' AND c_n > 1)"),
        ("S>A FILTER S>A[n != 1]", "V0 AS kind = 'A' AND source = 'S' AND c_n != 1)"),
        ("A FILTER A[n IN {1..}] AND A[NOT n IN {2, 3}]",
         "V0 AS kind = 'A' AND (c_n >= 1) AND (NOT (c_n IN (2, 3))))"),
        ("A FILTER A[n NOT IN {1..2}]", "V0 AS kind = 'A' AND (c_n < 1 OR c_n > 2))"),
        ("A : B FILTER B[n IN RANGE (-n, 2 * n)]",
         "V0 AS kind = 'A', V1 AS kind = 'B' AND (c_n BETWEEN (-c_n) AND (2 * c_n)))"),
    ],
)  # fmt: skip
def test_conditions_are_asked_of_the_rows_of_their_variables(formula: str, said: str) -> None:
    assert definitions(f"SELECT * FROM S WHERE {formula}") == said


def test_a_variable_is_all_that_its_formula_takes() -> None:
    said = definitions("SELECT * FROM S WHERE (A : B) AS x FILTER x[n > 1]")
    assert said == "V0 AS kind = 'A' AND c_n > 1, V1 AS kind = 'B' AND c_n > 1)"


def test_windows_are_measured_from_where_a_match_has_to_end() -> None:
    assert "age <= 2" in asked("SELECT * FROM S WHERE A : B WITHIN 2 EVENTS")
    seconds = asked("SELECT * FROM S WHERE A : B WITHIN 2 SECONDS")
    assert f"age <= {2 * SECOND}" in seconds


def test_the_rows_up_to_each_row_are_a_partition() -> None:
    columns = question(case("SELECT * FROM S WHERE A"))["columns"]
    assert columns["ending"] == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    assert columns["place"] == [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM S WHERE A ; B",
        "SELECT * FROM S WHERE A+",
        "SELECT * FROM S WHERE A : B FILTER NOT A[n = 1]",
        "SELECT * FROM S WHERE A FILTER A[n LIKE 'x']",
        "SELECT * FROM S WHERE A WITHIN 2 [n]",
    ],
)
def test_what_no_row_pattern_says_is_unsupported(query: str) -> None:
    with pytest.raises(UnsupportedError):
        asked(query)


def test_a_column_has_one_type() -> None:
    with pytest.raises(UnsupportedError, match="several types"):
        question(case("SELECT * FROM S WHERE A FILTER A[n = 1]", (("A", 1), ("B", "1"))))
    question(case("SELECT * FROM S WHERE A FILTER A[n = 1]", (("A", 1), ("B", 1.5))))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM S WHERE A : B:+",
        "SELECT * FROM S WHERE (A OR B):+ WITHIN 1 EVENTS",
        "SELECT * FROM S WHERE (A : B) AS x FILTER x[n < 3]",
        "SELECT * FROM S WHERE A : B WITHIN 1 SECONDS",
        "SELECT * FROM S WHERE A OR B PARTITION BY [n]",
    ],
)
def test_it_agrees_on_what_both_know(engine: Any, query: str) -> None:
    verdict = check_case(case(query), engine)
    assert verdict.ok, verdict


def test_most_generated_cases_are_judged(share_judged: Callable[..., float]) -> None:
    # The others have an attribute whose values are of several types.
    assert share_judged("ceql", question, CAPABILITIES) >= 0.85
