"""Laws of SPAseq that the definitions and the engine each keep: a fault of both breaks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rdflib import URIRef, Variable

from denota.oracle.languages.spaseq.case import SpaseqCase, operators
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.trees import changed, has
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.scoping import split
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Definition,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)
from denota.semantics.streams.merging import merge
from denota.strategies import spaseq_cases, spaseq_queries, streams

from ..examples import examples

Evaluated: TypeAlias = Callable[[SpaseqCase], frozenset[Pair]]

ANOTHER = URIRef("http://example.org/zzz")
"""A stream that no generated query names, the last one by its IRI."""

IN_NUMBERS = spaseq_queries(unit=WithinUnit.INTEGER)
TUMBLING = IN_NUMBERS.map(lambda query: replace(query, slide=None))
both = pytest.mark.parametrize(
    "evaluated",
    [SpaseqCase.denotation, lambda case: frozenset(case.matches())],
    ids=["definitions", "engine"],
)


def in_order(case: SpaseqCase) -> list[int]:
    return sorted(item.time for stream in case.streams.values() for item in stream)


def fixed(case: SpaseqCase) -> SpaseqCase:
    """The case with its t said."""
    times = in_order(case)
    assume(times)
    return case.but(evaluation={"from": times[0] if case.start is None else case.start})


def starting(case: SpaseqCase, start: int | None) -> SpaseqCase:
    return case.but(evaluation={} if start is None else {"from": start})


def with_streams(
    case: SpaseqCase, change: Callable[[TimestampedGraph], TimestampedGraph | None]
) -> SpaseqCase:
    """The case with its items changed, or left out."""
    return case.but(
        streams={
            name: tuple(new for item in stream if (new := change(item)) is not None)
            for name, stream in case.streams.items()
        },
    )


# --- time ----------------------------------------------------------------------------------------


@both
@examples(40)
@given(case=spaseq_cases(), by=st.sampled_from((1, -7, 1_000)))
def test_later_streams_have_later_answers(evaluated: Evaluated, case: SpaseqCase, by: int) -> None:
    """No definition looks at anything but differences and the order of timestamps."""
    moved = with_streams(case, lambda item: replace(item, time=item.time + by))
    moved = starting(moved, None if case.start is None else case.start + by)
    by_count = case.query.within.unit is WithinUnit.EVENTS

    def later(pair: Pair) -> Pair:
        window = pair.window
        if window is not None and not by_count:
            window = window[0] + by, window[1] + by
        return replace(pair, window=window, time=pair.time + by)

    assert evaluated(moved) == set(map(later, evaluated(case)))


@both
@examples(40)
@given(case=spaseq_cases(IN_NUMBERS), by=st.sampled_from((2, 3)))
def test_slower_streams_and_wider_windows_have_the_same_answers(
    evaluated: Evaluated, case: SpaseqCase, by: int
) -> None:
    query = case.query
    stretched = with_streams(case, lambda item: replace(item, time=item.time * by))
    slide = query.slide and replace(query.slide, value=query.slide.value * by)
    within = replace(query.within, value=query.within.value * by)
    stretched = starting(
        stretched.but(query=replace(query, within=within, slide=slide)),
        None if case.start is None else case.start * by,
    )

    def slower(pair: Pair) -> Pair:
        window = pair.window and (pair.window[0] * by, pair.window[1] * by)
        return replace(pair, window=window, time=pair.time * by)

    assert evaluated(stretched) == set(map(slower, evaluated(case)))


@both
@examples(40)
@given(case=spaseq_cases(IN_NUMBERS))
def test_a_window_knows_nothing_of_what_is_outside(evaluated: Evaluated, case: SpaseqCase) -> None:
    """Def. 16: ⟦SeqExp⟧ over [τb, τe] looks at the items from τb to τe."""
    answers = evaluated(case)
    for window in {pair.window for pair in answers if pair.window is not None}:
        begin, end = window
        inside = with_streams(case, lambda i: i if begin <= i.time <= end else None)  # noqa: B023
        alone = evaluated(starting(inside, begin))
        assert {p for p in answers if p.window == window} == {
            p for p in alone if p.window == window
        }


# --- names ---------------------------------------------------------------------------------------


@both
@examples(40)
@given(case=spaseq_cases())
def test_names_do_not_matter(evaluated: Evaluated, case: SpaseqCase) -> None:
    """Other IRIs, variables, names of GPMs and of streams: the same answers in other words."""

    def other(node: object) -> object:
        match node:
            case Variable():
                return Variable(f"v_{node}")
            case URIRef() if "example.org" in node:
                return URIRef(node.replace("example.org", "example.com"))
            case Reference(name):
                return replace(node, name=f"G{name}")
            case Definition():
                return replace(node, name=f"G{node.name}", stream=f"{node.stream}s")
            case StreamClause():
                return replace(node, name=f"{node.name}s", iri=other(node.iri))
        return node

    renamed = case.but(
        query=changed(case.query, other),
        streams={
            URIRef(str(other(name))): tuple(
                replace(item, graph=changed(item.graph, other)) for item in stream
            )
            for name, stream in case.streams.items()
        },
        kb={URIRef(str(other(name))): changed(graph, other) for name, graph in case.kb.items()},
    )

    def value(found: object) -> object:
        return tuple(map(value, found)) if isinstance(found, tuple) else other(found)

    def told(pair: Pair) -> Pair:
        return replace(
            pair,
            solutions=frozenset(
                SolutionMapping({other(v): value(mu[v]) for v in mu})  # type: ignore[misc]
                for mu in pair.solutions
            ),
        )

    assert evaluated(renamed) == set(map(told, evaluated(case)))


# --- streams -------------------------------------------------------------------------------------


def only_skips(query: SpaseqQuery) -> bool:
    """No `,`, and no Kleene plus that is linked by it (Defs. 12, 14)."""
    later = tuple(step.atom for step in query.sequence.steps)
    return Operator.STRICT not in operators(query.sequence) and not has(later, KleenePlus)


@both
@examples(40)
@given(case=spaseq_cases(IN_NUMBERS.filter(only_skips)), more=streams(document=ANOTHER))
def test_a_stream_that_nobody_reads_changes_nothing(
    evaluated: Evaluated, case: SpaseqCase, more: tuple[TimestampedGraph, ...]
) -> None:
    case = fixed(case)
    richer = case.but(streams={**case.streams, ANOTHER: more})
    assert evaluated(richer) == evaluated(case)


def affirmed(query: SpaseqQuery) -> SpaseqQuery:
    """The query with `:` alone, of what is there: no negation, no option."""

    def change(node: object) -> object:
        match node:
            case Negation(operand) | OptionalEvent(operand):
                return operand
            case Step():
                return Step(Operator.ANY, node.atom)
        return node

    return replace(query, sequence=changed(query.sequence, change))


def once(query: SpaseqQuery) -> SpaseqQuery:
    """The query without P+."""
    sequence = changed(query.sequence, lambda n: n.operand if isinstance(n, KleenePlus) else n)
    return replace(query, sequence=sequence)


@both
@examples(40)
@given(case=spaseq_cases(IN_NUMBERS.map(affirmed).map(once)), data=st.data())
def test_without_an_event_there_are_no_new_answers(
    evaluated: Evaluated, case: SpaseqCase, data: st.DataObject
) -> None:
    """Defs. 7 to 10 say of the events of a match what they ask, and of others nothing."""
    case = fixed(case.but(readings=replace(case.readings, ties="error")))
    assume(all(len({i.time for i in s}) == len(s) for s in case.streams.values()))
    gone = data.draw(st.sampled_from(in_order(case)))
    fewer = with_streams(case, lambda item: None if item.time == gone else item)
    assert evaluated(fewer) <= evaluated(case)


@both
@examples(40)
@given(case=spaseq_cases(IN_NUMBERS))
def test_what_comes_later_changes_nothing(evaluated: Evaluated, case: SpaseqCase) -> None:
    """All definitions look strictly between the events of a match."""
    case = fixed(case)
    half = in_order(case)[len(in_order(case)) // 2]
    earlier = with_streams(case, lambda item: item if item.time <= half else None)
    assert evaluated(earlier) == {pair for pair in evaluated(case) if pair.time <= half}


# --- operators -----------------------------------------------------------------------------------


@both
@examples(40)
@given(case=spaseq_cases())
def test_a_disjunct_said_twice_is_said_once(evaluated: Evaluated, case: SpaseqCase) -> None:
    """Ψ | Ψ = Ψ (Def. 9), wherever Ψ is a GPM of a sequence that negates nothing."""
    assume(not has(case.query.sequence, Negation, OptionalEvent))

    def twice(node: object) -> object:
        return Disjunction((node, node)) if isinstance(node, Reference) else node

    doubled = case.but(
        query=replace(case.query, sequence=changed(case.query.sequence, twice))
    )
    assert evaluated(doubled) == evaluated(case)


@both
@examples(40)
@given(case=spaseq_cases())
def test_operands_may_come_in_any_order(evaluated: Evaluated, case: SpaseqCase) -> None:
    """Defs. 8 and 9 are commutative."""

    def turned(node: object) -> object:
        match node:
            case Conjunction(operands) | Disjunction(operands):
                return type(node)(operands[::-1])  # type: ignore[call-arg]
        return node

    other = replace(case.query, sequence=changed(case.query.sequence, turned))
    assert evaluated(case.but(query=other)) == evaluated(case)


# --- readings that coincide ----------------------------------------------------------------------


@both
@examples(40)
@given(case=spaseq_cases())
def test_without_ties_it_does_not_matter_how_they_are_read(
    evaluated: Evaluated, case: SpaseqCase
) -> None:
    once = {name: {item.time: item for item in stream} for name, stream in case.streams.items()}
    case = case.but(streams={name: tuple(s.values()) for name, s in once.items()})
    merged, ranked = (
        evaluated(case.but(readings=replace(case.readings, ties=ties)))
        for ties in ("merge", "sequence")
    )
    assert merged == ranked


@both
@examples(40)
@given(case=spaseq_cases(TUMBLING))
def test_windows_that_slide_by_their_width_tumble(evaluated: Evaluated, case: SpaseqCase) -> None:
    tumbling = case.but(readings=replace(case.readings, window="tumbling"))
    sliding = replace(case.query, slide=case.query.within)
    assert evaluated(tumbling.but(query=sliding)) == evaluated(tumbling)


@both
@examples(40)
@given(case=spaseq_cases(TUMBLING.map(affirmed).map(once)))
def test_every_match_of_a_window_is_one_of_its_width(
    evaluated: Evaluated, case: SpaseqCase
) -> None:
    """`window=match` has the matches of tumbling windows, and those across their bounds."""
    tumbling, spanned = (
        {replace(pair, window=None) for pair in evaluated(
            fixed(case).but(readings=replace(case.readings, window=window))
        )}
        for window in ("tumbling", "match")
    )
    assert tumbling <= spanned


@both
@examples(40)
@given(case=spaseq_cases(spaseq_queries().map(affirmed)))
def test_iterations_that_must_agree_are_some_of_those_that_need_not(
    evaluated: Evaluated, case: SpaseqCase
) -> None:
    """Where nothing is blocked and no filter looks back, kleene=join matches when last does."""
    assume(not isinstance(case.query.sequence.first, KleenePlus))
    definitions = tuple(
        replace(each, pattern=split(each.pattern)[0]) for each in case.query.definitions
    )
    case = case.but(query=replace(case.query, definitions=definitions))
    joined, last = (
        {(pair.window, pair.time, pair.rank) for pair in evaluated(
            case.but(readings=replace(case.readings, kleene=kleene))
        )}
        for kleene in ("join", "last")
    )
    assert joined <= last


# --- what oracle and engine share, a second time -------------------------------------------------


@examples(100)
@given(spaseq_cases())
def test_items_come_by_time_then_rank_then_the_order_of_the_clauses(case: SpaseqCase) -> None:
    """A second evaluation of `merge`: sort, with each item's number among its ties."""
    clauses = [clause.iri for clause in case.query.streams]
    rows = []
    for name, stream in case.streams.items():
        known = {}
        place = (clauses.index(name), "") if name in clauses else (len(clauses), str(name))
        for item in stream:
            rank = known.get(item.time, 0)
            known[item.time] = rank + 1
            if case.readings.ties == "merge" and rank:
                rows[-1][4].extend(item.graph)
            else:
                rows.append((item.time, rank, place, name, list(item.graph)))
    expected = [(t, rank, name, frozenset(graph)) for t, rank, _, name, graph in sorted(
        rows, key=lambda row: row[:3]
    )]
    came = merge(case.streams, ties=case.readings.ties, order=tuple(clauses))
    assert [(i.time, i.rank, i.iri, i.graph) for i in came] == expected
