"""Laws of CQELS-CEP's queries, on the oracle and on the engine: what both get wrong breaks one.

Those that hold of every language are in `laws/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import Variable

from denota.oracle.languages.cqels.features import CqelsCase
from denota.semantics.cqels.syntax.readings import Readings
from denota.semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    TriplesWindow,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from denota.semantics.model.interval_solutions import IntervalSolution, Reported
from denota.semantics.model.items import IntervalGraph, Item, TimeKind
from denota.semantics.model.stream_operator import StreamOperator
from denota.semantics.model.trees import has
from denota.semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from denota.semantics.rdf.syntax.variables import in_scope
from denota.strategies import cqels_cases

from ..examples import examples

Told: TypeAlias = "frozenset[tuple[Any, ...]]"
"""(start, end, μ) of each solution, with the time where it is reported at one"""

Evaluate: TypeAlias = Callable[[CqelsCase], Told]

MOST = 80


def told(results: Iterable[Any]) -> Told:
    found = list(results)
    assert len(found) == len(set(found))
    return frozenset(
        (each.time, *one(each.element)) if isinstance(each, Reported) else one(each)
        for each in found
    )


def one(solution: Any) -> tuple[Any, ...]:
    assert isinstance(solution, IntervalSolution)
    return solution.start, solution.end, frozenset(solution.mapping.items())


def by_definition(case: CqelsCase) -> Told:
    return told(case.denotation())


def by_engine(case: CqelsCase) -> Told:
    return told(case.matches())


both = pytest.mark.parametrize("answers", [by_definition, by_engine])


def selecting(case: CqelsCase, **changes: Any) -> CqelsCase:
    """The case with SELECT * of solutions that are not reported."""
    plain = {"select": None, "template": None, "operator": None, "output": None, **changes}
    return case.but(query=replace(case.query, **plain))


def where(case: CqelsCase, *elements: Element) -> CqelsCase:
    return selecting(case, where=GroupGraphPattern(elements))


def windowed(case: CqelsCase, change: Callable[[WindowFunction], WindowFunction]) -> CqelsCase:
    clauses = tuple(replace(w, function=change(w.function)) for w in case.query.windows)
    return case.but(query=replace(case.query, windows=clauses))


@both
@examples(MOST)
@given(cqels_cases())
def test_windows_may_be_declared_in_any_order(answers: Evaluate, case: CqelsCase) -> None:
    case = case.but(query=replace(case.query, template=None))
    backwards = replace(case.query, windows=case.query.windows[::-1])
    assert answers(case.but(query=backwards)) == answers(case)


# --- time ----------------------------------------------------------------------------------------


@both
@examples(MOST)
@given(cqels_cases())
def test_backwards_a_head_is_a_tail(answers: Evaluate, case: CqelsCase) -> None:
    """Where a window holds all, and all of it is known, time may run backwards."""
    for element in case.query.where.elements:
        if not isinstance(element, WindowPattern) or isinstance(element.body, GroupGraphPattern):
            continue
        at = 1 << 60
        body = replace(element.body, elements=element.body.elements[::-1])
        forth = windowed(where(case, element), lambda _: AllWindow()).but(evaluation={"at": [at]})
        back = windowed(where(forth, replace(element, body=body)), lambda _: AllWindow()).but(
            streams={
                name: tuple(sorted(map(mirrored, items), key=lambda item: item.end))
                for name, items in case.streams.items()
            },
        )
        assert answers(back) == {(-end, -start, mu) for start, end, mu in answers(forth)}


def mirrored(item: Item) -> Item:
    if isinstance(item, IntervalGraph):
        return replace(item, start=-item.end, end=-item.start)
    return replace(item, time=-item.time)


# --- windows -------------------------------------------------------------------------------------


@both
@examples(MOST)
@given(cqels_cases())
def test_windows_that_are_the_same(answers: Evaluate, case: CqelsCase) -> None:
    """[NOW] is [RANGE 0]; to slide by one instant is to slide; and [ALL] is wide enough."""
    case = case.but(query=replace(case.query, template=None))
    kind = TimeKind.DATETIME if case.dated else TimeKind.INTEGER

    def another(function: WindowFunction) -> WindowFunction:
        match function:
            case NowWindow():
                return RangeWindow(Span(0, kind), None)
            case RangeWindow(width, None):
                return RangeWindow(width, Span(1, kind))
            case AllWindow():
                return RangeWindow(Span(1 << 60, kind), None)
            case _:
                return function

    assert answers(windowed(case, another)) == answers(case)


@both
@examples(MOST)
@given(cqels_cases(), st.data())
def test_more_items_more_answers(
    answers: Evaluate, case: CqelsCase, data: st.DataObject
) -> None:
    """As far as nothing is negated, nor pushes others out."""
    case = selecting(case)
    negated = has(case.query.where, OptionalPattern, MinusPattern) or any(
        part.negated
        for element in case.query.where.elements
        for part in _elements(element)
    )
    counted = any(isinstance(clause.function, TriplesWindow) for clause in case.query.windows)
    if negated or counted or not any(case.streams.values()):
        return
    name = data.draw(st.sampled_from(sorted(n for n, items in case.streams.items() if items)))
    k = data.draw(st.integers(0, len(case.streams[name]) - 1))
    fewer = {**case.streams, name: case.streams[name][:k] + case.streams[name][k + 1 :]}
    at = case.at or tuple(sorted({i.end for items in fewer.values() for i in items}))
    case = case.but(evaluation={"at": list(at)})
    assert answers(case.but(streams=fewer)) <= answers(case)


def _elements(element: Element) -> tuple[PatternElement | WindowElement, ...]:
    if isinstance(element, WindowSequence):
        return element.elements
    if isinstance(element, WindowPattern) and isinstance(element.body, TripleSequence):
        return element.body.elements
    if isinstance(element, UnionPattern):
        return tuple(
            part for group in element.alternatives for e in group.elements for part in _elements(e)
        )
    return ()


# --- the algebra ---------------------------------------------------------------------------------


@both
@examples(MOST)
@given(cqels_cases())
def test_select_is_a_projection(answers: Evaluate, case: CqelsCase) -> None:
    query: CqelsQuery = case.query
    if query.select is None or any(item.expression is not None for item in query.select):
        return
    kept = {item.variable for item in query.select}
    chosen = selecting(case, select=query.select)
    assert answers(chosen) == {
        (start, end, frozenset((v, term) for v, term in mu if v in kept))
        for start, end, mu in answers(selecting(case))
    }


@both
@examples(MOST)
@given(cqels_cases())
def test_a_sequence_of_one_is_no_sequence(answers: Evaluate, case: CqelsCase) -> None:
    for element in case.query.where.elements:
        if isinstance(element, WindowPattern) and isinstance(element.body, GroupGraphPattern):
            single = TripleSequence((PatternElement(element.body),))
            bare = replace(element, body=element.body)
            expected = answers(where(case, bare))
            assert answers(where(case, replace(element, body=single))) == expected


@both
@examples(MOST)
@given(cqels_cases())
def test_what_is_negated_and_never_there_forbids_nothing(
    answers: Evaluate, case: CqelsCase
) -> None:
    """SEQ with a negation of what no item says is SEQ without it; both readings agree on that."""
    never = PatternElement(GroupGraphPattern((InlineData((Variable("x"),), ()),)), negated=True)
    for element in case.query.where.elements:
        if not isinstance(element, WindowPattern) or isinstance(element.body, GroupGraphPattern):
            continue
        positive = tuple(each for each in element.body.elements if not each.negated)
        seen = {v for each in positive for v in in_scope(each.pattern)}
        body = TripleSequence(positive)
        if not seen or has(positive, TriplesBlock) is False:
            continue
        expected = answers(where(case, replace(element, body=body)))
        for place in range(len(positive) + 1):
            parts = (*positive[:place], never, *positive[place:])
            negating = where(case, replace(element, body=replace(body, elements=parts)))
            for inside in ("closed", "open"):
                assert answers(negating.but(readings=Readings(inside=inside))) == expected


@both
@examples(MOST)
@given(cqels_cases())
def test_stream_operators_are_differences(answers: Evaluate, case: CqelsCase) -> None:
    """At each time ISTREAM reports what RSTREAM reports for the first time, DSTREAM what no more"""
    at = case.at or sorted({i.end for s in case.streams.values() for i in s})
    case = selecting(case.but(evaluation={"at": list(at)}))
    now, new, gone = (
        answers(case.but(query=replace(case.query, operator=operator)))
        for operator in StreamOperator
    )
    before: set[Any] = set()
    for t in sorted(set(at)):
        here, added, lost = ({x[1:] for x in told if x[0] == t} for told in (now, new, gone))
        assert (added, lost) == (here - before, before - here)
        before = here
