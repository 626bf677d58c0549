"""Laws that follow from CEQL's definitions."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries, formulas, tuple_streams
from denota.semantics.ceql import denotation
from denota.semantics.ceql.core_extensions import evaluate
from denota.semantics.ceql.denotation import valuations
from denota.semantics.ceql.filter_pushdown import pushed
from denota.semantics.ceql.syntax.analysis import takes_any
from denota.semantics.ceql.syntax.readings import Readings
from denota.semantics.ceql.syntax.tree import (
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    Formula,
    Iteration,
    Sequence,
    Strategy,
)
from denota.semantics.ceql.valuations import Stream
from denota.semantics.model.tuples import EventTuple

from ..examples import examples

EVERYTHING = ceql_queries().map(
    lambda query: replace(
        query, strategy=Strategy.ALL, consume=Consumption.NONE, limit=None, select=None
    )
)
WITHOUT_CHOICES = ceql_queries().filter(
    lambda query: query.consume is Consumption.NONE and not takes_any(query)
)


@examples(150)
@given(formulas(), tuple_streams(size=6))
def test_conditions_may_be_looked_at_where_their_variables_are_bound(
    phi: Formula, stream: tuple[EventTuple, ...]
) -> None:
    s = Stream(dict(enumerate(stream)))
    assert valuations(pushed(phi), s) == valuations(phi, s)


@examples(150)
@given(ceql_cases())
def test_what_is_pushed_means_the_same(case: CeqlCase) -> None:
    """⟦pushed(φ)⟧ = ⟦φ⟧"""
    inside = case.but(query=replace(case.query, formula=pushed(case.query.formula)))
    assert inside.choices() == case.choices()


@examples(150)
@given(ceql_cases(WITHOUT_CHOICES))
def test_the_later_language_says_the_same_of_the_papers_queries(case: CeqlCase) -> None:
    stream = case.merged()
    every = frozenset(event for choice in case.choices() for event in choice.candidates)
    assert every == denotation.evaluate(case.query, stream, case.readings)


@given(formulas(2), formulas(2), formulas(1), tuple_streams(size=5))
def test_sequences_are_associative_and_distribute_over_or(
    phi: Formula, psi: Formula, chi: Formula, stream: tuple[EventTuple, ...]
) -> None:
    s = Stream(dict(enumerate(stream)))
    for operator in (Sequence, Contiguous):
        assert valuations(operator(operator(phi, psi), chi), s) == valuations(
            operator(phi, operator(psi, chi)), s
        )
        assert valuations(operator(Disjunction(phi, psi), chi), s) == valuations(
            Disjunction(operator(phi, chi), operator(psi, chi)), s
        )


@given(formulas(2), formulas(2), tuple_streams(size=5))
def test_contiguity_is_a_case_of_sequence(
    phi: Formula, psi: Formula, stream: tuple[EventTuple, ...]
) -> None:
    s = Stream(dict(enumerate(stream)))
    assert valuations(Contiguous(phi, psi), s) <= valuations(Sequence(phi, psi), s)
    assert valuations(ContiguousIteration(phi), s) <= valuations(Iteration(phi), s)
    assert valuations(phi, s) <= valuations(ContiguousIteration(phi), s)


@examples(100)
@given(ceql_cases())
def test_every_strategy_takes_some_of_all(case: CeqlCase) -> None:
    """And NEXT, LAST and MAX take something wherever ALL does, if they look inside the window."""
    query = replace(case.query, consume=Consumption.NONE, limit=None)
    readings = replace(case.readings, strategy="after-within")
    stream = case.merged()
    everything = evaluate(replace(query, strategy=Strategy.ALL), stream, readings)
    for strategy in Strategy:
        taken = evaluate(replace(query, strategy=strategy), stream, readings)
        assert taken <= everything
        if strategy is not Strategy.STRICT:
            assert {each.end for each in taken} == {each.end for each in everything}


@examples(100)
@given(ceql_cases())
def test_every_strategy_takes_some_of_all_whatever_the_window_drops(case: CeqlCase) -> None:
    """Under before-within it may be nothing: corpus/laws/ceql/window-next. ANY takes something."""
    query = replace(case.query, consume=Consumption.NONE, limit=None)
    readings = replace(case.readings, strategy="before-within")
    stream = case.merged()
    everything = evaluate(replace(query, strategy=Strategy.ALL), stream, readings)
    for strategy in Strategy:
        taken = evaluate(replace(query, strategy=strategy), stream, readings)
        assert taken <= everything
        if strategy is Strategy.ANY or (query.within is None and strategy is not Strategy.STRICT):
            assert {each.end for each in taken} == {each.end for each in everything}


@examples(150)
@given(ceql_cases(), st.sampled_from([each for each in Strategy if each is not Strategy.ANY]))
def test_a_wider_window_loses_nothing(case: CeqlCase, strategy: Strategy) -> None:
    """Without CONSUME and LIMIT, with a strategy before WITHIN: see corpus/laws/ceql/window-*.

    ANY may choose another one.
    """
    within = case.query.within
    assume(within is not None)
    assert within is not None
    query = replace(case.query, strategy=strategy, consume=Consumption.NONE, limit=None)
    readings = replace(case.readings, strategy="before-within")
    wider = replace(query, within=replace(within, value=within.value + 1))
    stream = case.merged()
    assert evaluate(query, stream, readings) <= evaluate(wider, stream, readings)


@examples(100)
@given(ceql_cases(EVERYTHING))
def test_positions_lie_in_the_interval_and_ends_come_in_order(case: CeqlCase) -> None:
    stream = case.merged()
    for event in case.denotation():
        assert 0 <= event.start <= event.end < len(stream)
        assert all(event.start <= position <= event.end for position in event.positions)
        assert list(event.positions) == sorted(set(event.positions))


@examples(80)
@given(ceql_cases())
def test_what_comes_later_changes_nothing(case: CeqlCase) -> None:
    """The results at an end position depend on the stream up to it: so engines are incremental."""
    stream = case.merged()
    whole = case.denotation()
    for length in range(len(stream)):
        known = {each for each in whole if each.end < length}
        assert evaluate(case.query, stream[:length], case.readings) == known


@given(ceql_cases(EVERYTHING))
def test_complex_events_forget_what_valuations_tell(case: CeqlCase) -> None:
    stream = case.merged()
    told = evaluate(case.query, stream, Readings(output="valuation"))
    forgotten = evaluate(case.query, stream, Readings())
    assert {replace(each, bindings=None) for each in told} == forgotten


@examples(100)
@given(ceql_cases())
def test_what_next_and_last_take_is_maximal(case: CeqlCase) -> None:
    """What includes a complex event beats it: so NEXT and LAST take some of what MAX takes."""
    query = replace(case.query, consume=Consumption.NONE, limit=None)
    stream = case.merged()
    maximal = evaluate(replace(query, strategy=Strategy.MAX), stream, case.readings)
    for strategy in (Strategy.NEXT, Strategy.LAST):
        taken = evaluate(replace(query, strategy=strategy), stream, case.readings)
        assert taken <= maximal
        if not query.partition:  # it has one set of positions at an end position
            assert len({(each.end, each.positions) for each in taken}) == len(
                {each.end for each in taken}
            )
