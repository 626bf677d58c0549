"""`denota.assert_agrees` and `denota.strategies.cases`: conformance tests of one's own engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import denota
from denota.oracle.engines.capabilities import lacking
from denota.oracle.engines.engine_specs import engine
from denota.semantics.model.tuples import EventTuple
from denota.strategies import cases

CAPABILITIES = {
    "spaseq": {"operators": [";", ",", ":"]},
    "rsepql": {"operators": ["SEQ"]},
    "cqels": {"operators": ["SEQ"]},
    "epsparql": {"operators": ["SEQ"]},
    "ceql": {"operators": [";", "OR"], "windows": ["WITHIN events"], "clauses": []},
}
CASE = denota.Case(
    "ceql", denota.parse("SELECT * FROM S WHERE A ; B"),
    {"S": (EventTuple("A"), EventTuple("B"), EventTuple("B"))},
)


def nothing(query: Any, **inputs: Any) -> Iterable[Any]:
    return []


class Limited:
    """The production engine without disjunctions."""

    name, version, languages, level = "limited", "1", ("ceql",), "positions"

    def run(self, case: denota.Task) -> Iterable[Any]:
        if "OR" in case.text:
            raise denota.UnsupportedError("no OR")
        return denota.run(case.tree, case.streams)


@pytest.mark.parametrize("right", ["production", "oracle", denota.run, Limited()])
def test_an_engine_that_is_right_agrees(right: Any) -> None:
    denota.assert_agrees(right, CASE)


def test_a_difference_is_readable() -> None:
    with pytest.raises(AssertionError) as raised:
        denota.assert_agrees(nothing, CASE)
    lines = str(raised.value).splitlines()
    assert lines[0] == "nothing: fail"
    assert sum(line.startswith("missing") for line in lines) == 2
    assert "language: ceql" in lines


def test_an_unsupported_case_and_no_engine_are_errors() -> None:
    case = CASE.but(query=denota.parse("SELECT * FROM S WHERE A OR B"))
    with pytest.raises(denota.UnsupportedError, match="limited does not support this case: no OR"):
        denota.assert_agrees(Limited(), case)
    with pytest.raises(denota.DenotaError, match="not an engine: 3"):
        denota.assert_agrees(3, CASE)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", CAPABILITIES)
def test_cases_need_no_more_than_the_capabilities(language: str) -> None:
    seen: list[bool] = []
    production = engine("production")

    @settings(
        max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(cases(language, CAPABILITIES[language]) | cases(language, CAPABILITIES))
    def check(case: denota.Case) -> None:
        given_names = {group: frozenset(each) for group, each in CAPABILITIES[language].items()}
        assert not lacking(case, given_names)
        denota.assert_agrees(production, case)
        seen.append(True)

    check()
    assert len(seen) >= 20


def test_unknown_capabilities_and_languages_are_errors() -> None:
    with pytest.raises(denota.DenotaError, match="operators"):
        cases("ceql", {"operators": ["JOIN"]})
    with pytest.raises(denota.DenotaError):
        cases("cypher")


def test_the_plugin_has_a_fixture(denota_engine: denota.Engine) -> None:
    assert denota_engine.name == "production"
    denota.assert_agrees(denota_engine, CASE)
