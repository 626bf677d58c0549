"""rsp-js: what it is asked, and, where it can be had, what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rdflib.term import URIRef

from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.engine import EngineError
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.peers.rsp_js import CAPABILITIES, RspJs, question
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse

PEER = RspJs
STREAM = URIRef("http://example.org/s")


def case(window: str, *times: int, where: str = "", at: tuple[int, ...] = ()) -> RsepqlCase:
    asked = where or "WINDOW :w { ?x :p ?y }"
    query = parse(
        f"PREFIX : <http://example.org/> SELECT * FROM NAMED WINDOW :w ON :s [{window}]"
        f" WHERE {{ {asked} }}"
    )
    items = tuple(
        TimestampedGraph(time, frozenset({(
            URIRef("http://example.org/a"), URIRef("http://example.org/p"),
            URIRef(f"http://example.org/b{time}"),
        )}))
        for time in times
    )  # fmt: skip
    evaluation = Evaluation(at=at) if at else Evaluation(policy="window-close")
    return RsepqlCase(query, {STREAM: items}, evaluation=evaluation)


def times_told(asked: RsepqlCase) -> list[int]:
    """When rsp-js is told of the items that a query asks for."""
    return [time for time, text in question(asked)["items"] if "example.org" in text]


def test_the_query_has_the_lines_that_its_parser_looks_for() -> None:
    assert question(case("RANGE 4 STEP 2", 3))["query"].splitlines() == [
        "REGISTER RStream <urn:denota:output> AS",
        "SELECT *",
        "FROM NAMED WINDOW <http://example.org/w> ON STREAM <http://example.org/s>"
        " [RANGE 4 STEP 2]",
        "WHERE { ",
        "WINDOW <http://example.org/w> { ?x <http://example.org/p> ?y } }",
    ]


@pytest.mark.parametrize(
    "bounds, range_",
    [("OPEN CLOSED", 4), ("CLOSED OPEN", 4), ("CLOSED CLOSED", 5), ("OPEN OPEN", 3)],
)
def test_other_bounds_are_other_widths(bounds: str, range_: int) -> None:
    asked = case(f"RANGE 4 STEP 2 BOUNDS {bounds}", 3)
    assert f"[RANGE {range_} STEP 2]" in question(asked)["query"]


def test_what_is_closed_at_its_end_is_told_one_instant_earlier() -> None:
    (late,) = times_told(case("RANGE 4 STEP 2 BOUNDS CLOSED OPEN", 4))
    (early,) = times_told(case("RANGE 4 STEP 2", 4))
    assert (late - early, late % 2) == (1, 0)


@pytest.mark.parametrize(
    "window, where",
    [
        ("ALL", ""),
        ("ELEMENTS 2", ""),
        ("RANGE 4", "WINDOW :w { ?x ?p ?y }"),
        ("RANGE 4", "WINDOW :w { ?x :p* ?y }"),
        ("RANGE 4", "WINDOW :w { ?x :p ?y } WINDOW :w { ?y :p ?z }"),
    ],
)
def test_what_it_has_no_words_for_is_unsupported(window: str, where: str) -> None:
    with pytest.raises(UnsupportedError):
        question(case(window, 3, where=where))


def test_nine_of_ten_generated_cases_are_judged(share_judged: Callable[..., float]) -> None:
    assert share_judged("rsepql", question, CAPABILITIES) >= 0.9


@pytest.mark.parametrize("modules", ["", "/no/such/folder"])
def test_where_it_is_not_to_be_had_it_says_so(
    monkeypatch: pytest.MonkeyPatch, modules: str
) -> None:
    monkeypatch.delenv("DENOTA_PEERS_NODE", raising=False)
    if modules:
        monkeypatch.setenv("DENOTA_PEERS_NODE", modules)
    with pytest.raises(EngineError, match="engine 'rsp-js': "):
        RspJs(timeout=1)


@pytest.mark.parametrize(
    "asked",
    [
        case("RANGE 4 STEP 2", 2, 5),
        case("RANGE 3 STEP 3 BOUNDS CLOSED OPEN", 1, 3),
        case("RANGE 4 STEP 2", 2, 5, at=(3, 4, 7)),
    ],
)
def test_it_agrees_on_what_both_know(engine: Any, asked: RsepqlCase) -> None:
    verdict = check_case(asked, engine, timeout=None)
    assert verdict.ok, verdict
