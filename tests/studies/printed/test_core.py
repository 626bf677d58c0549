"""CORE's appendix A.1 and Algorithms 1 and 2 as printed, beside the definitions."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

import denota
from denota.oracle.cases.case_reader import read_case
from denota.oracle.engines.engine import Engine
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.semantics.ceql.denotation import selected, valuations
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.ceql.syntax.tree import Consumption, Iteration, Strategy
from denota.semantics.ceql.valuations import Stream, complex_event
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.trees import has
from denota.studies.printed.core import (
    Algorithm1,
    Algorithm1Corrected,
    AppendixH,
    AppendixHCorrected,
    AsPrinted,
    Corrected,
    construct,
)

ERRATA = Path(__file__).resolve().parents[3] / "corpus" / "errata" / "ceql"


@pytest.mark.parametrize(
    ("name", "missing"),
    [("COR-10-gap", [(0, 2, (0, 2))]), ("COR-10-three", [(0, 2, (0, 1, 2)), (0, 2, (0, 2))])],
)
def test_iteration_as_printed_neither_waits_nor_goes_on(
    name: str, missing: list[tuple[int, int, tuple[int, ...]]]
) -> None:
    case = read_case(ERRATA / f"{name}.case.yaml")
    expected = set(case.denotation())
    assert set(Corrected().run(case)) == expected
    found = set(AsPrinted().run(case))
    assert found < expected
    assert sorted((c.start, c.end, c.positions) for c in expected - found) == missing


@pytest.mark.parametrize(
    ("name", "unexpected"),
    [
        ("COR-4-last", [(0, 4, (0, 2, 4)), (0, 6, (0, 5, 6))]),
        ("COR-4-max", [(1, 4, (1, 3, 4)), (3, 4, (3, 4))]),
        ("COR-4-next", [(1, 4, (1, 2, 4)), (1, 6, (1, 2, 6))]),
        ("COR-4-two-final-states", [(0, 2, (0, 2))]),
        ("COR-12", [(1, 1, (1,))]),
        ("COR-12-alone", []),
    ],
)
def test_the_automaton_of_a_strategy_does_not_see_runs_that_begin_elsewhere(
    name: str, unexpected: list[tuple[int, int, tuple[int, ...]]]
) -> None:
    case = read_case(ERRATA / f"{name}.case.yaml")
    expected = set(case.denotation())
    assert set(AppendixHCorrected().run(case)) == expected
    found = set(AppendixH().run(case))
    assert found >= expected
    assert sorted((c.start, c.end, c.positions) for c in found - expected) == unexpected


def test_insert_as_printed_has_no_place_for_the_first_node_that_is_inserted() -> None:
    case = read_case(ERRATA / "COR-9.case.yaml")
    assert set(Algorithm1Corrected().run(case)) == set(case.denotation())
    with pytest.raises(IndexError, match="insert has no place"):
        Algorithm1().run(case)


@pytest.mark.parametrize("n", range(1, 6))
def test_a_sequence_of_disjunctions_has_a_square_of_transitions(n: int) -> None:
    first, second = (" OR ".join(f"{name}{i}" for i in range(n)) for name in "AB")
    query = denota.parse(f"SELECT * FROM S WHERE ({first}) ; ({second})", language="ceql")
    automaton = construct(query.formula, count())
    assert len(automaton.delta) == n * n + 3 * n
    assert len(automaton.states) == 4 * n


def test_only_iteration_differs_on_all_small_formulas_and_streams() -> None:
    """As corrected, the automaton, the algorithms and the strategies are the definitions'."""
    space = Space.of("ceql", Bounds(2, 4, alphabet="types"))
    differing: set[str] = set()
    for run in space.runs(0, space.cases):
        query = run.query
        if query.consume is not Consumption.NONE:
            continue
        try:
            printed = construct(query.formula, count())
        except UnsupportedError:
            continue
        corrected = construct(query.formula, count(), corrected=True)
        for place in range(len(run)):
            (tuples,) = run.given(place).values()
            s = Stream(dict(enumerate(tuples)))
            if query.strategy is not Strategy.ALL:
                if query.strategy in AppendixH.strategies and len(tuples) < 4:
                    chosen = AppendixHCorrected().matches(corrected, query, s, Readings())
                    taken = selected(valuations(query.formula, s), query.strategy, s)
                    assert set(map(complex_event, chosen)) == set(map(complex_event, taken))
                continue
            expected = valuations(query.formula, s)
            assert corrected.valuations(s) == expected
            epsilon = place % 4
            enumerated = list(Algorithm1Corrected().outputs(corrected, Strategy.ALL, s, epsilon))
            events = {(v.start, v.end, v.data) for v in expected if v.end - v.start <= epsilon}
            assert len(enumerated) == len(events)
            assert set(enumerated) == events
            found = printed.valuations(s)
            assert found <= expected
            if found != expected:
                assert has(query.formula, Iteration)
                differing.add(run.text)
    assert differing


@pytest.mark.parametrize("engine", [AsPrinted(), Algorithm1()], ids=lambda each: each.name)
def test_what_section_3_leaves_out_is_not_supported(engine: Engine) -> None:
    case = read_case(ERRATA / "COR-7-paper.case.yaml")
    with pytest.raises(UnsupportedError):
        engine.run(case)
