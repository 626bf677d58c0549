"""From formulas to automata (CORE appendix A)."""

from __future__ import annotations

import pytest

from denota.engine.ceql import run
from denota.engine.ceql.automaton.deterministic import Automaton
from denota.engine.ceql.automaton.vcea import compile_formula
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.tuples import EventTuple


def automaton(formula: str):
    return compile_formula(parse(f"SELECT * FROM S WHERE {formula}").projected)


def shape(formula: str) -> set[tuple[int, int, bool]]:
    """The transitions: source, target, whether the event is marked."""
    return {(t.source, t.target, bool(t.labels)) for t in automaton(formula).transitions}


def test_an_event_type_is_one_transition():
    assert shape("A") == {(0, 1, True)}


def test_a_sequence_waits_and_a_contiguous_one_does_not():
    kinds = sorted((source == target, marked) for source, target, marked in shape("A ; B"))
    assert kinds == [(False, True), (False, True), (True, False)]
    assert all(marked for _, _, marked in shape("A : B"))
    assert len(shape("A : B")) == 2


def test_iteration_goes_on_for_ever():
    """Between two events of R+ lies one state with a loop that skips and one that marks."""
    transitions = shape("A+")
    loops = {marked for source, target, marked in transitions if source == target}
    assert loops == {True, False}
    assert {m for s, t, m in shape("A:+") if s == t} == {True}


def test_nothing_leads_to_the_initial_state():
    for formula in ("A+", "(A ; B)+", "(A OR B:+) ; C", "NOT(A)+"):
        assert all(t.target != 0 for t in automaton(formula).transitions)


def test_states_that_are_reached_together_are_one():
    assert automaton("A ; (B OR C)").states == automaton("A ; B").states + 1


def test_a_condition_stands_where_its_variable_is_marked():
    (first, second) = (
        t for t in automaton("A AS x ; B AS y FILTER y[v > 1]").transitions if t.labels
    )
    assert ("v" in repr(first.test)) is False
    assert "v" in repr(second.test)


def test_a_condition_that_can_never_hold_leaves_nothing():
    assert automaton("(A OR B) FILTER (NOT A[v > 1] AND NOT B[v > 1])").transitions == ()


@pytest.mark.parametrize(
    "formula, sparse",
    [("A ; B ; C", True), ("A ; B+ ; C", True), ("A : B", True), ("A ; B:+ ; C", False),
     ("A ; B:+ ; A", False), ("A ; (B : C) ; D", True), ("A ; (A : C) ; (A OR B)", True),
     ("A ; NOT(B) ; C", False)],
)
def test_the_sparse_loop_serves_where_skipping_does_not_change_state(formula, sparse):
    """In `A ; B:+ ; C` a run that has just seen B stops waiting for a contiguous one."""
    known = Automaton(parse(f"SELECT * FROM S WHERE {formula}"), labelled=False)
    assert known.sparse is sparse


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        # NOT of AND holds where one side does not; within another AND, too.
        ("A ; B FILTER A[n > 0] AND NOT (A[n = 1] AND B[n = 2])", {(0, 2)}),
        ("A ; B FILTER A[n > 0] AND NOT (A[n = 2] AND B[n = 2])", {(0, 1), (0, 2)}),
        ("A ; B FILTER A[n > 0] AND NOT (A[n = 2] OR B[n = 2])", {(0, 2)}),
        # NOT of an event takes none that satisfies either side of OR.
        ("A : NOT(B FILTER B[n = 2] OR B[n = 4])", set()),
        ("B : NOT(B FILTER B[n = 2] OR B[n = 4])", {(1, 2)}),
        ("B : NOT(B FILTER B[n > 2] AND B[n < 4])", set()),
    ],
)
def test_negations_of_conditions(formula, found):
    events = [EventTuple("A", {"n": 1}), EventTuple("B", {"n": 2}), EventTuple("B", {"n": 3})]
    query = parse(f"SELECT * FROM S WHERE {formula}")
    assert {(each.start, each.end) for each in run(query, iter(events))} == found
