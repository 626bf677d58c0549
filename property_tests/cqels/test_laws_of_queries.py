"""Laws of CQELS-CEP's queries, on the oracle and on the engine: what both get wrong breaks one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import URIRef, Variable

from denota.oracle.languages.cqels.case import CqelsCase
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
from denota.semantics.model.temporal_graphs import TemporalGraph
from denota.semantics.model.trees import changed, has
from denota.semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from denota.semantics.rdf.syntax.variables import in_scope
from denota.strategies import cqels_cases

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


def is_joined(element: Element) -> bool:
    """Whether an element of a group is joined with the others wherever it stands."""
    return not isinstance(element, OptionalPattern | MinusPattern | Bind | Filter)


# --- names ---------------------------------------------------------------------------------------


@both
@settings(max_examples=MOST)
@given(cqels_cases())
def test_names_say_nothing(answers: Evaluate, case: CqelsCase) -> None:
    """Other variables, other windows and streams, and two resources changed for one another."""
    case = case.but(query=replace(case.query, template=None, output=None))
    a, b, *_ = (URIRef(f"http://example.org/{name}") for name in "ab")
    others = {
        a: b, b: a,
        **{w.name: URIRef(f"{w.name}-0") for w in case.query.windows},
        **{name: URIRef(f"{name}-0") for name in case.streams},
    }

    def other(part: Any) -> Any:
        if isinstance(part, Variable):
            return Variable(f"{part}0")
        return others.get(part, part) if isinstance(part, URIRef) else part

    renamed = CqelsCase(
        changed(case.query, other),
        {others[name]: tuple(changed(item, other) for item in items)
         for name, items in case.streams.items()},
        {name: changed(graph, other) for name, graph in case.kb.items()},
        case.readings, case.at,
    )
    expected = {
        (*rest, frozenset((other(v), other(term)) for v, term in mu))
        for *rest, mu in answers(case)
    }
    assert answers(renamed) == expected


@both
@settings(max_examples=MOST)
@given(cqels_cases())
def test_windows_may_be_declared_in_any_order(answers: Evaluate, case: CqelsCase) -> None:
    case = case.but(query=replace(case.query, template=None))
    backwards = replace(case.query, windows=case.query.windows[::-1])
    assert answers(case.but(query=backwards)) == answers(case)


# --- time ----------------------------------------------------------------------------------------


@both
@settings(max_examples=MOST)
@given(cqels_cases(), st.integers(-3, 5).map(lambda k: 12 * k))
def test_time_has_no_origin(answers: Evaluate, case: CqelsCase, shift: int) -> None:
    """Everything a while later, by as much as windows slide: so are the answers."""
    case = selecting(case)
    if not _rests_on_items(case.query.where):
        return  # what holds since ever is reported since 0
    shift *= 1_000_000 if case.dated else 1
    later = CqelsCase(
        case.query,
        {name: tuple(moved(item, shift) for item in items)
         for name, items in case.streams.items()},
        {name: TemporalGraph(tuple((t + shift, g) for t, g in graph.changes), graph.kind)
         if isinstance(graph, TemporalGraph) else graph for name, graph in case.kb.items()},
        case.readings,
        None if case.at is None else tuple(t + shift for t in case.at),
    )
    assert answers(later) == {(s + shift, e + shift, mu) for s, e, mu in answers(case)}


def _rests_on_items(group: GroupGraphPattern) -> bool:
    """Whether whatever answers the group is joined with an item, which limits its interval.

    OPTIONAL and MINUS keep what they find before them, be it the background, or nothing at all.
    """
    return any(
        all(map(_rests_on_items, element.alternatives)) if isinstance(element, UnionPattern)
        else isinstance(element, WindowPattern | WindowSequence)
        for element in group.elements
    )


def moved(item: Item, shift: int) -> Item:
    if isinstance(item, IntervalGraph):
        return replace(item, start=item.start + shift, end=item.end + shift)
    return replace(item, time=item.time + shift)


@both
@settings(max_examples=MOST)
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
@settings(max_examples=MOST)
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
@settings(max_examples=MOST)
@given(cqels_cases(), st.data())
def test_an_item_twice_says_nothing_more(
    answers: Evaluate, case: CqelsCase, data: st.DataObject
) -> None:
    """Solutions are a set; only a window of so many triples counts."""
    case = case.but(query=replace(case.query, template=None))
    if any(isinstance(clause.function, TriplesWindow) for clause in case.query.windows):
        return
    name = data.draw(st.sampled_from(sorted(case.streams) or [None]))  # type: ignore[type-var]
    items = case.streams[name] if name is not None else ()
    if items:
        k = data.draw(st.integers(0, len(items) - 1))
        twice = {**case.streams, name: (*items[:k], items[k], *items[k:])}
        assert answers(case.but(streams=twice)) == answers(case)


@both
@settings(max_examples=MOST)
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
@settings(max_examples=MOST)
@given(cqels_cases())
def test_joins_commute(answers: Evaluate, case: CqelsCase) -> None:
    elements = case.query.where.elements
    joined = [each for each in elements if is_joined(each)]
    assert answers(where(case, *joined[::-1])) == answers(where(case, *joined))


@both
@settings(max_examples=MOST)
@given(cqels_cases())
def test_union_is_idempotent_and_joins_distribute_over_it(
    answers: Evaluate, case: CqelsCase
) -> None:
    joined = tuple(each for each in case.query.where.elements if is_joined(each))
    whole = GroupGraphPattern(joined)
    once = answers(where(case, *joined))
    assert answers(where(case, UnionPattern((whole, whole)))) == once
    for union in (each for each in joined if isinstance(each, UnionPattern)):
        rest = tuple(each for each in joined if each is not union)
        apart = tuple(
            GroupGraphPattern((*rest, UnionPattern((alternative,))))
            for alternative in union.alternatives
        )
        assert answers(where(case, UnionPattern(apart))) == once
        assert answers(where(case, *rest, UnionPattern(union.alternatives[::-1]))) == once


@both
@settings(max_examples=MOST)
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
@settings(max_examples=MOST)
@given(cqels_cases())
def test_a_sequence_of_one_is_no_sequence(answers: Evaluate, case: CqelsCase) -> None:
    for element in case.query.where.elements:
        if isinstance(element, WindowPattern) and isinstance(element.body, GroupGraphPattern):
            single = TripleSequence((PatternElement(element.body),))
            bare = replace(element, body=element.body)
            expected = answers(where(case, bare))
            assert answers(where(case, replace(element, body=single))) == expected


@both
@settings(max_examples=MOST)
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
@settings(max_examples=MOST)
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
