"""Laws of RSEP-QL's queries, on the oracle and on the engine: what both get wrong breaks one.

Those that hold of every language are in `laws/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import URIRef, Variable

from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.trees import changed, find, has
from denota.semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    Projection,
    SelectQuery,
    TriplesBlock,
)
from denota.semantics.rdf.syntax.variables import in_scope
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.syntax.tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    Event,
    EventPattern,
    First,
    IdentityWindow,
    IntervalWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    Sequence,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from denota.strategies import rsepql_cases

from ..examples import examples

Bags: TypeAlias = "dict[int, Counter[frozenset[tuple[Any, Any]]]]"
"""The answers that are not empty, by their times"""

Evaluate: TypeAlias = Callable[[RsepqlCase], Bags]

MOST = 80


def bags(answers: Iterable[Any]) -> Bags:
    found: Bags = {}
    for answer in answers:
        assert isinstance(answer.content, tuple)
        assert answer.time not in found
        found[answer.time] = Counter(frozenset(mu.items()) for mu in answer.content)
    return found


def by_definition(case: RsepqlCase) -> Bags:
    return bags(case.denotation())


def by_engine(case: RsepqlCase) -> Bags:
    return bags(case.matches())


both = pytest.mark.parametrize("answers", [by_definition, by_engine])


def selecting(case: RsepqlCase, *elements: Element, **changes: Any) -> RsepqlCase:
    """The case with SELECT *, of these elements if any are given."""
    where = GroupGraphPattern(elements) if elements else case.query.form.where
    form = SelectQuery(None, where or GroupGraphPattern(), dataset=case.query.form.dataset)
    return case.but(query=replace(case.query, form=form, **changes))


def whole(case: RsepqlCase, *elements: Element) -> RsepqlCase:
    """SELECT *, RSTREAM, nothing consumed."""
    return selecting(
        case, *elements, operator=StreamOperator.RSTREAM,
        consumption=ConsumptionPolicy.UNRESTRICTED,
    )


def elements_of(case: RsepqlCase) -> tuple[Element, ...]:
    where = case.query.form.where
    return where.elements if where is not None else ()


def windowed(
    case: RsepqlCase, change: Callable[[WindowFunction], WindowFunction]
) -> RsepqlCase:
    clauses = tuple(replace(w, function=change(w.function)) for w in case.query.windows)
    return case.but(query=replace(case.query, windows=clauses))


# --- windows -------------------------------------------------------------------------------------


@both
@examples(MOST)
@given(rsepql_cases())
def test_windows_that_are_the_same(answers: Evaluate, case: RsepqlCase) -> None:
    """(t' − α, t'] is [t' − α + 1, t']; a window of all, and all of a window, is the window."""
    case = selecting(case)
    if case.evaluation.get("at") is None:
        return  # a report policy asks how a window is written

    def another(function: WindowFunction) -> WindowFunction:
        match function:
            case TimeBasedWindow(width, bounds=Bounds.OPEN_CLOSED) if width.value > 1:
                narrower = replace(width, value=width.value - 1)
                return replace(function, width=narrower, bounds=Bounds.CLOSED_CLOSED)
            case NestedWindow(outer, inner):
                return NestedWindow(another(outer), another(inner))
            case _:
                return function

    expected = answers(case)
    assert answers(windowed(case, another)) == expected
    assert answers(windowed(case, lambda w: NestedWindow(w, IdentityWindow()))) == expected
    assert answers(windowed(case, lambda w: NestedWindow(IdentityWindow(), w))) == expected


@both
@examples(MOST)
@given(rsepql_cases(), st.integers(0, 9), st.integers(0, 4))
def test_an_event_is_in_one_half_of_its_window_or_in_the_other(
    answers: Evaluate, case: RsepqlCase, middle: int, wide: int
) -> None:
    """⟨⟨EVENT w P⟩⟩ is that of both parts of a window that is split in two."""
    if case.dated:
        return
    first, last = max(middle - wide, 0), middle + wide + 1

    def between(one: int, other: int) -> RsepqlCase:
        return windowed(asked, lambda _: IntervalWindow(Moment(one), Moment(other)))

    for match in find(case.query.form, MatchPattern):
        for event in find(match, Event):
            asked = whole(case, MatchPattern(event)).but(evaluation={"at": [last]})
            parts = [answers(between(first, middle)), answers(between(middle + 1, last))]
            together = sum((part.get(last, Counter()) for part in parts), Counter())
            assert answers(between(first, last)).get(last, Counter()) == together


@both
@examples(MOST)
@given(rsepql_cases())
def test_a_snapshot_does_not_know_how_its_triples_came(
    answers: Evaluate, case: RsepqlCase
) -> None:
    """One triple an item or all in one: WINDOW sees their union."""
    if has(case.query.windows, CountWindow):
        return
    apart = {
        name: tuple(
            TimestampedGraph(item.time, part, item.kind)
            for item in items
            for part in ([frozenset({triple}) for triple in item.graph] or [item.graph])
        )
        for name, items in case.streams.items()
    }
    windows = [e for e in elements_of(case) if isinstance(e, WindowPattern)]
    if windows:
        asked = selecting(case, *windows)
        assert answers(asked.but(streams=apart)) == answers(asked)


# --- the algebra ---------------------------------------------------------------------------------


@both
@examples(MOST)
@given(rsepql_cases())
def test_select_is_a_projection_and_distinct_a_set(answers: Evaluate, case: RsepqlCase) -> None:
    case = whole(case)
    variables = in_scope(case.query.form.where or GroupGraphPattern())[:1]
    if not variables:
        return
    listed = replace(case.query.form, projection=tuple(map(Projection, variables)))
    expected: Bags = {}
    for t, bag in answers(case).items():
        expected[t] = Counter()
        for mu, count in bag.items():
            expected[t][frozenset((v, x) for v, x in mu if v in variables)] += count
    assert answers(case.but(query=replace(case.query, form=listed))) == expected
    distinct = replace(listed, distinct=True)
    assert answers(case.but(query=replace(case.query, form=distinct))) == {
        t: Counter(set(bag)) for t, bag in expected.items()
    }


# --- event patterns ------------------------------------------------------------------------------


def plain(e: EventPattern) -> EventPattern | None:
    """The event pattern with what its EVENTs say in triples alone, if they say anything so.

    There μ2(E1) comes to a join.
    """
    def bare(part: Any) -> Any:
        if not isinstance(part, Event):
            return part
        triples = tuple(each for each in part.pattern.elements if isinstance(each, TriplesBlock))
        return replace(part, pattern=GroupGraphPattern(triples))

    made = changed(e, bare)
    simple = all(
        isinstance(triple.predicate, URIRef | Variable)
        for event in find(made, Event)
        for element in event.pattern.elements if isinstance(element, TriplesBlock)
        for triple in element.triples
    )
    return made if simple else None


def patterns_of(case: RsepqlCase) -> list[EventPattern]:
    found = (plain(match.event) for match in find(case.query.form, MatchPattern))
    return [each for each in found if each is not None]


@both
@examples(MOST)
@given(rsepql_cases())
def test_seq_is_associative(answers: Evaluate, case: RsepqlCase) -> None:
    """E1 SEQ (E2 SEQ E3) = (E1 SEQ E2) SEQ E3, of basic events."""
    unrestricted = SequenceOperator.UNRESTRICTED
    for e in patterns_of(case):
        basic = list(find(e, Event))
        if len(basic) == 3:
            one, two, three = basic
            left = Sequence(unrestricted, Sequence(unrestricted, one, two), three)
            right = Sequence(unrestricted, one, Sequence(unrestricted, two, three))
            assert answers(whole(case, MatchPattern(left))) == answers(
                whole(case, MatchPattern(right))
            )


@both
@examples(MOST)
@given(rsepql_cases())
def test_of_instants_every_order_is_the_same(answers: Evaluate, case: RsepqlCase) -> None:
    for e in patterns_of(case):
        if not all(
            isinstance(side, Event)
            for part in find(e, First, Last, Sequence)
            for side in ((part.left, part.right) if isinstance(part, Sequence)
                         else (part.operand,))
        ):
            continue
        asked = selecting(case, MatchPattern(e))
        told = [
            answers(asked.but(readings=replace(asked.readings, order=order)))
            for order in Readings.choices()["order"]
        ]
        assert all(each == told[0] for each in told)


@both
@examples(MOST)
@given(rsepql_cases())
def test_both_policies_are_one_function(answers: Evaluate, case: RsepqlCase) -> None:
    """𝒫^c and 𝒫^r differ by the sequence operator that they go with alone."""
    if case.query.consumption is ConsumptionPolicy.UNRESTRICTED:
        return
    policies = (ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT)
    one, other = (answers(selecting(case, consumption=policy)) for policy in policies)
    assert one == other


_MIRRORED = {
    "end-start": "start-end", "start-end": "end-start", "end": "start", "start": "end",
    "before": "before",
}


@both
@examples(MOST)
@given(rsepql_cases(), st.sampled_from((None, First, Last)))
def test_backwards_the_first_is_the_last(
    answers: Evaluate, case: RsepqlCase, chosen: Any
) -> None:
    """Time may run backwards where a window holds all: FIRST becomes LAST, and ≺ its mirror."""
    at = 1 << 60
    held = windowed(case, lambda _: IdentityWindow()).but(evaluation={"at": [at]})
    backwards = held.but(
        streams={
            name: tuple(
                replace(item, time=-item.time)
                for item in sorted(items, key=lambda item: item.time, reverse=True)
            )
            for name, items in case.streams.items()
        },
        readings=replace(case.readings, order=_MIRRORED[case.readings.order]),
    )
    for e in patterns_of(case):
        basic = list(find(e, Event))
        forth: EventPattern = basic[0]
        for event in basic[1:]:
            forth = Sequence(SequenceOperator.UNRESTRICTED, forth, event)
        back: EventPattern = basic[-1]
        for event in basic[-2::-1]:
            back = Sequence(SequenceOperator.UNRESTRICTED, back, event)
        if chosen is not None:
            forth, back = chosen(forth), (Last if chosen is First else First)(back)
        assert answers(whole(backwards, MatchPattern(back))) == answers(
            whole(held, MatchPattern(forth))
        )


# --- what oracle and engine share, evaluated once more -------------------------------------------


@both
@examples(MOST)
@given(rsepql_cases())
def test_stream_operators_are_differences(answers: Evaluate, case: RsepqlCase) -> None:
    """ISTREAM is Ω_i ∖ Ω_{i−1}, DSTREAM Ω_{i−1} ∖ Ω_i, counted one by one."""
    shown = selecting(case, consumption=ConsumptionPolicy.UNRESTRICTED)
    shown = shown.but(evaluation={**shown.evaluation, "empty": True})
    now, new, gone = (
        answers(shown.but(query=replace(shown.query, operator=operator)))
        for operator in StreamOperator
    )
    before: list[Any] = []
    for t in sorted(now):
        here, lost = list(now[t].elements()), list(before)
        added = [mu for mu in here if mu not in lost or lost.remove(mu)]  # type: ignore[func-returns-value]
        assert (new[t], gone[t]) == (Counter(added), Counter(lost))
        before = here


@given(st.integers(1, 99), st.sampled_from([
    ("PT{}S", 1), ("{}s", 1), ("{} SECONDS", 1), ("PT{}M", 60), ("{}m", 60), ("{} MINUTES", 60),
    ("PT{}H", 3600), ("{}h", 3600), ("P{}D", 86400), ("{}d", 86400), ("{}ms", 0.001),
]))
def test_durations_are_so_many_microseconds(count: int, written: tuple[str, float]) -> None:
    form, seconds = written
    text = f"SELECT * FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE {form.format(count)}] WHERE {{ }}"
    function = parse(text).windows[0].function
    assert isinstance(function, TimeBasedWindow)
    assert function.width.value == round(count * seconds * 1_000_000)
