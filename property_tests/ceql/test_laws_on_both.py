"""Laws of CEQL that the definitions and the engine each keep: a fault of both breaks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from denota.oracle.languages.ceql.case import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries
from denota.semantics.ceql.syntax.analysis import takes_any
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import (
    AndCondition,
    CeqlQuery,
    Disjunction,
    Filter,
    WindowUnit,
    Within,
)
from denota.semantics.model.trees import changed
from denota.semantics.model.tuples import EventTuple, merged

Evaluated: TypeAlias = Callable[[CeqlCase], frozenset[ComplexEvent]]

SURE = ceql_queries().filter(lambda query: not takes_any(query))
"""Queries of which one result is right."""

both = pytest.mark.parametrize(
    "evaluated",
    [CeqlCase.denotation, lambda case: frozenset(case.matches())],
    ids=["definitions", "engine"],
)


def with_query(case: CeqlCase, **changes: Any) -> CeqlCase:
    return case.but(query=replace(case.query, **changes))


def with_tuples(case: CeqlCase, change: Callable[[EventTuple], EventTuple]) -> CeqlCase:
    streams = case.stream_sources
    return case.but(
        streams={name: tuple(map(change, stream)) for name, stream in streams.items()}
    )


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE), by=st.sampled_from((1, 10**9, 7 * 10**12)))
def test_later_streams_have_the_same_answers(
    evaluated: Evaluated, case: CeqlCase, by: int
) -> None:
    """Only differences of arrival times matter, and their order (FROM, WITHIN)."""
    later = with_tuples(case, lambda t: replace(t, time=(t.time or 0) + by))
    assert evaluated(later) == evaluated(case)


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_a_stream_that_nobody_reads_changes_nothing(evaluated: Evaluated, case: CeqlCase) -> None:
    assume(case.query.streams)
    first = next(iter(case.stream_sources.values()))
    more = {**case.stream_sources, "another": first}
    assert evaluated(case.but(streams=more)) == evaluated(case)


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_alternatives_may_be_turned_and_said_twice(evaluated: Evaluated, case: CeqlCase) -> None:
    """φ OR φ' = φ' OR φ, φ OR φ = φ (Table 2: ∪)."""

    def turned(node: object) -> object:
        return Disjunction(node.right, node.left) if isinstance(node, Disjunction) else node

    answers = evaluated(case)
    phi = case.query.formula
    assert evaluated(with_query(case, formula=changed(phi, turned))) == answers
    assert evaluated(with_query(case, formula=Disjunction(phi, phi))) == answers


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_conditions_may_be_asked_one_by_one(evaluated: Evaluated, case: CeqlCase) -> None:
    """φ FILTER θ1 AND θ2 = (φ FILTER θ1) FILTER θ2"""

    def apart(node: object) -> object:
        match node:
            case Filter(phi, AndCondition(left, right)):
                return Filter(Filter(phi, left), right)
        return node

    assert evaluated(
        with_query(case, formula=changed(case.query.formula, apart))
    ) == evaluated(case)


def limit_of(query: CeqlQuery) -> CeqlQuery:
    return replace(query, within=Within(10**6, WindowUnit.EVENTS))


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_a_window_that_holds_everything_drops_nothing(
    evaluated: Evaluated, case: CeqlCase
) -> None:
    assert evaluated(case.but(query=limit_of(case.query))) == evaluated(
        with_query(case, within=None)
    )


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_a_key_on_which_all_agree_is_none(evaluated: Evaluated, case: CeqlCase) -> None:
    agreeing = with_tuples(case, lambda t: replace(t, attributes={**t.attributes, "key": 1}))
    keyed = with_query(agreeing, partition=(("key",),))
    assert evaluated(keyed) == evaluated(with_query(agreeing, partition=()))


@both
@settings(max_examples=40)
@given(case=ceql_cases(SURE))
def test_a_window_of_cores_is_one_wider(evaluated: Evaluated, case: CeqlCase) -> None:
    """WITHIN n [a] under `paper` is WITHIN n + 1 [a] under `core` (COR-3)."""
    within = case.query.within
    assume(within is not None and within.unit is WindowUnit.ATTRIBUTE)
    assert within is not None
    wider = with_query(case, within=replace(within, value=within.value + 1))
    paper, core = (
        each.but(readings=replace(case.readings, within=reading))
        for each, reading in ((case, "paper"), (wider, "core"))
    )
    assert evaluated(paper) == evaluated(core)


@settings(max_examples=100)
@given(ceql_cases())
def test_tuples_come_by_time_then_in_the_order_of_from(case: CeqlCase) -> None:
    """A second evaluation of FROM: a stable sort by time of one stream after the other."""
    names = case.query.streams or tuple(case.stream_sources)
    rows = [
        (each.time, names.index(name), place, replace(each, stream=name))
        for name, stream in case.stream_sources.items() if name in names
        for place, each in enumerate(stream)
    ]
    expected = [row[3] for row in sorted(rows, key=lambda row: row[:3])]
    assert list(merged(case.stream_sources, case.query.streams)) == expected
