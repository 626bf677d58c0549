"""Epigrep: what it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from denota.oracle.checking.case_checker import check_case
from denota.oracle.languages.ceql.features import CeqlCase
from denota.peers.epigrep import CAPABILITIES, Epigrep, question
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import EventTuple

PEER = Epigrep
SECOND = 1_000_000_000
EVENTS = (("A", 1), ("B", 2), ("A", 2), ("B", 3), ("C", 1))


def case(query: str) -> CeqlCase:
    stream = tuple(
        EventTuple(kind, {"n": n}, tick * SECOND) for tick, (kind, n) in enumerate(EVENTS)
    )
    return CeqlCase(parse(f"SELECT * FROM S WHERE {query}"), {"S": stream}, Readings())


def types(query: str) -> list[list[str]]:
    return [[step["type"] for step in steps] for steps in question(case(query))["patterns"]]


def asked_of(query: str) -> list[Any]:
    return [step["where"] for steps in question(case(query))["patterns"] for step in steps]


def gaps(query: str) -> list[list[int | None]]:
    return [
        [step["within"] for step in steps[1:]] for steps in question(case(query))["patterns"]
    ]


def test_alternatives_are_patterns_of_their_own() -> None:
    assert types("A ; (B OR C)") == [["A", "B"], ["A", "C"]]


@pytest.mark.parametrize(
    "query, expected",
    [
        ("A FILTER A[n > 1 AND 3 >= n]", [(("a_n", "gt", 1), ("a_n", "lte", 3))]),
        ("A FILTER A[n IN {1, 2}]", [(("a_n", "eq", 1),), (("a_n", "eq", 2),)]),
        ("A FILTER A[n IN {1..2}]", [(("a_n", "gte", 1), ("a_n", "lte", 2))]),
        ("A FILTER A[n NOT IN {1..2}]", [(("a_n", "lt", 1),), (("a_n", "gt", 2),)]),
        ("A FILTER A[n = -1]", [(("a_n", "eq", -1),)]),
        ("(A ; B) AS x FILTER x[n != 1]", [(("a_n", "ne", 1),)] * 2),
        ("S>A FILTER A[n = 1]", [(("source", "eq", "S"), ("a_n", "eq", 1))]),
    ],
)
def test_conditions_are_tests_of_attributes(query: str, expected: list[Any]) -> None:
    assert asked_of(query) == expected


@pytest.mark.parametrize(
    "query, expected",
    [
        ("A ; B", [[None]]),
        ("A ; B WITHIN 2 EVENTS", [[2]]),
        ("A ; B ; C WITHIN 2 SECONDS", [[0, 2], [1, 1], [2, 0]]),
    ],
)
def test_a_window_is_shared_by_the_steps_in_every_way(
    query: str, expected: list[list[int | None]]
) -> None:
    assert gaps(query) == expected


def test_partitions_are_told_by_name() -> None:
    events = question(case("A PARTITION BY [n]"))["events"]
    assert [event[0] for event in events] == ["1", "2", "2", "3", "1"]


@pytest.mark.parametrize(
    "query", ["A : B", "A+", "A FILTER A[n = n]", "A FILTER A[NOT n = 1]", "A ; B WITHIN 2 [n]"]
)
def test_what_its_patterns_do_not_say_is_unsupported(query: str) -> None:
    with pytest.raises(UnsupportedError):
        question(case(query))


def test_nine_of_ten_generated_cases_are_judged(share_judged: Callable[..., float]) -> None:
    assert share_judged("ceql", question, CAPABILITIES) >= 0.9


@pytest.mark.parametrize(
    "query",
    [
        "A ; B",
        "A ; B ; C WITHIN 3 EVENTS",
        "A ; (B OR C) FILTER A[n > 1] WITHIN 2 SECONDS",
        "(A OR B) ; B PARTITION BY [n]",
    ],
)
def test_it_agrees_on_what_both_know(engine: Any, query: str) -> None:
    verdict = check_case(case(query), engine, timeout=None)
    assert verdict.ok, verdict


def test_the_translation_is_a_call_of_its_builder() -> None:
    asked = question(case("(A; B) FILTER B[n = 1]"))
    assert Epigrep.translation(None, asked).splitlines()[0] == (  # type: ignore[arg-type]
        "Pattern.event('A').then('B').where_eq('a_n', 1).build()"
    )
