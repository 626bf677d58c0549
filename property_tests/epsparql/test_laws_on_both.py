"""Laws of EP-SPARQL, on the oracle and on the engine: what both get wrong breaks one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.languages.epsparql.generate import epsparql_patterns
from denota.semantics.epsparql.syntax.tree import (
    DURATION,
    END_TIME,
    START_TIME,
    EpsparqlQuery,
    Form,
    Operator,
    StreamClause,
    TemporalPattern,
)
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.items import IntervalGraph, Item, TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD
from denota.semantics.model.trees import changed, find
from denota.semantics.rdf.syntax import tree as s
from denota.strategies import EpsparqlCase, epsparql_cases, epsparql_streams

from ..examples import examples

STREAM = URIRef("http://example.org/s")
SECOND = 1_000_000

Told: TypeAlias = "Counter[Any]"
"""How often there is each solution: its interval and what it binds, or whether there is one"""

Evaluate: TypeAlias = Callable[[EpsparqlCase], Told]


def told(results: Iterable[Any]) -> Told:
    """Blank nodes are known by nothing but being some."""
    return Counter(
        each if isinstance(each, bool) else (each.start, each.end, frozenset(
            (v, "_" if isinstance(term, BNode) else term) for v, term in each.mapping.items()
        ))
        for each in results
    )


def by_definition(case: EpsparqlCase) -> Told:
    return told(case.denotation())


def by_engine(case: EpsparqlCase) -> Told:
    return told(case.matches())


both = pytest.mark.parametrize("answers", [by_definition, by_engine])

# --- queries and their streams -------------------------------------------------------------------


def moved(item: Item, by: int) -> Item:
    if isinstance(item, IntervalGraph):
        return replace(item, start=item.start + by, end=item.end + by)
    return replace(item, time=item.time + by)


@both
@examples(80)
@given(epsparql_cases(), st.sampled_from((1, 7)))
def test_all_may_be_later(answers: Evaluate, case: EpsparqlCase, ticks: int) -> None:
    """Items that come later by the same time: solutions that are later by it."""
    if any(each.name in (START_TIME, END_TIME) for each in find(case.query, s.BuiltIn)):
        return
    kinds = {item.kind for stream in case.streams.values() for item in stream}
    by = ticks * SECOND if TimeKind.DATETIME in kinds else ticks
    later = case.but(streams={
        iri: tuple(moved(item, by) for item in stream) for iri, stream in case.streams.items()
    })
    expected: Told = Counter()
    for each, times in answers(case).items():
        expected[each if isinstance(each, bool) else (each[0] + by, each[1] + by, each[2])] = times
    assert answers(later) == expected


@both
@examples(80)
@given(epsparql_cases())
def test_names_say_nothing(answers: Evaluate, case: EpsparqlCase) -> None:
    """Other variables, other streams, and two resources changed for one another."""
    select = case.query.select
    if select is not None and select.modifier.limit is not None:
        return  # the first of an order that names decide
    a, b = URIRef("http://example.org/a"), URIRef("http://example.org/b")
    others = {a: b, b: a, **{iri: URIRef(f"{iri}-0") for iri in case.streams}}

    def other(part: Any) -> Any:
        return Variable(f"{part}0") if isinstance(part, Variable) else others.get(part, part)

    renamed = case.but(
        query=changed(case.query, other), kb=changed(dict(case.kb), other),
        streams={
            other(iri): tuple(replace(item, graph=changed(item.graph, other)) for item in stream)
            for iri, stream in case.streams.items()
        },
    )
    constructed = select is None or case.query.form is Form.DESCRIBE
    expected: Told = Counter()
    for each, times in answers(case).items():
        if not isinstance(each, bool):
            each = (*each[:2], frozenset(
                (v if constructed else other(v), other(term)) for v, term in each[2]
            ))
        expected[each] += times
    assert answers(renamed) == expected


@both
@examples(60)
@given(epsparql_cases(), epsparql_streams(max_size=4))
def test_a_stream_that_is_not_asked_for_says_nothing(
    answers: Evaluate, case: EpsparqlCase, further: tuple[Item, ...]
) -> None:
    clauses = tuple(StreamClause(iri) for iri in case.streams)
    case = case.but(query=replace(case.query, streams=clauses))
    kinds = {item.kind for stream in case.streams.values() for item in stream}
    if kinds == {TimeKind.INTEGER}:
        assert answers(case.but(streams={**case.streams, STREAM: further})) == answers(case)


@both
@examples(60)
@given(epsparql_cases())
def test_what_comes_twice_occurs_once(answers: Evaluate, case: EpsparqlCase) -> None:
    """A stream is a set of triples with their intervals."""
    twice = case.but(streams={
        iri: tuple(item for each in stream for item in (each, each))
        for iri, stream in case.streams.items()
    })
    assert answers(twice) == answers(case)


# --- patterns ------------------------------------------------------------------------------------


def of(stream: Sequence[Item], *elements: s.Element) -> EpsparqlCase:
    where = s.GroupGraphPattern(elements)
    return EpsparqlCase(EpsparqlQuery(s.SelectQuery(None, where)), {STREAM: tuple(stream)})


def group(*elements: s.Element) -> s.GroupGraphPattern:
    return s.GroupGraphPattern(elements)


def temporal(
    left: s.GroupGraphPattern, operator: Operator, right: s.GroupGraphPattern
) -> TemporalPattern:
    return TemporalPattern((left, right), operator)


def has_time(pattern: s.GroupGraphPattern) -> bool:
    """Whether every solution has a time: a triple pattern that is no path stands in the group."""
    return any(
        isinstance(triple.predicate, URIRef)
        for element in pattern.elements if isinstance(element, s.TriplesBlock)
        for triple in element.triples
    )


PATTERNS = epsparql_patterns(depth=0)
TIMED = PATTERNS.filter(has_time)
STREAMS = epsparql_streams(max_size=5)
JOINING = st.sampled_from((Operator.SEQ, Operator.EQUALS))


@both
@examples(50)
@given(TIMED, TIMED, TIMED, STREAMS)
def test_a_sequence_is_associative(
    answers: Evaluate, first: s.GroupGraphPattern, second: s.GroupGraphPattern,
    third: s.GroupGraphPattern, stream: tuple[Item, ...],
) -> None:
    """(A SEQ B) SEQ C = A SEQ (B SEQ C)"""
    left = group(temporal(first, Operator.SEQ, second))
    right = group(temporal(second, Operator.SEQ, third))
    assert answers(of(stream, temporal(left, Operator.SEQ, third))) == answers(
        of(stream, temporal(first, Operator.SEQ, right))
    )


@both
@examples(50)
@given(TIMED, TIMED, STREAMS)
def test_sequence_and_simultaneity_are_parts_of_the_join(
    answers: Evaluate, left: s.GroupGraphPattern, right: s.GroupGraphPattern,
    stream: tuple[Item, ...],
) -> None:
    """A SEQ B, B SEQ A and A EQUALS B are disjoint parts of A . B, where both have a time."""
    joined = answers(of(stream, s.UnionPattern((left,)), s.UnionPattern((right,))))
    parts = (
        answers(of(stream, temporal(left, Operator.SEQ, right)))
        + answers(of(stream, temporal(right, Operator.SEQ, left)))
        + answers(of(stream, temporal(left, Operator.EQUALS, right)))
    )
    assert parts <= joined


@both
@examples(50)
@given(PATTERNS, PATTERNS, STREAMS)
def test_equals_commutes(
    answers: Evaluate, left: s.GroupGraphPattern, right: s.GroupGraphPattern,
    stream: tuple[Item, ...],
) -> None:
    assert answers(of(stream, temporal(left, Operator.EQUALS, right))) == answers(
        of(stream, temporal(right, Operator.EQUALS, left))
    )


@both
@examples(50)
@given(PATTERNS, TIMED, STREAMS)
def test_an_optional_sequence_contains_the_sequence(
    answers: Evaluate, left: s.GroupGraphPattern, right: s.GroupGraphPattern,
    stream: tuple[Item, ...],
) -> None:
    """A SEQ B ⊆ A OPTIONALSEQ B, and what is more binds what B binds only; where B has a time,
    since for OPTIONALSEQ nothing that has one is before what has none."""
    if any(isinstance(element, s.Filter) for element in left.elements):
        return  # in an optional group they see both sides
    sequence = answers(of(stream, temporal(left, Operator.SEQ, right)))
    optional = answers(of(stream, temporal(left, Operator.OPTIONALSEQ, right)))
    assert sequence <= optional
    assert optional - sequence <= answers(of(stream, s.UnionPattern((right,))))


@both
@examples(50)
@given(PATTERNS, PATTERNS, PATTERNS, JOINING, STREAMS)
def test_a_sequence_goes_over_a_union(
    answers: Evaluate, first: s.GroupGraphPattern, second: s.GroupGraphPattern,
    third: s.GroupGraphPattern, operator: Operator, stream: tuple[Item, ...],
) -> None:
    """(A UNION B) SEQ C = (A SEQ C) UNION (B SEQ C), and with C in the first place; EQUALS, too."""
    either = group(s.UnionPattern((first, second)))
    for whole, parts in (
        (temporal(either, operator, third),
         [temporal(each, operator, third) for each in (first, second)]),
        (temporal(third, operator, either),
         [temporal(third, operator, each) for each in (first, second)]),
    ):
        assert answers(of(stream, whole)) == answers(
            of(stream, s.UnionPattern(tuple(group(each) for each in parts)))
        )


@both
@examples(80)
@given(epsparql_patterns(depth=1), st.integers(0, 4), epsparql_streams(max_size=9))
def test_a_bound_of_the_duration_leaves_out_what_lasts_longer(
    answers: Evaluate, pattern: s.GroupGraphPattern, most: int, stream: tuple[Item, ...]
) -> None:
    """What an engine forgets for it is nothing that is within it."""
    inner = s.UnionPattern((pattern,))
    bound = s.Comparison("<=", s.BuiltIn(DURATION, ()), literal(str(most), XSD + "integer"))
    assert answers(of(stream, inner, s.Filter(bound))) == Counter({
        each: times for each, times in answers(of(stream, inner)).items()
        if each[1] - each[0] <= most
    })


# --- items ---------------------------------------------------------------------------------------


@both
@examples(80)
@given(epsparql_cases())
def test_an_item_may_be_cut_into_its_triples(answers: Evaluate, case: EpsparqlCase) -> None:
    """An RDF stream is a set of occurrences: which graphs they came in means nothing, but to
    RSEP-QL."""
    if case.readings.policy != "unrestricted":
        return
    cut = case.but(streams={
        iri: tuple(
            replace(item, graph=frozenset({triple})) for item in stream for triple in item.graph
        )
        for iri, stream in case.streams.items()
    })
    try:
        expected = case.denotation()
    except DenotaError:
        return  # which rule stops first may differ
    assert answers(cut) == told(expected)
