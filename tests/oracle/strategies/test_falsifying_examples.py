"""What is printed of a generated value for which a property is false: text, no trees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import denota.strategies as strategies
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.languages.registry import language

ONE_EXAMPLE = settings(
    max_examples=1, database=None, derandomize=True, deadline=None,
    suppress_health_check=list(HealthCheck),
)


def printed(drawn: Any) -> str:
    """The falsifying example of a property that nothing has."""
    @settings(ONE_EXAMPLE, report_multiple_bugs=False, phases=[Phase.generate])
    @given(drawn)
    def nothing_is(it: object) -> None:
        raise AssertionError

    with pytest.raises(AssertionError) as failure:
        nothing_is()
    return "\n".join(failure.value.__notes__)


@pytest.mark.parametrize("name", fuzzable())
def test_a_case_is_its_text(name: str) -> None:
    told = printed(cases_strategy(name))
    assert "query: |" in told
    assert "streams:" in told
    assert "position=" not in told


@pytest.mark.parametrize("name", fuzzable())
def test_a_query_is_its_text(name: str) -> None:
    told = printed(getattr(strategies, f"{name}_queries")())
    body = "\n".join(line[8:] for line in told.splitlines()[2:-2])
    assert language(name).is_query(language(name).parse(body))


def test_an_item_is_its_graph() -> None:
    told = printed(strategies.streams().filter(bool))
    assert "TimestampedGraph(" in told
    assert "rdflib" not in told


def test_repr_is_text_as_well() -> None:
    seen: list[str] = []

    @ONE_EXAMPLE
    @given(cases_strategy("ceql"))
    def look(case: object) -> None:
        seen.append(repr(case))

    look()
    assert seen[0].startswith("CeqlCase(\nlanguage: ceql\nquery: |\n")
