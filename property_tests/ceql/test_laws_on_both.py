"""Laws of CEQL that the definitions and the engine each keep: a fault of both breaks one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries
from denota.semantics.ceql.syntax.analysis import takes_any
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import (
    AndCondition,
    As,
    Attribute,
    CeqlQuery,
    Disjunction,
    EventType,
    Filter,
    Name,
    WindowUnit,
    Within,
)
from denota.semantics.model.trees import changed, renamed
from denota.semantics.model.tuples import EventTuple, merged

from ..examples import examples

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
@examples(40)
@given(case=ceql_cases(SURE), by=st.sampled_from((1, 10**9, 7 * 10**12)))
def test_later_streams_have_the_same_answers(
    evaluated: Evaluated, case: CeqlCase, by: int
) -> None:
    """Only differences of arrival times matter, and their order (FROM, WITHIN)."""
    later = with_tuples(case, lambda t: replace(t, time=(t.time or 0) + by))
    assert evaluated(later) == evaluated(case)


@both
@examples(40)
@given(case=ceql_cases(SURE))
def test_a_stream_that_nobody_reads_changes_nothing(evaluated: Evaluated, case: CeqlCase) -> None:
    assume(case.query.streams)
    first = next(iter(case.stream_sources.values()))
    more = {**case.stream_sources, "another": first}
    assert evaluated(case.but(streams=more)) == evaluated(case)


@both
@examples(40)
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
@examples(40)
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
@examples(40)
@given(case=ceql_cases(SURE))
def test_a_window_that_holds_everything_drops_nothing(
    evaluated: Evaluated, case: CeqlCase
) -> None:
    assert evaluated(case.but(query=limit_of(case.query))) == evaluated(
        with_query(case, within=None)
    )


@both
@examples(40)
@given(case=ceql_cases(SURE))
def test_a_key_on_which_all_agree_is_none(evaluated: Evaluated, case: CeqlCase) -> None:
    agreeing = with_tuples(case, lambda t: replace(t, attributes={**t.attributes, "key": 1}))
    keyed = with_query(agreeing, partition=(("key",),))
    assert evaluated(keyed) == evaluated(with_query(agreeing, partition=()))


def _measured(query: CeqlQuery) -> CeqlQuery:
    """Return the query with a window that measures an attribute."""
    within = query.within
    if within is not None and within.unit is WindowUnit.ATTRIBUTE:
        return query
    extent = 3 if within is None else within.value % 6
    return replace(query, within=Within(extent, WindowUnit.ATTRIBUTE, "t"))


@both
@examples(40)
@given(case=ceql_cases(SURE.map(_measured)))
def test_a_window_of_cores_is_one_wider(evaluated: Evaluated, case: CeqlCase) -> None:
    """WITHIN n [a] under `paper` is WITHIN n + 1 [a] under `core` (COR-3)."""
    within = case.query.within
    assert within is not None
    wider = with_query(case, within=replace(within, value=within.value + 1))
    paper, core = (
        each.but(readings=replace(case.readings, within=reading))
        for each, reading in ((case, "paper"), (wider, "core"))
    )
    assert evaluated(paper) == evaluated(core)


EVENTS = {"A": "Last", "B": "Middle", "C": "First", "D": "Another"}
VARIABLES = {"x": "v3", "y": "v2", "z": "v1", "outer": "inner"}
ATTRIBUTES = {"n": "z1", "d": "y1", "s": "x1", "k": "w1", "b": "v1", "t": "u1", "nowhere": "a1"}
STREAMS = {"S": "Upper", "T": "Lower"}
PLACES: Sequence[tuple[Collection[tuple[type, str]], Mapping[str, str]]] = (
    (((EventType, "name"), (Name, "name"), (As, "variable")), {**EVENTS, **VARIABLES}),
    (((EventType, "stream"), (Name, "stream")), STREAMS),
    (((Attribute, "name"), (Within, "attribute")), ATTRIBUTES),
)


def called_otherwise(case: CeqlCase) -> CeqlCase:
    """Other names, in another alphabetical order, of types, variables, attributes, streams."""
    query = case.query
    for places, names in PLACES:
        query = renamed(query, places, names)
    query = replace(
        query,
        streams=tuple(STREAMS[name] for name in query.streams),
        partition=tuple(tuple(ATTRIBUTES[a] for a in names) for names in query.partition),
        select=query.select and tuple(
            replace(each, attributes=tuple(ATTRIBUTES[a] for a in each.attributes))
            if each.attributes else each
            for each in query.select
        ),
    )
    streams = {
        STREAMS[name]: tuple(
            replace(
                t, type=EVENTS[t.type],
                attributes={ATTRIBUTES[a]: value for a, value in t.attributes.items()},
            )
            for t in stream
        )
        for name, stream in case.stream_sources.items()
    }
    return case.but(query=query, streams=streams)


def name_of(variable: str) -> str:
    stream, told, name = variable.rpartition(">")
    return STREAMS.get(stream, "") + told + {**EVENTS, **VARIABLES}[name]


@both
@examples(60)
@given(case=ceql_cases(SURE))
def test_names_mean_nothing(evaluated: Evaluated, case: CeqlCase) -> None:
    """Whatever types, variables, attributes and streams are called: the same answers."""
    expected = {
        each if each.bindings is None else replace(
            each, bindings=tuple(sorted((name_of(x), places) for x, places in each.bindings))
        )
        for each in evaluated(case)
    }
    assert evaluated(called_otherwise(case)) == expected


@given(st.tuples(*[st.integers(0, 90)] * 3))
def test_a_duration_is_the_sum_of_its_parts(parts: tuple[int, int, int]) -> None:
    """A second evaluation of WITHIN h HOURS m MINUTES s SECONDS, in nanoseconds."""
    hours, minutes, seconds = parts
    text = f"{hours} HOURS {minutes} MINUTES {seconds} SECONDS"
    within = parse(f"SELECT * FROM S WHERE A WITHIN {text}").within
    assert within == Within(
        ((60 * hours + minutes) * 60 + seconds) * 10**9, WindowUnit.TIME
    )


@examples(100)
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
