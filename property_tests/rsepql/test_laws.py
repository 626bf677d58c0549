"""Laws of RSEP-QL's windows, event patterns, policies and stream operators, by the definitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.model.items import TimeKind
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery, TriplesBlock
from denota.semantics.rsepql.clauses import streaming_dataset
from denota.semantics.rsepql.consumption_history import EventHistory
from denota.semantics.rsepql.context import EvaluationContext
from denota.semantics.rsepql.evaluation_times import evaluation_times
from denota.semantics.rsepql.event_mappings import distinct
from denota.semantics.rsepql.event_patterns import event_pattern
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    Sequence,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from denota.semantics.rsepql.window_functions import Identity
from denota.strategies import rsepql_cases

from ..examples import examples

MOST = 100


def bags(case: RsepqlCase) -> dict[int, Counter[SolutionMapping]]:
    found = {}
    for answer in case.denotation():
        assert isinstance(answer.content, tuple)
        found[answer.time] = Counter(answer.content)
    return found


def plain(case: RsepqlCase, **changes: Any) -> RsepqlCase:
    """SELECT *, RSTREAM, nothing consumed."""
    where = case.query.form.where or GroupGraphPattern()
    form = SelectQuery(None, where, dataset=case.query.form.dataset)
    query = replace(
        case.query, form=form, operator=StreamOperator.RSTREAM,
        consumption=ConsumptionPolicy.UNRESTRICTED,
    )
    return case.but(query=replace(query, **changes))


def matches(case: RsepqlCase) -> list[EventPattern]:
    where = case.query.form.where or GroupGraphPattern()
    return [e.event for e in where.elements if isinstance(e, MatchPattern)]


def contexts(case: RsepqlCase, e: EventPattern, readings: Readings) -> list[EvaluationContext]:
    sds = streaming_dataset(case.query, case.streams, case.kb)
    times = evaluation_times(sds, Evaluation.of(case.evaluation))
    history = EventHistory(e, ConsumptionPolicy.UNRESTRICTED, sds, times, readings)
    return [history.context(i) for i in range(len(times))]


@examples(MOST)
@given(rsepql_cases())
def test_istream_and_dstream_say_how_an_answer_becomes_the_next(case: RsepqlCase) -> None:
    """Ω_i = (Ω_{i−1} ∖ DSTREAM_i) ⊎ ISTREAM_i"""
    whole, new, gone = (bags(plain(case, operator=operator)) for operator in StreamOperator)
    before: Counter[SolutionMapping] = Counter()
    for time in sorted({*whole, *new, *gone}):
        assert gone.get(time, Counter()) <= before
        before = before - gone.get(time, Counter()) + new.get(time, Counter())
        assert before == whole.get(time, Counter())


@examples(MOST)
@given(rsepql_cases(), st.integers(0, 8))
def test_the_future_does_not_matter(case: RsepqlCase, tick: int) -> None:
    """An answer at t depends on what has arrived by t."""
    times = sorted({item.time for stream in case.streams.values() for item in stream})
    t = times[min(tick, len(times) - 1)] if times else tick
    case = case.but(evaluation={"at": case.evaluation.get("at", times or [tick])})
    cut = {
        name: tuple(item for item in stream if item.time <= t)
        for name, stream in case.streams.items()
    }
    early = {"at": [at for at in case.evaluation["at"] if at <= t]}
    whole = [answer for answer in case.denotation() if answer.time <= t]
    assert case.but(streams=cut, evaluation=early).denotation() == whole


@examples(MOST)
@given(rsepql_cases())
def test_first_and_last_choose(case: RsepqlCase) -> None:
    """FIRST E ⊆ E, is empty only if E is, and chooses once; so does LAST."""
    for e in matches(case):
        for context in contexts(case, e, case.readings):
            all_events = event_pattern(e, Identity(), context)
            for selection in (First, Last):
                chosen = event_pattern(selection(e), Identity(), context)
                assert chosen <= all_events
                assert bool(chosen) == bool(all_events)
                assert event_pattern(selection(selection(e)), Identity(), context) == chosen


@examples(MOST)
@given(rsepql_cases())
def test_selecting_sequences_choose_among_the_pairs_of_seq(case: RsepqlCase) -> None:
    """SEQ^c, SEQ^r ⊆ SEQ; each finds something iff SEQ does; SEQ^n ⊆ SEQ for plain patterns."""
    for e in matches(case):
        if not isinstance(e, Sequence):
            continue
        for context in contexts(case, e, case.readings):
            found = {
                operator: event_pattern(replace(e, operator=operator), Identity(), context)
                for operator in SequenceOperator
            }
            pairs = found[SequenceOperator.UNRESTRICTED]
            for operator in (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT):
                assert found[operator] <= pairs
                assert bool(found[operator]) == bool(pairs)
            if _is_plain(e):
                assert found[SequenceOperator.NAIVE] <= pairs


def _is_plain(e: EventPattern) -> bool:
    """Two basic event patterns of triple patterns alone: there μ2(E1) comes to a join."""
    return isinstance(e, Sequence) and all(
        isinstance(side, Event)
        and all(isinstance(element, TriplesBlock) for element in side.pattern.elements)
        for side in (e.left, e.right)
    )


@examples(MOST)
@given(rsepql_cases())
def test_nothing_is_consumed_twice(case: RsepqlCase) -> None:
    """Under 𝒫^c what took part in a match at t_i takes part in none later, occurrence by
    occurrence; and at t_1 the policy consumes nothing yet."""
    consuming = case.query.consumption is not ConsumptionPolicy.UNRESTRICTED
    sds = streaming_dataset(case.query, case.streams, case.kb)
    readings = replace(case.readings, consumption="occurrence")
    times = evaluation_times(sds, Evaluation.of(case.evaluation))
    for e in matches(case) if consuming else ():
        history = EventHistory(e, case.query.consumption, sds, times, readings)
        used: set[object] = set()
        for i in range(len(times)):
            now = {(w, unit) for w, units in history.used(i).items() for unit in units}
            assert not now & used
            used |= now
            if i == 0:
                free = replace(history.context(i), input=None)
                assert event_pattern(e, Identity(), free) == distinct(history.events(i))


@examples(MOST)
@given(rsepql_cases(), st.integers(0, 12), st.integers(1, 6), st.integers(0, 6))
def test_windows_of_different_kinds_are_one_at_one_time(
    case: RsepqlCase, t: int, width: int, start: int
) -> None:
    """At t, [RANGE a] is [BETWEEN t − a + 1 AND t], and [FROM t0] is [BETWEEN t0 AND t]."""
    items = [item for stream in case.streams.values() for item in stream]
    assume(all(item.kind is TimeKind.INTEGER for item in items))
    at = plain(case).but(evaluation={"at": [t]})

    def under(function: WindowFunction) -> dict[int, Counter[SolutionMapping]]:
        windows = tuple(replace(clause, function=function) for clause in at.query.windows)
        return bags(plain(at, windows=windows))

    def interval(first: int) -> WindowFunction:
        return IntervalWindow(Moment(first), Moment(t))

    assert under(TimeBasedWindow(Moment(width))) == under(interval(t - width + 1))
    if start <= t:
        assert under(LandmarkWindow(Moment(start))) == under(interval(start))


@examples(MOST)
@given(rsepql_cases())
def test_what_event_finds_window_finds(case: RsepqlCase) -> None:
    """A basic graph pattern that matches a graph of a window matches its snapshot."""
    for e in matches(case):
        for event in _events(e):
            if not all(isinstance(each, TriplesBlock) for each in event.pattern.elements):
                continue
            by_event, by_window = (
                bags(_with_where(case, element))
                for element in (MatchPattern(event), WindowPattern(event.window, event.pattern))
            )
            for time, bag in by_event.items():
                assert bag.keys() <= by_window[time].keys()


def _events(e: EventPattern) -> list[Event]:
    match e:
        case Event():
            return [e]
        case First(operand) | Last(operand):
            return _events(operand)
        case Sequence(_, left, right):
            return _events(left) + _events(right)
    raise AssertionError


def _with_where(case: RsepqlCase, element: MatchPattern | WindowPattern) -> RsepqlCase:
    return plain(case, form=SelectQuery(None, GroupGraphPattern((element,))))
