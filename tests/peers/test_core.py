"""CORE: what it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from typing import Any

import pytest

from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Oracle
from denota.oracle.engines.capabilities import capabilities_of
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.languages.ceql.features import CeqlCase
from denota.peers.core import CAPABILITIES, TURNS, Core, question
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import EventTuple

PEER = Core


def case(query: str, *events: tuple[str, int], **readings: str) -> CeqlCase:
    from denota.semantics.ceql.syntax.readings import Readings

    stream = tuple(EventTuple(kind, {"n": n}, tick) for tick, (kind, n) in enumerate(events))
    return CeqlCase(parse(query), {"S": stream}, Readings.of(readings))


EVENTS = (("A", 1), ("B", 2), ("A", 3), ("B", 5))


def asked(query: str) -> dict[str, Any]:
    return question(case(query, *EVENTS))


def test_types_are_declared_and_every_event_tells_its_position() -> None:
    message = asked("SELECT * FROM S WHERE A ; C WITHIN 3 EVENTS")
    assert message["declarations"] == [
        "CREATE STREAM S { EVENT A { n:int, denota_position:int },"
        " EVENT C { n:int, denota_position:int }, EVENT B { n:int, denota_position:int } }"
    ]
    assert message["events"][1] == ["S", "B", [("int", 2), ("int", 1)], 1]


def test_a_window_over_an_attribute_is_one_more_there() -> None:
    paper = "SELECT * FROM S WHERE A ; B WITHIN 3 [n]"
    assert "WITHIN 4 [n]" in asked(paper)["query"]
    assert "WITHIN 3 [n]" in question(case(paper, *EVENTS, within="core"))["query"]


def test_without_from_all_streams_are_named() -> None:
    assert "FROM S" in asked("SELECT * WHERE A WITHIN 1 EVENTS")["query"]


@pytest.mark.parametrize("name", ["A", "S>A"])
def test_a_condition_asks_for_declared_attributes(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{name} has no declared attribute s"):
        asked(f"SELECT * FROM S WHERE {name} FILTER {name}[s = 'p'] WITHIN 3 EVENTS")
    asked(f"SELECT * FROM S WHERE {name} FILTER {name}[n = 'p'] WITHIN 3 EVENTS")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT A WHERE A ; B WITHIN 3 [n]",
        "SELECT * WHERE NOT(A) ; B PARTITION BY [n] WITHIN 3 EVENTS",
    ],
)
def test_where_it_tells_no_positions_it_is_not_asked_what_needs_them(query: str) -> None:
    with pytest.raises(UnsupportedError, match="in positions"):
        asked(query)


@pytest.mark.parametrize("times", [(None, None), (2, 1)])
def test_a_window_of_time_needs_times_in_order(times: tuple[int | None, int | None]) -> None:
    stream = tuple(EventTuple("A", {"n": 1}, time) for time in times)
    query = parse("SELECT * FROM S WHERE A WITHIN 1 SECONDS")
    with pytest.raises(UnsupportedError, match="window of time"):
        question(CeqlCase(query, {"S": stream}))


def test_a_limit_of_the_whole_query_is_not_asked() -> None:
    limited = "SELECT * FROM S WHERE A ; B LIMIT 1"
    question(case(limited, *EVENTS))
    with pytest.raises(UnsupportedError, match="limit=event"):
        question(case(limited, *EVENTS, limit="query"))


def test_a_stream_without_events_is_declared() -> None:
    message = asked("SELECT * FROM S, T WHERE S>A WITHIN 3 EVENTS")
    assert message["declarations"][1].startswith("CREATE STREAM T { EVENT ")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM S WHERE A ; B WITHIN 3 EVENTS",
        "SELECT * FROM S WHERE A : B WITHIN 3 EVENTS",
        "SELECT * FROM S WHERE (A OR B)+ WITHIN 2 EVENTS",
        "SELECT * FROM S WHERE A AS x ; B FILTER x[n > 1] WITHIN 4 [n]",
        "SELECT * FROM S WHERE A ; B WITHIN 3 EVENTS CONSUME BY ANY",
        "SELECT * FROM S WHERE NOT(B) ; A WITHIN 3 EVENTS",
        "SELECT B FROM S WHERE A ; B WITHIN 3 EVENTS",
        "SELECT * FROM S WHERE A+ WITHIN 3 EVENTS LIMIT 1",
        "SELECT * FROM S WHERE A ; B WITHIN 1 SECONDS",
        "SELECT * FROM S WHERE A ; B",
    ],
)
def test_it_agrees_on_what_both_know(engine: Any, query: str) -> None:
    verdict = check_case(case(query, *EVENTS), engine)
    assert verdict.ok, verdict


def test_it_refuses_a_variable_that_is_bound_further_out(engine: Any) -> None:
    query = "SELECT * FROM S WHERE (A FILTER x[n = 1]) AS x WITHIN 2 EVENTS"
    verdict = check_case(case(query, *EVENTS), engine)
    assert verdict.outcome.name == "UNSUPPORTED"
    assert "x is not defined" in verdict.detail


def test_what_it_refuses_is_unsupported(engine: Any) -> None:
    verdict = check_case(
        case("SELECT * FROM S WHERE A FILTER NOT A[n = 1] WITHIN 2 EVENTS", *EVENTS), engine
    )
    assert verdict.outcome.name == "UNSUPPORTED"
    assert "Syntax error" in verdict.detail


class Asked:
    """The definitions, where CORE could be asked."""

    name, version, languages, level, keeps_time = "core", "", ("ceql",), "positions", True

    def __init__(self) -> None:
        self.capabilities: dict[str, Any] = {}

    def varied(self, number: int) -> Any:
        turn = TURNS[number % len(TURNS)]
        self.capabilities["ceql"] = capabilities_of("ceql", {**CAPABILITIES, **turn})
        return self

    def run(self, case: Any) -> Any:
        question(case)
        return Oracle().run(case)


def test_nine_of_ten_generated_cases_can_be_asked() -> None:
    report = fuzz(Asked(), ["ceql"], examples=100, seed=1)
    assert report.ok
    assert report.judged >= 0.9 * report.examples
    assert report.passed_over < report.examples
